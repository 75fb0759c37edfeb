"""Carries out a plan: asks, reads, combines, stores. The same step serves a first run, a rerun and a resume."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from adjudge.core import limits
from adjudge.core.errors import AdjudgeError, BudgetSpent, ModelError, ReplyError
from adjudge.core.records import EMBEDDED, Call, Failure, Item, Opinion, Outcome, Prompt, Reply
from adjudge.reply.combine import combine, named
from adjudge.reply.read import Expected, Reading, read
from adjudge.reply.summary import read_summary
from adjudge.run.ask import Asker, Usage
from adjudge.run.batch import Batch
from adjudge.run.plan import Unit, candidates, numbered_sources
from adjudge.spec.prompt import render, render_merge, texts
from adjudge.store.writes import OutcomeDone

Summary = Mapping[str, str]
_LOOK_AHEAD = 64


@dataclass(kw_only=True)
class Progress:
    """Where a run stands."""

    run: str
    total: int
    judged: int = 0
    failed: int = 0
    usage: Usage


class Engine:
    """Runs units with many requests in flight; an item's outcome depends on its own replies only."""

    def __init__(self, asker: Asker, *, total: int, concurrency: int, listener: Callable[[Progress], None]) -> None:
        self.asker, self.planner, self.judge = asker, asker.planner, asker.planner.judge
        self.concurrency, self.listener = concurrency, listener
        self.progress = Progress(run=asker.run, total=total, usage=asker.usage)
        self._summaries: dict[int, list[Summary]] = {}
        self.stopped: BudgetSpent | None = None

    async def run(self, units: Iterator[Unit]) -> Summary:
        """Judge every unit, then merge the batch summaries. Cancelling it leaves what was committed."""
        self.listener(self.progress)
        ready = self._looked_up(units)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.concurrency):
                    group.create_task(self._work(ready))
        except BaseExceptionGroup as group_error:
            raise _first(group_error) from None
        summary = await self._final_summary()
        self._post({})
        await self.asker.ledger.flush()
        return summary

    def _looked_up(self, units: Iterator[Unit]) -> Iterator[Unit]:
        """The units, a handful at a time, after one look into the store for what they will ask."""
        while some := list(islice(units, _LOOK_AHEAD)):
            self.asker.look_up([call for unit in some for call in unit.calls])
            yield from some

    async def _work(self, units: Iterator[Unit]) -> None:
        step = self._batch if self.judge.layout == "batch" else self._item
        for unit in units:
            try:
                outcomes = await step(unit)
            except BudgetSpent as spent:
                # what is under way in the other workers is paid for and ends; nothing new begins
                self.stopped = spent
                return
            self._post(dict(zip(unit.positions, outcomes, strict=True)))
            failed = sum(isinstance(outcome, Failure) for outcome in outcomes)
            self.progress.failed += failed
            self.progress.judged += len(outcomes) - failed
            self.listener(self.progress)
            if self.stopped:
                return

    def _post(self, outcomes: Mapping[int, Outcome]) -> None:
        """Outcomes follow from replies that are durable already: the next item need not wait for them."""
        notes, self.asker.notes = self.asker.notes, []
        run = self.asker.run
        done = [OutcomeDone(run=run, position=place, outcome=outcome) for place, outcome in outcomes.items()]
        self.asker.ledger.post(*notes, *done)

    async def consult(self, call: Call, items: Sequence[Item]) -> tuple[Reading, Prompt, list[str]]:
        """Render a call, ask it and read the reply."""
        prompt = render(self.judge, call, items)
        batch = self.judge.layout == "batch"
        expected = Expected(
            labels=prompt.labels,
            sources={item.id if batch else "": numbered_sources(self.judge, item) for item in items},
            judged=tuple(text for item in items for text in texts(item.fields)),
        )

        def reader(reply: Reply) -> tuple[Reading, str]:
            own = replace(expected, embedded=reply.mode == EMBEDDED)
            reading = read(self.judge, reply.text, own, finish=reply.finish)
            # what the server itself held to the schema is told apart from what only happened to be strict JSON
            structured = reply.mode == "schema" and reading.step == "strict"
            return reading, "structured" if structured else reading.step

        reading, keys = await self.asker.consult(call, prompt, items, reader)
        return reading, prompt, keys

    async def _item(self, unit: Unit) -> list[Outcome]:
        """One item, all its orders and repeats. A repeat counts when every order of it was read: half of a
        balanced pair of orders would bring back the bias that the pair removes."""
        (item,) = unit.items
        results = await asyncio.gather(*(self._opinion(call, item) for call in unit.calls))
        for result in results:
            if isinstance(result, BudgetSpent):
                raise result
        by_call = list(zip(unit.calls, results, strict=True))
        keys = [key for result in results for key in (result.calls if isinstance(result, AdjudgeError) else result[1])]
        errors = {call.repeat: result for call, result in by_call if isinstance(result, AdjudgeError)}
        kept = [r[0] for call, r in by_call if not isinstance(r, AdjudgeError) and call.repeat not in errors]
        return [self.outcome(item, kept, keys, list(errors.values()))]

    async def _opinion(self, call: Call, item: Item) -> tuple[Opinion, list[str]] | AdjudgeError:
        try:
            reading, prompt, keys = await self.consult(call, (item,))
        except (ModelError, ReplyError, BudgetSpent) as error:
            return error
        opinion = reading.opinions[""]
        return named(replace(opinion, flags=(*opinion.flags, *reading.flags)), prompt.labels), keys

    def outcome(
        self, item: Item, opinions: Sequence[Opinion], keys: Sequence[str], errors: Sequence[AdjudgeError]
    ) -> Outcome:
        """A verdict from what was read; a failure, with the first reason, where nothing was."""
        calls = tuple(dict.fromkeys(keys))
        if not opinions:
            error = errors[0]
            stage = "ask" if isinstance(error, ModelError) else "read"
            return Failure(
                item=item.id, kind=error.kind, stage=stage, message=str(error), attempts=error.attempts, calls=calls
            )
        verdict = combine(
            self.judge,
            item.id,
            opinions,
            sources=numbered_sources(self.judge, item),
            candidates=candidates(self.judge, item),
            calls=calls,
        )
        return replace(verdict, flags=(*verdict.flags, f"repeats_lost:{len(errors)}")) if errors else verdict

    async def _batch(self, unit: Unit) -> list[Outcome]:
        batch = Batch(unit)
        for call in unit.calls:
            await batch.judge(call, self.planner, self.consult)
        self._summaries[min(unit.positions)] = batch.summaries
        return [
            self.outcome(item, batch.opinions[item.id], batch.keys[item.id], batch.errors[item.id])
            for item in unit.items
        ]

    async def _final_summary(self) -> Summary:
        """One summary per criterion from those of all batches, merged in a tree where there are many."""
        level = [summary for place in sorted(self._summaries) for summary in self._summaries[place]]
        if self.asker.model.embedded:
            return {}
        size = limits.MERGE_SUMMARIES_PER_CALL
        while len(level) > 1:
            level = [await self._merge(level[start : start + size]) for start in range(0, len(level), size)]
        return level[0] if level else {}

    async def _merge(self, summaries: Sequence[Summary]) -> Summary:
        if len(summaries) == 1:
            return summaries[0]
        call = self.planner.call("merge", (), after=[dict(summary) for summary in summaries])
        prompt = render_merge(self.judge, call.key, summaries)
        try:
            merged, _ = await self.asker.consult(call, prompt, (), lambda reply: read_summary(self.judge, reply))
        except (ModelError, ReplyError, BudgetSpent):
            # the scores stand without it, the failed call is in the store, and the report says that it is missing
            return {}
        return merged


def _first(error: BaseException) -> BaseException:
    """The error itself: that tasks were grouped is nobody's business outside."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
