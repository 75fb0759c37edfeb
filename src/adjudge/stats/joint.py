"""Means and covariances of a stream of vectors: what candidates' totals, item by item, have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence

from adjudge.stats.interval import CONFIDENCE, Interval, student_quantile

#: As with single moments: sums are whole numbers, so that the order of the items decides no bit.
_UNIT = 2**60


class Joint:
    """Count, sums and sums of products of vectors of one length; memory grows with their length only."""

    __slots__ = ("_products", "_sums", "n", "size")

    def __init__(self, size: int) -> None:
        self.n, self.size = 0, size
        self._sums = [0] * size
        self._products = [[0] * (row + 1) for row in range(size)]

    def add(self, values: Sequence[float]) -> None:
        whole = [round(value * _UNIT) for value in values]
        self.n += 1
        for row, one in enumerate(whole):
            self._sums[row] += one
            products = self._products[row]
            for column in range(row + 1):
                products[column] += one * whole[column]

    def mean(self, place: int) -> float:
        return self._sums[place] / (self.n * _UNIT)

    def covariance(self, one: int, other: int) -> float:
        """The sample covariance (n - 1) of two places; it needs two vectors."""
        product = self._products[max(one, other)][min(one, other)]
        return (self.n * product - self._sums[one] * self._sums[other]) / (self.n * (self.n - 1) * _UNIT**2)

    def variance(self, weights: Sequence[float]) -> float:
        """The sample variance of a weighted sum of the places."""
        pairs = ((i, j) for i in range(self.size) for j in range(self.size))
        return max(0.0, math.fsum(weights[i] * weights[j] * self.covariance(i, j) for i, j in pairs))


def half_width(variance: float, n: int, *, fitted: int = 1) -> float:
    """Half of the 95 % Student interval of a mean of n values with this variance.

    `fitted` counts the figures estimated from the values, the mean among them: each takes a degree of freedom.
    """
    df = n - fitted
    return student_quantile((1.0 + CONFIDENCE) / 2.0, df) * math.sqrt(variance * (n - 1) / df / n)


def around(value: float, half: float) -> Interval:
    """The interval of a value and so much on both sides."""
    return value - half, value + half
