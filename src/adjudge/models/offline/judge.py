"""The embedded judge: answers a request in the shape the judge asks of every model, from classical measures alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.core.judge import Criterion, Judge, Leaf, Output
from adjudge.core.records import EMBEDDED, Item, Reply, Request
from adjudge.models.offline import answers, brevity, coverage, flow, novelty, punctuation, support, translation
from adjudge.models.offline.findings import Measured, quote, spread, words
from adjudge.models.offline.lists import claims, questions
from adjudge.models.offline.view import Case, View

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


class Offline:
    """The embedded judge as a model: it reads the items, not the prompt, and costs nothing."""

    embedded = True
    rest_s = 0.0

    async def answer(self, request: Request) -> Reply:
        """The verdict on the request's items as JSON text."""
        found: dict[str, Any]
        if request.judge.layout == "batch":
            found = _batch(request)
        else:
            found = (
                _Writer(request.judge, Case(request.judge, request.items[0]), _labels(request)).write(
                    request.judge.output
                )
                or {}
            )
        return Reply(text=json.dumps(found, ensure_ascii=False), mode=EMBEDDED, tokens_in=0, tokens_out=0, cost_usd=0.0)

    async def close(self) -> None:
        """Nothing is held open."""


def measure_many(judge: Judge, items: Sequence[Item]) -> list[Mapping[str, Mapping[str, Measured]]]:
    """What every measure finds in every text: per item by candidate ("" when there is one) and criterion."""
    found: list[Mapping[str, Mapping[str, Measured]]] = []
    for writer in _writers(judge, items):
        rated = [criterion for criterion in judge.scored if criterion.kind in ("rating", "claims")]
        names = list(writer.case.outputs or {"": ""})
        found.append({name: {c.name: writer.measured(c, name) for c in rated} for name in names})
    return found


def measure_all(judge: Judge, item: Item) -> Mapping[str, Mapping[str, Measured]]:
    """What every measure finds in an item by itself."""
    return measure_many(judge, [item])[0]


def batch_summary(judge: Judge, scores: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """One plain sentence per scored criterion: how many segments are free of objections and how many are poor."""
    say = words(judge.lang).say
    found: dict[str, str] = {}
    for criterion in judge.scored:
        assert criterion.scale is not None
        places = [criterion.scale.normalised(value) for value in scores.get(criterion.name, ())]
        clean, low = sum(place >= 0.875 for place in places), sum(place < 0.5 for place in places)
        if not places:
            found[criterion.name] = say("batch_none" if criterion.measure else "no_measure")
        elif clean == len(places):
            found[criterion.name] = say("batch_good", n=len(places))
        else:
            found[criterion.name] = say("batch_mixed", clean=clean, n=len(places), low=low)
    return found


def _labels(request: Request) -> Mapping[str, str]:
    return request.prompt.labels or {name: name for name in request.call.order}


def _batch(request: Request) -> dict[str, Any]:
    writers = {writer.case.item.id: writer for writer in _writers(request.judge, request.items)}
    labels = request.prompt.labels or {name: name for name in writers}
    written: dict[str, Any] = {}
    known: dict[str, list[float]] = {}
    for label, name in labels.items():
        if writer := writers.get(name):
            written[label] = writer.write(request.judge.output) or {}
            for criterion in request.judge.scored:
                if (value := _value(criterion, writer.measured(criterion, ""))) is not None:
                    known.setdefault(criterion.name, []).append(value)
    return {"scores": written, "summary": batch_summary(request.judge, known)}


def _writers(judge: Judge, items: Sequence[Item]) -> list[_Writer]:
    """A writer per item; items with the same source have each other's texts as peers."""
    cases = [Case(judge, item) for item in items]
    made: dict[tuple[str, ...], list[Case]] = {}
    for case in cases:
        made.setdefault(tuple(source.text for source in case.sources), []).append(case)
    for alike in made.values():
        texts = [text for case in alike for text in (case.outputs or {}).values()]
        for at, case in enumerate(alike):
            if judge.layout == "batch":
                case.others = tuple(texts[:at] + texts[at + 1 :])
    return [_Writer(judge, case, {}) for case in cases]


def _value(criterion: Criterion, measured: Measured) -> float | None:
    """A quality as a value of the criterion's scale."""
    scale = criterion.scale
    if measured.quality is None or scale is None:
        return None
    return round(scale.worst + measured.quality * (scale.best - scale.worst), 2)


class _Writer:
    """Writes one item's verdict along the judge's output shape."""

    def __init__(self, judge: Judge, case: Case, labels: Mapping[str, str]) -> None:
        self.judge, self.case, self.labels = judge, case, labels
        self._views: dict[str, View] = {}
        self._measured: dict[tuple[str, str], Measured] = {}

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
            self._measured[key] = self._measure(criterion, self.view(candidate))
        return self._measured[key]

    def _measure(self, criterion: Criterion, view: View) -> Measured:
        if criterion.kind == "claims":
            return claims(view)[1]
        measure = MEASURES.get(criterion.measure or "")
        if measure is None:
            return view.none("no_measure")
        if self.case.outputs is None:
            return view.none("no_output_field")
        wordless = not any(source.text.strip() for source in self.case.sources) or not self.case.evidence.empty
        if not view.raw.strip() or (view.out.empty and wordless):
            return Measured(quality=0.0, findings=(view.find("no_words" if view.raw.strip() else "empty"),))
        return replace(measure(view), spread=spread(criterion.measure or ""))

    def _leaf(self, leaf: Leaf, *, brief: bool = False) -> Any:
        criterion = self.judge.criterion(leaf.name)
        if criterion.kind == "text":
            return self._conclusion()
        if self.judge.layout == "compare":
            return {label: self._part(criterion, leaf.part, name, brief) for label, name in self.labels.items()}
        return self._part(criterion, leaf.part, "", brief)

    def _part(self, criterion: Criterion, part: str, candidate: str, brief: bool) -> Any:
        view = self.view(candidate)
        if part == "claims":
            return claims(view)[0]
        if part == "questions":
            return questions(view)
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
            said = [self._candidate(name, rated) for name in self._by_quality(rated)]
        else:
            said = [self._single(rated)]
        unknown = [c.title or c.name for c in rated if all(self.measured(c, n).quality is None for n in self._names())]
        if len(unknown) == len(rated):
            return say("conclusion_nothing")
        return " ".join([*said, say("conclusion_limits", names=", ".join(unknown))] if unknown else said)

    def _names(self) -> list[str]:
        return sorted(self.labels.values()) if self.judge.layout == "compare" else [""]

    def _qualities(self, rated: Sequence[Criterion], candidate: str) -> dict[str, tuple[float, Measured]]:
        found = {c.title or c.name: self.measured(c, candidate) for c in rated}
        return {name: (m.quality, m) for name, m in found.items() if m.quality is not None}

    def _by_quality(self, rated: Sequence[Criterion]) -> list[str]:
        totals = {name: sum(q for q, _ in self._qualities(rated, name).values()) for name in self._names()}
        return sorted(totals, key=lambda name: (-totals[name], name))

    def _single(self, rated: Sequence[Criterion]) -> str:
        say, known = self.case.words.say, self._qualities(rated, "")
        if not known:
            return ""
        top = max(quality for quality, _ in known.values())
        worst = min(known, key=lambda name: known[name][0])
        good = say("conclusion_good", names=", ".join(n for n, (q, _) in known.items() if q >= max(0.5, top - 0.05)))
        if known[worst][0] >= 0.7:
            return say("conclusion_even")
        bad = say("conclusion_bad", name=worst, finding=known[worst][1].findings[0].reason)
        return say("conclusion", good=good, bad=bad) if top >= 0.5 else bad

    def _candidate(self, name: str, rated: Sequence[Criterion]) -> str:
        say, known = self.case.words.say, self._qualities(rated, name)
        shown = quote(name, 60)
        if not known or max(known.values(), key=lambda v: v[0])[0] == min(known.values(), key=lambda v: v[0])[0]:
            return say("conclusion_alike", candidate=shown)
        best, worst = max(known, key=lambda n: known[n][0]), min(known, key=lambda n: known[n][0])
        finding = known[worst][1].findings[0].reason if known[worst][1].faults else ""
        return say("conclusion_candidate", candidate=shown, best=best, worst=worst, finding=finding).strip()
