"""A report as plain data: what `build` makes and text, markdown, html and JSON show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.core.judge import Criterion, Layout
from adjudge.core.runs import RunState
from adjudge.core.scale import Better
from adjudge.stats.interval import Interval, Way


def penalties_of(criterion: Criterion) -> tuple[float, ...]:
    """What one error of each severity costs; nothing where the criterion lists no errors."""
    costs = (criterion.penalties.get(name, 0.0) for name in criterion.severities)
    return tuple(cost for cost in costs if cost > 0)


def graded(penalties: tuple[float, ...], value: float) -> float:
    """How good a sum of penalties is: the worst from one error of the gravest kind on, wherever the scale may end."""
    return 1.0 - sum(value >= one for one in penalties) / len(penalties)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A mean with its interval, its coverage and its scale; `histogram` counts scores by point or band of points.

    `way` is how the interval was found; `basis` are the criteria that a derived value rests on, in all that is counted.
    """

    name: str
    title: str
    mean: float | None
    ci95: Interval | None
    way: Way | None = None
    n: int
    of: int
    min: float
    max: float
    better: Better
    unit: str = ""
    penalties: tuple[float, ...] = ()
    sd: float | None = None
    histogram: tuple[tuple[str, int], ...] = ()
    basis: frozenset[str] = frozenset()

    @property
    def digits(self) -> int:
        """Decimals worth showing on this scale."""
        return 2 if self.max - self.min <= 10 else 1

    def place(self, value: float) -> float:
        """Where the value lies from the left end (0) to the right end (1) of the scale."""
        span = self.max - self.min
        return min(1.0, max(0.0, (value - self.min) / span)) if span else 0.0

    def goodness(self, value: float) -> float:
        """Where the value lies from worst (0) to best (1)."""
        return self.place(value) if self.better == "higher" else 1.0 - self.place(value)

    def tone(self, value: float) -> float:
        """How good the value looks, from worst (0) to best (1)."""
        return graded(self.penalties, value) if self.penalties else self.goodness(value)

    def as_json(self) -> dict[str, Any]:
        """The shape of the contract and how the interval was found; scores add their spread and histogram."""
        shape: dict[str, Any] = {
            "mean": self.mean,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "interval": None if self.ci95 is None else self.way,
            "n": self.n,
            "of": self.of,
            "min": self.min,
            "max": self.max,
            "better": self.better,
        }
        return shape | {"sd": self.sd, "histogram": dict(self.histogram)} if self.histogram else shape


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One candidate of a comparison over all items; a tie for first is a tie for each and a win for nobody.

    `not_separable` counts the items in which it leads by the mean total and was behind in some order or repeat.
    """

    name: str
    total: Measure
    wins: int
    ties: int
    not_separable: int
    win_rate: Measure
    criteria: tuple[Measure, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "total": self.total.as_json(),
            "wins": self.wins,
            "ties": self.ties,
            "not_separable": self.not_separable,
            "win_rate": self.win_rate.as_json(),
            "criteria": {measure.name: measure.as_json() for measure in self.criteria},
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """A score of one item with its reason, or a fault without a score; `candidate` is empty outside comparisons."""

    title: str
    candidate: str
    value: float | None
    reason: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Worst:
    """An item near the bottom: its quality from worst (0) to best (1) and its scores, the lowest first.

    Faults that no score counts come before them.
    """

    item: str
    quality: float
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureGroup:
    """Failures of one kind: how many, and a few as (item, message)."""

    kind: str
    count: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A table beside the scores: how often quotes were found, what the order did, how systems compare.

    `rows` are texts as people read them, under `columns`; where they are `by_item` each begins with the id of an item.
    `notes` say what must be said with them; `data` is what the JSON shows under `name`.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    by_item: bool = False
    notes: tuple[str, ...] = ()
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Everything a reader of a run needs: tables, intervals, coverage, warnings."""

    state: RunState
    title: str
    lang: str
    layout: Layout
    judged: int
    failed: int
    criteria: tuple[Measure, ...]
    derived: tuple[Measure, ...]
    candidates: tuple[Candidate, ...]
    summary: Mapping[str, str]
    worst: tuple[Worst, ...]
    failures: tuple[FailureGroup, ...]
    flags: tuple[tuple[str, int], ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...] = ()

    @property
    def ranking(self) -> tuple[Candidate, ...]:
        """The candidates by mean total, the best first; equal ones in their given order."""
        return tuple(sorted(self.candidates, key=_by_total))

    def as_json(self) -> dict[str, Any]:
        """The object that `adjudge run --json` prints."""
        state, run = self.state, self.state.run
        shape: dict[str, Any] = {
            "run": run.id,
            "status": state.status,
            "judge": run.judge,
            "model": run.settings.model,
            "signature": run.signature,
            "items": run.items,
            "judged": self.judged,
            "failed": self.failed,
            "calls": state.calls,
            "cached": state.cached,
            "tokens": {"in": state.tokens_in, "out": state.tokens_out},
            "cost_usd": state.cost_usd,
            "seconds": state.seconds,
            "criteria": {measure.name: measure.as_json() for measure in self.criteria},
            "derived": {measure.name: measure.as_json() for measure in self.derived},
        }
        if self.layout == "compare":
            shape["candidates"] = {candidate.name: candidate.as_json() for candidate in self.candidates}
        if self.layout == "batch":
            shape["summary"] = dict(self.summary)
        if self.sections:
            shape["beside"] = {section.name: dict(section.data) for section in self.sections}
        return shape | {
            "warnings": list(self.warnings),
            "report": None,
            "health": {
                "read_as": dict(self.state.steps),
                "asked_again": self.state.asked_again,
                "failures": {group.kind: group.count for group in self.failures},
                "flags": dict(self.flags),
            },
        }


def _by_total(candidate: Candidate) -> float:
    total = candidate.total
    return 1.0 if total.mean is None else -total.goodness(total.mean)
