"""The embedded judge: answers a request in the shape the judge asks of every model, from classical measures alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.core.judge import Criterion, Judge, Leaf, Output
from adjudge.core.records import EMBEDDED, EVIDENCE, Finding, Item, Reply, Request
from adjudge.models.offline import (
    LISTED,
    answers,
    brevity,
    conclusion,
    coverage,
    flow,
    novelty,
    punctuation,
    support,
    translation,
)
from adjudge.models.offline.calibrated import Calibration, Fitted
from adjudge.models.offline.findings import Measured, spread, words
from adjudge.models.offline.lists import claims
from adjudge.models.offline.nothing import nothing
from adjudge.models.offline.questions import questions
from adjudge.models.offline.view import Case, View

if TYPE_CHECKING:
    from adjudge.models.offline.vectors import Vectors

MEASURES: Mapping[str, Callable[[View], Measured]] = {
    "coverage": coverage.coverage,
    "support": support.support,
    "novelty": novelty.novelty,
    "coherence": flow.coherence,
    "brevity": brevity.brevity,
    "relevance": answers.relevance,
    "answer_support": answers.answer_support,
    "answer_coverage": answers.answer_coverage,
    "adequacy": translation.adequacy,
    "additions": translation.additions,
    "fluency": translation.fluency,
    "punctuation": punctuation.punctuation,
}
#: Criteria whose verdict is a list; their scores are counted from it.
Listed: TypeAlias = "tuple[list[dict[str, Any]] | None, Measured]"
LISTS: Mapping[str, Callable[[View], Listed]] = dict(zip(LISTED, (claims, questions), strict=True))
#: A text of hundreds of unsupported sentences is told by the first of them.
FINDINGS_MAX = 40
#: Of the best point, where a scale's ends make no round number of it.
_NEAR = 1e-9
_FINDING = tuple(part.name for part in fields(Finding))


class Offline:
    """The embedded judge as a model: it reads the items, not the prompt, and costs nothing."""

    embedded = True
    rest_s = 0.0

    def __init__(self, calibration: Calibration | None = None, vectors: Vectors | None = None) -> None:
        self.calibration, self.vectors = calibration, vectors

    async def answer(self, request: Request) -> Reply:
        """The verdict on the request's items as JSON text."""
        found: dict[str, Any]
        if request.judge.layout == "batch":
            found = _batch(request, self.calibration, self.vectors)
        else:
            case = Case(request.judge, request.items[0])
            found = _Writer(request.judge, case, _labels(request), self.calibration, self.vectors).whole()
        return Reply(text=json.dumps(found, ensure_ascii=False), mode=EMBEDDED, tokens_in=0, tokens_out=0, cost_usd=0.0)

    async def close(self) -> None:
        """Nothing is held open."""


def measure_many(
    judge: Judge, items: Sequence[Item], vectors: Vectors | None = None
) -> list[Mapping[str, Mapping[str, Measured]]]:
    """What every measure finds in every text: per item by candidate ("" when there is one) and criterion."""
    found: list[Mapping[str, Mapping[str, Measured]]] = []
    for item in items:
        writer = _Writer(judge, Case(judge, item), {}, vectors=vectors)
        rated = [criterion for criterion in judge.scored if criterion.kind in ("rating", "claims", "questions")]
        names = list(writer.case.outputs or {"": ""})
        found.append({name: {c.name: writer.measured(c, name) for c in rated} for name in names})
    return found


def measure_all(judge: Judge, item: Item, vectors: Vectors | None = None) -> Mapping[str, Mapping[str, Measured]]:
    """What every measure finds in an item by itself."""
    return measure_many(judge, [item], vectors)[0]


def batch_summary(judge: Judge, scores: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """One plain sentence per scored criterion: how many segments are free of objections and how many are poor."""
    say = words(judge.lang).say
    found: dict[str, str] = {}
    for criterion in judge.scored:
        assert criterion.scale is not None
        places = [criterion.scale.normalised(value) for value in scores.get(criterion.name, ())]
        clean, low = sum(place >= 1 - _NEAR for place in places), sum(place < 0.5 for place in places)
        if not places:
            found[criterion.name] = say("batch_none" if criterion.measure else "no_measure")
        elif clean == len(places):
            found[criterion.name] = say("batch_good", n=len(places))
        else:
            found[criterion.name] = say("batch_mixed", clean=clean, n=len(places), low=low)
    return found


def _labels(request: Request) -> Mapping[str, str]:
    return request.prompt.labels or {name: name for name in request.call.order}


def _batch(request: Request, calibration: Calibration | None, vectors: Vectors | None) -> dict[str, Any]:
    cases = [Case(request.judge, item) for item in request.items]
    writers = {case.item.id: _Writer(request.judge, case, {}, calibration, vectors) for case in cases}
    labels = request.prompt.labels or {name: name for name in writers}
    written: dict[str, Any] = {}
    known: dict[str, list[float]] = {}
    for label, name in labels.items():
        if writer := writers.get(name):
            written[label] = writer.whole()
            for criterion in request.judge.scored:
                if (value := _value(criterion, writer.measured(criterion, ""))) is not None:
                    known.setdefault(criterion.name, []).append(value)
    return {"scores": written, "summary": batch_summary(request.judge, known)}


def _value(criterion: Criterion, measured: Measured) -> float | None:
    """A quality as a value of the criterion's scale."""
    scale = criterion.scale
    if measured.quality is None or scale is None:
        return None
    return round(scale.worst + measured.quality * (scale.best - scale.worst), 2)


def _interval(criterion: Criterion, measured: Measured) -> list[float] | None:
    """The 80 % interval of a value on the criterion's scale, cut at its ends."""
    value, scale = _value(criterion, measured), criterion.scale
    if value is None or scale is None or measured.spread is None:
        return None
    half = measured.spread * (scale.max - scale.min)
    return [round(max(scale.min, value - half), 2), round(min(scale.max, value + half), 2)]


def _stated(finding: Finding) -> dict[str, Any]:
    """A finding as the reply states it; copying every part, as `asdict` does, takes a tenth of a verdict's time."""
    return {name: getattr(finding, name) for name in _FINDING}


class _Writer:
    """Writes one item's verdict along the judge's output shape."""

    def __init__(
        self,
        judge: Judge,
        case: Case,
        labels: Mapping[str, str],
        calibration: Calibration | None = None,
        vectors: Vectors | None = None,
    ) -> None:
        self.judge, self.case, self.labels, self.vectors = judge, case, labels, vectors
        self._fitted: Mapping[str, Fitted] = calibration.criteria if calibration else {}
        self._views: dict[str, View] = {}
        self._measured: dict[tuple[str, str], Measured] = {}
        self._lists: dict[tuple[str, str], Listed] = {}

    def whole(self) -> dict[str, Any]:
        """The verdict, and beside it the intervals of its scores and what was found."""
        found: dict[str, Any] = self.write(self.judge.output) or {}
        intervals: dict[str, dict[str, list[float]]] = {}
        findings: list[dict[str, Any]] = []
        for criterion in self.judge.criteria:
            if criterion.kind not in ("rating", "claims", "questions"):
                continue
            for label, name in self.labels.items() if self.judge.layout == "compare" else [("", "")]:
                measured = self.measured(criterion, name)
                if criterion.kind == "rating" and (ends := _interval(criterion, measured)):
                    intervals.setdefault(criterion.name, {})[label] = ends
                # Why something was not judged is its reason; what was found all the same comes after it.
                found_here = measured.findings[int(measured.quality is None) :]
                own = {"criterion": criterion.name, "candidate": label}
                findings += [{**own, **_stated(each)} for each in found_here[:FINDINGS_MAX]]
        return {**found, EVIDENCE: {"intervals": intervals, "findings": findings}}

    def write(self, output: Output) -> Any:
        """The JSON value of a shape, or None for what code makes itself."""
        if isinstance(output, Leaf):
            return self._leaf(output)
        if isinstance(output, tuple):
            parts = {"why" if leaf.part == "reason" else leaf.part: self._leaf(leaf, brief=True) for leaf in output}
            return parts or None
        found = {key: self.write(child) for key, child in output.items() if not self._made_by_code(child)}
        # An object left empty goes; a null leaf stays, since it says "not judged".
        return {
            key: value for key, value in found.items() if value is not None or isinstance(output[key], Leaf)
        } or None

    def _made_by_code(self, output: Output) -> bool:
        if not isinstance(output, Leaf):
            return False
        if self.judge.derived_value(output.name):
            return True
        return output.part == "score" and self.judge.criterion(output.name).kind != "rating"

    def view(self, candidate: str) -> View:
        if candidate not in self._views:
            self._views[candidate] = self.case.view(candidate)
        return self._views[candidate]

    def measured(self, criterion: Criterion, candidate: str) -> Measured:
        """The criterion's measure of one text, made once."""
        key = (criterion.name, candidate)
        if key not in self._measured:
            listed = criterion.kind in LISTS
            self._measured[key] = (
                self._listed(criterion.kind, candidate)[1] if listed else self._measure(criterion, self.view(candidate))
            )
        return self._measured[key]

    def _listed(self, kind: str, candidate: str) -> Listed:
        key = (kind, candidate)
        if key not in self._lists:
            self._lists[key] = LISTS[kind](self.view(candidate))
        return self._lists[key]

    def _measure(self, criterion: Criterion, view: View) -> Measured:
        measure = MEASURES.get(criterion.measure or "")
        if measure is None:
            return view.none("no_measure")
        if self.case.outputs is None:
            return view.none("no_output_field")
        wordless = not any(source.text.strip() for source in self.case.sources) or not self.case.evidence.empty
        if not view.raw.strip() or (view.out.empty and wordless):
            return nothing(view, criterion.measure or "")
        measured, half = measure(view), spread(criterion.measure or "")
        if half is not None:
            measured = replace(measured, spread=half)
        if self.vectors:
            measured = self.vectors.blended(criterion.measure or "", measured, view)
        fitted = self._fitted.get(criterion.name)
        return fitted.applied(measured, len(view.raw), self.case.words) if fitted else measured

    def _leaf(self, leaf: Leaf, *, brief: bool = False) -> Any:
        criterion = self.judge.criterion(leaf.name)
        if criterion.kind == "text":
            return self._conclusion()
        if self.judge.layout == "compare":
            return {label: self._part(criterion, leaf.part, name, brief) for label, name in self.labels.items()}
        return self._part(criterion, leaf.part, "", brief)

    def _part(self, criterion: Criterion, part: str, candidate: str, brief: bool) -> Any:
        view = self.view(candidate)
        if part in LISTS:
            return self._listed(part, candidate)[0]
        if part == "selected":
            return answers.selection(view)
        measured = self.measured(criterion, candidate)
        value = _value(criterion, measured)
        # Where reasons are asked for briefly, the best point needs none.
        best = brief and criterion.scale is not None and value == criterion.scale.best and not measured.faults
        reason = "" if best else measured.reason
        if part:
            return value if part == "score" else reason
        return {"justification": reason, "score": value}

    def _conclusion(self) -> str:
        say = self.case.words.say
        rated = [c for c in self.judge.criteria if c.kind in ("rating", "claims")]
        if self.judge.layout == "compare":
            ranked = self._by_quality(rated)
            said = [conclusion.of_candidate(self.case.words, name, self._found(rated, name)) for name in ranked]
        else:
            said = [conclusion.of_one(self.case.words, self._found(rated, ""))]
        unknown = [c.title or c.name for c in rated if all(self.measured(c, n).quality is None for n in self._names())]
        if len(unknown) == len(rated):
            return say("conclusion_nothing")
        return " ".join([*said, say("conclusion_limits", names=", ".join(unknown))] if unknown else said)

    def _names(self) -> list[str]:
        return sorted(self.labels.values()) if self.judge.layout == "compare" else [""]

    def _found(self, rated: Sequence[Criterion], candidate: str) -> dict[str, Measured]:
        return {c.title or c.name: self.measured(c, candidate) for c in rated}

    def _by_quality(self, rated: Sequence[Criterion]) -> list[str]:
        totals = {name: sum(m.quality or 0.0 for m in self._found(rated, name).values()) for name in self._names()}
        return sorted(totals, key=lambda name: (-totals[name], name))
