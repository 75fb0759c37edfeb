"""Ranks, and how far two orders agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from adjudge.stats.interval import CONFIDENCE, Interval


def ranks(values: Sequence[float]) -> list[float]:
    """The place of each value in order, from 1; equal values share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            found[place] = (start + 1 + end) / 2
        start = end
    return found


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The rank correlation; unknown where one side never varies."""
    return pearson(ranks(a), ranks(b))


def spearman_interval(correlation: float | None, n: int) -> Interval | None:
    """The 95 % interval of a rank correlation: Fisher's z with the standard error of Bonett and Wright (2000).

    Unknown below four pairs, and where the orders are the same or opposite throughout: z has no end there.
    """
    if correlation is None or n < 4 or abs(correlation) >= 1.0:
        return None
    z = math.atanh(correlation)
    half = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0) * math.sqrt((1.0 + correlation**2 / 2.0) / (n - 3))
    return math.tanh(z - half), math.tanh(z + half)


def pearson(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The correlation of two series; unknown where one never varies."""
    n = len(a)
    if n < 2:
        return None
    mean_a, mean_b = math.fsum(a) / n, math.fsum(b) / n
    x, y = [one - mean_a for one in a], [one - mean_b for one in b]
    size = math.fsum(one * one for one in x) * math.fsum(one * one for one in y)
    if size <= 0.0:
        return None
    return max(-1.0, min(1.0, math.fsum(p * q for p, q in zip(x, y, strict=True)) / math.sqrt(size)))
