"""Adding up scores in one pass and constant memory."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from adjudge.core.judge import Criterion, Derived, Judge
from adjudge.core.scale import Better, Scale
from adjudge.report.tables import Measure, penalties_of
from adjudge.stats.interval import Moments, mean_interval, wilson

#: A scale of more points is shown in ten bands.
POINTS_SHOWN = 11
BANDS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """The ends of a measure and its good one; a derived value has a span where a criterion has a scale."""

    min: float
    max: float
    better: Better
    unit: str = ""
    penalties: tuple[float, ...] = ()


def scale_span(scale: Scale) -> Span:
    """The span of a scale."""
    return Span(min=scale.min, max=scale.max, better=scale.better, unit=scale.unit)


def criterion_span(criterion: Criterion) -> Span:
    """The span of a criterion that has a scale, with what one error of each severity costs where it lists errors."""
    assert criterion.scale is not None
    return replace(scale_span(criterion.scale), penalties=penalties_of(criterion))


def derived_span(judge: Judge, derived: Derived, judged: Collection[str]) -> Span:
    """The span of a derived value, over those of its criteria that were judged."""
    scales = {one.name: one.scale for one in judge.criteria if one.scale is not None and one.name in derived.of}
    used = [scale for name, scale in scales.items() if name in judged] or list(scales.values())
    if derived.operation == "percent" or not used:
        # A percentage is made of shares of the way from worst to best, so more is always better.
        return Span(min=0, max=100, better="higher", unit="%")
    better: Better = "lower" if all(scale.better == "lower" for scale in used) else "higher"
    low, high = sum(scale.min for scale in used), sum(scale.max for scale in used)
    if derived.operation == "mean":
        return Span(min=_whole(low / len(used)), max=_whole(high / len(used)), better=better)
    return Span(min=low, max=high, better=better)


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


class Tally:
    """The scores of one criterion: a mean over items, and counts over single scores (one per candidate)."""

    def __init__(self, scale: Scale | None = None) -> None:
        self._scale = scale
        self._moments = Moments()
        self._bands = [0] * len(_bands(scale)) if scale else []
        self.scores = self.at_min = self.at_max = 0
        self.lowest, self.highest = math.inf, -math.inf

    @property
    def n(self) -> int:
        return self._moments.n

    def add(self, values: Collection[float]) -> None:
        """One item's scores; the item counts once, with their mean."""
        if not values:
            return
        self._moments.add(math.fsum(values) / len(values))
        self.scores += len(values)
        scale = self._scale
        for value in values:
            if value < self.lowest:
                self.lowest = value
            if value > self.highest:
                self.highest = value
            if scale is not None:
                point = scale.nearest(value)
                self.at_min += point == scale.min
                self.at_max += point == scale.max
                self._bands[_band(scale, point)] += 1

    def measure(self, name: str, title: str, of: int, span: Span) -> Measure:
        """What was added so far."""
        labels = _bands(self._scale) if self._scale else []
        return Measure(
            name=name,
            title=title or name,
            mean=self._moments.mean,
            ci95=mean_interval(self._moments, span.min, span.max),
            n=self.n,
            of=of,
            min=span.min,
            max=span.max,
            better=span.better,
            unit=span.unit,
            penalties=span.penalties,
            sd=self._moments.sd,
            histogram=tuple(zip(labels, self._bands, strict=True)),
        )


def rate(name: str, title: str, successes: int, n: int, of: int) -> Measure:
    """A share of items with its Wilson interval."""
    share = successes / n if n else None
    interval = wilson(successes, n)
    return Measure(name=name, title=title, mean=share, ci95=interval, n=n, of=of, min=0, max=1, better="higher")


def _bands(scale: Scale) -> list[str]:
    if len(scale.points) <= POINTS_SHOWN:
        return [str(point) for point in scale.points]
    span = scale.max - scale.min
    starts = [scale.min + -(-span * band // BANDS) for band in range(BANDS)]
    ends = [*(start - 1 for start in starts[1:]), scale.max]
    return [f"{start}-{end}" for start, end in zip(starts, ends, strict=True)]


def _band(scale: Scale, point: int) -> int:
    inside = min(max(point, scale.min), scale.max)
    if scale.max - scale.min < POINTS_SHOWN:
        return inside - scale.min
    return min(BANDS - 1, (inside - scale.min) * BANDS // (scale.max - scale.min))
