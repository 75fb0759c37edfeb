"""Krippendorff's alpha: agreement of any number of raters who need not have rated everything."""

from __future__ import annotations

from typing import Literal

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.estimate import Estimate, dot, unknown

Level = Literal["nominal", "ordinal", "interval"]


def alpha(table: Floats, counts: Floats, *levels: Level) -> list[Estimate]:
    """Alpha over units × raters, gaps NaN, where each row occurs `counts` times; rows with one value or none are idle.

    Krippendorff, "Computing Krippendorff's alpha-reliability", 2011: 1 minus the disagreement seen within units over
    the one expected among all values. Squared differences need no table of coincidences: within a unit of m values they
    sum to 2 m times its variance over the pairs, among all values to twice their variance. The ordinal distance is the
    squared difference of mean ranks.
    """
    given = ~np.isnan(table)
    sizes = given.sum(axis=1)
    used = sizes >= 2
    if not used.any():
        return [unknown("none") for _ in levels]
    rows, at = np.nonzero(given & used[:, None])
    values, places = np.unique(table[rows, at], return_inverse=True)
    if len(values) < 2:
        return [unknown("same") for _ in levels]
    one = _Values(rows, places, sizes.astype(float), counts)
    makes = {"nominal": _nominal, "ordinal": _ordinal, "interval": _metric}
    return [makes[level](one, values) for level in levels]


class _Values:
    """The values of all units that have two or more: the row, the place among the different values, the weight."""

    def __init__(self, rows: Ints, places: Ints, sizes: Floats, counts: Floats) -> None:
        self.rows, self.places, self.sizes, self.counts = rows, places, sizes, counts
        self.weight = counts[rows]
        self.total = float(self.weight.sum())
        self.pairs = sizes[rows] / (sizes[rows] - 1)

    def per_row(self, amounts: Floats) -> Floats:
        return np.bincount(self.rows, amounts, len(self.counts)).astype(float)

    def estimate(self, ratio: float, moved: Floats) -> Estimate:
        return Estimate(value=1 - ratio, influence=-moved * float(self.counts.sum()) / self.total)


def _metric(one: _Values, values: Floats) -> Estimate:
    ratio, moved, _ = _squared(one, values[one.places])
    return one.estimate(ratio, moved)


def _ordinal(one: _Values, values: Floats) -> Estimate:
    count = len(values)
    mass = np.bincount(one.places, one.weight, count)
    ranks = np.cumsum(mass) - mass / 2
    ratio, moved, pull = _squared(one, ranks[one.places])
    # A value more lifts the ranks of all higher ones by one, and those of its equals by a half.
    by_point = np.bincount(one.places, pull, count)
    lift = by_point[::-1].cumsum()[::-1] - by_point / 2
    return one.estimate(ratio, moved + one.per_row(lift[one.places]) * one.total)


def _squared(one: _Values, score: Floats) -> tuple[float, Floats, Floats]:
    """Seen over expected on squared differences, how each row moves it, and how the score of each value does."""
    score = score - dot(one.weight, score) / one.total
    means = one.per_row(score) / np.maximum(one.sizes, 1)
    off = score - means[one.rows]
    inside, outside = one.pairs * off**2, score**2
    seen, spread = dot(one.weight, inside) / one.total, dot(one.weight, outside) / (one.total - 1)
    ratio = seen / spread
    # The spread is over n - 1 in the value and over n in its derivative, where the difference is of second order.
    moved = one.per_row(inside - seen - ratio * (outside - spread * (one.total - 1) / one.total)) / spread
    pull = 2 / spread * one.weight * (one.pairs * off - ratio * score) / one.total
    return ratio, moved, pull


def _nominal(one: _Values, values: Floats) -> Estimate:
    count = len(values)
    at, same = np.unique(one.rows * count + one.places, return_counts=True)
    alike = np.bincount(at // count, same.astype(float) ** 2, len(one.counts))
    sizes = np.where(one.sizes >= 2, one.sizes, 0.0)
    differ = (sizes**2 - alike) / np.maximum(one.sizes - 1, 1)
    share = np.bincount(one.places, one.weight, count) / one.total
    chance = 1 - dot(share, share)
    seen, expected = dot(one.counts, differ) / one.total, chance * one.total / (one.total - 1)
    ratio = seen / expected
    moved = differ - seen * sizes - ratio * one.per_row(2 * (1 - share[one.places] - chance))
    return one.estimate(ratio, moved / expected)
