"""Correlations with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from adjudge.stats.interval import CONFIDENCE, Interval
from adjudge.stats.ranks import pearson, spearman

#: Below so many pairs the interval of a correlation says nothing.
PAIRS_MIN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Correlation:
    """How far two series go together; unknown where one of them never varies."""

    value: float | None
    ci95: Interval | None
    n: int


def linear(a: Sequence[float], b: Sequence[float]) -> Correlation:
    """Pearson's correlation with Fisher's interval."""
    value = pearson(a, b)
    return Correlation(value=value, ci95=_fisher(value, len(a), 1.0), n=len(a))


def by_rank(a: Sequence[float], b: Sequence[float]) -> Correlation:
    """Spearman's correlation; its interval is Fisher's, widened as Bonett and Wright (2000) found it must be."""
    value = spearman(a, b)
    return Correlation(value=value, ci95=_fisher(value, len(a), 1.0 + (value or 0.0) ** 2 / 2), n=len(a))


def _fisher(value: float | None, n: int, widened: float) -> Interval | None:
    """Unknown also at 1 and -1: the transform has no end there, and an interval of no width would claim certainty."""
    if value is None or n < PAIRS_MIN or abs(value) >= 1.0:
        return None
    half = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0) * math.sqrt(widened / (n - 3))
    middle = math.atanh(value)
    return math.tanh(middle - half), math.tanh(middle + half)
