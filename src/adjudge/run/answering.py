"""Candidates that are asked: each for its own answer to an item's question, before the item is judged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

from adjudge.core import limits
from adjudge.core.counted import counted
from adjudge.core.errors import AdjudgeError, BudgetSpent, ModelError, ReplyError
from adjudge.core.judge import Judge
from adjudge.core.records import Call, Failure, Item, Outcome, Prompt, Reply, Stage, digest
from adjudge.data.candidates import RETRIEVED_BY
from adjudge.reply.answered import Answered, read_answered
from adjudge.run.ask import Asker
from adjudge.run.once import once
from adjudge.run.plan import Planner, Unit, numbered_sources
from adjudge.spec.answering import answering_digest, render_answer

#: Where a row says how each candidate fared that was asked.
ANSWERING = "answering"
#: Runs that go on side by side ask a candidate once: whoever comes second finds the answer in the store.
_TURNS: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerPlanner(Planner):
    """Calls to a candidate. What decides its answer is the question and the sources, not who judges it then."""

    #: Whether it is a program or an address, which is told the row's id and asked without a prompt.
    program: bool

    def _content(
        self, stage: Stage, items: Sequence[Item], order: tuple[str, ...], repeat: int, after: object, criterion: str
    ) -> str:
        asked = [(item.id, item.fields) for item in items]
        return digest(("answer", None if self.program else answering_digest(self.judge.lang), asked, after))

    def prompt(self, call: Call, item: Item) -> Prompt:
        """What a model is sent; a program reads the item itself."""
        return Prompt(system="", user="", schema={}) if self.program else render_answer(self.judge.lang, call, item)


@dataclass(frozen=True, kw_only=True, slots=True)
class Contestant:
    """A candidate that is asked."""

    name: str
    planner: AnswerPlanner
    asker: Asker


@dataclass(frozen=True, kw_only=True, slots=True)
class Filled:
    """An item with the answers that came; `failure` where they are too few to compare."""

    item: Item
    #: What the answers add to the item's row, as JSON.
    body: str
    keys: tuple[str, ...]
    flags: tuple[str, ...]
    failure: Failure | None

    def noted(self, outcome: Outcome) -> Outcome:
        """The outcome of the judging, with what is to be said of the answering."""
        return replace(outcome, flags=(*self.flags, *outcome.flags), calls=(*self.keys, *outcome.calls))


class Answering:
    """Asks all candidates of an item at once; one that fails is left out, and never a zero."""

    def __init__(self, judge: Judge, contestants: Sequence[Contestant]) -> None:
        self._judge, self._contestants = judge, contestants
        self._field = next(field.name for field in judge.fields if field.type == "answers")

    def tell(self, tell: Callable[[str], None]) -> None:
        """Whom to tell of what is asked again."""
        for one in self._contestants:
            name = one.name
            one.asker.pace.told = lambda error, _, name=name: tell(f"{name}: {error}; it will be asked again")  # type: ignore[misc]

    def silent(self) -> str:
        """Whose answers are waited for in vain at present, by name; none is the empty text."""
        return ", ".join(one.name for one in self._contestants if one.asker.pace.silent_s() >= limits.SILENT_S)

    async def ask(self, unit: Unit) -> Filled:
        """The item of a unit with its answers. Raises BudgetSpent where not all could be asked."""
        (item,), (place,) = unit.items, unit.positions
        question = asked_of(self._judge, item)
        async with asyncio.TaskGroup() as group:  # a fault of the store ends them all
            asking = [group.create_task(self._one(one, question, place)) for one in self._contestants]
        results = {one.name: task.result() for one, task in zip(self._contestants, asking, strict=True)}
        for result in results.values():
            if isinstance(result, BudgetSpent):
                raise result
        return self._filled(item, results)

    async def _one(self, one: Contestant, item: Item, place: int) -> _Said | AdjudgeError:
        call = one.planner.call("answer", (item,), order=(one.name,))
        prompt = one.planner.prompt(call, item)
        came: list[Reply] = []

        def reader(reply: Reply) -> tuple[Answered, str]:
            came.append(reply)
            return read_answered(reply, program=one.planner.program)

        turn = _TURNS.setdefault((id(asyncio.get_running_loop()), call.key), asyncio.Lock())
        try:
            async with turn:
                answered, keys = await once(one.asker, call, (place, place), prompt, reader, (item,))
        except (ModelError, ReplyError, BudgetSpent) as error:
            return error.with_traceback(None)
        return _Said(answered=answered, reply=came[-1], keys=keys)

    def _filled(self, item: Item, results: Mapping[str, _Said | AdjudgeError]) -> Filled:
        said = {name: result for name, result in results.items() if isinstance(result, _Said)}
        failed = {name: result for name, result in results.items() if isinstance(result, AdjudgeError)}
        answers = {**item.answers(self._field), **{name: one.answered.text for name, one in said.items()}}
        flags: list[str] = []
        for name, error in failed.items():
            flags.append(f"no_answer:{name} ({error.kind})")
        keys = [
            key
            for result in results.values()
            for key in (result.calls if isinstance(result, AdjudgeError) else result.keys)
        ]
        extra: dict[str, Any] = {ANSWERING: {name: _fared(result) for name, result in results.items()}}
        retrieved = {name: one.answered.retrieved for name, one in said.items() if one.answered.retrieved is not None}
        if retrieved:
            had = item.extra.get(RETRIEVED_BY)
            extra[RETRIEVED_BY] = {**(had if isinstance(had, Mapping) else {}), **retrieved}
        filled = replace(item, fields={**item.fields, self._field: answers}, extra={**item.extra, **extra})
        few = len(answers) < limits.CANDIDATES_MIN
        return Filled(
            item=filled,
            body=json.dumps({self._field: answers, **extra}, ensure_ascii=False, separators=(",", ":")),
            keys=tuple(keys),
            flags=tuple(flags),
            failure=_failure(item, len(answers), failed) if few else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Said:
    answered: Answered
    reply: Reply
    keys: list[str]


def asked_of(judge: Judge, item: Item) -> Item:
    """What a candidate may know of an item: its id, the question and the sources; the golden answer is not among it."""
    question = next((item.text(field.name) for field in judge.with_role("query")), "")
    return Item(id=item.id, fields={"question": question, "sources": numbered_sources(judge, item)})


def stand_in(judge: Judge, item: Item, names: Sequence[str], text: str) -> Item:
    """An item as it may look when all candidates have answered: to count what judging it would take."""
    field = next(field.name for field in judge.fields if field.type == "answers")
    return replace(item, fields={**item.fields, field: {**item.answers(field), **dict.fromkeys(names, text)}})


def _fared(result: _Said | AdjudgeError) -> dict[str, Any]:
    if isinstance(result, AdjudgeError):
        return {"failed": result.kind, "message": str(result), "attempts": result.attempts}
    reply = result.reply
    return {"seconds": round(reply.latency_s, 6), "cost_usd": reply.cost_usd, "characters": len(result.answered.text)}


def _failure(item: Item, came: int, failed: Mapping[str, AdjudgeError]) -> Failure:
    why = "; ".join(f"{name}: {error}" for name, error in failed.items())
    first = next(iter(failed.values()))
    return Failure(
        item=item.id,
        kind=first.kind,
        stage="answer",
        message=f"{counted(came, 'answer')} came, and {limits.CANDIDATES_MIN} are needed to compare: {why}",
        attempts=first.attempts,
    )
