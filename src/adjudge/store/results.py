"""Calls, replies and outcomes: what the engine wrote, read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from adjudge.core.records import Call, Outcome, Reply, Stage
from adjudge.store import codec
from adjudge.store.database import Database, Part, Row

_CALLS = """
SELECT first_position, stage, repeat, call, COALESCE(calls.reply, replies.body), finish, step, kind, message, attempts
FROM calls LEFT JOIN replies ON replies.key = calls.key WHERE run = ?
"""
_WIDEST = "SELECT COALESCE(MAX(last_position - first_position), 0) FROM calls WHERE run = ?"
#: The calls that are about some items, with the items' ids.
_ITEM_CALLS = """
SELECT items.id, first_position, stage, repeat, call, COALESCE(calls.reply, replies.body), finish, step, kind, message,
       attempts
FROM runs JOIN items ON items.dataset = runs.dataset
JOIN calls ON calls.run = runs.id AND first_position >= items.position - ? AND first_position <= items.position
          AND last_position >= items.position
LEFT JOIN replies ON replies.key = calls.key
WHERE runs.id = ? AND items.id IN (...) ORDER BY first_position, stage, repeat, call
"""
_ORDER = "ORDER BY first_position, stage, repeat, call"


@dataclass(frozen=True, kw_only=True, slots=True)
class CallState:
    """A call of a run and what became of it: a reply and the way it was read, or the kind of failure."""

    call: Call
    reply: Reply | None
    attempts: int
    step: str | None = None
    kind: str | None = None
    message: str | None = None
    #: What was answered to a call that failed since it could not be read.
    unread: Reply | None = None


class Results(Part):
    """The part of the store that holds what came back."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._holders: dict[str, str] = {}

    def _holder(self, run_id: str) -> str:
        """The run under which the results of a run are stored: itself, or the one that it is a twin of."""
        if run_id not in self._holders:
            rows = self._db.read("SELECT COALESCE(twin, id) FROM runs WHERE id = ?", (run_id,))
            if not rows:
                return run_id
            self._holders[run_id] = rows[0][0]
        return self._holders[run_id]

    def reply(self, key: str) -> Reply | None:
        """The complete reply to a call, of whichever run; cut-off and refused ones are never reused."""
        return self.replies([key]).get(key)

    def replies(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The complete replies among many keys."""
        rows = self._db.read_each("SELECT key, body FROM replies WHERE key IN (...)", (), list(keys))
        return {key: codec.load_reply(body) for key, body in rows}

    def replies_of(self, run_id: str, keys: Iterable[str]) -> dict[str, Reply]:
        """The replies that a run has for its own calls, complete or not, among many keys."""
        rows = self._db.read_each(f"{_CALLS} AND calls.key IN (...)", (self._holder(run_id),), list(keys))
        states = map(_call_state, rows)
        return {state.call.key: state.reply for state in states if state.reply}

    def run_calls(self, run_id: str) -> Iterator[CallState]:
        """Every call of a run, failed ones too, in the order of the dataset."""
        sql = f"{_CALLS} AND (first_position, stage, repeat, call) > (?, ?, ?, ?) {_ORDER}"
        for row in self._db.scan(sql, (self._holder(run_id),), (-1, "", 0, "")):
            yield _call_state(row)

    def run_replies(self, run_id: str) -> Iterator[tuple[Call, Reply]]:
        """Every call of a run that has a reply, in the order of the dataset."""
        for state in self.run_calls(run_id):
            if state.reply:
                yield state.call, state.reply

    def calls_of(self, run_id: str, keys: Iterable[str]) -> list[CallState]:
        """Some calls of a run, failed ones too, in the order of their keys."""
        wanted = list(keys)
        rows = self._db.read_each(f"{_CALLS} AND calls.key IN (...)", (self._holder(run_id),), wanted)
        found = {state.call.key: state for state in map(_call_state, rows)}
        return [found[key] for key in wanted if key in found]

    def item_replies(self, run_id: str, item_id: str) -> list[tuple[Call, Reply]]:
        """The replies that speak of one item, and those that its verdict shares with other items."""
        return self.items_replies(run_id, {item_id: self.outcome(run_id, item_id)})[item_id]

    def items_replies(self, run_id: str, outcomes: Mapping[str, Outcome | None]) -> dict[str, list[tuple[Call, Reply]]]:
        """The same of many items at once, by their ids."""
        # A call is about items side by side: without this bound every call before an item would be looked at.
        ((widest,),) = self._db.read(_WIDEST, (self._holder(run_id),))
        found: dict[str, dict[str, tuple[Call, Reply]]] = {name: {} for name in outcomes}
        for name, *row in self._db.read_each(_ITEM_CALLS, (widest, self._holder(run_id)), list(outcomes)):
            state = _call_state(tuple(row))
            if (said := state.reply or state.unread) and name in state.call.items:
                found[name][state.call.key] = state.call, said
        wanted = {
            name: [key for key in outcome.calls if key not in found[name]]
            for name, outcome in outcomes.items()
            if outcome
        }
        keys = sorted({key for lacking in wanted.values() for key in lacking})
        rows = self._db.read_each(f"{_CALLS} AND calls.key IN (...)", (self._holder(run_id),), keys)
        shared = {state.call.key: (state.call, state.reply) for state in map(_call_state, rows) if state.reply}
        for name, lacking in wanted.items():
            found[name] |= {key: shared[key] for key in lacking if key in shared}
        places = {stage: place for place, stage in enumerate(get_args(Stage))}
        return {
            name: sorted(each.values(), key=lambda pair: (pair[0].repeat, places[pair[0].stage]))
            for name, each in found.items()
        }

    def found(self, run_id: str, ids: Sequence[str]) -> dict[str, tuple[Outcome, str]]:
        """The outcomes of many items by their ids, each with its item as it was judged."""
        sql = (
            "SELECT items.id, outcomes.body, items.body, answered.body FROM runs "
            "JOIN items ON items.dataset = runs.dataset "
            "JOIN outcomes ON outcomes.run = runs.id AND outcomes.position = items.position "
            "LEFT JOIN answered ON answered.run = runs.id AND answered.position = items.position "
            "WHERE runs.id = ? AND items.id IN (...)"
        )
        rows = self._db.read_each(sql, (self._holder(run_id),), ids)
        return {name: (codec.load_outcome(body), _with_answers(row, answers)) for name, body, row, answers in rows}

    def outcomes(self, run_id: str) -> Iterator[Outcome]:
        """The outcomes of a run in dataset order."""
        return (outcome for _, outcome in self.placed_outcomes(run_id))

    def placed_outcomes(self, run_id: str) -> Iterator[tuple[int, Outcome]]:
        """The outcomes of a run with their positions in the dataset, in that order."""
        sql = "SELECT position, body FROM outcomes WHERE run = ? AND position > ? ORDER BY position"
        for position, body in self._db.scan(sql, (self._holder(run_id),), (-1,)):
            yield position, codec.load_outcome(body)

    def outcomes_with_rows(self, run_id: str) -> Iterator[tuple[Outcome, str]]:
        """The outcomes of a run in dataset order, each with its item as it was judged."""
        sql = (
            "SELECT outcomes.position, outcomes.body, items.body, answered.body "
            "FROM outcomes JOIN runs ON runs.id = outcomes.run "
            "JOIN items ON items.dataset = runs.dataset AND items.position = outcomes.position "
            "LEFT JOIN answered ON answered.run = outcomes.run AND answered.position = outcomes.position "
            "WHERE outcomes.run = ? AND outcomes.position > ? ORDER BY outcomes.position"
        )
        for _, body, row, answers in self._db.scan(sql, (self._holder(run_id),), (-1,)):
            yield codec.load_outcome(body), _with_answers(row, answers)

    def last_failures(self, run_id: str, most: int) -> list[Outcome]:
        """The failures of a run that stand last in the dataset, the last one first."""
        sql = "SELECT body FROM outcomes WHERE run = ? AND judged = 0 ORDER BY position DESC LIMIT ?"
        return [codec.load_outcome(body) for (body,) in self._db.read(sql, (self._holder(run_id), most))]

    def judged_bodies(self, run_id: str) -> Iterator[tuple[int, str]]:
        """The items of a run as they were or will be judged, by their positions, in that order."""
        sql = (
            "SELECT items.position, items.body, answered.body FROM runs JOIN items ON items.dataset = runs.dataset "
            "LEFT JOIN answered ON answered.run = runs.id AND answered.position = items.position "
            "WHERE runs.id = ? AND items.position > ? ORDER BY items.position"
        )
        for position, row, answers in self._db.scan(sql, (self._holder(run_id),), (-1,)):
            yield position, _with_answers(row, answers)

    def judged_body(self, run_id: str, item_id: str) -> str | None:
        """The JSON body of one item as it was judged in a run: with the answers that were asked for there."""
        sql = (
            "SELECT items.body, answered.body FROM runs JOIN items ON items.dataset = runs.dataset "
            "LEFT JOIN answered ON answered.run = runs.id AND answered.position = items.position "
            "WHERE runs.id = ? AND items.id = ?"
        )
        rows = self._db.read(sql, (self._holder(run_id), item_id))
        return _with_answers(*rows[0]) if rows else None

    def outcome(self, run_id: str, item_id: str) -> Outcome | None:
        """The outcome of one item, if it has one."""
        return self.outcomes_of(run_id, [item_id]).get(item_id)

    def outcomes_of(self, run_id: str, ids: Sequence[str]) -> dict[str, Outcome]:
        """The outcomes of many items by their ids, as far as they have one."""
        sql = (
            "SELECT items.id, outcomes.body FROM runs JOIN items ON items.dataset = runs.dataset "
            "JOIN outcomes ON outcomes.run = runs.id AND outcomes.position = items.position "
            "WHERE runs.id = ? AND items.id IN (...)"
        )
        return {name: codec.load_outcome(body) for name, body in self._db.read_each(sql, (self._holder(run_id),), ids)}

    def judged(self, run_id: str, first: int, last: int) -> set[int]:
        """The positions from first to last whose items have a verdict."""
        sql = "SELECT position FROM outcomes WHERE run = ? AND position >= ? AND position <= ? AND judged = 1"
        return {row[0] for row in self._db.read(sql, (self._holder(run_id), first, last))}

    def spent_usd(self, run_id: str) -> float:
        """What a run has paid for so far, as far as it is known."""
        ((pico,),) = self._db.read("SELECT COALESCE(SUM(spent_pico), 0) FROM calls WHERE run = ?", (run_id,))
        return int(pico) / 1e12

    def summaries(self, run_id: str) -> list[tuple[int, list[dict[str, str]]]]:
        """What the batches of a run say of their items as a whole, by the position at which each begins."""
        sql = "SELECT position, body FROM summaries WHERE run = ? AND position > ? ORDER BY position"
        return [(position, codec.load(body)) for position, body in self._db.scan(sql, (self._holder(run_id),), (-1,))]

    def why_no_summary(self, run_id: str, end: int) -> str:
        """The reason that a call to merge summaries, which stands after the last of `end` items, got no reply."""
        sql = (
            "SELECT message FROM calls WHERE run = ? AND first_position = ? AND stage = 'merge' AND finish IS NULL "
            "AND message <> '' ORDER BY call LIMIT 1"
        )
        rows = self._db.read(sql, (self._holder(run_id), end))
        return str(rows[0][0]) if rows else ""


def _with_answers(row: str, answers: str | None) -> str:
    """Two JSON objects as one; of a key that both have, readers of JSON take the last."""
    return row if answers is None else f"{row[:-1]},{answers[1:]}"


def _call_state(row: Row) -> CallState:
    _, _, _, call, body, finish, step, kind, message, attempts = row
    said = codec.load_reply(body) if body else None
    return CallState(
        call=codec.load_call(call),
        # A call that failed has no reply of its own, though another run may have stored one under its key since.
        reply=said if finish else None,
        unread=said if said and said.finish == codec.UNREAD else None,
        attempts=attempts,
        step=step,
        kind=kind,
        message=message,
    )
