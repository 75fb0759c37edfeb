"""What the engine writes, and how a list of it becomes one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from adjudge.core.errors import Conflict
from adjudge.core.records import Call, Outcome, Reply, Verdict
from adjudge.store import codec
from adjudge.store.database import Transaction

#: The first and the last position of a call's items in the dataset.
Span: TypeAlias = Callable[[str, Call], tuple[int, int]]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyDone:
    """A call was answered: by the model, or from the store (`cached`)."""

    run: str
    call: Call
    reply: Reply
    cached: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CallFailed:
    """A call got no reply."""

    run: str
    call: Call
    kind: str
    message: str
    attempts: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadDone:
    """A reply was read: `step` is the way it was read, or the kind of failure."""

    run: str
    key: str
    step: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OutcomeDone:
    """An item has its outcome."""

    run: str
    position: int
    outcome: Outcome


Write: TypeAlias = ReplyDone | CallFailed | ReadDone | OutcomeDone

# The first complete reply of a key stays for ever: what was computed from it can be computed again.
_SHARE = "INSERT INTO replies (key, body) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"

# A complete reply is never replaced. A failure or a cut-off reply is, and what it cost is still counted.
_ANSWER = """
INSERT INTO calls (run, key, first_position, last_position, stage, repeat, call, cached, spent_in, spent_out,
                   spent_pico, finish, attempts, reply)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        CASE WHEN EXISTS (SELECT 1 FROM replies WHERE key = ? AND body = ?) THEN NULL ELSE ? END)
ON CONFLICT (run, key) DO UPDATE SET
    cached = excluded.cached, finish = excluded.finish, attempts = excluded.attempts, reply = excluded.reply,
    spent_in = calls.spent_in + excluded.spent_in, spent_out = calls.spent_out + excluded.spent_out,
    spent_pico = calls.spent_pico + excluded.spent_pico, step = NULL, kind = NULL, message = NULL
WHERE calls.finish IS NULL OR (calls.finish <> 'stop' AND (excluded.reply IS NULL OR calls.reply <> excluded.reply))
"""

_FAIL = """
INSERT INTO calls (run, key, first_position, last_position, stage, repeat, call, cached, spent_in, spent_out,
                   spent_pico, kind, message, attempts)
VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, ?, ?, ?)
ON CONFLICT (run, key) DO UPDATE SET
    kind = excluded.kind, message = excluded.message, attempts = excluded.attempts
WHERE calls.finish IS NULL
"""

_READ = "UPDATE calls SET step = ? WHERE run = ? AND key = ?"

_OUTCOME = """
INSERT INTO outcomes (run, position, judged, body) VALUES (?, ?, ?, ?)
ON CONFLICT (run, position) DO UPDATE SET judged = excluded.judged, body = excluded.body
"""

_UNSETTLE = "UPDATE runs SET totals = NULL WHERE id = ? AND totals IS NOT NULL"


def apply(transaction: Transaction, writes: Sequence[Write], span: Span) -> None:
    """Write all of it; writing it again changes nothing."""
    kinds: Mapping[type, list[Any]] = {ReplyDone: [], CallFailed: [], ReadDone: [], OutcomeDone: []}
    for write in writes:
        kinds[type(write)].append(write)
    _replies(transaction, kinds[ReplyDone], span)
    transaction.many(
        _FAIL,
        ((*_place(write, span), write.kind, write.message, write.attempts) for write in kinds[CallFailed]),
    )
    reads = [(write.step, write.run, write.key) for write in kinds[ReadDone]]
    if reads and transaction.many(_READ, reads) < len(reads):
        raise Conflict("a reading was to be stored for a call that is not in the store")
    transaction.many(
        _OUTCOME,
        (
            (write.run, write.position, int(isinstance(write.outcome, Verdict)), codec.dump_outcome(write.outcome))
            for write in kinds[OutcomeDone]
        ),
    )
    transaction.many(_UNSETTLE, sorted({(write.run,) for write in writes}))


def _replies(transaction: Transaction, writes: list[ReplyDone], span: Span) -> None:
    bodies = [codec.dump_reply(write.reply) for write in writes]
    pairs = list(zip(writes, bodies, strict=True))
    transaction.many(_SHARE, [(write.call.key, body) for write, body in pairs if write.reply.finish == "stop"])
    transaction.many(
        _ANSWER,
        (
            (*_place(write, span), *_spent(write), write.reply.finish, write.reply.attempts, write.call.key, body, body)
            for write, body in pairs
        ),
    )


def _place(write: ReplyDone | CallFailed, span: Span) -> tuple[Any, ...]:
    call = write.call
    return (write.run, call.key, *span(write.run, call), call.stage, call.repeat, codec.dump_call(call))


def _spent(write: ReplyDone) -> tuple[int, int, int, int | None]:
    reply = write.reply
    if write.cached:
        return 1, 0, 0, 0
    pico = None if reply.cost_usd is None else round(reply.cost_usd * 1e12)
    return 0, reply.tokens_in or 0, reply.tokens_out or 0, pico
