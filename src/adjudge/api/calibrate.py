"""Fitting the embedded judge to human labels: measure, fit, try on sources left out, keep what is of use."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adjudge.api.prepare import load
from adjudge.api.stored import stored_item
from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import digest
from adjudge.data.dataset import Dataset
from adjudge.data.human import human_scores
from adjudge.data.items import canonical_row, make_item, parse_map
from adjudge.data.rows import read_rows
from adjudge.models.offline import load_vectors, measures
from adjudge.models.offline.calibrated import COMPOSITE, FORMAT, shape
from adjudge.models.offline.findings import Measured
from adjudge.models.offline.judge import measure_all
from adjudge.models.offline.view import Case as Texts
from adjudge.stats.calibrate import LENGTH, PLAIN, SHARE, Case, Fit, Lack
from adjudge.stats.calibrate import calibrate as fit_to

if TYPE_CHECKING:
    from adjudge.models.offline.vectors import Vectors

#: With fewer texts or sources neither the fit nor its trial says much.
LEAST_TEXTS = 100
LEAST_SOURCES = 10
#: A part counts if nearly every text has it; the texts without it are left out.
COMMON = 0.9
#: Ranges are widened by so much of what was seen, and lengths by a quarter either way.
WIDER = 0.1
LONGER = 1.25
_NOT_BEATEN = {LENGTH: "length alone", PLAIN: "the plain composite"}
_LACKS: Mapping[Lack, str] = {
    "order": "the order is not surely better",
    "order lost": "the order got worse",
    "error": "the error is not surely smaller",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """One criterion: how many texts and sources had labels, the fit, and why it was refused ("" when it is kept)."""

    criterion: Criterion
    n: int
    sources: int
    fit: Fit | None = None
    fitted: Mapping[str, Any] | None = None
    why: str = ""

    @property
    def points(self) -> float:
        """The length of the scale: figures of fits are shares of it."""
        scale = self.criterion.scale
        return float(scale.max - scale.min) if scale else 1.0

    def as_json(self) -> dict[str, Any]:
        """The figures in points of the scale."""
        found: dict[str, Any] = {"kept": not self.why, "why": self.why or None, "n": self.n, "sources": self.sources}
        if self.fit is None:
            return found
        for name, figures in self.fit.figures.items():
            order = None if figures.spearman is None else round(figures.spearman, 4)
            found[name] = {"spearman": order, "mae": round(figures.mae * self.points, 4)}
        if self.why:
            # what is not used has no interval
            return {**found, "interval": None}
        half = round(self.fit.half * self.points, 4)
        return {**found, "interval": {"share": SHARE, "half": half, "coverage": round(self.fit.coverage, 4)}}


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibrated:
    """What came of every labelled criterion, and the file's content where one at least was kept."""

    judge: Judge
    tried: tuple[Tried, ...]
    text: str | None

    def as_json(self) -> dict[str, Any]:
        return {"judge": self.judge.name, "criteria": {one.criterion.name: one.as_json() for one in self.tried}}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Labelled:
    """A text with its label, as measured; `target` and the measure's parts go from worst (0) to best (1)."""

    group: str
    target: float
    measured: Measured
    chars: int

    @property
    def parts(self) -> Mapping[str, float]:
        return {COMPOSITE: self.measured.quality or 0.0, **self.measured.parts}


def calibrate(
    judge: Judge | str,
    labels: str,
    *,
    lang: str | None = None,
    columns: Sequence[str] = (),
    seed: int = 0,
    vectors: bool = False,
    listener: Callable[[int, int], None] = lambda done, total: None,
) -> Calibrated:
    """Fit the embedded judge to the labels of a file; the listener is told how many rows of how many are measured."""
    loaded = load(judge, lang)[1]
    encoder = load_vectors() if vectors else None
    dataset = _checked(loaded, labels, parse_map(loaded, tuple(columns)))
    try:
        given = _measured(loaded, dataset, encoder, listener)
        tried = tuple(
            _tried(loaded, criterion, given[criterion.name], seed)
            for criterion in loaded.scored
            if criterion.name in given
        )
        kept = {one.criterion.name: one for one in tried if not one.why}
        text = _file(loaded, dataset, seed, kept, measures(vectors=vectors)) if kept else None
    finally:
        dataset.close()
    return Calibrated(judge=loaded, tried=tried, text=text)


def _checked(judge: Judge, labels: str, columns: Mapping[str, str]) -> Dataset:
    """Every row, with its labels checked; what is wrong names the row."""
    dataset = Dataset(labels)
    labelled = 0
    seen: dict[str, None] = {}
    try:
        for where, row in read_rows(labels):
            known = canonical_row(judge, row, where, columns)
            item = make_item(judge, known, where, raw=row)
            labelled += bool(human_scores(judge, item, where))
            seen |= dict.fromkeys(map(str, item.extra))
            dataset.add(item.id, known, where)
        if (problem := dataset.repeated()) is not None:
            raise problem
        if not labelled:
            names = [criterion.name for criterion in judge.scored]
            raise DataError(
                f"no row has a score for any criterion of `{judge.name}`; "
                f"beside its fields the rows have: {', '.join(seen) or 'nothing'}",
                where=labels,
                hint=f'a column `{names[0]}`, or "labels": {{"{names[0]}": 4}}; the criteria: {", ".join(names)}',
            )
    except BaseException:
        dataset.close()
        raise
    return dataset


def _measured(
    judge: Judge, dataset: Dataset, vectors: Vectors | None, listener: Callable[[int, int], None]
) -> dict[str, list[_Labelled]]:
    """The labelled texts by criterion, measured as a run would."""
    found: dict[str, list[_Labelled]] = {}
    groups = _Groups()
    for done, (_, body) in enumerate(dataset.rows(), start=1):
        item = stored_item(judge, body)
        if labelled := human_scores(judge, item, item.id):
            measured, case = measure_all(judge, item, vectors), Texts(judge, item)
            texts, group = case.outputs or {}, groups.of(case)
            for name, scores in labelled.items():
                scale = judge.criterion(name).scale
                assert scale is not None
                for who, score in scores.items():
                    made = measured[who].get(name, _UNMEASURED)
                    chars = len(texts.get(who, ""))
                    one = _Labelled(group=group, target=scale.normalised(score), measured=made, chars=chars)
                    found.setdefault(name, []).append(one)
        listener(done, dataset.count)
    return {name: [replace(one, group=groups.whole(one.group)) for one in every] for name, every in found.items()}


_UNMEASURED = Measured(quality=None)


class _Groups:
    """What must not be on both sides of a trial: rows with a source text in common, or with the same `group`."""

    def __init__(self) -> None:
        self._joined: dict[str, str] = {}

    def of(self, case: Texts) -> str:
        """A name of the row's group so far; later rows may join it to others."""
        first, *more = _shared(case)
        for name in more:
            # the first by name stands for all: the order of rows decides nothing
            least, other = sorted((self.whole(first), self.whole(name)))
            self._joined[other] = least
        return first

    def whole(self, name: str) -> str:
        """The one name of all groups that are joined to this one."""
        while (onward := self._joined.get(name, name)) != name:
            # halving the way keeps it short, however long the chain of rows
            self._joined[name] = self._joined.get(onward, onward)
            name = onward
        return name


def _shared(case: Texts) -> list[str]:
    """Its `group`; or else its source texts, white space folded; without any its question; or only itself."""
    if (own := case.item.extra.get("group")) not in (None, ""):
        return [f"group {own}"]
    queries = (case.item.text(field.name) for field in case.judge.with_role("query"))
    for kind, texts in (("source", [source.text for source in case.sources]), ("query", queries)):
        if folded := [" ".join(text.split()) for text in texts if text.strip()]:
            return [digest([kind, text]) for text in folded]
    return [f"row {case.item.id}"]


def _tried(judge: Judge, criterion: Criterion, given: Sequence[_Labelled], seed: int) -> Tried:
    # a text without words has a fixed score and no parts: there is nothing to mix
    known = [one for one in given if one.measured.quality is not None and one.measured.parts]
    if not known or criterion.kind != "rating":
        why = "the embedded judge does not measure it" if criterion.kind == "rating" else "its score is made by code"
        return Tried(criterion=criterion, n=len(given), sources=len({one.group for one in given}), why=why)
    counts = Counter(name for one in known for name in one.parts)
    names = [name for name, count in counts.items() if count >= COMMON * len(known)]
    known = [one for one in known if all(name in one.parts for name in names)]
    n, sources = len(known), len({one.group for one in known})
    if n < LEAST_TEXTS or sources < LEAST_SOURCES:
        lack = f"labelled texts: {n}" if n < LEAST_TEXTS else f"sources with labelled texts: {sources}"
        least = LEAST_TEXTS if n < LEAST_TEXTS else LEAST_SOURCES
        return Tried(criterion=criterion, n=n, sources=sources, why=f"{lack}, and {least} are needed")
    cases = [
        Case(
            group=one.group,
            target=one.target,
            parts=tuple(one.parts[name] for name in names),
            plain=one.parts[COMPOSITE],
            length=math.log1p(one.chars),
        )
        for one in known
    ]
    fit = fit_to(cases, seed=seed)
    told = (f"{_NOT_BEATEN[name]} ({', '.join(map(_LACKS.__getitem__, own))})" for name, own in fit.refused.items())
    why = " and ".join(told)
    return Tried(
        criterion=criterion,
        n=n,
        sources=sources,
        fit=fit,
        fitted=_fitted(known, names, fit),
        why=f"does not beat {why}" if why else "",
    )


def _fitted(known: Sequence[_Labelled], names: Sequence[str], fit: Fit) -> dict[str, Any]:
    """What a run needs of the fit; a part that weighs nothing is left out."""
    weights = {name: _short(weight) for name, weight in zip(names, fit.weights, strict=True) if weight > 0}
    ranges = {}
    for name in weights:
        values = [one.parts[name] for one in known]
        low, high = min(values), max(values)
        spare = WIDER * (high - low)
        ranges[name] = [_short(max(0.0, low - spare)), _short(min(1.0, high + spare))]
    chars = [one.chars for one in known]
    return {
        "base": _short(fit.base),
        "weights": weights,
        "half": _short(fit.half),
        "ranges": ranges,
        "chars": [math.floor(min(chars) / LONGER), math.ceil(max(chars) * LONGER)],
    }


def _short(value: float) -> float:
    return float(f"{value:.9g}")


def _file(judge: Judge, dataset: Dataset, seed: int, kept: Mapping[str, Tried], made_with: str) -> str:
    body = {
        "adjudge_calibration": FORMAT,
        "judge": judge.name,
        "shape": shape(judge),
        "revision": made_with,
        "labels": dataset.digest[:12],
        "rows": dataset.count,
        "seed": seed,
        "criteria": {name: {**(one.fitted or {}), "trial": one.as_json()} for name, one in kept.items()},
    }
    return json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
