"""Ranks, and how far two orders agree."""

from __future__ import annotations

import math
from collections.abc import Sequence


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
