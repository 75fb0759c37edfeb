"""Runs of several models over the same items, side by side: what each model's means are, and how they differ."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, TypeAlias

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.report.basis import Pool, rests_on
from adjudge.report.tables import Measure, Report
from adjudge.report.tally import Span, Tally, derived_span, scale_span
from adjudge.report.verdicts import by_candidate

#: The outcomes of a run with their positions in the dataset, in that order.
Placed: TypeAlias = Iterable[tuple[int, Outcome]]
#: How a model rates the items beside the first one. The models are judges: the word is on the items, not on them.
Rates = Literal["better", "worse", "not_separable"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Against:
    """A model less the first one, item by item; `unpaired` counts the items that only one of them judged alike."""

    difference: Measure
    unpaired: int

    @property
    def rates(self) -> Rates | None:
        """In a word; none where coverage is unequal or there is no interval."""
        if self.unpaired or self.difference.ci95 is None:
            return None
        low, high = self.difference.ci95
        if low <= 0 <= high:
            return "not_separable"
        return "better" if (low > 0) == (self.difference.better == "higher") else "worse"

    def as_json(self) -> dict[str, Any]:
        one = self.difference
        ci95 = None if one.ci95 is None else list(one.ci95)
        return {"mean": one.mean, "ci95": ci95, "n": one.n, "unpaired": self.unpaired, "rates": self.rates}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A criterion or derived value: a measure for each model, and for each after the first how it differs."""

    measures: tuple[Measure, ...]
    against: tuple[Against, ...]

    def as_json(self, labels: Sequence[str]) -> dict[str, Any]:
        shapes = [replace(measure, histogram=()).as_json() for measure in self.measures]
        differ = [None, *(one.as_json() for one in self.against)]
        return {
            label: {**shape, "against_first": one} for label, shape, one in zip(labels, shapes, differ, strict=True)
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class SideBySide:
    """What there is to say of several models that judged the same items."""

    reports: tuple[Report, ...]
    criteria: tuple[Row, ...]
    derived: tuple[Row, ...]

    @property
    def evidence(self) -> dict[str, Mapping[str, Any]]:
        """What came of the quotations of each model that gave any, by its label."""
        found = {}
        for label, report in zip(self.labels, self.reports, strict=True):
            for section in report.sections:
                if section.name == "evidence":
                    found[label] = section.data["together"]
        return found

    @property
    def labels(self) -> list[str]:
        """A short name for each model: A, B, C."""
        return [chr(ord("A") + place) if place < 26 else f"M{place + 1}" for place in range(len(self.reports))]

    def as_json(self) -> dict[str, Any]:
        labels = self.labels
        return {
            "models": {
                label: {"model": run.settings.model, "base_url": run.settings.base_url, "run": run.id}
                for label, run in zip(labels, (report.state.run for report in self.reports), strict=True)
            },
            "criteria": {row.measures[0].name: row.as_json(labels) for row in self.criteria},
            "derived": {row.measures[0].name: row.as_json(labels) for row in self.derived},
            **({"evidence": self.evidence} if self.evidence else {}),
        }


def side_by_side(judge: Judge, reports: Sequence[Report], outcomes: Sequence[Placed]) -> SideBySide:
    """Runs of one judge and one dataset, their outcomes read once and together."""
    pairs = [_Pair(judge) for _ in reports[1:]]
    for found in _by_place(outcomes):
        first = _scores(judge, found.get(0))
        for number, pair in enumerate(pairs, start=1):
            pair.add(found.get(0), first, found.get(number), _scores(judge, found.get(number)))
    return SideBySide(
        reports=tuple(reports),
        criteria=tuple(
            Row(measures=measures, against=tuple(pair.criterion(measures[0]) for pair in pairs))
            for measures in zip(*(report.criteria for report in reports), strict=True)
        ),
        derived=tuple(
            Row(measures=measures, against=tuple(pair.derived_value(measures[0]) for pair in pairs))
            for measures in zip(*(report.derived for report in reports), strict=True)
        ),
    )


def _by_place(outcomes: Sequence[Placed]) -> Iterator[Mapping[int, Verdict]]:
    """The verdicts on one item after another, by the number of the run; each run is read as it is needed."""
    merged = heapq.merge(*(_numbered(number, run) for number, run in enumerate(outcomes)), key=itemgetter(0))
    for _, group in groupby(merged, key=itemgetter(0)):
        yield {number: outcome for _, number, outcome in group if isinstance(outcome, Verdict)}


def _numbered(number: int, run: Placed) -> Iterator[tuple[int, int, Outcome]]:
    return ((place, number, outcome) for place, outcome in run)


Scores: TypeAlias = Mapping[str, Mapping[str, float]]


def _scores(judge: Judge, verdict: Verdict | None) -> Scores:
    return {one.name: by_candidate(verdict.scores.get(one.name)) if verdict else {} for one in judge.scored}


def _difference(first: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Between the means over the candidates of an item; none unless both judged the same ones."""
    if not first or first.keys() != other.keys():
        return None
    return sum(other[name] - first[name] for name in sorted(first)) / len(first)


class _Pair:
    """The differences between a model and the first one."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._tallies = {one.name: Tally() for one in judge.scored}
        self._pools = {one.name: Pool() for one in judge.derived if one.operation != "winner"}
        self._unpaired = dict.fromkeys([*self._tallies, *self._pools], 0)

    def add(self, first: Verdict | None, first_scores: Scores, other: Verdict | None, other_scores: Scores) -> None:
        """One item, judged by either or both."""
        for name, tally in self._tallies.items():
            difference = _difference(first_scores[name], other_scores[name])
            if difference is not None:
                tally.add([difference])
            elif first_scores[name] or other_scores[name]:
                self._unpaired[name] += 1
        for one in self.judge.derived:
            if one.name in self._pools:
                values = [by_candidate(verdict.derived.get(one.name)) if verdict else {} for verdict in (first, other)]
                basis = rests_on(self.judge, one, first_scores)
                difference = _difference(*values)
                # a mean over four criteria less a mean over five is no difference between models
                if difference is not None and basis == rests_on(self.judge, one, other_scores):
                    self._pools[one.name].add(basis, basis, {"": difference})
                elif any(values):
                    self._unpaired[one.name] += 1

    def criterion(self, measure: Measure) -> Against:
        scale = self.judge.criterion(measure.name).scale
        assert scale is not None
        return self._against(measure, self._tallies[measure.name], scale_span(scale))

    def derived_value(self, measure: Measure) -> Against:
        derived, pool = self.judge.derived_value(measure.name), self._pools[measure.name]
        assert derived is not None
        return self._against(measure, pool.tally(), derived_span(self.judge, derived, pool.standard))

    def _against(self, measure: Measure, tally: Tally, span: Span) -> Against:
        most = span.max - span.min
        wide = replace(span, min=-most, max=most)
        difference = tally.measure(measure.name, measure.title, measure.of, wide)
        return Against(difference=difference, unpaired=self._unpaired[measure.name])
