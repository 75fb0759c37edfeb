"""One item whose source exceeds the window: some ratings of each part of it, some from claims, some without it."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from math import fsum
from typing import Any, TypeVar

from adjudge.core import limits
from adjudge.core.judge import Criterion, Judge
from adjudge.core.judge import Long as Way
from adjudge.core.records import Finding, Item, Opinion, Score, Stage
from adjudge.reply.claims import Stated
from adjudge.reply.findings import banded
from adjudge.run.ask import Asker
from adjudge.run.attribution import Traced
from adjudge.run.claims import Place, checked, listed, support_characters
from adjudge.run.plan import Planner, Unit, numbered_sources
from adjudge.run.repeats import Repeats
from adjudge.run.staged import Part, whole
from adjudge.run.together import together
from adjudge.run.window import fitting, grouped, spans
from adjudge.spec.prompt import render
from adjudge.spec.stages import of_part, without_source
from adjudge.spec.wording import words

T = TypeVar("T")
#: How many of the parts' reasons a reason repeats; all of them are findings.
_TOLD = 3


class Long(Repeats):
    """What needs no source is asked first; then every part of the source."""

    def __init__(self, judge: Judge, unit: Unit) -> None:
        super().__init__(judge, unit)
        self._field = judge.with_role("source")[0].name
        self.source = self.item.text(self._field)
        self._size: int | None = None

    async def _repeat(self, asker: Asker, repeat: int) -> Opinion:
        where = Place(item=self.item, position=self._place, repeat=repeat)
        length = len(self.source)
        size = self._size or self.part_size(asker.part_size(self.beside(asker.planner), length))
        parts: list[Opinion] = []
        stated: tuple[Stated, ...] = ()
        # first what shows no source: where that does not fit, shorter parts of the source are no help
        if once := self.made("once"):
            judge = without_source(self._judge, _names(once))
            parts.append(self._noted(await self._asked(asker, repeat, judge, self._with(None), "rest")))
        if claims := self.made("claims"):
            stated = self._noted(await listed(asker, claims[0], where))
        parts.append(self._noted(await fitting(size, length, partial(self._in_parts, asker, where, stated))))
        return whole(self._judge, parts)

    def part_size(self, known: int | None) -> int:
        """How long a part may be: as known, or half of the source, which a short one is not cut into."""
        return known or max(len(self.source) // 2, limits.PART_CHARS_MIN)

    def _noted(self, found: tuple[T, list[str]]) -> T:
        self.keys.extend(found[1])
        return found[0]

    def made(self, way: Way) -> tuple[Criterion, ...]:
        """The criteria that are made in one way; texts are asked for once."""
        return tuple(one for one in self._judge.criteria if one.long == way or (way == "once" and not one.scored))

    def beside(self, planner: Planner) -> int:
        """How many characters stand beside a part in the longest of the prompts that show one."""
        found = [0]
        if each := self.made("each"):
            judge, item = of_part(self._judge, _names(each), 1, 1), self._with("")
            prompt = render(judge, planner.call("part", (item,)), (item,))
            found.append(len(prompt.system) + len(prompt.user))
        for criterion in self.made("claims"):
            own = support_characters(self._judge, criterion, self.item)
            found.append(own + limits.CLAIMS_CHARS_PER_CALL)
        return max(found)

    async def _in_parts(self, asker: Asker, where: Place, stated: Sequence[Stated], size: int | None) -> Part:
        assert size is not None
        self._size = size
        places = spans(self.source, size)
        works: list[Coroutine[Any, Any, Part]] = []
        if each := self.made("each"):
            works.append(self._each(asker, where.repeat, each, places))
        if claims := self.made("claims"):
            works.append(self._claims(asker, where, claims, stated))
        opinions, keys = await together(works)
        opinion = whole(self._judge, opinions)
        return replace(opinion, flags=(*opinion.flags, f"in_parts:{len(places)}")), keys

    async def _each(
        self, asker: Asker, repeat: int, criteria: Sequence[Criterion], places: Sequence[tuple[int, int]]
    ) -> Part:
        names, of = _names(criteria), len(places)
        parts, keys = await together(
            self._asked(asker, repeat, of_part(self._judge, names, n, of), self._with(self.source[start:end]), "part")
            for n, (start, end) in enumerate(places, start=1)
        )
        return self._combined(criteria, parts, places), keys

    async def _asked(self, asker: Asker, repeat: int, judge: Judge, item: Item, stage: Stage) -> Part:
        call = asker.planner.call(stage, (item,), repeat=repeat, after=judge.digest)
        return await self._verdict(asker, judge, call, item)

    async def _claims(
        self, asker: Asker, where: Place, criteria: Sequence[Criterion], stated: Sequence[Stated]
    ) -> Part:
        """Ratings that count claims, each of which is checked against every part."""
        groups = grouped(numbered_sources(self._judge, self.item), self._size)
        found, keys = await checked(asker, criteria[0], where, stated, groups)
        traced, say = Traced(self._judge, self.item, stated, found), words(self._judge.lang).say
        scores, findings = {}, {}
        for criterion in criteria:
            own = [number for number, one in found.items() if one.support == criterion.counts]
            assert criterion.scale is not None
            if not stated:  # a text that says nothing is not an accurate one
                value, reason = float(criterion.scale.worst), say("claims_none")
            else:
                value = banded(criterion, [found[number].severity for number in own])
                phrase = f"claims_{criterion.counts}" if own else f"claims_no_{criterion.counts}"
                reason = say(phrase, n=len(own), of=len(stated), claims=traced.told(own))
            scores[criterion.name] = {"": Score(value=value, reason=reason)}
            # each claim and quote is shown once
            first = criterion is criteria[0]
            kinds = [f"claim_{criterion.counts}", *(("claim_supported", "claim_unverified") if first else ())]
            quotes = traced.quotes() if first else ()
            findings[criterion.name] = {"": (*(one for one in traced.findings() if one.kind in kinds), *quotes)}
        lost = traced.lost_quotes(criteria[0].name)
        silent = () if stated else tuple(f"no_claims:{criterion.name}" for criterion in criteria)
        return Opinion(scores=scores, findings=findings, flags=(*silent, *traced.flags(), *lost)), keys

    def _with(self, source: str | None) -> Item:
        """The item with a part of its source, or without it."""
        rest = {name: value for name, value in self.item.fields.items() if name != self._field}
        return replace(self.item, fields=rest if source is None else {**self.item.fields, self._field: source})

    def _combined(
        self, criteria: Sequence[Criterion], parts: Sequence[Opinion], places: Sequence[tuple[int, int]]
    ) -> Opinion:
        """Means weighted by the length of the parts, with what each part was given and why."""
        scores, findings = {}, {}
        for criterion in criteria:
            given = [part.scores[criterion.name][""] for part in parts]
            scores[criterion.name] = {"": self._mean(criterion, given, places)}
            own = [
                _moved(one, start)
                for part, (start, _) in zip(parts, places, strict=True)
                for one in part.findings.get(criterion.name, {}).get("", ())
            ]
            findings[criterion.name] = {"": (*self._of_parts(criterion, given, places), *own)}
        flags = tuple(dict.fromkeys(flag for part in parts for flag in part.flags))
        return Opinion(scores=scores, findings=findings, flags=flags)

    def _mean(self, criterion: Criterion, given: Sequence[Score], places: Sequence[tuple[int, int]]) -> Score:
        known = [(score.value, end - start) for score, (start, end) in zip(given, places, strict=True)]
        pairs = [(value, length) for value, length in known if value is not None]
        value = fsum(value * length for value, length in pairs) / sum(length for _, length in pairs)
        told = [one.reason for one in self._of_parts(criterion, given, places)[:_TOLD]]
        return Score(value=value, reason=words(self._judge.lang).say("part_mean", of=len(places), parts=" ".join(told)))

    def _of_parts(
        self, criterion: Criterion, given: Sequence[Score], places: Sequence[tuple[int, int]]
    ) -> list[Finding]:
        """What each part was given and why, the worst first."""
        say, scale = words(self._judge.lang).say, criterion.scale
        assert scale is not None
        numbered = sorted(
            enumerate(zip(given, places, strict=True), start=1),
            key=lambda pair: abs((pair[1][0].value or 0.0) - scale.best),
            reverse=True,
        )
        return [
            Finding(
                kind="part",
                reason=say("part_reason", n=n, of=len(places), score=f"{score.value:g}", reason=score.reason),
                source=self._field,
                source_at=place,
                against=score.value != scale.best,
            )
            for n, (score, place) in numbered
        ]


def _names(criteria: Sequence[Criterion]) -> tuple[str, ...]:
    return tuple(criterion.name for criterion in criteria)


def _moved(found: Finding, start: int) -> Finding:
    """A finding in a part of the source, with its place in the whole."""
    at = found.source_at
    return replace(found, source_at=(at[0] + start, at[1] + start)) if at else found
