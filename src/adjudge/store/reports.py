"""Reports of complete runs, kept: all outcomes of a run were read to make one."""

from __future__ import annotations

from adjudge.store.database import Part

_KEPT = (
    "SELECT body FROM runs JOIN reports ON reports.run = COALESCE(runs.twin, runs.id) "
    "WHERE runs.id = ? AND runs.status = 'complete' AND made_by = ?"
)
_KEEP = (
    "INSERT INTO reports (run, made_by, body) "
    "SELECT COALESCE(twin, id), ?, ? FROM runs WHERE id = ? AND status = 'complete' "
    "ON CONFLICT (run) DO UPDATE SET made_by = excluded.made_by, body = excluded.body"
)


class Reports(Part):
    """The part of the store that holds what was made of outcomes; a run shares it with its twins."""

    def kept_report(self, run_id: str, made_by: str) -> str | None:
        """What was kept of a run, if code of this digest made it."""
        rows = self._db.read(_KEPT, (run_id, made_by))
        return str(rows[0][0]) if rows else None

    def keep_report(self, run_id: str, made_by: str, body: str) -> None:
        """Keep what was made of a complete run; one that may still change has nothing kept."""
        with self._db.write() as transaction:
            transaction.run(_KEEP, (made_by, body, run_id))
