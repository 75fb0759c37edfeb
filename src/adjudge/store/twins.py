"""A run that is made again: it shares what its twin came to, and nothing is asked, computed or copied."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from adjudge.core import points
from adjudge.core.runs import Run
from adjudge.store import codec
from adjudge.store.database import Part
from adjudge.store.runs import add_run, totals_of

_COMPLETE = """
SELECT id, manifest, twin, summary, totals FROM runs WHERE dataset = ? AND status = 'complete' ORDER BY number DESC
"""
_SHARE = "UPDATE runs SET twin = ?, status = 'complete', finished = ?, summary = ?, totals = ? WHERE id = ?"


class Twins(Part):
    """The part of the store that knows when nothing has to be computed again."""

    def create_twin(self, run: Run, *, spec: str) -> bool:
        """Store a new run as complete if a complete run has its signature; whether one has.

        Calls and outcomes stay where they are: a complete run does not change any more.
        """
        for twin_id, manifest, holder, summary, totals in self._db.read(_COMPLETE, (run.data_digest,)):
            twin = codec.load_run(manifest)
            if twin.signature != run.signature or twin.judge_digest != run.judge_digest:
                continue
            if holder is None and not self._only_shared(twin_id):
                continue
            come_to = totals_of(self._db.read, twin_id) if totals is None else codec.load_object(totals)
            ended = datetime.now(UTC).isoformat(timespec="seconds")
            with self._db.write() as transaction:
                add_run(transaction, run, spec)
                transaction.run(_SHARE, (holder or twin_id, ended, summary, codec.dump(_unpaid(come_to)), run.id))
                points.reached("run.written")
            return True
        return False

    def _only_shared(self, run_id: str) -> bool:
        """Whether all that a run rests on is what any other run would be given for the same calls."""
        own = "SELECT 1 FROM calls WHERE run = ? AND (finish IS NULL OR finish <> 'stop' OR reply IS NOT NULL) LIMIT 1"
        return not self._db.read(own, (run_id,))


def _unpaid(totals: dict[str, Any]) -> dict[str, Any]:
    """What a run has come to whose every reply is from the store."""
    nothing = {"calls": 0, "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0}
    return {**totals, **nothing, "cached": totals["calls"] + totals["cached"]}
