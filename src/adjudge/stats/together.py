"""More than two sides: a ranking, and the groups within it that can't be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from string import ascii_letters

import numpy as np

from adjudge.stats.board import Axis, Floats, Ints
from adjudge.stats.interval import Interval
from adjudge.stats.joint import Joint
from adjudge.stats.paired import Paired, Tested, unit_values
from adjudge.stats.ranking import best, rounding
from adjudge.stats.signs import grid

_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One of the sides on one axis; `index` is its place in the order in which the sides were given.

    Its mean is over the items that all sides judged, `judged` counts all it has. `rank` is by the mean, and `places`
    are the first and last rank that the pairs leave open. `best` is the probability that its mean is the best. Sides
    that share a letter can't be told apart.
    """

    index: int
    judged: int
    mean: float | None
    rank: int
    places: tuple[int, int]
    best: float | None
    letters: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Together:
    """All sides on one axis, best mean first, over the `n` items that all of them judged.

    `groups` are the largest sets of sides of which no two can be told apart, as indexes, best first. `matrix[i][j]`
    holds side j against side i (a word of `better` means that j is), None on the diagonal. `against` are the pairs
    (i, j) where j was shown to be better while i has the better mean: pairs are compared on the items that both judged,
    means are over those that all judged. `in_order` says whether every group is a run of neighbours in the ranking.
    """

    axis: Axis
    n: int
    sides: tuple[Side, ...]
    groups: tuple[tuple[int, ...], ...]
    matrix: tuple[tuple[Paired | None, ...], ...]
    against: tuple[tuple[int, int], ...]
    in_order: bool


def together(
    columns: Sequence[Floats], pairs: Sequence[Paired], *, clusters: Ints | None = None, seed: str
) -> Together:
    """Rank the sides by their columns and their settled pairs, which come as (0, 1), (0, 2), ..., (1, 2), ..."""
    size, axis = len(columns), pairs[0].axis
    matrix: list[list[Paired | None]] = [[None] * size for _ in columns]
    for (one, other), pair in zip(combinations(range(size), 2), pairs, strict=True):
        matrix[one][other], matrix[other][one] = pair, turned(pair)
    table = np.stack(columns)
    common = ~np.isnan(table).any(axis=0)
    joint = _Whole(table[:, common], None if clusters is None else clusters[common])
    means = [joint.mean(at) for at in range(size)] if joint.n else None
    order = sorted(range(size), key=lambda at: (-axis.sign * round(means[at], 9) if means else 0.0, at))
    apart = {(i, j) for i, row in enumerate(matrix) for j, pair in enumerate(row) if pair and pair.word == "better"}
    groups = _groups(order, apart)
    chances = best(joint, seed=seed, lowest=axis.sign < 0, grain=_grain(table[:, common])) if joint.n else None

    def behind(one: int, other: int) -> bool:
        """Whether the mean of `one` is worse than that of `other`."""
        return means is not None and axis.sign * (means[other] - means[one]) > _EQUAL

    sides = [
        Side(
            index=at,
            judged=int((~np.isnan(columns[at])).sum()),
            mean=means[at] if means else None,
            rank=1 + sum(behind(at, other) for other in range(size)),
            places=(1 + sum(one == at for one, _ in apart), size - sum(other == at for _, other in apart)),
            best=chances[at] if chances else None,
            letters="".join(_letter(number) for number, group in enumerate(groups) if at in group),
        )
        for at in order
    ]
    rank = {at: place for place, at in enumerate(order)}
    return Together(
        axis=axis,
        n=int(common.sum()),
        sides=tuple(sides),
        groups=groups,
        matrix=tuple(map(tuple, matrix)),
        against=tuple(sorted(pair for pair in apart if behind(pair[1], pair[0]))),
        in_order=all(rank[group[-1]] - rank[group[0]] == len(group) - 1 for group in groups),
    )


def turned(pair: Paired) -> Paired:
    """The same comparison seen from the other side: A against B."""

    def turn(tested: Tested | None) -> Tested | None:
        if tested is None or tested.difference is None:
            return tested
        ends: Interval | None = None if tested.interval is None else (-tested.interval[1], -tested.interval[0])
        return replace(tested, difference=0.0 - tested.difference, interval=ends)

    return replace(
        pair,
        only_a=pair.only_b,
        only_b=pair.only_a,
        mean_a=pair.mean_b,
        mean_b=pair.mean_a,
        wins=pair.losses,
        losses=pair.wins,
        seen=turn(pair.seen) or pair.seen,
        best=turn(pair.worst),
        worst=turn(pair.best),
    )


def _groups(order: Sequence[int], apart: set[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The largest sets of sides of which no two are apart, each and all in the given order.

    Insert and absorb: Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", Journal of
    Computational and Graphical Statistics 13 (2004).
    """
    sets = {frozenset(order)}
    for one, other in sorted(apart):
        both = {group for group in sets if one in group and other in group}
        parts = {group - {side} for group in both for side in (one, other)}
        kept = sets - both
        sets = kept | {part for part in parts if not any(part < more for more in kept | parts)}
    rank = {at: place for place, at in enumerate(order)}
    ordered = sorted(
        (sorted(group, key=rank.__getitem__) for group in sets), key=lambda group: [rank[at] for at in group]
    )
    return tuple(map(tuple, ordered))


def _letter(number: int) -> str:
    return ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"


def _grain(table: Floats) -> float:
    """What rounding alone makes scores on a grid vary by; nothing where they are measured finely."""
    step = grid(np.unique(table))
    return rounding([1.0 / step]) if step else 0.0


class _Whole(Joint):
    """The same figures from whole columns, a row a side; sums are exact, so the order of items decides no bit."""

    __slots__ = ("_centred", "_known", "_means")

    def __init__(self, table: Floats, clusters: Ints | None) -> None:
        super().__init__(len(table))
        units = [unit_values(row, clusters)[1] for row in table]
        self.n = len(units[0])
        self._means = [math.fsum(row.tolist()) / max(1, self.n) for row in units]
        self._centred = [row - mean for row, mean in zip(units, self._means, strict=True)]
        self._known: dict[tuple[int, int], float] = {}

    def mean(self, place: int) -> float:
        return self._means[place]

    def covariance(self, one: int, other: int) -> float:
        places = min(one, other), max(one, other)
        if places not in self._known:
            self._known[places] = math.fsum((self._centred[one] * self._centred[other]).tolist()) / (self.n - 1)
        return self._known[places]
