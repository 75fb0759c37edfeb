"""A run that is made again: what its twin came to is copied within the database, row by row, with no object made."""

from __future__ import annotations

from adjudge.core.runs import Run
from adjudge.store import codec
from adjudge.store.database import Part

_CALLS = """
INSERT INTO calls (run, key, first_position, last_position, stage, repeat, call, cached, spent_in, spent_out,
                   spent_pico, finish, attempts, step)
SELECT ?, key, first_position, last_position, stage, repeat, call, 1, 0, 0, 0, finish, attempts, step
FROM calls WHERE run = ? ON CONFLICT (run, key) DO NOTHING
"""
_OUTCOMES = (
    "INSERT INTO outcomes (run, position, judged, body) SELECT ?, position, judged, body FROM outcomes WHERE run = ? "
    "ON CONFLICT (run, position) DO NOTHING"
)
_ANSWERED = (
    "INSERT INTO answered (run, position, body) SELECT ?, position, body FROM answered WHERE run = ? "
    "ON CONFLICT (run, position) DO NOTHING"
)
_SUMMARIES = (
    "INSERT INTO summaries (run, position, body) SELECT ?, position, body FROM summaries WHERE run = ? "
    "ON CONFLICT (run, position) DO NOTHING"
)


class Twins(Part):
    """The part of the store that knows when nothing has to be computed again."""

    def copy_twin(self, run: Run) -> bool:
        """Give a new run all that a complete run of the same signature has, if there is one; whether there was."""
        sql = "SELECT id, manifest FROM runs WHERE dataset = ? AND status = 'complete' AND id <> ? ORDER BY number DESC"
        for twin_id, manifest in self._db.read(sql, (run.data_digest, run.id)):
            twin = codec.load_run(manifest)
            if twin.signature != run.signature or twin.judge_digest != run.judge_digest:
                continue
            if self._only_shared(twin_id):
                with self._db.write() as transaction:
                    for statement in (_CALLS, _OUTCOMES, _ANSWERED, _SUMMARIES):
                        transaction.run(statement, (run.id, twin_id))
                return True
        return False

    def _only_shared(self, run_id: str) -> bool:
        """Whether all that a run rests on is what any other run would be given for the same calls."""
        own = "SELECT 1 FROM calls WHERE run = ? AND (finish IS NULL OR finish <> 'stop' OR reply IS NOT NULL) LIMIT 1"
        return not self._db.read(own, (run_id,))
