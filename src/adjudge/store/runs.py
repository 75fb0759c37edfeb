"""Runs: what they are, whether they are being run, how far they came."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, TypeAlias

from adjudge.core import points
from adjudge.core.errors import ConfigError, Conflict
from adjudge.core.runs import Run, RunState
from adjudge.store import codec
from adjudge.store.database import Part, Row, Transaction, Values
from adjudge.store.process import Process
from adjudge.store.url import shown_url, with_store

Read: TypeAlias = Callable[[str, Values], list[Row]]

_RUNS = "SELECT id, name, manifest, status, seconds, finished, summary, totals FROM runs"
RUNNERS = "SELECT owner, host, pid, started, beat FROM runners WHERE run = ?"
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

    def create_run(self, run: Run, *, spec: str) -> None:
        """Store a new run and the options to resume it with; its dataset must be stored already."""
        with self._db.write() as transaction:
            add_run(transaction, run, spec)
            points.reached("run.written")

    def runs(self) -> list[RunState]:
        """Every run, the newest first."""
        return [self._state(row) for row in self._db.read(f"{_RUNS} ORDER BY number DESC")]

    def state(self, run_id: str) -> RunState:
        """A run as it stands."""
        rows = self._db.read(f"{_RUNS} WHERE id = ?", (run_id,))
        if not rows:
            raise unknown_run(self._db.read, run_id, self._url)
        return self._state(rows[0])

    def under_way(self, run: Run) -> list[str]:
        """The ids of other runs at work that ask the same model about the same items with the same judge."""
        sql = "SELECT id, manifest FROM runs WHERE dataset = ? AND status = 'running' AND id <> ? ORDER BY number"
        found = [codec.load_run(manifest) for _, manifest in self._db.read(sql, (run.data_digest, run.id))]
        same = (run.judge_digest, run.settings)
        return [one.id for one in found if (one.judge_digest, one.settings) == same and living(self._db.read, one.id)]

    def run_spec(self, run_id: str) -> str:
        """The options the run was created with."""
        rows = self._db.read("SELECT spec FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise unknown_run(self._db.read, run_id, self._url)
        return str(rows[0][0])

    def find_run(self, name: str) -> RunState:
        """The run that people mean by `latest`, an id, a name, or the beginning of an id, in this order."""
        tries: tuple[tuple[str, tuple[str, ...]], ...] = (
            ("WHERE id = ?", (name,)),
            ("WHERE name = ? AND name <> ''", (name,)),
            ("WHERE substr(id, 1, length(?)) = ? AND ? <> ''", (name, name, name)),
        )
        if name == "latest":
            tries = (("WHERE number = (SELECT MAX(number) FROM runs)", ()),)
        for condition, values in tries:
            rows = self._db.read(f"{_RUNS} {condition} ORDER BY number DESC LIMIT {_LISTED + 1}", values)
            if len(rows) == 1 or (rows and rows[0][1] == name):  # of runs with one name the newest is meant
                return self._state(rows[0])
            if rows:
                listed = ", ".join(shown(row[0]) for row in rows[:_LISTED]) + (", ..." if len(rows) > _LISTED else "")
                raise ConfigError(f"{shown(name)} may mean several runs: {listed}", hint="give the whole id of one")
        raise unknown_run(self._db.read, name, self._url)

    def _state(self, row: Row) -> RunState:
        run_id, _, manifest, status, seconds, finished, summary, totals = row
        if status == "running" and not living(self._db.read, run_id):
            # unless it ended between the two questions
            (now,) = self._db.read(f"{_RUNS} WHERE id = ?", (run_id,))
            if now != row:
                return self._state(now)
            status = "interrupted"
        come_to = totals_of(self._db.read, run_id) if totals is None else codec.load_object(totals)
        return codec.load_state(
            {
                "run": codec.load_run(manifest),
                "status": status,
                "seconds": seconds,
                "finished": finished,
                "summary": codec.load_texts(summary),
                "store": shown_url(self._url),
                **come_to,
            }
        )


def add_run(transaction: Transaction, run: Run, spec: str) -> None:
    """Write a new run that has come to nothing yet."""
    if transaction.read("SELECT 1 FROM runs WHERE id = ?", (run.id,)):
        raise Conflict(f"there is a run {shown(run.id)} already")
    if not transaction.read("SELECT 1 FROM datasets WHERE digest = ?", (run.data_digest,)):
        raise Conflict(f"the dataset of run {shown(run.id)} is not in the store")
    transaction.run(
        "INSERT INTO runs (id, number, name, dataset, manifest, spec, status, seconds, summary) "
        "SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, 'running', 0, '{}' FROM runs",
        (run.id, run.name, run.data_digest, codec.dump_run(run), spec),
    )


def living(read: Read, run_id: str) -> set[str]:
    """The owners of the processes that work at a run and live."""
    rows = read(RUNNERS, (run_id,))
    return {row[0] for row in rows if Process(host=row[1], pid=row[2], started=row[3]).alive(row[4])}


def unknown_run(read: Read, name: str, store: str) -> ConfigError:
    """That there is no such run, and which may have been meant."""
    rows = read("SELECT id, name FROM runs ORDER BY number DESC LIMIT 1000", ())
    if not rows:
        return ConfigError("the store holds no run yet", hint="judge something first with `adjudge run`")
    close = difflib.get_close_matches(name[:200], [text for row in rows for text in row if text], n=3)
    listed = f"list them with `{with_store('adjudge runs', store)}`"
    hint = f"did you mean {' or '.join(map(shown, close))}?" if close else listed
    return ConfigError(f"there is no run {shown(name)}", hint=hint)


def shown(text: str) -> str:
    """A name as messages may print it: one short line, no control characters."""
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[:80])
    return plain + ("…" if len(text) > 80 else "")


def totals_of(read: Read, run_id: str) -> dict[str, Any]:
    """What a run has come to so far, counted."""
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
