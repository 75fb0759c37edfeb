"""A figure with its interval: a value, and how far each unit moves it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.interval import CONFIDENCE, Interval, student_quantile

#: Why a figure, or its interval, is not known. `none`: no unit has both scores; `few`: too few units; `alone`: they
#: all belong to one source; `judge`, `people`, `same`: the one side, the other or both give one value only;
#: `perfect`: nothing moves it, so that no spread is seen; `groups`: no source has two units.
Reason = Literal["none", "few", "alone", "judge", "people", "same", "perfect", "groups"]
#: A share lies between 0 and 1, a coefficient ends at 1, a mean lies anywhere between the ends of its scale.
Kind = Literal["share", "coefficient", "mean"]

#: Below so many clusters the interval of a coefficient says nothing.
LEAST = 4
#: Moves smaller than this are rounding: the figure has no spread.
_NOTHING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One figure over `n` units; where the value or the interval is None, `reason` says why.

    `chance` is what the judge's own scores would give if they were dealt out to the units by lot; `constant` what the
    best judge would give that says the same of every unit. They are None where they mean nothing.
    """

    value: float | None
    ci95: Interval | None
    n: int
    chance: float | None = None
    constant: float | None = None
    reason: Reason | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Estimate:
    """A value with its influence function at each row, or the reason why there is none."""

    value: float | None = None
    influence: Floats | None = None
    reason: Reason | None = None


def dot(a: Floats | Ints, b: Floats | Ints) -> float:
    """The sum of products, with the same bits on any machine: BLAS adds up in an order of its threads."""
    return float(np.multiply(a, b).sum())


def unknown(reason: Reason) -> Estimate:
    return Estimate(reason=reason)


def interval(
    value: float, moves: Floats, kind: Kind, *, low: float, high: float, units: int | None = None
) -> Interval | Reason:
    """The 95 % interval of a figure that each cluster moves by `moves`, or why there is none.

    The variance is the infinitesimal jackknife's over clusters (Jaeckel, "The infinitesimal jackknife", 1972; Efron,
    "Nonparametric estimates of standard error", Biometrika 68, 1981), and the quantile Student's of one less than the
    clusters. Shares have Wilson's interval at the number of independent units that this variance amounts to (Korn and
    Graubard, "Confidence intervals for proportions with small expected number of positive counts", Survey Methodology
    24, 1998); a share of `units` at no more than these, and at just these where each is a cluster. Coefficients go
    through Fisher's transform, whose ends stay in range, with his n - 3 for n, since moves of few units are too small.
    """
    count = len(moves)
    if count < 2:
        return _wilson(value, 1, count, units) if kind == "share" and units == count else "alone"
    variance = dot(moves, moves) * count / (count - 1)
    still = math.sqrt(variance) < _NOTHING * max(1.0, high - low)
    if kind == "share":
        size = count if still or not 0 < value < 1 else value * (1 - value) / variance
        return _wilson(value, size, count, units)
    t = student_quantile((1 + CONFIDENCE) / 2, count - 1)
    if kind == "coefficient":
        if still or abs(value) >= 1.0:
            return "perfect"
        if count < LEAST:
            return "few"
        half = t * math.sqrt(variance * (count - 1) / (count - 3)) / (1 - value * value)
        middle = math.atanh(value)
        return math.tanh(middle - half), math.tanh(middle + half)
    if still:
        share = unseen(count)
        return value - share * (value - low), value + share * (high - value)
    half = t * math.sqrt(variance)
    return max(low, value - half), min(high, value + half)


def unseen(count: int) -> float:
    """The share of clusters that may well be unlike all of `count`, though these are alike.

    The rule of three, exactly: Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249,
    1983.
    """
    return float(1 - (1 - CONFIDENCE) ** (1 / count))


def _wilson(share: float, size: float, count: int, units: int | None) -> Interval:
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    if units == count:
        size = units
    else:
        size = min(size, units or size) * (z / student_quantile((1 + CONFIDENCE) / 2, count - 1)) ** 2
    z2 = z * z
    centre = (share + z2 / (2 * size)) / (1 + z2 / size)
    half = z / (1 + z2 / size) * math.sqrt(max(0.0, share * (1 - share)) / size + z2 / (4 * size * size))
    return (0.0 if share == 0 else max(0.0, centre - half)), (1.0 if share == 1 else min(1.0, centre + half))
