"""Without a run: check a judge, see a prompt, read a reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from adjudge.api.options import RunOptions
from adjudge.api.prepare import load
from adjudge.core.errors import Ambiguous, ConfigError, DataError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Item, Prompt, Settings, Stage, Verdict
from adjudge.data.items import canonical_row, make_item, parse_map
from adjudge.data.rows import read_rows
from adjudge.reply.combine import combine
from adjudge.reply.read import read
from adjudge.run.plan import Planner, Unit, judged_text, numbered_sources
from adjudge.spec.criteria import STAGED
from adjudge.spec.load import load_judge
from adjudge.spec.prompt import render
from adjudge.spec.questionnaire import given, render_answers, render_questions
from adjudge.spec.stages import part_of, render_claims, render_support

#: A language model: the embedded judge has no stages and no prompts.
_ANY_MODEL = "openai:any"
_LATER = "…"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A prompt and what it is for; in a later stage … stands for what the replies to an earlier one will say.

    `order` is that of the candidates as they are shown.
    """

    stage: Stage
    prompt: Prompt
    criterion: str = ""
    order: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As `adjudge check --json` shows it."""
        return {"system": self.prompt.system, "user": self.prompt.user, "schema": self.prompt.schema}


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A valid judge, and the prompts for a row where they were asked for: one, or one for each call of every stage."""

    judge: Judge
    prompts: tuple[Shown, ...] = ()

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "judge": self.judge.name,
            "valid": True,
            "languages": list(self.judge.langs),
            "digest": self.judge.digest,
        }
        if self.in_stages:
            found["prompts"] = [
                {"stage": one.stage, "criterion": one.criterion or None, **one.as_json()} for one in self.prompts
            ]
        elif self.prompts:
            found["prompt"] = self.prompts[0].as_json()
        return found

    @property
    def in_stages(self) -> bool:
        """Whether the prompts are those of stages."""
        return any(one.stage != "judge" for one in self.prompts)


def check(
    judge: str,
    *,
    data: str | None = None,
    row: int = 1,
    lang: str | None = None,
    columns: Sequence[str] = (),
    staged: bool | None = None,
) -> Checked:
    """Validate a judge in every language it has, and render the prompts for one row of a dataset."""
    if row < 1:
        raise ConfigError(f"--row must be at least 1, not {row}", hint="rows are counted from 1")
    _, loaded = load(judge, lang)
    for other in loaded.langs:
        load_judge(judge, other)
    RunOptions(model=_ANY_MODEL, staged=staged).plan(loaded)
    if data is None:
        return Checked(judge=loaded)
    found = next(islice(read_rows(data), row - 1, None), None)
    if found is None:
        raise DataError(f"there is no row {row}", where=data)
    where, raw = found
    known = canonical_row(loaded, raw, where, parse_map(loaded, tuple(columns)))
    item = make_item(loaded, known, where, raw=raw)
    return Checked(judge=loaded, prompts=prompts_for(loaded, item, staged=staged))


def prompts_for(judge: Judge, item: Item, *, staged: bool | None = None) -> tuple[Shown, ...]:
    """What a language model is asked about an item: one prompt, or one for each call of every stage."""
    options = RunOptions(model=_ANY_MODEL, staged=staged).plan(judge)
    planner = Planner(judge=judge, settings=Settings(model="none"), options=options)
    unit = next(planner.units([(0, item)]))
    if options.staged:
        return tuple(_in_stages(judge, unit))
    call = unit.calls[0]
    return (Shown(stage="judge", prompt=render(judge, call, unit.items), order=call.order),)


def _in_stages(judge: Judge, unit: Unit) -> Iterator[Shown]:
    """What `--staged` asks about an item, each call with a mark of its own."""
    (item,), call = unit.items, unit.calls[0]
    if rest := [one.name for one in judge.criteria if one.kind not in STAGED]:
        yield Shown(stage="rest", prompt=render(part_of(judge, rest), call, (item,)))
    for criterion in judge.criteria:
        if criterion.kind == "claims":
            yield from _claims(judge, criterion, call.key, item)
        elif criterion.kind == "questions":
            yield from _questions(judge, criterion, call.key, item)


def _claims(judge: Judge, criterion: Criterion, key: str, item: Item) -> Iterator[Shown]:
    listed = render_claims(judge, criterion, key, judged_text(judge, item) or "")
    yield Shown(stage="claims", criterion=criterion.name, prompt=listed)
    sources = [*enumerate(numbered_sources(judge, item), start=1)]
    checked = render_support(judge, criterion, key, item, sources, {1: _LATER})
    yield Shown(stage="support", criterion=criterion.name, prompt=checked)


def _questions(judge: Judge, criterion: Criterion, key: str, item: Item) -> Iterator[Shown]:
    query = given(judge, item, "query")
    for source in numbered_sources(judge, item):
        asked = render_questions(judge, criterion, key, text=source.text, query=query)
        yield Shown(stage="questions", criterion=criterion.name, prompt=asked)
    outputs = given(judge, item, "output")
    answers = render_answers(judge, criterion, key, outputs=outputs, asked={1: (_LATER, _LATER)})
    yield Shown(stage="answers", criterion=criterion.name, prompt=answers)


def read_reply(judge: Judge | str, text: str) -> Verdict:
    """Read a judge's reply, however it is wrapped; `.scores` is {criterion: number}. Raises ReplyError.

    >>> read_reply("summary", "no verdict here")
    Traceback (most recent call last):
    adjudge.core.errors.NoVerdict: ...
    """
    loaded = load(judge, None)[1]
    reading = read(loaded, text)
    if reading.failures:
        raise next(iter(reading.failures.values()))
    if len(reading.opinions) != 1:
        found = ", ".join(reading.opinions) or "none"
        raise Ambiguous(f"the reply judges {len(reading.opinions)} items ({found}), and one was expected")
    ((item, opinion),) = reading.opinions.items()
    names = tuple(next(iter(opinion.scores.values()), {"": None}))
    return combine(loaded, item, [opinion], sources=(), candidates=names)
