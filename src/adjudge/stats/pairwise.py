"""Pairwise accuracy with ties: how often the judge puts two units in the order that people do, or ties them as they do.

Deutsch, Foster and Freitag, "Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie calibration",
EMNLP 2023: the measure of the WMT metrics shared tasks since 2023. The judge's scores are whole numbers,
so that differences are exact; people's are places, numbered from 0 without gaps. People's scores tie where they are
equal, the judge's where they differ by `epsilon` at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.dominance import concordant
from adjudge.stats.estimate import Estimate, dot, unknown

#: Epsilon is sought among the differences of so many units; the accuracy is then over all.
SOUGHT = 1_000
#: The pairs of a source with no more units than this are gone through one by one.
_SMALL = 64
_FOLDS = 5
_Share = TypeVar("_Share", float, Floats)


def pairwise(judge: Ints, people: Ints, counts: Ints, epsilon: int = 0, ordered: Floats | None = None) -> Estimate:
    """The accuracy over all pairs of units; `ordered` has each row's concordant ones where they were counted before."""
    n = int(counts.sum())
    if n < 2:
        return unknown("few" if n else "none")
    ordered = concordant(judge, people, counts, epsilon) if ordered is None else ordered
    right = ordered + _tied(judge, people, counts, epsilon) - 1
    value = dot(counts, right) / (n * (n - 1))
    return Estimate(value=value, influence=2 * (right / (n - 1) - value))


def calibrated(judge: Ints, people: Ints, counts: Ints, rng: np.random.Generator) -> int:
    """The epsilon of the highest accuracy over all pairs, the smallest of equally good ones."""
    if len(judge) > SOUGHT:
        drawn = rng.choice(np.repeat(np.arange(len(judge)), counts), SOUGHT, replace=False)
        judge, people, counts = judge[drawn], people[drawn], np.ones(SOUGHT, np.int64)
    i, j = np.triu_indices(len(judge), 1)
    pairs = _Pairs.of(judge[i] - judge[j], people[i] - people[j])
    return pairs.best((counts[i] * counts[j]).astype(float))


def pairwise_within(judge: Ints, people: Ints, clusters: Ints, epsilon: int = 0) -> Estimate:
    """The accuracy over pairs of each source, averaged over the sources: each has two units or more."""
    if not len(clusters):
        return unknown("groups")
    accuracy, sizes = by_source(judge, people, clusters, epsilon), np.bincount(clusters)
    value = float(accuracy.mean())
    moved = (accuracy - value) * len(clusters) / (len(sizes) * sizes)
    return Estimate(value=value, influence=moved[clusters])


def by_source(judge: Ints, people: Ints, clusters: Ints, epsilon: int = 0) -> Floats:
    """The accuracy within each source, numbered from 0 without gaps."""
    sizes = np.bincount(clusters)
    pairs, of = _small_pairs(judge, people, clusters, sizes)
    accuracy: Floats = np.bincount(of, pairs.right(epsilon), len(sizes)) / (sizes * (sizes - 1) / 2)
    for cluster, members in _large(clusters, sizes):
        found = pairwise(judge[members], people[members], np.ones(len(members), np.int64), epsilon)
        accuracy[cluster] = found.value
    return accuracy


def calibrated_within(judge: Ints, people: Ints, clusters: Ints, rng: np.random.Generator) -> int:
    """The epsilon of the highest accuracy within sources, the smallest of equally good ones."""
    pairs, _, weight = _sought_within(judge, people, clusters, rng)
    return pairs.best(weight)


def held_out(judge: Ints, people: Ints, clusters: Ints, rng: np.random.Generator) -> float:
    """The accuracy within sources where the epsilon of each fifth of them is the best of the others."""
    pairs, of, weight = _sought_within(judge, people, clusters, rng)
    found = np.zeros(int(clusters.max()) + 1)
    folds = min(_FOLDS, len(found))
    for fold in range(folds):
        epsilon = pairs.best(np.where(of % folds == fold, 0.0, weight))
        rows = clusters % folds == fold
        sources, own = np.unique(clusters[rows], return_inverse=True)
        found[sources] = by_source(judge[rows], people[rows], own, epsilon)
    return float(found.mean())


def _sought_within(judge: Ints, people: Ints, clusters: Ints, rng: np.random.Generator) -> tuple[_Pairs, Ints, Floats]:
    """The pairs among which an epsilon is sought, by how far apart they are, with their sources and weights."""
    kept = np.ones(len(judge), bool)
    for _, members in _large(clusters, np.bincount(clusters)):
        kept[rng.choice(members, len(members) - _SMALL, replace=False)] = False
    sizes = np.bincount(clusters[kept])
    pairs, of = _small_pairs(judge[kept], people[kept], clusters[kept], sizes)
    order = np.argsort(pairs.gap, kind="stable")
    pairs, of = _Pairs(gap=pairs.gap[order], tied=pairs.tied[order], ordered=pairs.ordered[order]), of[order]
    return pairs, of, 1 / (sizes * (sizes - 1) / 2)[of]


def tie_share(values: Ints, counts: Ints, epsilon: int = 0) -> float:
    """The share of pairs of two units or more whose values differ by `epsilon` at most."""
    n = int(counts.sum())
    return dot(counts, _tied(values, np.zeros_like(values), counts, epsilon) - 1) / (n * (n - 1))


def by_chance(ties: _Share, own: _Share) -> _Share:
    """The accuracy of a judge with so many ties of its `own` that knows nothing, where people have so many `ties`."""
    return ties * own + (1 - ties) * (1 - own) / 2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Pairs:
    """Pairs of units: how far the judge's scores are apart, whether it is right with a tie, and right without one."""

    gap: Ints
    tied: Floats
    ordered: Floats

    @classmethod
    def of(cls, judge: Ints, people: Ints) -> _Pairs:
        same = np.sign(judge) == np.sign(people)
        return cls(gap=np.abs(judge), tied=(people == 0).astype(float), ordered=(same & (people != 0)).astype(float))

    def right(self, epsilon: int) -> Floats:
        found: Floats = np.where(self.gap <= epsilon, self.tied, self.ordered)
        return found

    def best(self, weight: Floats) -> int:
        """The smallest epsilon with most weight right."""
        order = np.argsort(self.gap, kind="stable")
        gap = np.concatenate([[0], self.gap[order]])
        gain = np.concatenate([[0.0], np.cumsum(((self.tied - self.ordered) * weight)[order])])
        last = np.append(gap[1:] != gap[:-1], True)
        gap, gain = gap[last], gain[last]
        # Sums of weights differ by rounding where accuracies are equal.
        return int(gap[np.argmax(gain >= gain.max() - 1e-12 * weight.sum())])


def _small_pairs(judge: Ints, people: Ints, clusters: Ints, sizes: Ints) -> tuple[_Pairs, Ints]:
    """All pairs of the small sources, and the source of each."""
    order = np.argsort(clusters, kind="stable")
    order = order[sizes[clusters[order]] <= _SMALL]
    at, left, right = clusters[order], [], []
    for step in range(1, min(_SMALL, int(sizes.max()))):
        first = np.flatnonzero(at[step:] == at[:-step])
        left.append(order[first])
        right.append(order[first + step])
    i, j = (np.concatenate([*side, np.empty(0, np.int64)]) for side in (left, right))
    return _Pairs.of(judge[i] - judge[j], people[i] - people[j]), clusters[i]


def _large(clusters: Ints, sizes: Ints) -> list[tuple[int, Ints]]:
    return [(int(one), np.flatnonzero(clusters == one)) for one in np.flatnonzero(sizes > _SMALL)]


def _tied(judge: Ints, people: Ints, counts: Ints, epsilon: int) -> Floats:
    """The units that both sides tie with each row, itself among them."""
    low = int(judge.min())
    keys = people * (int(judge.max()) - low + 1 + 2 * (epsilon + 1)) + judge - low + epsilon + 1
    order = np.argsort(keys, kind="stable")
    total = np.concatenate([[0], np.cumsum(counts[order])])
    upper = np.searchsorted(keys[order], keys + epsilon, "right")
    lower = np.searchsorted(keys[order], keys - epsilon, "left")
    found: Floats = (total[upper] - total[lower]).astype(float)
    return found
