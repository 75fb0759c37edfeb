"""How far a judge agrees with people on one criterion, and people with each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from adjudge.stats.alternative import Alternative, alternative
from adjudge.stats.between import Between, between
from adjudge.stats.board import Axis, Floats, Ints
from adjudge.stats.estimate import Estimate, Figure, dot
from adjudge.stats.pairwise import (
    by_chance,
    by_source,
    calibrated,
    calibrated_within,
    held_out,
    pairwise,
    pairwise_within,
    tie_share,
)
from adjudge.stats.raters import KINDS, Raters

#: The figures in the order they are shown. `pairwise` takes equal scores for ties, `pairwise_calibrated` also the
#: judge's scores that differ by `epsilon` at most; `within` compares units of one source only.
FIGURES = tuple(KINDS)
WITHIN = ("pairwise_within", "pairwise_within_calibrated")


@dataclass(frozen=True, kw_only=True, slots=True)
class Confusion:
    """How often people said the point of the row and the judge that of the column."""

    points: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Majority:
    """What always giving people's commonest point would score; of equally common ones, the lowest."""

    point: int
    exact: float
    within_one: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Judge against people on one criterion: `n` units that both scored, of `labelled` that people did.

    Where several people scored a unit, the judge is compared with their mean; `labels` counts single people's.
    `figures` has every name of FIGURES. `epsilon` and `epsilon_within` are what the calibrated pairwise accuracies take
    for a tie, None where there are no pairs. `people` is None where no unit has two people's labels.
    """

    axis: Axis
    n: int
    labelled: int
    clusters: int
    annotators: int
    labels: int
    judge_mean: float | None
    people_mean: float | None
    figures: Mapping[str, Figure]
    confusion: Confusion
    majority: Majority | None
    epsilon: float | None
    epsilon_within: float | None
    people: Between | None
    alternative: Alternative


def agreement(
    judge: Floats, people: Floats, clusters: Ints, *, axis: Axis, rng: np.random.Generator, allowance: float = 0.15
) -> Agreement:
    """Compare a judge's scores with people's: a row for each unit, a column for each annotator, gaps are NaN.

    `clusters` numbers the items or source texts: units of one stay together in the intervals. `allowance` is the
    epsilon of the alternative-annotator test. Rows in the order of their names give the same bits whatever order the
    dataset had.
    """
    clusters = _by_appearance(clusters)
    given = ~np.isnan(people)
    labelled = given.any(axis=1)
    used = labelled & ~np.isnan(judge)
    sizes = given[used].sum(axis=1)
    means = np.where(given[used], people[used], 0.0).sum(axis=1) / np.maximum(sizes, 1)
    at = np.unique(clusters[used], return_inverse=True)[1]
    groups = int(at.max()) + 1 if len(at) else 0
    two = Raters.of(judge[used], means, at, axis, groups)
    figures, epsilons = _judged(two, rng)
    confusion, majority = _table(two)
    return Agreement(
        axis=axis,
        n=two.n,
        labelled=int(labelled.sum()),
        clusters=groups,
        annotators=int(given[used].any(axis=0).sum()),
        labels=int(sizes.sum()),
        judge_mean=int(two.counts @ two.a) / two.unit / two.n if two.n else None,
        people_mean=int(two.counts @ two.b) / two.unit / two.n if two.n else None,
        figures=figures,
        confusion=confusion,
        majority=majority,
        epsilon=epsilons[0],
        epsilon_within=epsilons[1],
        people=between(judge, people, clusters, axis=axis),
        alternative=alternative(judge, people, clusters, axis=axis, epsilon=allowance),
    )


def _by_appearance(clusters: Ints) -> Ints:
    """The clusters numbered as the rows name them first: sums then go in the order of the rows."""
    _, first, at = np.unique(clusters, return_index=True, return_inverse=True)
    found: Ints = np.argsort(np.argsort(first))[at]
    return found


def _judged(two: Raters, rng: np.random.Generator) -> tuple[dict[str, Figure], tuple[float | None, float | None]]:
    """Every figure of the judge beside chance and the best constant, and the epsilons."""
    found = two.figures()
    found |= _coefficients(found) | _shares(two, found) | _errors(two, found)
    pooled, epsilon = _pooled(two, found["pairwise"], rng)
    within, epsilon_within = _within(two, rng)
    found |= pooled | within
    return {name: found[name] for name in FIGURES}, (epsilon, epsilon_within)


def _coefficients(found: Mapping[str, Figure]) -> dict[str, Figure]:
    """Coefficients are 0 by chance, all but exactly; of a constant, kappa and ICC are 0 and correlations unknown."""
    return {
        name: replace(one, chance=0.0, constant=0.0 if name.startswith(("kappa", "icc")) else None)
        for name, one in found.items()
        if KINDS[name] == "coefficient"
    }


def _shares(two: Raters, found: Mapping[str, Figure]) -> dict[str, Figure]:
    """Exact and within-one agreement beside chance and the best constant."""
    if not two.n:
        return {}
    of_judge, of_people = two.points()
    low = min(of_judge.min(), of_people.min()) - 1
    length = int(max(of_judge.max(), of_people.max()) - low) + 2
    judge, people = (np.bincount(side - low, two.counts, length) / two.n for side in (of_judge, of_people))
    near = np.convolve(people, np.ones(3), "same")
    return {
        "exact": replace(found["exact"], chance=dot(judge, people), constant=float(people.max())),
        "within_one": replace(found["within_one"], chance=dot(judge, near), constant=float(near.max())),
    }


def _errors(two: Raters, found: Mapping[str, Figure]) -> dict[str, Figure]:
    """The mean absolute error beside chance, and beside always giving people's median."""
    if not two.n:
        return {}
    grid, at = np.unique(np.concatenate([two.a, two.b]), return_inverse=True)
    below_judge, below_people = (
        np.cumsum(np.bincount(side, two.counts, len(grid)))[:-1] / two.n for side in np.split(at, 2)
    )
    gaps = np.diff(grid) / two.unit
    chance = dot(gaps, below_judge * (1 - below_people) + below_people * (1 - below_judge))
    constant = dot(gaps, np.minimum(below_people, 1 - below_people))
    return {"mae": replace(found["mae"], chance=chance, constant=constant)}


def _pooled(two: Raters, plain: Figure, rng: np.random.Generator) -> tuple[dict[str, Figure], float | None]:
    """Pairwise accuracy over all pairs, as it is and calibrated, beside chance and a judge that ties everything."""
    if two.n < 2:
        return {"pairwise": plain, "pairwise_calibrated": plain}, None
    epsilon = calibrated(two.a, two.places_b, two.counts, rng)
    better = two.figure("pairwise_calibrated", pairwise(two.a, two.places_b, two.counts, epsilon))
    ties = tie_share(two.b, two.counts)
    named = {}
    for name, one, apart in (("pairwise", plain, 0), ("pairwise_calibrated", better, epsilon)):
        own = tie_share(two.a, two.counts, apart)
        named[name] = replace(one, chance=by_chance(ties, own), constant=ties)
    return named, epsilon / two.unit


def _within(two: Raters, rng: np.random.Generator) -> tuple[dict[str, Figure], float | None]:
    """The same over pairs of one source, averaged over sources, as the shared tasks do."""
    kept = np.flatnonzero(np.bincount(two.clusters, minlength=two.groups)[two.clusters] >= 2)
    if not len(kept):
        return dict.fromkeys(WITHIN, Figure(value=None, ci95=None, n=0, reason="groups" if two.n else "none")), None
    at = np.unique(two.clusters[kept], return_inverse=True)[1]
    judge, people = two.a[two.rows[kept]], two.places_b[two.rows[kept]]
    one = replace(two, rows=np.arange(len(kept)), clusters=at, groups=int(at.max()) + 1)
    epsilon = calibrated_within(judge, people, at, rng)
    flat, named = np.zeros_like(judge), {}
    ties = by_source(flat, people, at)
    for name, apart in zip(WITHIN, (0, epsilon), strict=True):
        chance = by_chance(ties, by_source(judge, flat, at, apart)).mean()
        found = one.figure(name, pairwise_within(judge, people, at, apart))
        named[name] = replace(found, chance=float(chance), constant=float(ties.mean()))
    if one.groups > 1:
        name, best = WITHIN[1], pairwise_within(judge, people, at, epsilon)
        named[name] = _centred(named[name], one, best, held_out(judge, people, at, rng))
    return named, epsilon / two.unit


def _centred(figure: Figure, one: Raters, best: Estimate, held: float) -> Figure:
    """The calibrated figure with its interval about the middle between it and the one on `held` out sources.

    Epsilon is sought on the same data, as the shared tasks do. That makes the figure too good, by about as much as
    epsilons sought on other sources make it too bad.
    """
    assert figure.value is not None
    ends = one.figure(WITHIN[1], replace(best, value=(figure.value + held) / 2)).ci95
    return replace(figure, ci95=ends and (min(ends[0], figure.value), max(ends[1], figure.value)))


def _table(two: Raters) -> tuple[Confusion, Majority | None]:
    """The confusion matrix over the points that occur, and what the commonest of people's would score."""
    if not two.n:
        return Confusion(points=(), counts=()), None
    of_judge, of_people = two.points()
    points, at = np.unique(np.concatenate([of_people, of_judge]), return_inverse=True)
    size = len(points)
    rows, columns = np.split(at, 2)
    counts = np.bincount(rows * size + columns, two.counts, size * size).astype(np.int64).reshape(size, size)
    people = counts.sum(axis=1)
    commonest = int(points[people.argmax()])
    majority = Majority(
        point=commonest,
        exact=float(people.max() / two.n),
        within_one=float(people[np.abs(points - commonest) <= 1].sum() / two.n),
    )
    return Confusion(points=tuple(points.tolist()), counts=tuple(map(tuple, counts.tolist()))), majority
