"""Who works at a run: processes that say they live, and the part of the run that each has taken upon itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

from adjudge.core import points
from adjudge.core.errors import Conflict, StoreError
from adjudge.store import codec
from adjudge.store.database import Database, Part
from adjudge.store.process import this_process
from adjudge.store.runs import RUNNERS, living, shown, totals_of, unknown_run

#: What is done once, when all the others are through: no part of the dataset.
LAST_PART = -1
_TAKE = "INSERT INTO shares (run, part, owner, done) VALUES (?, ?, ?, 0) ON CONFLICT (run, part) DO NOTHING"


class Shares(Part):
    """The part of the store by which several processes do one run without doing anything twice."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        #: This store, told from every other one that is open anywhere.
        self.owner = uuid4().hex
        self._claimed: set[str] = set()

    def claim(self, run_id: str) -> None:
        """Make this store one of those that work at the run. What dead ones have left half done is free again."""
        me = this_process()
        with self._db.write() as transaction:
            if not transaction.read("SELECT 1 FROM runs WHERE id = ?", (run_id,)):
                raise unknown_run(transaction.read, run_id, self._url)
            # One that others have completed in the meantime stays so: they have said it already.
            begun = "UPDATE runs SET status = 'running', finished = NULL, totals = NULL WHERE id = ? AND status <> ?"
            transaction.run(begun, (run_id, "complete"))
            there = living(transaction.read, run_id)
            for owner, *_ in transaction.read(RUNNERS, (run_id,)):
                if owner not in there:
                    transaction.run("DELETE FROM runners WHERE run = ? AND owner = ?", (run_id, owner))
            if not there - {self.owner}:
                # Nobody is at work: what was given up, failed or broken off before is begun anew.
                transaction.run("DELETE FROM shares WHERE run = ?", (run_id,))
            transaction.run(
                "INSERT INTO runners (run, owner, host, pid, started, beat) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (run, owner) DO UPDATE SET beat = excluded.beat",
                (run_id, self.owner, me.host, me.pid, me.started, time.time()),
            )
            points.reached("claim.written")
        self._claimed.add(run_id)
        points.reached("run.claimed")

    def beat(self, run_id: str) -> None:
        """Say that this process lives; Conflict when others thought it dead and go on without it."""
        with self._db.write(alone=False) as transaction:
            mine = (time.time(), run_id, self.owner)
            if not transaction.run("UPDATE runners SET beat = ? WHERE run = ? AND owner = ?", mine):
                raise Conflict(
                    f"run {shown(run_id)} goes on without this process, which was silent for too long\n"
                    "  hint: `adjudge resume` lets it take part again"
                )

    def take(self, run_id: str, part: int) -> bool:
        """Whether this process now has a part that nobody living had, and that nobody has done."""
        with self._db.write(alone=False) as transaction:
            if transaction.run(_TAKE, (run_id, part, self.owner)):
                points.reached("share.written")
                return True
        with self._db.write() as transaction:
            # who had it may have given it back in between
            if transaction.run(_TAKE, (run_id, part, self.owner)):
                return True
            ((owner, done),) = transaction.read(
                "SELECT owner, done FROM shares WHERE run = ? AND part = ?", (run_id, part)
            )
            if done or owner in living(transaction.read, run_id):
                return False
            took = "UPDATE shares SET owner = ? WHERE run = ? AND part = ?"
            return transaction.run(took, (self.owner, run_id, part)) == 1

    def done_parts(self, run_id: str) -> set[int]:
        """The parts of a run that somebody is through with."""
        rows = self._db.read("SELECT part FROM shares WHERE run = ? AND done = 1", (run_id,))
        return {int(row[0]) for row in rows}

    def alone(self, run_id: str) -> bool:
        """Whether no other living process works at the run."""
        return living(self._db.read, run_id) <= {self.owner}

    def finish(
        self,
        run_id: str,
        status: Literal["complete", "partial", "interrupted"],
        *,
        summary: Mapping[str, str] | None,
        seconds: float,
    ) -> None:
        """End this process's part of the run. The first to find all done says so, else the last says how far."""
        with self._db.write() as transaction:
            transaction.run("DELETE FROM runners WHERE run = ? AND owner = ?", (run_id, self.owner))
            if summary is not None:
                transaction.run("UPDATE runs SET summary = ? WHERE id = ?", (codec.dump(summary), run_id))
                transaction.run("UPDATE shares SET done = 1 WHERE run = ? AND part = ?", (run_id, LAST_PART))
            others = living(transaction.read, run_id)
            if others:
                # they have waited for nothing: what this process had begun and not ended is theirs to take
                transaction.run("DELETE FROM shares WHERE run = ? AND owner = ? AND done = 0", (run_id, self.owner))
            else:
                transaction.run("DELETE FROM runners WHERE run = ?", (run_id,))
                transaction.run("DELETE FROM shares WHERE run = ?", (run_id,))
            ((ended,),) = transaction.read("SELECT finished FROM runs WHERE id = ?", (run_id,))
            if ended is None and (status == "complete" or not others):
                totals = totals_of(transaction.read, run_id)
                if status == "complete" and totals["failed"]:
                    status = "partial"
                ended = datetime.now(UTC).isoformat(timespec="seconds")
                transaction.run(
                    "UPDATE runs SET status = ?, seconds = seconds + ?, finished = ?, totals = ? WHERE id = ?",
                    (status, seconds, ended, codec.dump(totals), run_id),
                )
            points.reached("finish.written")
        self._claimed.discard(run_id)
        points.reached("finish.durable")

    def _release(self) -> None:
        """Let go of what this store still runs: it then counts as interrupted, even while the process lives."""
        if self._claimed:
            # A store that can no longer be written is closed all the same, and the end of the process tells the rest.
            with suppress(StoreError), self._db.write() as transaction:
                transaction.run("DELETE FROM runners WHERE owner = ?", (self.owner,))
