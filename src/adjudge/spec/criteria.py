"""The criteria of a judge, read from its two files: kinds and scales from one, words from the other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast, get_args

from adjudge.core.judge import MEASURES, PARTS, Counted, Criterion, Kind, Layout, Long
from adjudge.core.scale import Better, Scale
from adjudge.spec import by_code
from adjudge.spec.strict import Block

_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}")
#: The kinds that can be listed first and checked then.
STAGED: tuple[Kind, ...] = ("claims", "questions")
#: What a criterion of a kind may say beside its kind and scale, and which words it may have beside title and asks.
_OWN: Mapping[Kind, tuple[str, ...]] = {
    "rating": ("evidence", "long", "counts", "bands", "checks"),
    "claims": ("bands",),
    "spans": ("penalties", "categories"),
}
_WORDS: Mapping[Kind, tuple[str, ...]] = {
    "rating": ("labels", "question", "checks"),
    "claims": ("labels", "question", "stages"),
    "questions": ("stages",),
    "spans": ("categories", "severities", "question"),
}
_STAGES = ("list", "check")
_QUESTION_CHARS = 400
_KINDS: Mapping[Layout, tuple[Kind, ...]] = {
    "single": ("rating", "claims", "questions", "spans", "selection", "text"),
    "compare": ("rating", "text"),
    "batch": ("rating", "spans"),
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
            criteria.append(self._criterion(name, kind, block, told.block(name)))
        if not any(criterion.scored for criterion in criteria):
            raise self.top.error(
                "a judge needs at least one criterion that gives a number",
                "criteria",
                "clarity: {kind: rating, scale: {min: 1, max: 5, better: higher}}",
            )
        told.only(criterion.name for criterion in criteria)
        self._check_long([criterion for criterion in criteria if criterion.scored])
        return tuple(criteria)

    def _check_long(self, scored: Sequence[Criterion]) -> None:
        """A verdict on a long source that lacks some of its scores would be none."""
        silent = [criterion.name for criterion in scored if criterion.long is None]
        if silent and len(silent) < len(scored):
            raise self.top.block("criteria").error(
                f"some criteria say what to do with a long source, and `{silent[0]}` does not",
                silent[0],
                f"long: {', '.join(get_args(Long))}, for every criterion with a scale or for none",
            )

    def _criterion(self, name: str, kind: Kind, block: Block, told: Block) -> Criterion:
        own = ("kind", *(("scale",) if "score" in PARTS[kind] else ()), *_OWN.get(kind, ()))
        block.only(own if kind == "spans" else ("kind", "measure", *own[1:]))
        told.only(("title", "asks", "answer", *_WORDS.get(kind, ())))
        scale = self._scale(kind, block, told)
        categories = by_code.categories(block) if kind == "spans" else ()
        penalties = by_code.penalties(block, categories, scale) if kind == "spans" and scale else {}
        severities = [severity for severity in penalties if "/" not in severity]
        checks = by_code.checks(block, told)
        if checks and "evidence" in block:
            raise block.error("a rating is made of checks or of evidence", "evidence", "remove one of the two")
        return Criterion(
            name=name,
            kind=kind,
            title=told.text("title"),
            asks=told.text("asks").strip(),
            answer=told.text("answer", "").strip(),
            scale=scale,
            bands=self._bands(kind, block, scale),
            measure=block.choice("measure", MEASURES) if "measure" in block else None,
            question=self._question(told),
            evidence=block.flag("evidence", False),
            checks=checks,
            penalties=penalties,
            categories=by_code.titles(told, "categories", categories) if categories else {},
            severities=by_code.titles(told, "severities", severities) if severities else {},
            stages=self._stages(told),
            long=self._long(block),
            counts=self._counts(block),
        )

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
        if kind == "spans" and (low, better) != (0, "lower"):
            raise place.error(
                "a criterion of kind spans is a sum of penalties, of which none is best",
                hint="scale: {min: 0, max: 100, better: lower, whole: false}",
            )
        if "checks" in block and "labels" in told:
            raise told.error("the points of this scale are made of checks", "labels", "remove labels or checks")
        if kind == "spans" or "checks" in block:
            return Scale(min=low, max=high, better=better, unit=unit, whole=whole)
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
        if kind == "rating" and "bands" in block and block.text("long", "each") != "claims":
            raise block.error("`bands` of a rating are for `long: claims`", "bands", "remove it, or say long: claims")
        if scale is None or (kind != "claims" and block.text("long", "each") != "claims"):
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

    @staticmethod
    def _counts(block: Block) -> Counted | None:
        if block.text("long", "each") == "claims":
            return cast(Counted, block.choice("counts", get_args(Counted)))
        if "counts" in block:
            raise block.error("`counts` is for `long: claims`", "counts", "remove it, or say long: claims")
        return None
