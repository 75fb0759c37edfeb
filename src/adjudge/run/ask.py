"""One question to the model: answered from the store, or asked and durable before it counts; then read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from adjudge.core import limits
from adjudge.core.errors import (
    Malformed,
    ModelError,
    NotAuthorised,
    RateLimited,
    ReplyError,
    TooLarge,
    Transient,
    Truncated,
)
from adjudge.core.records import EMBEDDED, Call, Item, Prompt, Reply, Request, Settings, digest
from adjudge.models.base import Model
from adjudge.run.ledger import Ledger
from adjudge.run.pace import Pace
from adjudge.run.plan import Planner, estimate_tokens, roomier
from adjudge.run.prices import Budget
from adjudge.spec.prompt import repair_question
from adjudge.store.store import Store
from adjudge.store.writes import CallFailed, ReadDone, ReplyDone, Write

#: Faults that the next item will meet as well; any other may be the item's own.
_OF_THE_SERVER = (Transient, NotAuthorised)
History = tuple[tuple[str, str], ...]
#: Makes of a reply what is wanted and the step of the ladder that read it, or raises a ReplyError.
T = TypeVar("T")
Reader = Callable[[Reply], tuple[T, str]]


@dataclass(kw_only=True)
class Usage:
    """What a run has used so far, for the progress line."""

    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cost_known: bool = True

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self.tokens_in += reply.tokens_in or 0
        self.tokens_out += reply.tokens_out or 0
        self.cost_known &= reply.cost_usd is not None
        self.cost_usd += reply.cost_usd or 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A call as it is really put: with what went before, and with how much room for the answer."""

    call: Call
    settings: Settings
    history: History = ()
    mended: bool = False


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
        resumed: bool,
    ) -> None:
        self.run, self.planner, self.model = run, planner, model
        self.store, self.ledger, self.pace, self.budget, self.fresh = store, ledger, pace, budget, fresh
        self.resumed = resumed
        self.usage = Usage()
        self._dead: ModelError | None = None
        self._failed_first = 0
        self._known: dict[str, tuple[Reply, bool] | None] = {}
        #: Writes that cost nothing to lose: they are committed with the outcome they belong to.
        self.notes: list[Write] = []

    async def consult(
        self, call: Call, prompt: Prompt, items: Sequence[Item], reader: Reader[T]
    ) -> tuple[T, list[str]]:
        """What a call's reply says, after one repair question at most, and the keys of the calls it took.

        A ModelError or ReplyError that leaves here carries `calls` and `attempts` for the Failure it becomes.
        """
        keys = [call.key]
        asked = Question(call=call, settings=self.planner.settings)
        try:
            while True:
                reply = await self._answer(asked, prompt, items)
                try:
                    return self._read(asked.call, reply, reader), keys
                except ReplyError as error:
                    following = self._following(call, asked, items, reply, error)
                    if following is None:
                        raise
                    asked = following
                    keys.append(asked.call.key)
        except (ModelError, ReplyError) as error:
            error.calls = tuple(keys)
            if isinstance(error, ReplyError):
                error.attempts = len(keys)
            raise

    def _following(
        self, first: Call, asked: Question, items: Sequence[Item], reply: Reply, error: ReplyError
    ) -> Question | None:
        """What to ask after a reply that can't be used: with more room if it was cut off, else one repair question."""
        if reply.mode == EMBEDDED or asked.mended:
            return None
        cut = isinstance(error, Truncated)
        settings = roomier(asked.settings, reply) if cut else asked.settings
        more_room = settings != asked.settings
        question = repair_question(self.planner.judge, str(error), cut=cut)
        after = [first.content, digest(reply.text), question, settings.max_tokens, more_room]
        return Question(
            call=self.planner.call("repair", items, order=first.order, repeat=first.repeat, after=after),
            settings=settings,
            # a reply with no end in sight is not sent back: it would cost more than asking afresh
            history=() if more_room or isinstance(error, TooLarge) else ((reply.text, question),),
            mended=not more_room,
        )

    async def _answer(self, asked: Question, prompt: Prompt, items: Sequence[Item]) -> Reply:
        call = asked.call
        if (stored := self._stored(call)) is not None:
            return stored
        request = Request(
            call=call,
            prompt=prompt,
            judge=self.planner.judge,
            items=tuple(items),
            settings=asked.settings,
            history=asked.history,
        )

        async def answer() -> Reply:
            # in the place that a request waits for, so that what others spent meanwhile counts
            self.budget.check()
            self._give_up_if_dead()
            return self.budget.charged(await self.model.answer(request))

        try:
            reply = await self.pace.ask(answer, tokens=estimate_tokens(prompt))
        except (ModelError, ReplyError) as error:
            failed = CallFailed(run=self.run, call=call, kind=error.kind, message=str(error), attempts=error.attempts)
            await self.ledger.put(failed)
            self._note_failure(error)
            raise
        await self.ledger.put(ReplyDone(run=self.run, call=call, reply=reply, cached=False))
        self.usage.add(reply)
        return reply

    def _note_failure(self, error: ModelError | ReplyError) -> None:
        if self.usage.calls == 0 and isinstance(error, _OF_THE_SERVER) and not isinstance(error, RateLimited):
            self._failed_first += 1
            if self._failed_first >= limits.DEAD_AFTER_CALLS:
                self._dead = error

    def _give_up_if_dead(self) -> None:
        """Where not one call was answered, and many failed, the rest is not asked: each item fails with that reason."""
        if self._dead is not None:
            told = f"not asked, since the first {self._failed_first} calls all failed: {self._dead}"
            error = type(self._dead)(told)
            error.attempts, error.final = 0, True
            raise error

    def look_up(self, calls: Sequence[Call]) -> None:
        """Look into the store once for many calls; what it holds is kept until it is asked for."""
        keys = [call.key for call in calls]
        found = {key: (reply, True) for key, reply in self.store.replies(keys).items()} if not self.fresh else {}
        if self.resumed:
            # a run never pays for its own call twice, be the reply complete or not, and be the run fresh or not
            found |= {key: (reply, False) for key, reply in self.store.replies_of(self.run, keys).items()}
        self._known |= {key: found.get(key) for key in keys}

    def _stored(self, call: Call) -> Reply | None:
        if call.key not in self._known:
            self.look_up([call])
        known = self._known.pop(call.key)
        if known is None:
            return None
        reply, cached = known
        if cached:
            self.notes.append(ReplyDone(run=self.run, call=call, reply=reply, cached=True))
        self.usage.cached += 1
        return reply

    def _read(self, call: Call, reply: Reply, reader: Reader[T]) -> T:
        step = "unread"
        try:
            found, step = reader(reply)
        except ReplyError as error:
            step = error.kind
            raise
        except Exception as error:
            # a reply is hostile: should it find a fault in the reader, it costs one item and not the run
            step = Malformed("").kind
            raise Malformed(f"the reader failed on this reply ({type(error).__name__}: {error})") from error
        finally:
            self.notes.append(ReadDone(run=self.run, key=call.key, step=step))
        return found
