"""Carries out a plan: asks, reads, combines, stores. The same step serves a first run, a rerun and a resume."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from adjudge.core import limits, points
from adjudge.core.counted import counted, duration
from adjudge.core.errors import (
    AdjudgeError,
    BudgetSpent,
    ContextTooLong,
    Enough,
    Malformed,
    ModelError,
    Paused,
    RateLimited,
    ReplyError,
)
from adjudge.core.records import Call, Failure, Item, Opinion, Outcome, Prompt, Verdict
from adjudge.models.choose import hosted
from adjudge.reply.combine import combine, named
from adjudge.reply.read import Reading
from adjudge.run import window
from adjudge.run.answering import Answering
from adjudge.run.ask import Asker, Leave
from adjudge.run.batch import Batch
from adjudge.run.long import Long
from adjudge.run.merge import Merger, Part
from adjudge.run.plan import Unit, candidates, numbered_sources
from adjudge.run.probe import judged_singly, probed, probes
from adjudge.run.questions import Questions
from adjudge.run.reading import flagged, reader_of
from adjudge.run.repeats import Repeats
from adjudge.run.staged import Staged
from adjudge.run.supply import Supply
from adjudge.run.usage import Usage
from adjudge.spec.prompt import instructions, render
from adjudge.store.writes import AnsweredDone, OutcomeDone, Span, SummaryDone, Write


@dataclass(kw_only=True)
class Progress:
    """Where a run stands."""

    run: str
    model: str
    total: int
    judged: int = 0
    failed: int = 0
    usage: Usage
    #: Why it was ended before all was judged.
    stopped: str = ""
    #: Whether it was ended since its server gives no more for now.
    paused: bool = False
    #: Why it is slow, where there is a reason that a person should know.
    trouble: str = ""


class Engine:
    """Runs units with many requests in flight; an item's outcome depends on its own replies only."""

    def __init__(
        self,
        asker: Asker,
        supply: Supply,
        *,
        total: int,
        concurrency: int,
        listener: Callable[[Progress], None],
        answering: Answering | None = None,
    ) -> None:
        self.asker, self.supply, self.answering = asker, supply, answering
        self.planner, self.judge = asker.planner, asker.planner.judge
        self.concurrency, self.listener = concurrency, listener
        self.progress = Progress(run=asker.run, model=asker.planner.settings.model, total=total, usage=asker.usage)
        self._judged = 0
        self._probed = probed(self.planner.options, total)
        self.stopped: BudgetSpent | None = None

    async def run(self, *, beside: Sequence[str] = ()) -> None:
        """Judge every unit that is supplied. Cancelling it leaves what was committed.

        `beside` are runs at work that ask the same.
        """
        self.listener(self.progress)
        if beside:
            self._tell(
                f"run {beside[0]} is under way with the same judge, data and model; calls that both make at the same "
                f"moment are paid twice. To pay once, stop this run and wait, or: adjudge resume {beside[0]}"
            )
        self.asker.pace.told = lambda error, _: self._tell(f"{error}; it will be asked again{self._for(error)}")
        if self.answering is not None:
            self.answering.tell(self._tell)
        if not self.asker.model.embedded:  # an item may take many calls, and who waits should see them
            self.asker.usage.told = lambda: self.listener(self.progress)
        watch = asyncio.create_task(self._watch())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.concurrency, self.progress.total)):
                    group.create_task(self._work())
        except BaseExceptionGroup as group_error:
            raise _first(group_error) from None
        finally:
            watch.cancel()
            self.asker.enough = False  # of items; a summary of them may be wanted yet

    async def _watch(self) -> None:
        """Say early that a server is slow or dead: patience should be a person's choice."""
        while True:
            await asyncio.sleep(limits.SILENT_S / 4)
            pace = self.asker.pace
            if self.answering is not None and (waited_for := self.answering.silent()):
                self._tell(f"no answer of {waited_for} for {limits.SILENT_S:g} s; Ctrl-C loses only what is under way")
            elif pace.silent_s() >= limits.SILENT_S:
                given_up = f"each is given up after {limits.ANSWER_TIMEOUT_S:g} s; "
                self._tell(
                    f"no answer for {limits.SILENT_S:g} s, with {counted(pace.flying, 'request')} under way; "
                    f"{given_up if hosted(self.progress.model) else ''}Ctrl-C loses only these"
                )

    def _for(self, error: ModelError) -> str:
        limited = isinstance(error, RateLimited)
        return f", for {duration(self.asker.pace.max_wait_s)} at most (--max-wait)" if limited else ""

    def _tell(self, trouble: str) -> None:
        self.progress.trouble = trouble
        self.listener(self.progress)

    async def _work(self) -> None:
        asking = self.planner.options.ask == "yes-no"
        single = self._staged if self.planner.options.staged else self._item
        step = self._batch if self.planner.batched else self._questions if asking else single
        while (unit := await self.supply.next()) is not None:
            try:
                writes = await (step(unit) if self.answering is None else self._answered(self.answering, unit, step))
            except Enough:
                return
            except BudgetSpent as spent:
                # what is under way in the other workers is paid for and ends; nothing new begins
                self.stopped = spent
                self.supply.stop()
                self.progress.stopped, self.progress.paused = str(spent), isinstance(spent, Paused)
                return
            # the replies were put into the ledger before: when this is durable, all is
            points.reached("outcome.made")
            self._count(await self.supply.keep(unit, writes))

    async def _answered(
        self, answering: Answering, unit: Unit, step: Callable[[Unit], Awaitable[list[Write]]]
    ) -> list[Write]:
        """The candidates' answers first, then the judging of those that there are."""
        found = await answering.ask(unit)
        (place,) = unit.positions
        if found.failure is None:
            writes = await step(self.planner.planned(place, found.item))
        else:
            writes = [self._done(place, found.failure)]
        noted = [replace(w, outcome=found.noted(w.outcome)) if isinstance(w, OutcomeDone) else w for w in writes]
        return [*noted, AnsweredDone(run=self.asker.run, position=place, body=found.body)]

    def _count(self, writes: Sequence[Write]) -> None:
        for write in writes:
            if isinstance(write, OutcomeDone):
                if isinstance(write.outcome, Failure):
                    self.progress.failed += 1
                else:
                    self._judged += 1
        self.progress.judged = self._judged + self.supply.judged_before
        self.progress.trouble = ""
        self.listener(self.progress)

    async def consult(
        self,
        call: Call,
        items: Sequence[Item],
        span: Span,
        held: list[Write] | None = None,
        leave: Leave | None = None,
    ) -> tuple[Reading, Prompt, list[str]]:
        """Render a call, ask it and read the reply."""
        prompt = render(self.judge, call, items)
        reader = reader_of(self.judge, prompt, items)
        reading, keys = await self.asker.consult(call, span, prompt, items, reader, held, leave=leave)
        return reading, prompt, keys

    async def _item(self, unit: Unit) -> list[Write]:
        """One item, all its orders and repeats. A repeat counts when every order of it was read: half of a
        balanced pair of orders would bring back the bias that the pair removes."""
        (item,), (place,) = unit.items, unit.positions
        held: list[Write] = []
        if self._exceeds(item):
            return await self._own_calls(place, Long(self.judge, unit))
        if len(unit.calls) == 1:
            results = [await self._opinion(unit.calls[0], item, place, held)]
        else:  # none waits for another before it is durable
            async with asyncio.TaskGroup() as group:  # a fault of the store ends them all
                asking = [group.create_task(self._opinion(call, item, place)) for call in unit.calls]
            results = [task.result() for task in asking]
        for result in results:
            if isinstance(result, BudgetSpent):
                raise result
            if isinstance(result, ContextTooLong) and window.worth_splitting(self.judge, item):
                return await self._own_calls(place, Long(self.judge, unit))
        by_call = list(zip(unit.calls, results, strict=True))
        keys = [key for result in results for key in (result.calls if isinstance(result, AdjudgeError) else result[1])]
        errors = {call.repeat: result for call, result in by_call if isinstance(result, AdjudgeError)}
        kept = [r[0] for call, r in by_call if not isinstance(r, AdjudgeError) and call.repeat not in errors]
        return [*held, self._done(place, self.outcome(item, kept, keys, list(errors.values())))]

    def _exceeds(self, item: Item) -> bool:
        """Whether the source is known to be too long, and the judge says what to do then."""
        if self.asker.window is None or self.asker.model.embedded or not window.splittable(self.judge):
            return False
        shown = sum(len(item.text(field.name)) for field in self.judge.fields)
        return self.asker.part_size(len(instructions(self.judge)), shown) is not None

    async def _questions(self, unit: Unit) -> list[Write]:
        return await self._own_calls(unit.positions[0], Questions(self.judge, unit))

    async def _staged(self, unit: Unit) -> list[Write]:
        return await self._own_calls(unit.positions[0], Staged(self.judge, unit))

    async def _own_calls(self, place: int, asked: Repeats) -> list[Write]:
        """One item by a way of asking that plans its calls itself."""
        await asked.ask(self.asker)
        return [self._done(place, self.outcome(asked.item, asked.opinions, asked.keys, asked.errors))]

    def _done(self, place: int, outcome: Outcome) -> OutcomeDone:
        return OutcomeDone(run=self.asker.run, position=place, outcome=outcome)

    async def _opinion(
        self, call: Call, item: Item, place: int, held: list[Write] | None = None
    ) -> tuple[Opinion, list[str]] | AdjudgeError:
        try:
            reading, prompt, keys = await self.consult(call, (item,), (place, place), held)
        except (ModelError, ReplyError, BudgetSpent) as error:
            # with its traceback it would keep the prompt and the request alive, in a circle
            return error.with_traceback(None)
        opinion = named(flagged(reading.opinions[""], reading.flags), prompt.labels)
        placed = replace(opinion, order=call.order, repeat=call.repeat) if call.order or call.repeat else opinion
        return placed, keys

    def outcome(
        self, item: Item, opinions: Sequence[Opinion], keys: Sequence[str], errors: Sequence[AdjudgeError]
    ) -> Outcome:
        """A verdict from what was read; a failure, with the first reason, where nothing was."""
        calls = tuple(dict.fromkeys(keys))
        if not opinions:
            error = errors[0]
            stage = "ask" if isinstance(error, ModelError) else "read"
            whole = isinstance(error, ContextTooLong) and not window.splittable(self.judge)
            told = f"{error}{window.HINT}" if whole else str(error)
            return Failure(
                item=item.id, kind=error.kind, stage=stage, message=told, attempts=error.attempts, calls=calls
            )
        try:
            verdict = combine(
                self.judge,
                item.id,
                opinions,
                sources=numbered_sources(self.judge, item),
                candidates=candidates(self.judge, item),
                calls=calls,
            )
        except Exception as error:
            # as with the reader: what a reply can do to our own code costs one item, and the reply is kept
            told = f"the verdict could not be made ({type(error).__name__}: {error})"
            return Failure(item=item.id, kind=Malformed("").kind, stage="read", message=told, calls=calls)
        return replace(verdict, flags=(*verdict.flags, f"repeats_lost:{len(errors)}")) if errors else verdict

    async def _batch(self, unit: Unit) -> list[Write]:
        batch = Batch(unit)
        span = (min(unit.positions), max(unit.positions))
        for call in unit.calls:
            await batch.judge(call, self.planner, lambda one, items, leave: self.consult(one, items, span, leave=leave))
        single = await self._single(unit, batch)
        done: list[Write] = []
        for place, item in zip(unit.positions, unit.items, strict=True):
            found = self.outcome(item, batch.opinions[item.id], batch.keys[item.id], batch.errors[item.id])
            alone = self.outcome(item, single[item.id], (), ()) if item.id in single else None
            if isinstance(found, Verdict) and not self.asker.model.embedded:
                probe = alone.scores if isinstance(alone, Verdict) else {}
                found = replace(found, probe=probe, place=batch.places.get(item.id))
            done.append(self._done(place, found))
        return [*done, SummaryDone(run=self.asker.run, position=span[0], summaries=batch.summaries)]

    async def _single(self, unit: Unit, batch: Batch) -> Mapping[str, Sequence[Opinion]]:
        """What is said of the items of the sample by themselves; those without an opinion can't be compared."""
        asked = [one for one in probes(self.planner, unit, self._probed) if batch.opinions[one[0].id]]
        places = {item.id: place for place, item in zip(unit.positions, unit.items, strict=True)}
        return await judged_singly(
            asked, lambda call, items: self.consult(call, items, (places[items[0].id], places[items[0].id]))
        )

    async def merged(self, batches: Sequence[Part]) -> Part | None:
        """The summaries of all batches in one. None where a merge failed: the scores stand without it, the report says
        that it is missing, and resuming asks for it again."""
        try:
            return await Merger(self.asker, self.progress.total).merge(batches)
        except BudgetSpent as spent:
            self.stopped, self.progress.stopped, self.progress.paused = spent, str(spent), isinstance(spent, Paused)
        except (ModelError, ReplyError):
            pass
        return None


def _first(error: BaseException) -> BaseException:
    """The error itself: that tasks were grouped is nobody's business outside."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
