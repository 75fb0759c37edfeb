"""Monotone regression: a sum of parts with no negative weight, so that a better part never lowers it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import TypeAlias

Rows: TypeAlias = Sequence[Sequence[float]]

#: Weights are pulled towards 0 by this much of the parts' own variance: parts that say the same share a weight.
RIDGE = 0.05
_SWEEPS = 100_000
_SETTLED = 1e-12


def non_negative(rows: Rows, targets: Sequence[float], *, ridge: float = RIDGE) -> tuple[float, list[float]]:
    """A base and a weight of 0 or more for each column, by least squares; a column that never varies weighs nothing.

    Coordinate descent on the normal equations of the standardised columns: with the ridge they have one solution.
    """
    n, width = len(rows), len(rows[0])
    means = [math.fsum(row[j] for row in rows) / n for j in range(width)]
    level = math.fsum(targets) / n
    scales = [math.sqrt(math.fsum((row[j] - means[j]) ** 2 for row in rows) / n) for j in range(width)]
    live = [j for j in range(width) if scales[j] > _SETTLED]
    columns = [[(row[j] - means[j]) / scales[j] for row in rows] for j in live]
    centred = [target - level for target in targets]
    gram = [[_mean_product(a, b) + (ridge if a is b else 0.0) for b in columns] for a in columns]
    pull = [_mean_product(column, centred) for column in columns]
    found = _descend(gram, pull)
    weights = [0.0] * width
    for j, weight in zip(live, found, strict=True):
        weights[j] = weight / scales[j]
    return level - math.fsum(weight * mean for weight, mean in zip(weights, means, strict=True)), weights


def _mean_product(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(map(mul, a, b)) / len(a)


def _descend(gram: Sequence[Sequence[float]], pull: Sequence[float]) -> list[float]:
    weights = [0.0] * len(pull)
    for _ in range(_SWEEPS):
        moved = 0.0
        for j, row in enumerate(gram):
            slope = pull[j] - sum(map(mul, row, weights))
            new = max(0.0, weights[j] + slope / row[j])
            moved = max(moved, abs(new - weights[j]))
            weights[j] = new
        if moved < _SETTLED:
            break
    return weights


def predicted(base: float, weights: Sequence[float], row: Sequence[float]) -> float:
    """The fitted value of a row, kept between 0 and 1."""
    return min(1.0, max(0.0, base + math.fsum(w * x for w, x in zip(weights, row, strict=True))))
