"""Correlations of two columns: Pearson's, Spearman's and Kendall's tau-b, over rows that occur several times."""

from __future__ import annotations

import math

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.dominance import alike, concordant
from adjudge.stats.estimate import Estimate, dot, unknown


def pearson(a: Floats, b: Floats, counts: Floats) -> Estimate:
    """The linear correlation of rows (a, b) that occur `counts` times."""
    shares = counts / counts.sum()
    a, b = a - dot(shares, a), b - dot(shares, b)
    var_a, var_b, shared = (dot(shares, product) for product in (a * a, b * b, a * b))
    if (found := _still(var_a, var_b)) is not None:
        return found
    return _ratio(shared, var_a, var_b, a * b, a * a, b * b)


def spearman(a: Ints, b: Ints, counts: Floats) -> Estimate:
    """The correlation of ranks, equal values sharing theirs (Spearman, 1904); `a` and `b` are places from 0.

    A unit moves it by its own ranks and by those it shifts; Croux and Dehon, "Influence functions of the Spearman and
    Kendall correlation measures", Statistical Methods and Applications 19, 2010, here with ties.
    """
    shares = counts / counts.sum()
    rank_a, rank_b = _middle(a, shares), _middle(b, shares)
    var_a, var_b, shared = (dot(shares, product) for product in (rank_a**2, rank_b**2, rank_a * rank_b))
    if (found := _still(var_a, var_b)) is not None:
        return found
    above_ab, above_ba = _above(a, shares * rank_b), _above(b, shares * rank_a)
    above_aa, above_bb = _above(a, shares * rank_a), _above(b, shares * rank_b)
    return _ratio(
        shared,
        var_a,
        var_b,
        rank_a * rank_b + above_ab + above_ba - 2 * shared,
        rank_a**2 + 2 * above_aa - 2 * var_a,
        rank_b**2 + 2 * above_bb - 2 * var_b,
    )


def kendall(a: Ints, b: Ints, counts: Ints, right: Floats | None = None) -> Estimate:
    """Tau-b (Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945); `a` and `b` are places from 0.

    Each row's concordant and discordant pairs are counted in O(n log n) (Knight, "A computer method for calculating
    Kendall's tau with ungrouped data", JASA 61, 1966); `right` has the concordant ones where they were counted before.
    """
    n = int(counts.sum())
    same_a, same_b = alike(a, counts), alike(b, counts)
    shares, apart_a, apart_b = counts / n, n - same_a, n - same_b
    same = alike(np.unique(a * (b.max() + 1) + b, return_inverse=True)[1], counts)
    right = concordant(a, b, counts) if right is None else right
    discordant = apart_a - same_b + same - right
    signed = (right - discordant) / n
    mean, mean_a, mean_b = dot(shares, signed), dot(shares, apart_a) / n, dot(shares, apart_b) / n
    if (found := _still(mean_a, mean_b)) is not None:
        return found
    return _ratio(
        mean,
        mean_a,
        mean_b,
        2 * signed - mean,
        2 * apart_a / n - mean_a,
        2 * apart_b / n - mean_b,
    )


def _still(var_a: float, var_b: float) -> Estimate | None:
    """The rounding of a mean leaves some 1e-32 of a constant's variance."""
    if var_a > 1e-24 and var_b > 1e-24:
        return None
    if var_a <= 1e-24 and var_b <= 1e-24:
        return unknown("same")
    return unknown("judge" if var_a <= 1e-24 else "people")


def _ratio(shared: float, var_a: float, var_b: float, on_shared: Floats, on_a: Floats, on_b: Floats) -> Estimate:
    """A covariance over two spreads, and its influence from what each row adds to the three."""
    size = math.sqrt(var_a * var_b)
    value = shared / size
    moved = (on_shared - shared) / size - value / 2 * ((on_a - var_a) / var_a + (on_b - var_b) / var_b)
    return Estimate(value=max(-1.0, min(1.0, value)), influence=moved)


def _middle(at: Ints, shares: Floats) -> Floats:
    """The share of units below, with half of the equal ones, less a half: ranks that are 0 on average."""
    mass = np.bincount(at, shares)
    found: Floats = (np.cumsum(mass) - mass / 2 - 0.5)[at]
    return found


def _above(at: Ints, amounts: Floats) -> Floats:
    """What stands on higher values, and half of what stands on equal ones."""
    mass = np.bincount(at, amounts)
    found: Floats = (mass[::-1].cumsum()[::-1] - mass / 2)[at]
    return found
