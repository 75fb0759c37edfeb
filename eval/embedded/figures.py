"""Agreement with people as figures, each with an interval from resampling whole sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
LEVEL = 0.95
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A figure over `n` texts; `low` and `high` are the ends of its 95 % interval, or None where none was asked for."""

    value: float
    n: int
    low: float | None = None
    high: float | None = None


def ranks(values: Sequence[float] | Numbers) -> Numbers:
    """Ranks from 1, equal values sharing the middle of theirs."""
    _, inverse, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    middles: Numbers = np.cumsum(counts) - (counts - 1) / 2
    return middles[inverse]


def spearman(a: Sequence[float] | Numbers, b: Sequence[float] | Numbers) -> float:
    """The correlation of mid-ranks; not a number when a side is constant."""
    if not len(a):
        return float("nan")
    x, y = ranks(a), ranks(b)
    x, y = x - x.mean(), y - y.mean()
    whole = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / whole if whole else float("nan")


def auc(positive: Sequence[float] | Numbers, scores: Sequence[float] | Numbers) -> float:
    """How often a positive scores above a negative, ties counting half; not a number when a class is empty."""
    is_positive = np.asarray(positive, float) > 0.5
    ups, downs = int(is_positive.sum()), int((~is_positive).sum())
    if not ups or not downs:
        return float("nan")
    places = ranks(scores)
    return float((places[is_positive].sum() - ups * (ups + 1) / 2) / (ups * downs))


def order_counts(human: Sequence[float], scores: Sequence[float]) -> tuple[float, int]:
    """Right pairs (a tie of the score is half a pair) and all pairs on which people differ, within one source."""
    h, s = np.asarray(human, float), np.asarray(scores, float)
    up, right = np.sign(h[:, None] - h[None, :]), np.sign(s[:, None] - s[None, :])
    upper = np.triu(up != 0, 1)
    return float(((up == right)[upper]).sum() + 0.5 * ((right == 0)[upper]).sum()), int(upper.sum())


def pooled(
    figure: Callable[[Numbers, Numbers], float],
    human: Sequence[float],
    scores: Sequence[float],
    clusters: Sequence[str],
    *,
    draws: int = 0,
) -> Figure:
    """A figure over all texts at once."""
    h, s, c = _known(human, scores, clusters)
    value = figure(h, s) if len(h) else float("nan")
    if not draws or np.isnan(value):
        return Figure(value=value, n=len(h))
    at = [np.array(places) for places in _groups(c).values()]
    rng = np.random.default_rng(0)
    found = []
    for _ in range(draws):
        chosen = np.concatenate([at[i] for i in rng.integers(0, len(at), len(at))])
        found.append(figure(h[chosen], s[chosen]))
    return _with_ends(value, len(h), found)


def within(
    human: Sequence[float],
    scores: Sequence[float],
    documents: Sequence[str],
    clusters: Sequence[str],
    *,
    draws: int = 0,
) -> Figure:
    """Spearman within each document, averaged; documents where a side is constant are skipped."""
    h, s, d = _known(human, scores, list(zip(documents, clusters, strict=True)))
    sums: dict[str, list[float]] = defaultdict(list)
    used = 0
    for (_, cluster), places in _groups(d).items():
        at = np.array(places)
        value = spearman(h[at], s[at]) if len(at) > 1 else float("nan")
        if not np.isnan(value):
            sums[cluster].append(value)
            used += len(at)
    return _ratio([(sum(v), len(v)) for v in sums.values()], used, draws)


def right_order(
    human: Sequence[float],
    scores: Sequence[float],
    documents: Sequence[str],
    clusters: Sequence[str],
    *,
    draws: int = 0,
) -> Figure:
    """The share of pairs within one source put in people's order; `n` counts texts."""
    h, s, d = _known(human, scores, list(zip(documents, clusters, strict=True)))
    sums: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for (_, cluster), places in _groups(d).items():
        at = np.array(places)
        sums[cluster].append(order_counts(h[at].tolist(), s[at].tolist()))
    return _ratio([(sum(r for r, _ in v), sum(n for _, n in v)) for v in sums.values()], len(h), draws)


def over_parts(
    figure: Callable[[Numbers, Numbers], float],
    human: Sequence[float],
    scores: Sequence[float],
    parts: Sequence[str],
    clusters: Sequence[str],
    *,
    draws: int = 0,
) -> Figure:
    """The mean of a figure over parts (generators, origins), each weighing alike."""
    names = sorted(set(parts))
    codes = np.array([names.index(part) for part in parts], float)

    def mean(h: Numbers, both: Numbers) -> float:
        values = [figure(h[both[:, 1] == k], both[both[:, 1] == k, 0]) for k in range(len(names))]
        known = [value for value in values if not np.isnan(value)]
        return float(np.mean(known)) if known else float("nan")

    h, s, c = _known(human, scores, list(zip(clusters, codes, strict=True)))
    both = np.stack([s, np.array([code for _, code in c])], 1) if len(h) else np.empty((0, 2))
    value = mean(h, both)
    if not draws or np.isnan(value):
        return Figure(value=value, n=len(h))
    at = [np.array(places) for places in _groups([cluster for cluster, _ in c]).values()]
    rng = np.random.default_rng(0)
    found = []
    for _ in range(draws):
        chosen = np.concatenate([at[i] for i in rng.integers(0, len(at), len(at))])
        found.append(mean(h[chosen], both[chosen]))
    return _with_ends(value, len(h), found)


def mean_change(values: Sequence[float], clusters: Sequence[str], *, draws: int = 500) -> Figure:
    """A mean with its interval."""
    kept = [(v, c) for v, c in zip(values, clusters, strict=True) if not np.isnan(v)]
    sums: dict[str, tuple[float, int]] = {}
    for value, cluster in kept:
        total, count = sums.get(cluster, (0.0, 0))
        sums[cluster] = (total + value, count + 1)
    return _ratio(list(sums.values()), len(kept), draws)


def _known(human: Sequence[float], scores: Sequence[float], names: Sequence[T]) -> tuple[Numbers, Numbers, list[T]]:
    """Without what was not judged."""
    h, s = np.asarray(human, float), np.asarray(scores, float)
    kept = ~(np.isnan(h) | np.isnan(s))
    return h[kept], s[kept], [name for name, keep in zip(names, kept, strict=True) if keep]


def _groups(names: Sequence[T]) -> dict[T, list[int]]:
    found: dict[T, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        found[name].append(at)
    return found


def _ratio(sums: Sequence[tuple[float, int]], n: int, draws: int) -> Figure:
    """A ratio of sums over clusters."""
    table = np.array(sums, float).reshape(-1, 2)
    whole = table.sum(0)
    value = float(whole[0] / whole[1]) if len(table) and whole[1] else float("nan")
    if not draws or np.isnan(value):
        return Figure(value=value, n=n)
    chosen = np.random.default_rng(0).integers(0, len(table), (draws, len(table)))
    drawn = table[chosen].sum(1)
    return _with_ends(value, n, (drawn[:, 0] / np.where(drawn[:, 1] > 0, drawn[:, 1], np.nan)).tolist())


def _with_ends(value: float, n: int, drawn: Sequence[float]) -> Figure:
    low, high = np.nanquantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Figure(value=value, n=n, low=float(low), high=float(high))
