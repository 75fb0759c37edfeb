"""Runs: what they are, who runs them, how far they came."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import uuid4

from adjudge.core.errors import ConfigError, Conflict, StoreError
from adjudge.core.records import Run, RunState
from adjudge.store import codec
from adjudge.store.database import Database, Part, Row, Transaction
from adjudge.store.process import Process, this_process

_RUNS = """
SELECT runs.id, runs.name, runs.manifest, runs.status, runs.seconds, runs.finished, runs.summary, runs.totals,
       runners.host, runners.pid, runners.started, runners.beat
FROM runs LEFT JOIN runners ON runners.run = runs.id
"""
_RUNNER = "SELECT owner, host, pid, started, beat FROM runners WHERE run = ?"
_OUTCOMES = "SELECT COUNT(*), COALESCE(SUM(judged), 0) FROM outcomes WHERE run = ?"
_CALLS = """
SELECT COUNT(*), COALESCE(SUM(cached), 0), COALESCE(SUM(CASE WHEN stage IN ('repair', 'again') THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(spent_in), 0), COALESCE(SUM(spent_out), 0), COALESCE(SUM(spent_pico), 0), COUNT(spent_pico)
FROM calls WHERE run = ?
"""
_STEPS = "SELECT step, COUNT(*) FROM calls WHERE run = ? AND step IS NOT NULL GROUP BY step ORDER BY step"
_LISTED = 10


class Runs(Part):
    """The part of the store that knows runs."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._owner = uuid4().hex
        self._claimed: set[str] = set()

    def create_run(self, run: Run, *, spec: str) -> None:
        """Store a new run and the options to resume it with; its dataset must be stored already."""
        with self._db.write() as transaction:
            if transaction.read("SELECT 1 FROM runs WHERE id = ?", (run.id,)):
                raise Conflict(f"there is a run {shown(run.id)} already")
            if not transaction.read("SELECT 1 FROM datasets WHERE digest = ?", (run.data_digest,)):
                raise Conflict(f"the dataset of run {shown(run.id)} is not in the store")
            transaction.run(
                "INSERT INTO runs (id, number, name, dataset, manifest, spec, status, seconds, summary) "
                "SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, 'running', 0, '{}' FROM runs",
                (run.id, run.name, run.data_digest, codec.dump_run(run), spec),
            )

    def runs(self) -> list[RunState]:
        """Every run, the newest first."""
        return [self._state(row) for row in self._db.read(f"{_RUNS} ORDER BY runs.number DESC")]

    def state(self, run_id: str) -> RunState:
        """A run as it stands."""
        rows = self._db.read(f"{_RUNS} WHERE runs.id = ?", (run_id,))
        if not rows:
            raise self._unknown(run_id)
        return self._state(rows[0])

    def run_spec(self, run_id: str) -> str:
        """The options the run was created with."""
        rows = self._db.read("SELECT spec FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise self._unknown(run_id)
        return str(rows[0][0])

    def find_run(self, name: str) -> RunState:
        """The run that people mean by `latest`, an id, a name, or the beginning of an id, in this order."""
        tries: tuple[tuple[str, tuple[str, ...]], ...] = (
            ("WHERE runs.id = ?", (name,)),
            ("WHERE runs.name = ? AND runs.name <> ''", (name,)),
            ("WHERE substr(runs.id, 1, length(?)) = ? AND ? <> ''", (name, name, name)),
        )
        if name == "latest":
            tries = (("WHERE runs.number = (SELECT MAX(number) FROM runs)", ()),)
        for condition, values in tries:
            rows = self._db.read(f"{_RUNS} {condition} ORDER BY runs.number DESC LIMIT {_LISTED + 1}", values)
            if len(rows) == 1 or (rows and rows[0][1] == name):  # of runs with one name the newest is meant
                return self._state(rows[0])
            if rows:
                listed = ", ".join(shown(row[0]) for row in rows[:_LISTED]) + (", ..." if len(rows) > _LISTED else "")
                raise ConfigError(f"{shown(name)} may mean several runs: {listed}", hint="give the whole id of one")
        raise self._unknown(name)

    def claim(self, run_id: str) -> None:
        """Make this store the one that runs the run, unless a process that lives has it."""
        me = this_process()
        with self._db.write() as transaction:
            if not transaction.run(
                "UPDATE runs SET status = 'running', finished = NULL, totals = NULL WHERE id = ?", (run_id,)
            ):
                raise self._unknown(run_id)
            self._refuse_other(transaction, run_id)
            transaction.run(
                "INSERT INTO runners (run, owner, host, pid, started, beat) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid, "
                "started = excluded.started, beat = excluded.beat",
                (run_id, self._owner, me.host, me.pid, me.started, time.time()),
            )
        self._claimed.add(run_id)

    def beat(self, run_id: str) -> None:
        """Say that the run's process lives; Conflict when another one has taken the run over."""
        with self._db.write() as transaction:
            mine = (time.time(), run_id, self._owner)
            if not transaction.run("UPDATE runners SET beat = ? WHERE run = ? AND owner = ?", mine):
                raise Conflict(f"run {shown(run_id)} is no longer this process's: another one took it over")

    def finish(
        self,
        run_id: str,
        status: Literal["complete", "partial", "interrupted"],
        *,
        summary: Mapping[str, str],
        seconds: float,
    ) -> None:
        """End this process's part of the run; its seconds add to those of earlier parts."""
        with self._db.write() as transaction:
            self._refuse_other(transaction, run_id)
            transaction.run("DELETE FROM runners WHERE run = ?", (run_id,))
            totals = codec.dump(_totals(transaction.read, run_id))
            ended = datetime.now(UTC).isoformat(timespec="seconds")
            if not transaction.run(
                "UPDATE runs SET status = ?, summary = ?, seconds = seconds + ?, finished = ?, totals = ? WHERE id = ?",
                (status, codec.dump(summary), seconds, ended, totals, run_id),
            ):
                raise self._unknown(run_id)
        self._claimed.discard(run_id)

    def _release(self) -> None:
        """Let go of what this store still runs: it then counts as interrupted, even while the process lives."""
        if self._claimed:
            # A store that can no longer be written is closed all the same, and the end of the process tells the rest.
            with suppress(StoreError), self._db.write() as transaction:
                transaction.run("DELETE FROM runners WHERE owner = ?", (self._owner,))

    def _refuse_other(self, transaction: Transaction, run_id: str) -> None:
        for owner, host, pid, started, beat in transaction.read(_RUNNER, (run_id,)):
            if owner != self._owner and Process(host=host, pid=pid, started=started).alive(beat):
                raise Conflict(
                    f"run {shown(run_id)} is being run by process {pid} on {shown(host.partition(' ')[0])}\n"
                    "  hint: wait for it to end, or stop it and resume the run"
                )

    def _state(self, row: Row) -> RunState:
        run_id, _, manifest, status, seconds, finished, summary, totals, host, pid, started, beat = row
        if status == "running" and not (host and Process(host=host, pid=pid, started=started).alive(beat)):
            status = "interrupted"
        return RunState(
            run=codec.load_run(manifest),
            status=status,
            seconds=seconds,
            finished=finished,
            summary=codec.load(summary),
            **(codec.load(totals) if totals else _totals(self._db.read, run_id)),
        )

    def _unknown(self, name: str) -> ConfigError:
        rows = self._db.read("SELECT id, name FROM runs ORDER BY number DESC LIMIT 1000")
        if not rows:
            return ConfigError("the store holds no run yet", hint="judge something first with `adjudge run`")
        close = difflib.get_close_matches(name[:200], [text for row in rows for text in row if text], n=3)
        hint = f"did you mean {' or '.join(map(shown, close))}?" if close else "list them with `adjudge runs`"
        return ConfigError(f"there is no run {shown(name)}", hint=hint)


def shown(text: str) -> str:
    """A name as messages may print it: one short line, no control characters."""
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[:80])
    return plain + ("…" if len(text) > 80 else "")


def _totals(read: Callable[[str, tuple[str]], list[Row]], run_id: str) -> dict[str, Any]:
    outcomes, judged = map(int, read(_OUTCOMES, (run_id,))[0])
    calls, cached, again, tokens_in, tokens_out, pico, priced = map(int, read(_CALLS, (run_id,))[0])
    return {
        "judged": judged,
        "failed": outcomes - judged,
        "calls": calls - cached,
        "cached": cached,
        "asked_again": again,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "cost_usd": pico / 1e12 if priced == calls else None,
        "steps": {step: int(count) for step, count in read(_STEPS, (run_id,))},
    }
