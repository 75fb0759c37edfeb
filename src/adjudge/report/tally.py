"""Adding up scores in one pass and bounded memory."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from adjudge.core.judge import Criterion, Derived, Judge
from adjudge.core.scale import Better, Scale
from adjudge.report.tables import Measure, penalties_of
from adjudge.stats.interval import (
    FEW_VALUES,
    MOST,
    Interval,
    Moments,
    Way,
    equal_interval,
    mean_interval,
    rate_interval,
    way_of,
    wilson,
)

#: A scale of more points is shown in ten bands.
POINTS_SHOWN = 11
BANDS = 10
#: Means that differ further behind the point are equal: 4.1 - 4 and 3.1 - 3 are.
DECIMALS = 9


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
    """The scores of one measure: a mean over items, and counts over single scores (one per candidate).

    The interval is over items, so the candidates, orders and repeats of one item stay together in it. `ends` are those
    of the histogram: a scale, or the span of a derived value.
    """

    def __init__(self, ends: Scale | Span | None = None) -> None:
        self._low, self._high = (ends.min, ends.max) if ends else (0, 0)
        self._labels = _bands(self._low, self._high) if ends else []
        self._bands = [0] * len(self._labels)
        self._moments = Moments()
        #: How many items have which mean, as long as resampling will want it.
        self._means: dict[float, int] | None = {}
        self.scores = self.at_min = self.at_max = 0
        self.lowest, self.highest = math.inf, -math.inf

    @property
    def n(self) -> int:
        return self._moments.n

    @property
    def mean(self) -> float | None:
        return self._moments.mean

    def add(self, values: Collection[float]) -> None:
        """One item's scores; the item counts once, with their mean."""
        if not values:
            return
        mean = math.fsum(values) / len(values)
        self._moments.add(mean)
        if self._means is not None:
            point = round(mean, DECIMALS)
            self._means[point] = self._means.get(point, 0) + 1
            if len(self._means) > FEW_VALUES and self._moments.n >= MOST:
                self._means = None
        self.scores += len(values)
        for value in values:
            if value < self.lowest:
                self.lowest = value
            if value > self.highest:
                self.highest = value
            if self._bands:
                point = math.floor(value + 0.5)
                self.at_min += point == self._low
                self.at_max += point == self._high
                self._bands[_band(self._low, self._high, value)] += 1

    def measure(self, name: str, title: str, of: int, span: Span, seed: int = 0) -> Measure:
        """What was added so far; the seed is that of the resamples."""
        way, interval = self._interval(span, seed)
        return Measure(
            name=name,
            title=title or name,
            mean=self._moments.mean,
            ci95=interval,
            way=way,
            n=self.n,
            of=of,
            min=span.min,
            max=span.max,
            better=span.better,
            unit=span.unit,
            penalties=span.penalties,
            sd=self._moments.sd,
            histogram=tuple(zip(self._labels, self._bands, strict=True)),
        )

    def _interval(self, span: Span, seed: int) -> tuple[Way | None, Interval | None]:
        means = self._means
        at_ends = means is not None and means.keys() <= {span.min, span.max}
        way = way_of(self.n, None if means is None else len(means), at_ends=at_ends)
        mean = self._moments.mean or 0.0
        if way == "wilson":
            return way, rate_interval(mean, self.n, span.min, span.max)
        if way == "rule of three":
            return way, equal_interval(mean, self.n, span.min, span.max)
        if way != "bootstrap" or means is None:
            return way, mean_interval(self._moments, span.min, span.max)
        # numpy takes a tenth of a second to import, which no command pays at its start
        import numpy as np

        from adjudge.stats.board import generator
        from adjudge.stats.bootstrap import counted_interval

        points = sorted(means)
        counts = np.array([means[point] for point in points], dtype=np.int64)
        return way, counted_interval(np.array(points, dtype=np.float64), counts, generator(seed, "mean"))


def rate(name: str, title: str, successes: int, n: int, of: int) -> Measure:
    """A share of items with its Wilson interval."""
    share = successes / n if n else None
    interval = wilson(successes, n)
    return Measure(
        name=name, title=title, mean=share, ci95=interval, way="wilson", n=n, of=of, min=0, max=1, better="higher"
    )


def bar_of(measure: Measure, value: float) -> str | None:
    """The label of the bar of the histogram into which a score falls; none where there is no histogram."""
    return measure.histogram[_band(measure.min, measure.max, value)][0] if measure.histogram else None


def _bands(low: float, high: float) -> list[str]:
    if _by_points(low, high):
        return [str(point) for point in range(int(low), int(high) + 1)]
    span = high - low
    if low == int(low) and high == int(high):
        starts = [int(low) + int(-(-span * band // BANDS)) for band in range(BANDS)]
        ends = [*(start - 1 for start in starts[1:]), int(high)]
        return [f"{start}-{end}" for start, end in zip(starts, ends, strict=True)]
    return [f"{low + span * band / BANDS:g}-{low + span * (band + 1) / BANDS:g}" for band in range(BANDS)]


def _band(low: float, high: float, value: float) -> int:
    whole = low == int(low) and high == int(high)
    inside = min(max(math.floor(value + 0.5) if whole else value, low), high)
    if _by_points(low, high):
        return int(inside - low)
    return min(BANDS - 1, int((inside - low) * BANDS // (high - low)))


def _by_points(low: float, high: float) -> bool:
    return low == int(low) and high == int(high) and high - low < POINTS_SHOWN
