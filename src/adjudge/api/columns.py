"""The outcomes of a run as columns of numbers, read from its store in one pass."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import partial
from sys import intern
from typing import Any, TypeAlias

import numpy as np

from adjudge.api.stored import StoredRun
from adjudge.core.judge import Derived, Judge
from adjudge.core.records import Failure, Verdict
from adjudge.report.basis import Pool, rests_on
from adjudge.report.tables import Measure
from adjudge.report.tally import Span, Tally, criterion_span, derived_span
from adjudge.report.verdicts import by_candidate, quality
from adjudge.store.store import open_store

Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Places: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Bools: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """All numbers of one measure, one for each candidate, with the places of their items in the columns.

    `counted` says of each whether the histogram of the report has it: a derived value that rests on fewer criteria
    than the mean is in no bar.
    """

    measure: Measure
    places: Places
    values: Floats
    counted: Bools

    def means(self, items: int) -> Floats:
        """Each item's mean over its candidates; nan where it has no number."""
        counts = np.bincount(self.places, minlength=items)
        with np.errstate(invalid="ignore"):
            sums = np.bincount(self.places, weights=self.values, minlength=items)
            return np.asarray(sums / counts, dtype=np.float64)


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """What lists need of a run's outcomes, in dataset order; `kinds` are those of failures, "" for verdicts."""

    numbers: Places
    ids: list[str]
    kinds: list[str]
    flags: list[tuple[str, ...]]
    quality: Floats
    scores: dict[str, Scores]


class _Column:
    """The numbers of one measure as they come in."""

    def __init__(self, judge: Judge, derived: Derived | None = None) -> None:
        self._judge, self.derived = judge, derived
        self.pool = Pool(partial(derived_span, judge, derived)) if derived else Pool()
        self.places, self.values = array("q"), array("d")
        self.bases: list[frozenset[str]] = []
        self._same: dict[frozenset[str], frozenset[str]] = {}

    def add(self, place: int, found: dict[str, float], scores: dict[str, dict[str, float]]) -> None:
        for value in found.values():
            self.places.append(place)
            self.values.append(value)
        if self.derived is not None:
            found_on = rests_on(self._judge, self.derived, scores)
            basis = self._same.setdefault(found_on, found_on)  # few of them, and many items
            self.pool.add(basis, [name for name in self.derived.of if scores.get(name)], {})
            self.bases.extend([basis] * len(found))

    def done(self, name: str, title: str, span: Span | None) -> Scores:
        standard = self.pool.standard
        if span is None:
            assert self.derived is not None
            span = derived_span(self._judge, self.derived, standard)
        same = [basis == standard for basis in self.bases] if self.derived is not None else [True] * len(self.values)
        return Scores(
            measure=Tally(span).measure(name, title, 0, span),
            places=np.array(self.places, dtype=np.int64),
            values=np.array(self.values, dtype=np.float64),
            counted=np.array(same, dtype=np.bool_),
        )


def read_columns(run: StoredRun) -> Columns:
    """The columns of a run as it is in its store now."""
    judge = run.judge
    criteria = {one.name: _Column(judge) for one in judge.scored}
    derived = {one.name: _Column(judge, one) for one in judge.derived if one.operation != "winner"}
    numbers, good = array("q"), array("d")
    ids: list[str] = []
    kinds: list[str] = []
    flags: list[tuple[str, ...]] = []
    same: dict[tuple[str, ...], tuple[str, ...]] = {}
    with open_store(run.store, create=False) as store:
        for place, (position, outcome) in enumerate(store.placed_outcomes(run.id)):
            numbers.append(position + 1)
            ids.append(outcome.item)
            words = tuple(dict.fromkeys(flag.partition(":")[0] for flag in outcome.flags))
            flags.append(same.setdefault(words, words))
            kinds.append(intern(outcome.kind or "failed") if isinstance(outcome, Failure) else "")
            good.append(
                float("nan") if isinstance(outcome, Failure) else _added(judge, outcome, place, criteria, derived)
            )
    scores = {one.name: criteria[one.name].done(one.name, one.title, criterion_span(one)) for one in judge.scored}
    scores |= {
        one.name: derived[one.name].done(one.name, one.title, None) for one in judge.derived if one.name in derived
    }
    return Columns(
        numbers=np.array(numbers, dtype=np.int64),
        ids=ids,
        kinds=kinds,
        flags=flags,
        quality=np.array(good, dtype=np.float64),
        scores=scores,
    )


def _added(
    judge: Judge, verdict: Verdict, place: int, criteria: dict[str, _Column], derived: dict[str, _Column]
) -> float:
    """Put a verdict's numbers into their columns; its quality."""
    scores = {name: by_candidate(verdict.scores.get(name)) for name in criteria}
    for name, column in criteria.items():
        column.add(place, scores[name], scores)
    for name, column in derived.items():
        column.add(place, by_candidate(verdict.derived.get(name)), scores)
    good = quality(judge, verdict)
    return float("nan") if good is None else good
