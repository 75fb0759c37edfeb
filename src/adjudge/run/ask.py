"""One question to the model: answered from the store, or asked and durable before it counts; then read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from adjudge.core import limits, points
from adjudge.core.errors import (
    Enough,
    Malformed,
    ModelError,
    NotAuthorised,
    NotFound,
    RateLimited,
    ReplyError,
    TooLarge,
    Transient,
    Truncated,
)
from adjudge.core.records import EMBEDDED, Call, Item, Prompt, Reply, Request, Settings, digest
from adjudge.models.base import Model
from adjudge.run import window
from adjudge.run.ledger import Ledger
from adjudge.run.pace import Pace
from adjudge.run.plan import CHARACTERS_PER_TOKEN, Planner, estimate_tokens, roomier
from adjudge.run.prices import Budget
from adjudge.run.usage import Usage, Wasted
from adjudge.spec.prompt import repair_question
from adjudge.store.store import Store
from adjudge.store.writes import CallFailed, ReadDone, ReplyDone, Span, Write

#: Faults that the next item will meet as well; any other may be the item's own.
_OF_THE_SERVER = (Transient, NotAuthorised, NotFound)
History = tuple[tuple[str, str], ...]
#: Makes of a reply what is wanted and the step of the ladder that read it, or raises a ReplyError.
T = TypeVar("T")
Reader = Callable[[Reply], tuple[T, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """A reply as it was when it was looked for: there or not, this run's own or another's."""

    reply: Reply | None
    own: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A call as it is really put: with what went before, and with how much room for the answer."""

    call: Call
    span: Span
    settings: Settings
    history: History = ()
    #: How many calls may follow after a reply that can't be used.
    more: int
    #: Of several replies to it, the one that was stored first counts.
    joins: bool = False


@dataclass(kw_only=True, slots=True)
class Leave:
    """What questions about the same items have in common: the room for an answer, and how many calls may follow.

    Both change with what is asked under it: a later question has no less room, and no calls that an earlier one took.
    """

    settings: Settings
    more: int = limits.ASKED_AGAIN

    def took(self, following: Question) -> None:
        """One of the calls, with the room that it was found to need."""
        self.settings, self.more = following.settings, self.more - 1


_ABSENT = Stored(reply=None)


class Asker:
    """Asks and reads for one run."""

    def __init__(
        self,
        *,
        run: str,
        planner: Planner,
        model: Model,
        store: Store,
        ledger: Ledger,
        pace: Pace,
        budget: Budget,
        fresh: bool,
        usage: Usage | None = None,
    ) -> None:
        self.run, self.planner, self.model = run, planner, model
        self.store, self.ledger, self.pace, self.budget, self.fresh = store, ledger, pace, budget, fresh
        self.usage = usage or Usage()
        #: Whether nothing more is to be asked, since the question of the run is answered.
        self.enough = False
        self._answers = 0
        self._dead: ModelError | None = None
        self._failed_first = 0
        self._known: dict[str, Stored] = {}
        #: What is being asked for several at once, by key; see run.once.
        self.shared: dict[str, asyncio.Future[Any]] = {}
        self._shared_at = 0.0
        # A kill costs what was asked and is not on disk yet: an item with many calls must not get ahead of the disk.
        self._unsaved = asyncio.Semaphore(int(pace.allowed))

    async def consult(
        self,
        call: Call,
        span: Span,
        prompt: Prompt,
        items: Sequence[Item],
        reader: Reader[T],
        held: list[Write] | None = None,
        *,
        joins: bool = False,
        more: int = limits.ASKED_AGAIN,
        leave: Leave | None = None,
    ) -> tuple[T, list[str]]:
        """What a call's reply says, after `more` further calls at most, and the keys of the calls it took.

        `leave` is what this question has in common with others; the key of its call must tell other room from usual.

        A ModelError or ReplyError that leaves here carries `calls` and `attempts` for the Failure it becomes. The reply
        is on its way to the store; what follows from it is put into the same ledger, and so is durable no sooner. Who
        gives a list to hold the last reply in puts it into the ledger at once, with what follows from it.
        """
        if not self.model.embedded:
            window.check(prompt, self.planner.options.window, self.planner.settings)
        if call.stage == "again":
            more = min(more, len(items) == 1)  # it was asked about before; an item alone may still need more room
        leave = leave or Leave(settings=self.planner.settings, more=more)
        keys = [call.key]
        asked = Question(call=call, span=span, settings=leave.settings, joins=joins, more=min(more, leave.more))
        try:
            while True:
                reply, stored = await self._answer(asked, prompt, items)
                found, step, error = _read(reply, reader)
                points.reached("reply.read")
                following = None if error is None else self._following(call, asked, prompt, items, reply, error)
                whole = error is None and not getattr(found, "failures", ())
                noted = self._noted(asked, reply, stored, step, whole)
                durable = self._save(noted, stored, held if following is None else None)
                if stored is None and durable is not None:
                    self.usage.told()
                if following is None or durable is None:
                    if error is not None:
                        raise error
                    return found, keys  # type: ignore[return-value]
                await durable
                asked = following
                leave.took(asked)
                keys.append(asked.call.key)
        except (ModelError, ReplyError) as error:
            error.calls = tuple(keys)
            if isinstance(error, ReplyError):
                error.attempts = len(keys)
            raise

    def part_size(self, beside: int, whole: int) -> int | None:
        """How long a part of the sources may be, with so many characters beside it; None where the whole may fit."""
        return window.size_for(self.window, self.planner.settings, beside, whole)

    @cached_property
    def window(self) -> int | None:
        """How many tokens the model takes, prompt and answer, where that is known."""
        told = self.planner.options.window or getattr(self.model, "window", None)
        return told or window.known_window(self.planner.settings)

    def _save(self, noted: Write, stored: Stored | None, held: list[Write] | None) -> asyncio.Future[None] | None:
        if held is not None:
            held.append(noted)
            if stored is None:
                self._unsaved.release()  # whoever holds it asks nothing more before it is durable
            return None
        durable = self.ledger.put(noted)
        if stored is None:
            durable.add_done_callback(lambda _: self._unsaved.release())
        return durable

    def _following(
        self, first: Call, asked: Question, prompt: Prompt, items: Sequence[Item], reply: Reply, error: ReplyError
    ) -> Question | None:
        """What to ask after a reply that can't be used: with more room, once, if it was cut off, else to repair it."""
        if reply.mode == EMBEDDED or not asked.more:
            return None
        cut = isinstance(error, Truncated)
        settings = roomier(asked.settings, reply) if cut and asked.call is first else asked.settings
        more_room = settings != asked.settings
        if first.stage == "answer" and not more_room:
            return None  # a candidate answers as it answers
        question = repair_question(self.planner.judge, str(error), cut=cut, choice=prompt.odds)
        after = [first.content, digest(reply.text), question, settings.max_tokens, more_room]
        call = self.planner.call(
            "repair", items, order=first.order, repeat=first.repeat, after=after, criterion=first.criterion
        )
        return Question(
            call=replace(call, items=first.items),
            span=asked.span,
            settings=settings,
            # a reply with no end in sight is not sent back: it would cost more than asking afresh
            history=() if more_room or isinstance(error, TooLarge) else ((reply.text, question),),
            more=asked.more - 1 if more_room else 0,
            joins=asked.joins,
        )

    async def _answer(self, asked: Question, prompt: Prompt, items: Sequence[Item]) -> tuple[Reply, Stored | None]:
        call = asked.call
        stored = self._known.pop(call.key, None) or self.look_up([call])[call.key]
        if stored.reply is not None:
            self.usage.cached += 1
            return stored.reply, stored
        request = Request(
            call=call,
            prompt=prompt,
            judge=self.planner.judge,
            items=tuple(items),
            settings=asked.settings,
            history=asked.history,
        )

        wasted = Wasted()

        async def answer() -> Reply:
            # in the place that a request waits for, so that what others spent meanwhile counts
            if self.enough:
                raise Enough("the question is answered")
            self._share_budget()
            self.budget.check()
            self._give_up_if_dead()
            points.reached("request.sent")
            try:
                reply = self.budget.charged(await self.model.answer(request))
            except ModelError as error:
                if error.used is not None:
                    wasted.add(*error.used, self.budget.charge(*error.used))
                elif error.paid is not None:  # the server will bill it, whatever it was that can't be read
                    cost_usd = self.budget.charge(
                        estimate_tokens(prompt), round(len(error.paid) / CHARACTERS_PER_TOKEN)
                    )
                    wasted.add(0, 0, cost_usd)
                if self.model.rest_s:
                    self.pace.rest(self.model.rest_s)
                raise
            finally:
                points.reached("answer.came")
            if self.model.rest_s:
                self.pace.used_up(self.model.rest_s)
            return reply

        await self._unsaved.acquire()
        try:
            reply = await self.pace.ask(answer, tokens=estimate_tokens(prompt))
        except BaseException as error:
            self._unsaved.release()
            if not isinstance(error, ModelError | ReplyError) or (isinstance(error, ModelError) and error.final):
                raise
            await self.ledger.put(
                CallFailed(
                    run=self.run,
                    call=call,
                    span=asked.span,
                    kind=error.kind,
                    message=str(error),
                    unread=getattr(error, "paid", None),
                    attempts=error.attempts,
                    tokens_in=wasted.tokens_in,
                    tokens_out=wasted.tokens_out,
                    cost_usd=wasted.cost_usd,
                )
            )
            self._note_failure(error)
            raise
        self._answers += 1
        self.usage.add(reply)
        return reply, None

    def _note_failure(self, error: ModelError | ReplyError) -> None:
        if self._answers == 0 and isinstance(error, _OF_THE_SERVER) and not isinstance(error, RateLimited):
            self._failed_first += 1
            if self._failed_first >= limits.DEAD_AFTER_CALLS:
                self._dead = error

    def _give_up_if_dead(self) -> None:
        """Where not one call was answered, and many failed, the rest is not asked: each item fails with that reason."""
        if self._dead is not None:
            told = f"not asked, since the first {limits.DEAD_AFTER_CALLS} calls all failed: {self._dead}"
            error = type(self._dead)(told)
            error.attempts, error.final = 0, True
            raise error

    def look_up(self, calls: Sequence[Call]) -> dict[str, Stored]:
        """Look into the store once for many calls; safe in any thread."""
        keys = [call.key for call in calls]
        found = {key: Stored(reply=reply) for key, reply in self.store.replies(keys).items()} if not self.fresh else {}
        # a run never pays for its own call twice, be the reply complete or not, and be the run fresh or not
        own = self.store.replies_of(self.run, keys)
        found |= {key: Stored(reply=reply, own=True) for key, reply in own.items()}
        return {key: found.get(key, _ABSENT) for key in keys}

    def know(self, found: Mapping[str, Stored]) -> None:
        """Keep what was looked up until it is asked for."""
        self._known.update(found)

    def _share_budget(self) -> None:
        """Where other processes spend the same budget, look every now and then what they have spent."""
        if self.budget.ceiling_usd is None or time.monotonic() < self._shared_at + limits.SHARE_POLL_S:
            return
        self._shared_at = time.monotonic()
        if not self.store.alone(self.run):
            purse = self.budget.purse
            purse.spent_usd = max(purse.spent_usd, self.store.spent_usd(self.run))

    def _noted(self, asked: Question, reply: Reply, stored: Stored | None, step: str, read: bool) -> Write:
        if stored is not None and stored.own:
            return ReadDone(run=self.run, key=asked.call.key, step=step)
        cached = stored is not None
        # a fresh run wants replies of its own
        joins = asked.joins and not self.fresh
        return ReplyDone(
            run=self.run,
            call=asked.call,
            span=asked.span,
            reply=reply,
            step=step,
            cached=cached,
            read=read,
            joins=joins,
        )


def _read(reply: Reply, reader: Reader[T]) -> tuple[T | None, str, ReplyError | None]:
    """What a reply says and the step that read it, or why it says nothing."""
    try:
        return *reader(reply), None
    except ReplyError as error:
        return None, error.kind, error
    except Exception as error:
        # a reply is hostile: should it find a fault in the reader, it costs one item and not the run
        failed = Malformed(f"the reader failed on this reply ({type(error).__name__}: {error})")
        failed.__cause__ = error
        return None, failed.kind, failed
