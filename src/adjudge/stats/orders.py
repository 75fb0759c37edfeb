"""What else moves a comparison: the place at which an answer is shown, and its length."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from adjudge.stats.interval import Interval
from adjudge.stats.joint import Joint, around, half_width

#: Fewer items whose answers differ in length say nothing of it: with a few of them the delta method knows no error.
LENGTHS_MIN = 10


def most_orders(candidates: int) -> int:
    """How many orders a number of them can ask for: the rotations of one shuffle, and their reverses."""
    return min(2 * candidates, math.factorial(candidates))


def balanced(orders: Sequence[Sequence[str]]) -> bool:
    """Whether every candidate stands equally often at every place, so that no place favours anyone."""
    stands = Counter((place, name) for order in orders for place, name in enumerate(order))
    names = {name for order in orders for name in order}
    return len(stands) == len(names) ** 2 and len(set(stands.values())) == 1


def by_place(orders: Sequence[Sequence[str]], totals: Sequence[Mapping[str, float]]) -> list[float]:
    """One item: by how much the mean total at each place is above the mean over places.

    Orders are drawn by seed, so over items who stands there averages out: what is left is the effect of the place.
    With balanced orders it does so within the item, as in a Latin square (Fisher, The Design of Experiments, 1935).
    """
    there = [[own[order[place]] for order, own in zip(orders, totals, strict=True)] for place in range(len(orders[0]))]
    means = [math.fsum(values) / len(values) for values in there]
    middle = math.fsum(means) / len(means)
    return [mean - middle for mean in means]


class Length:
    """How totals move with the length of the answer among the answers to one question, over all questions.

    Lengths are logarithms: an answer twice as long is one step longer, whatever the question. Sums of squares and
    products around the item's own means are added up over items (the correlation within groups of Snedecor and Cochran,
    Statistical Methods, 8th ed., 1989). Items are the units: the error of a ratio of sums over items follows from their
    covariances by the delta method (Cochran, Sampling Techniques, 3rd ed., 1977, chapter 6). It is for many items:
    below `LENGTHS_MIN` whose answers differ in length nothing is known.
    """

    def __init__(self) -> None:
        self._joint, self._differ = Joint(3), 0

    @property
    def n(self) -> int:
        return self._joint.n

    def add(self, lengths: Sequence[int], totals: Sequence[float]) -> None:
        """The answers of one item: their lengths in characters and their totals."""
        self._differ += len(set(lengths)) > 1
        x, y = _centred([math.log1p(length) for length in lengths]), _centred(totals)
        self._joint.add([_sum(x, y), _sum(x, x), _sum(y, y)])

    @property
    def correlation(self) -> tuple[float, Interval | None] | None:
        """From -1 to 1, with its 95 % interval by way of Fisher's z; unknown where too little differs."""
        if self._differ < LENGTHS_MIN:
            return None
        product, lengths, totals = map(self._joint.mean, range(3))
        if totals <= 0.0:
            return None
        size = math.sqrt(lengths * totals)
        r = max(-1.0, min(1.0, product / size))
        if 1.0 - r * r < 1e-12:
            return r, None
        weights = (1 / size, -r / (2 * lengths), -r / (2 * totals))
        half = half_width(self._joint.variance(weights), self.n, fitted=2) / (1.0 - r * r)
        low, high = around(math.atanh(r), half)
        return r, (math.tanh(low), math.tanh(high))

    @property
    def per_doubling(self) -> tuple[float, Interval] | None:
        """By how many points the total of an answer twice as long is higher; unknown where lengths hardly differ."""
        if self._differ < LENGTHS_MIN:
            return None
        product, lengths = self._joint.mean(0), self._joint.mean(1)
        slope, step = product / lengths, math.log(2)
        half = half_width(self._joint.variance((1 / lengths, -slope / lengths, 0.0)), self.n, fitted=2)
        return slope * step, around(slope * step, half * step)


def _centred(values: Sequence[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def _sum(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))
