"""What the engine writes, and how a list of it becomes one transaction."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from adjudge.core.errors import Conflict
from adjudge.core.records import Call, Outcome, Reply, Verdict
from adjudge.store import codec
from adjudge.store.database import Row, Transaction

#: The first and the last position of a call's items in the dataset; a call without items stands after all of them.
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyDone:
    """A call was answered, by the model or from the store (`cached`); `step` is how it was read, or why it was not.

    `read`: all that was asked for was read from it; only then is a reply whose end is unknown one for other runs too.
    `joins`: where a reply to the call is stored already, that one is the run's too, and this one is not kept.
    """

    run: str
    call: Call
    span: Span
    reply: Reply
    step: str | None = None
    cached: bool = False
    read: bool = False
    joins: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CallFailed:
    """A call got no reply."""

    run: str
    call: Call
    span: Span
    kind: str
    message: str
    attempts: int = 1
    #: What answers without a reply, such as refusals, have cost all the same; no cost where it is not known.
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    #: The text of an answer that was paid for and can't be read.
    unread: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadDone:
    """A reply that is stored already was read again: `step` is the way it was read, or the kind of failure."""

    run: str
    key: str
    step: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OutcomeDone:
    """An item has its outcome."""

    run: str
    position: int
    outcome: Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class AnsweredDone:
    """An item of a run has the answers that its candidates were asked for: what they add to its row, as JSON."""

    run: str
    position: int
    body: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryDone:
    """A batch that begins at a position has its summaries."""

    run: str
    position: int
    summaries: Sequence[Mapping[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class PartDone:
    """A process is through with a part of a run that it had taken."""

    run: str
    part: int
    owner: str


Write: TypeAlias = ReplyDone | CallFailed | ReadDone | OutcomeDone | AnsweredDone | SummaryDone | PartDone

# The first complete reply of a key stays for ever: what was computed from it can be computed again.
_SHARE = ("INSERT INTO replies (key, body) VALUES", "ON CONFLICT (key) DO NOTHING")

# A complete reply is never replaced. A failure or a cut-off reply is, and what it cost is still counted.
_ANSWER = (
    "INSERT INTO calls (run, key, first_position, last_position, stage, repeat, call, time_ms, cached, spent_in, "
    "spent_out, spent_pico, finish, attempts, step, reply) VALUES",
    """ON CONFLICT (run, key) DO UPDATE SET
    cached = excluded.cached, finish = excluded.finish, attempts = excluded.attempts, reply = excluded.reply,
    time_ms = excluded.time_ms,
    spent_in = calls.spent_in + excluded.spent_in, spent_out = calls.spent_out + excluded.spent_out,
    spent_pico = calls.spent_pico + excluded.spent_pico, step = excluded.step, kind = NULL, message = NULL
    WHERE calls.finish IS NULL OR (calls.finish <> 'stop' AND calls.reply IS NOT NULL
    AND (excluded.reply IS NULL OR calls.reply <> excluded.reply))
    """,
)

_FAIL = (
    "INSERT INTO calls (run, key, first_position, last_position, stage, repeat, call, time_ms, cached, spent_in, "
    "spent_out, spent_pico, kind, message, attempts, reply) VALUES",
    """ON CONFLICT (run, key) DO UPDATE SET
    kind = excluded.kind, message = excluded.message, attempts = excluded.attempts, time_ms = excluded.time_ms,
    reply = COALESCE(excluded.reply, calls.reply),
    spent_in = calls.spent_in + excluded.spent_in, spent_out = calls.spent_out + excluded.spent_out,
    spent_pico = calls.spent_pico + excluded.spent_pico WHERE calls.finish IS NULL""",
)

_READ = "UPDATE calls SET step = ? WHERE run = ? AND key = ?"

_OUTCOME = (
    "INSERT INTO outcomes (run, position, judged, body) VALUES",
    # a verdict stands: it is what its stored replies say
    "ON CONFLICT (run, position) DO UPDATE SET judged = excluded.judged, body = excluded.body "
    "WHERE outcomes.judged = 0",
)

_ANSWERED = (
    "INSERT INTO answered (run, position, body) VALUES",
    # what was judged stands beside its verdict
    "ON CONFLICT (run, position) DO UPDATE SET body = excluded.body WHERE NOT EXISTS (SELECT 1 FROM outcomes WHERE "
    "outcomes.run = answered.run AND outcomes.position = answered.position AND judged = 1)",
)

_SUMMARY = (
    "INSERT INTO summaries (run, position, body) VALUES",
    "ON CONFLICT (run, position) DO UPDATE SET body = excluded.body",
)

_THROUGH = "UPDATE shares SET done = 1 WHERE run = ? AND part = ? AND owner = ?"

_UNSETTLE = "UPDATE runs SET totals = NULL WHERE id = ? AND totals IS NOT NULL"


@dataclass(kw_only=True)
class Rows:
    """Writes as the rows they become: to make them needs no database, to write them no more thought."""

    runs: set[str] = field(default_factory=set)
    replies: list[Row] = field(default_factory=list)
    answers: list[Row] = field(default_factory=list)
    joining: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)
    reads: list[Row] = field(default_factory=list)
    outcomes: list[Row] = field(default_factory=list)
    answered: list[Row] = field(default_factory=list)
    summaries: list[Row] = field(default_factory=list)
    parts: list[Row] = field(default_factory=list)

    def add(self, table: str, row: Row) -> None:
        getattr(self, table).append(row)


#: A row and the list of `Rows` that it goes to.
Placed: TypeAlias = tuple[str, Row]


def placed(write: Write) -> tuple[str, list[Placed]]:
    """The run of a write and the rows it becomes."""
    if isinstance(write, ReplyDone):
        return write.run, _reply(write)
    if isinstance(write, OutcomeDone):
        judged = int(isinstance(write.outcome, Verdict))
        row: Row = (write.run, write.position, judged, codec.dump_outcome(write.outcome))
        return write.run, [("outcomes", row)]
    if isinstance(write, CallFailed):
        spent = (0, write.tokens_in, write.tokens_out, _pico(write.cost_usd))
        unread = None if write.unread is None else codec.dump_reply(Reply(text=write.unread, finish=codec.UNREAD))
        return write.run, [("failures", (*_place(write), *spent, write.kind, write.message, write.attempts, unread))]
    if isinstance(write, ReadDone):
        return write.run, [("reads", (write.step, write.run, write.key))]
    if isinstance(write, PartDone):
        return write.run, [("parts", (write.run, write.part, write.owner))]
    if isinstance(write, AnsweredDone):
        return write.run, [("answered", (write.run, write.position, write.body))]
    summaries = codec.dump([dict(one) for one in write.summaries])
    return write.run, [("summaries", (write.run, write.position, summaries))]


def rows_of(several: Iterable[tuple[str, list[Placed]]]) -> Rows:
    """Rows of many writes, table by table."""
    rows = Rows()
    for run, places in several:
        rows.runs.add(run)
        for table, row in places:
            rows.add(table, row)
    return rows


def apply(transaction: Transaction, rows: Rows) -> None:
    """Write all of it; writing it again changes nothing."""
    if rows.answers or rows.joining:
        transaction.insert(*_ANSWER, [*_shared(transaction, rows), *rows.joining], key=2)
    transaction.insert(*_FAIL, rows.failures, key=2)
    if rows.reads and transaction.many(_READ, rows.reads) < len(rows.reads):
        raise Conflict("a reading was to be stored for a call that is not in the store")
    transaction.insert(*_ANSWERED, rows.answered, key=2)  # before the outcomes: it looks whether there is a verdict
    transaction.insert(*_OUTCOME, rows.outcomes, key=2)
    transaction.insert(*_SUMMARY, rows.summaries, key=2)
    for part in rows.parts:
        transaction.run(_THROUGH, part)
    for run in sorted(rows.runs):
        transaction.run(_UNSETTLE, (run,))


def _shared(transaction: Transaction, rows: Rows) -> list[Row]:
    """The calls' rows, each without its reply where that is now the one which all runs share."""
    if transaction.insert(*_SHARE, rows.replies, key=1) == len(rows.replies):
        return rows.answers
    there = "SELECT 1 FROM replies WHERE key = ? AND body = ?"
    other = {row[0]: row[1] for row in rows.replies if not transaction.read(there, row)}
    return [(*row[:-1], other[row[1]]) if row[-1] is None and row[1] in other else row for row in rows.answers]


def _reply(write: ReplyDone) -> list[Placed]:
    reply, key = write.reply, write.call.key
    whole = reply.finish == "stop" or (reply.finish == "unknown" and write.read)
    body = None if write.cached and whole else codec.dump_reply(reply)
    if write.cached:
        spent: tuple[int, int, int, int | None] = (1, 0, 0, 0)
    else:
        spent = (0, reply.tokens_in or 0, reply.tokens_out or 0, _pico(reply.cost_usd))
    kept = None if whole else body
    row: Row = (*_place(write), *spent, reply.finish, reply.attempts, write.step, kept)
    answer: Placed = ("joining" if write.joins else "answers", row)
    return [answer, ("replies", (key, body))] if whole and body is not None else [answer]


def _pico(cost_usd: float | None) -> int | None:
    return None if cost_usd is None else round(cost_usd * 1e12)


def _place(write: ReplyDone | CallFailed) -> Row:
    call, now_ms = write.call, time.time_ns() // 1_000_000
    return (write.run, call.key, *write.span, call.stage, call.repeat, codec.dump_call(call), now_ms)
