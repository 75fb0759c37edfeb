"""The criteria of a judge, read from its two files: kinds and scales from one, words from the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast, get_args

from adjudge.core.judge import MEASURES, PARTS, Criterion, Kind, Layout, Long
from adjudge.core.scale import Better, Scale
from adjudge.spec.strict import Block

_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")
#: The kinds that can be listed first and checked then.
STAGED: tuple[Kind, ...] = ("claims", "questions")
#: What a criterion of a kind may say beside its kind and scale, and which words it may have beside title and asks.
_OWN: Mapping[Kind, tuple[str, ...]] = {"rating": ("evidence", "long"), "claims": ("bands",)}
_WORDS: Mapping[Kind, tuple[str, ...]] = {
    "rating": ("labels", "question"),
    "claims": ("labels", "question", "stages"),
    "questions": ("stages",),
}
_STAGES = ("list", "check")
_QUESTION_CHARS = 400
_KINDS: Mapping[Layout, tuple[Kind, ...]] = {
    "single": ("rating", "claims", "questions", "selection", "text"),
    "compare": ("rating", "text"),
    "batch": ("rating",),
}


class CriteriaReader:
    """One reading of the criteria of a judge in one language."""

    def __init__(self, top: Block, text: Block, layout: Layout) -> None:
        self.top, self.text, self.layout = top, text, layout

    def read(self) -> tuple[Criterion, ...]:
        """Every criterion, or a SpecError with file, line, key and hint."""
        layout = self.layout
        told = self.text.block("criteria")
        criteria: list[Criterion] = []
        for name, block in self.top.blocks("criteria"):
            if not _WORD.fullmatch(name):
                raise block.error(f"a criterion can't be called `{name}`", hint="small letters, digits and _")
            kind = cast(Kind, block.choice("kind", PARTS))
            if kind not in _KINDS[layout]:
                raise block.error(
                    f"the {layout} layout can't hold a criterion of kind {kind}",
                    "kind",
                    f"kinds it can hold: {', '.join(_KINDS[layout])}",
                )
            told_of = told.block(name)
            block.only(("kind", "measure", *(("scale",) if "score" in PARTS[kind] else ()), *_OWN.get(kind, ())))
            told_of.only(("title", "asks", *_WORDS.get(kind, ())))
            scale = self._scale(kind, block, told_of)
            criteria.append(
                Criterion(
                    name=name,
                    kind=kind,
                    title=told_of.text("title"),
                    asks=told_of.text("asks").strip(),
                    scale=scale,
                    bands=self._bands(kind, block, scale),
                    measure=block.choice("measure", MEASURES) if "measure" in block else None,
                    question=self._question(told_of),
                    evidence=block.flag("evidence", False),
                    stages=self._stages(told_of),
                    long=self._long(block),
                )
            )
        if not any(criterion.scored for criterion in criteria):
            raise self.top.error(
                "a judge needs at least one criterion that gives a number",
                "criteria",
                "clarity: {kind: rating, scale: {min: 1, max: 5, better: higher}}",
            )
        told.only(criterion.name for criterion in criteria)
        return tuple(criteria)

    def _scale(self, kind: Kind, block: Block, told: Block) -> Scale | None:
        if kind in ("selection", "text"):
            return None
        place = block.block("scale")
        place.only(("min", "max", "better", "unit", "whole"))
        low, high = place.whole("min"), place.whole("max")
        better = cast(Better, place.choice("better", ("higher", "lower")))
        unit = place.text("unit", " ").strip()
        whole = place.flag("whole", True)
        if not low < high <= low + 100:
            raise place.error("`max` must be above `min`, by 100 at most", "max", "scale: {min: 1, max: 5, ...}")
        if kind == "questions":
            if (low, high, better) != (0, 100, "higher"):
                raise place.error(
                    "a criterion of kind questions is a share of questions",
                    hint="scale: {min: 0, max: 100, better: higher}",
                )
            return Scale(min=low, max=high, better=better, unit=unit or "%")
        labels = told.block("labels")
        meanings: dict[int, str] = {}
        for point in range(low, high + 1):
            if str(point) not in labels:
                raise labels.error(
                    f"the point {point} has no label",
                    hint=f"add `{point}: what {point} means` (every point from {low} to {high})",
                )
            meanings[point] = labels.text(str(point)).strip()
        labels.only(str(point) for point in meanings)
        return Scale(min=low, max=high, better=better, unit=unit, labels=meanings, whole=whole)

    @staticmethod
    def _question(told: Block) -> str:
        """The question of `--ask yes-no`. That yes is the better answer, no program can check."""
        question = " ".join(told.text("question", " ").split())
        if question and (not question.endswith("?") or len(question) > _QUESTION_CHARS or "{{" in question):
            raise told.error(
                "this is not one plain question",
                "question",
                f"at most {_QUESTION_CHARS} characters that end with ?, to be answered with yes where the text is good",
            )
        return question

    @staticmethod
    def _bands(kind: Kind, block: Block, scale: Scale | None) -> tuple[int, ...]:
        if kind != "claims" or scale is None:
            return ()
        bands = block.wholes("bands")
        if len(bands) != scale.max - scale.min or list(bands) != sorted(set(bands)) or min(bands, default=-1) < 0:
            raise block.error(
                f"`bands` must be {scale.max - scale.min} growing numbers: unsupported claims allowed at each point",
                "bands" if "bands" in block else None,
                "for a scale of four points: bands: [0, 2, 5]",
            )
        return bands

    @staticmethod
    def _stages(told: Block) -> dict[str, str]:
        if "stages" not in told:
            return {}
        block = told.block("stages")
        block.only(_STAGES)
        return {name: block.text(name).strip() for name in _STAGES if name in block}

    @staticmethod
    def _long(block: Block) -> Long | None:
        return cast(Long, block.choice("long", get_args(Long))) if "long" in block else None
