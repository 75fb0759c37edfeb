"""Intervals by resampling: what the mean would have been had other items of the same kind been judged."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.interval import (
    CONFIDENCE,
    Interval,
    Moments,
    mean_interval,
    rate_interval,
    student_quantile,
    way_of,
)

_AT_ONCE = 4_000_000
#: Drawing a count takes so many times as long as drawing an item.
_COUNT_COST = 16


def draws_for(n: int) -> int:
    """How many resamples: small samples are read further out in the tails."""
    return 10_000 if n < 1_000 else 4_000


def mean_draws(values: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """The means of resamples of the values (Efron, "Bootstrap methods", Annals of Statistics 7, 1979).

    The order of the values decides nothing: they are sorted, or counted, before anything is drawn.
    """
    points, counts = np.unique(values, return_counts=True)
    return _draws(points, counts, draws, rng)


def _draws(points: Floats, counts: Ints, draws: int, rng: np.random.Generator) -> Floats:
    n = int(counts.sum())
    if _COUNT_COST * len(points) <= n:
        found: Floats = rng.multinomial(n, counts / n, size=draws) @ points / n
        return found
    ordered, means = np.repeat(points, counts), np.empty(draws)
    step = max(1, _AT_ONCE // n)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        means[start : start + size] = ordered[rng.integers(0, n, size=(size, n))].mean(axis=1)
    return means


def counted_interval(points: Floats, counts: Ints, rng: np.random.Generator, draws: int | None = None) -> Interval:
    """The 95 % interval of the mean of items that have these different values, each so many times.

    The bias-corrected and accelerated percentiles of the resampled means (Efron, "Better bootstrap confidence
    intervals", Journal of the American Statistical Association 82, 1987). Of a mean both constants are, but for terms
    in 1/n, a sixth of the skewness over the root of n (DiCiccio and Efron, "Bootstrap confidence intervals",
    Statistical Science 11, 1996), so the bias is not counted from the draws, where ties would blur it. They are taken
    so far out that a symmetric sample gets the width of Student's interval (Hesterberg, "What teachers should know
    about the bootstrap", The American Statistician 69, 2015). At least two values and ten items; docs/intervals.md has
    what it covers.
    """
    n, normal = int(counts.sum()), NormalDist()
    off = points - float(counts @ points) / n
    off /= np.abs(off).max()  # the cube of a tiny distance is no number any more
    skewness = float(counts @ off**3) / n / (float(counts @ off**2) / n) ** 1.5
    shift = skewness / (6 * math.sqrt(n))
    out = math.sqrt(n / (n - 1)) * student_quantile((1.0 + CONFIDENCE) / 2.0, n - 1)
    # |shift| is below 1/6 and `out` below 2.5 from ten items on, so nothing is divided by zero
    tails = [normal.cdf(shift + (shift + end) / (1.0 - shift * (shift + end))) for end in (-out, out)]
    low, high = np.quantile(_draws(points, counts, draws or draws_for(n), rng), tails)
    # the mean of equal values may be off by a bit
    return max(float(low), float(points.min())), min(float(high), float(points.max()))


def resampled_interval(values: Floats, low: float, high: float, rng: np.random.Generator) -> Interval | None:
    """The 95 % interval of the mean of values between `low` and `high`, each of which is one independent item.

    By resampling; of few items, or of very many with many different values, Student's; of values at the two ends
    alone, Wilson's; of other equal ones, that of the rule of three.
    """
    points, counts = np.unique(values, return_counts=True)
    way = way_of(len(values), len(points), at_ends=bool(((points == low) | (points == high)).all()))
    if way == "bootstrap":
        return counted_interval(points, counts, rng)
    if way == "wilson":
        return rate_interval(float(values.mean()), len(values), low, high)
    return mean_interval(moments(values), low, high)


def moments(values: Floats) -> Moments:
    """The exact moments of a column without gaps."""
    found = Moments()
    for value in values.tolist():
        found.add(value)
    return found
