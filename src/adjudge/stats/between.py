"""How well people agree with each other, and the judge in the place of each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from adjudge.stats.alpha import alpha
from adjudge.stats.board import Axis, Floats, Ints
from adjudge.stats.estimate import Estimate, Figure, Reason, unseen
from adjudge.stats.raters import EVERY, KINDS, Raters, bounded, shown

#: Of more annotators, or pairs of them, those who share most units are taken.
MOST = 100
#: Bias is left out: people's among themselves cancels.
NAMES = tuple(name for name in EVERY if name != "bias")


@dataclass(frozen=True, kw_only=True, slots=True)
class Between:
    """People against people, and the judge against the same people.

    `persons`: each annotator against the mean of the others; `judge`: the judge against the same means on the same
    units; `pairs`: any two annotators. All three by the names of the figures, averaged with the units as weights.
    `alphas` are Krippendorff's over all annotators at once, `with_judge` the same with the judge as one more.
    """

    annotators: int
    persons: Mapping[str, Figure]
    judge: Mapping[str, Figure]
    pairs: Mapping[str, Figure]
    alphas: Mapping[str, Figure]
    with_judge: Mapping[str, Figure]


def between(judge: Floats, people: Floats, clusters: Ints, *, axis: Axis) -> Between | None:
    """People's agreement on the units that the judge scored too; None where no unit has two people's labels."""
    used = (~np.isnan(people)).sum(axis=1) >= 2
    used &= ~np.isnan(judge)
    if not used.any():
        return None
    judge, people = judge[used], people[used]
    people = people[:, ~np.isnan(people).all(axis=0)]
    clusters = np.unique(clusters[used], return_inverse=True)[1]
    groups, n = int(clusters.max()) + 1, len(judge)
    persons, judges, pairs = (_Average(groups, axis) for _ in range(3))
    for rows, own, others in _one_by_one(people):
        persons.add(Raters.of(own, others, clusters[rows], axis, groups))
        judges.add(Raters.of(judge[rows], others, clusters[rows], axis, groups))
    for rows, one, other in _two_by_two(people):
        pairs.add(Raters.of(one, other, clusters[rows], axis, groups))
    return Between(
        annotators=people.shape[1],
        persons=persons.figures(n),
        judge=judges.figures(n),
        pairs=pairs.figures(n),
        alphas=_alphas(people, clusters, axis),
        with_judge=_alphas(np.column_stack([people, judge]), clusters, axis),
    )


def _one_by_one(people: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Each annotator's units, values, and the means of the others there."""
    given = ~np.isnan(people)
    sums, sizes = np.where(given, people, 0.0).sum(axis=1), given.sum(axis=1)
    for one in np.argsort(-given.sum(axis=0), kind="stable")[:MOST]:
        rows = np.flatnonzero(given[:, one])
        own = people[rows, one]
        yield rows, own, (sums[rows] - own) / (sizes[rows] - 1)


def _two_by_two(people: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
    """The units and values of any two annotators who share some."""
    given = (~np.isnan(people)).astype(float)
    first, second = np.triu_indices(people.shape[1], 1)
    shared = (given.T @ given)[first, second]
    for pair in np.argsort(-shared, kind="stable")[:MOST]:
        if shared[pair]:
            one, other = people[:, first[pair]], people[:, second[pair]]
            rows = np.flatnonzero(~np.isnan(one) & ~np.isnan(other))
            yield rows, one[rows], other[rows]


class _Average:
    """Figures averaged over pairs of raters, with their units as weights."""

    def __init__(self, groups: int, axis: Axis) -> None:
        self._groups, self._axis = groups, axis
        self._weight = dict.fromkeys(NAMES, 0)
        self._sum = dict.fromkeys(NAMES, 0.0)
        self._moves = {name: np.zeros(groups) for name in NAMES}
        self._ends = dict.fromkeys(NAMES, 0.0)
        self._reason: dict[str, Reason] = dict.fromkeys(NAMES, "none")

    def add(self, two: Raters) -> None:
        found = two.estimates()
        for name in NAMES:
            one = found[name]
            if one.value is None or one.influence is None:
                self._reason[name] = one.reason or "none"
                continue
            self._weight[name] += two.n
            self._sum[name] += two.n * one.value
            self._moves[name] += two.n * two.moves(one.influence)
        whole = ((name, one) for name, one in found.items() if one.value is not None and abs(one.value) >= 1 - 1e-12)
        for name, end in two.ends(one for one in whole if KINDS[one[0]] == "coefficient").items():
            self._ends[name] += two.n * end

    def figures(self, n: int) -> dict[str, Figure]:
        """What was added, over `n` different units."""
        return {name: self._figure(name, n) for name in NAMES}

    def _figure(self, name: str, n: int) -> Figure:
        weight = self._weight[name]
        if not weight:
            return Figure(value=None, ci95=None, n=n, reason=self._reason[name])
        found = shown(name, self._sum[name] / weight, self._moves[name] / weight, n, self._axis)
        if found.reason != "perfect" or abs(self._sum[name] / weight) < 1 - 1e-12:
            return found
        return bounded(found, self._ends[name] / weight)


def _alphas(table: Floats, clusters: Ints, axis: Axis) -> dict[str, Figure]:
    """Krippendorff's alphas over all columns."""
    groups, n = int(clusters.max()) + 1, len(table)
    named = {}
    for name, one in _every_alpha(table, np.ones(n)).items():
        if one.value is None or one.influence is None:
            named[name] = Figure(value=None, ci95=None, n=n, reason=one.reason)
            continue
        named[name] = shown(name, one.value, np.bincount(clusters, one.influence, groups) / n, n, axis)
    if still := [name for name, one in named.items() if one.reason == "perfect" and one.value == 1]:
        ends = _every_alpha(*_with_unseen(table, groups))
        named |= {name: bounded(named[name], end) for name in still if (end := ends[name].value) is not None}
    return named


def _every_alpha(table: Floats, counts: Floats) -> dict[str, Estimate]:
    on_points = alpha(np.floor(table + 0.5), counts, "nominal")
    names = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
    return dict(zip(names, on_points + alpha(table, counts, "ordinal", "interval"), strict=True))


def _with_unseen(table: Floats, groups: int) -> tuple[Floats, Floats]:
    """The rows and their counts with those that may have gone unseen, where half the raters are at either end."""
    share, count = unseen(groups), table.shape[1]
    ends = np.nanmin(table), np.nanmax(table)
    extra = np.array([np.resize(ends, count), np.resize(ends[::-1], count)])
    each = len(table) * share / (1 - share) / 2
    return np.concatenate([table, extra]), np.append(np.ones(len(table)), [each, each])
