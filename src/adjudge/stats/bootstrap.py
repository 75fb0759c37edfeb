"""Intervals by resampling: what the mean would have been had other items of the same kind been judged."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from adjudge.stats.board import Floats
from adjudge.stats.interval import CONFIDENCE, Interval, Moments, mean_interval, student_quantile

#: Below so many values a resample knows too little of the tails, and Student's interval is taken.
LEAST = 10
#: From so many on the mean is normal for any scale, and Student's interval is the same at a fraction of the work.
MOST = 20_000
#: A column with no more different values than this is resampled by counting them, however many items it has.
_DISTINCT = 256
_AT_ONCE = 4_000_000


def draws_for(n: int) -> int:
    """How many resamples: small samples are read further out in the tails."""
    return 10_000 if n < 1_000 else 4_000


def mean_draws(values: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """The means of resamples of the values (Efron, "Bootstrap methods", Annals of Statistics 7, 1979).

    The order of the values decides nothing: they are sorted, or counted, before anything is drawn.
    """
    n = len(values)
    points, counts = np.unique(values, return_counts=True)
    if len(points) <= _DISTINCT:
        found: Floats = rng.multinomial(n, counts / n, size=draws) @ points / n
        return found
    ordered, means = np.sort(values), np.empty(draws)
    step = max(1, _AT_ONCE // n)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        means[start : start + size] = ordered[rng.integers(0, n, size=(size, n))].mean(axis=1)
    return means


def resampled_interval(values: Floats, low: float, high: float, rng: np.random.Generator) -> Interval | None:
    """The 95 % interval of the mean of values between `low` and `high`, each of which is one independent item.

    The expanded percentile interval (Hesterberg, "What teachers should know about the bootstrap", The American
    Statistician 69, 2015): percentiles so far out that a symmetric sample gets the width of Student's interval, while a
    skewed one keeps its shape. Values that are all equal, few or very many have the interval of `mean_interval`.
    """
    n = len(values)
    if n < LEAST or n >= MOST or values.min() == values.max():
        return mean_interval(moments(values), low, high)
    student = student_quantile((1.0 + CONFIDENCE) / 2.0, n - 1)
    tail = NormalDist().cdf(-math.sqrt(n / (n - 1)) * student)
    ends = np.quantile(mean_draws(values, draws_for(n), rng), [tail, 1.0 - tail])
    return max(low, float(ends[0])), min(high, float(ends[1]))


def moments(values: Floats) -> Moments:
    """The exact moments of a column without gaps."""
    found = Moments()
    for value in values.tolist():
        found.add(value)
    return found
