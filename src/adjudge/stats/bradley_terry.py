"""How strong each of several candidates is, from who was better than whom: Bradley-Terry with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.interval import CONFIDENCE, student_quantile

#: Every candidate is given this many drawn comparisons, spread evenly over the others.
PRIOR = 1.0
#: Totals are compared to so many: sums of the same scores in another order are equal.
_DECIMALS = 9
_STEPS = 200
_AT_ONCE = 2_000_000


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Strengths:
    """`log` has log strengths of mean 0, with 95 % ends: i is better than j with odds of exp(log i - log j).

    `wins[i, j]` counts the items in which i was better than j; a draw counts for neither.
    """

    log: Floats
    low: Floats
    high: Floats
    wins: Floats
    items: int


def strengths(totals: Floats) -> Strengths | None:
    """The strengths behind totals (items × candidates, more is better, NaN where a candidate has none).

    Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952), fitted to all pairs of
    candidates within each item; equal totals are half a win for each. The intervals are those of Student over items:
    pairs of one item depend on one another, so the variance is the sandwich over items (Liang and Zeger, "Longitudinal
    data analysis using generalized linear models", Biometrika 73, 1986). Unknown below two items with a comparison.
    """
    size = totals.shape[1]
    rows = totals[np.sum(~np.isnan(totals), axis=1) > 1]
    n = len(rows)
    if n < 2:
        return None
    # the same order of candidates is counted, not repeated: quick, and the order of the rows decides nothing
    orders = np.concatenate([_ranks(rows[part]) for part in _parts(n, size)])
    kinds, counts = np.unique(orders, axis=0, return_counts=True)
    parts = _parts(len(kinds), size)
    wins = np.sum([np.tensordot(counts[part], _better(kinds[part]), axes=1) for part in parts], axis=0)
    halves = np.sum([np.tensordot(counts[part], _halves(kinds[part]), axes=1) for part in parts], axis=0)
    log = fitted(halves)
    expected = _expected(log)
    spread = _laplacian(_prior(size) * (expected**2 + (1.0 - expected) ** 2))
    for part in parts:
        scored = _halves(kinds[part])
        surplus = (scored - (scored + scored.transpose(0, 2, 1)) * expected).sum(axis=2)
        spread += (surplus * counts[part, None]).T @ surplus
    bread = _inverse(_information(halves, expected))
    half = student_quantile((1.0 + CONFIDENCE) / 2.0, n - 1) * np.sqrt(np.diag(bread @ spread @ bread))
    return Strengths(log=log, low=log - half, high=log + half, wins=wins, items=n)


def fitted(wins: Floats) -> Floats:
    """The log strengths, of mean 0, that make a table of wins (draws as halves) most probable, the prior included.

    Newton's steps on the concave log likelihood. Without the prior a candidate that never lost would have no strength
    (Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32, 2004).
    """
    table = wins + _prior(len(wins))
    log = np.zeros(len(wins))
    for _ in range(_STEPS):
        expected = _expected(log)
        surplus = (table - (table + table.T) * expected).sum(axis=1)
        change = _inverse(_information(wins, expected)) @ surplus
        largest = float(np.abs(change).max())
        log = log + change / max(1.0, largest)  # from far away a whole step may overshoot
        if largest < 1e-13:
            break
    centred: Floats = log - log.mean()
    return centred


def _prior(size: int) -> Floats:
    """The half wins that each candidate is given over each other one."""
    found: Floats = PRIOR / 2 / (size - 1) * (1.0 - np.eye(size))
    return found


def _information(wins: Floats, expected: Floats) -> Floats:
    """The curvature of the log likelihood, which can't tell a shift of all strengths."""
    table = wins + _prior(len(wins))
    return _laplacian((table + table.T) * expected * (1.0 - expected))


def _laplacian(weights: Floats) -> Floats:
    """What pairs with these weights add up to, each seen as i minus j."""
    found: Floats = np.diag(weights.sum(axis=1)) - weights
    return found


def _inverse(laplacian: Floats) -> Floats:
    """Its inverse among changes that sum to 0."""
    size = len(laplacian)
    flat = np.full((size, size), 1.0 / size)
    found: Floats = np.linalg.inv(laplacian + flat) - flat
    return found


def _expected(log: Floats) -> Floats:
    """How often each is better than each other one."""
    found: Floats = 1.0 / (1.0 + np.exp(log[None, :] - log[:, None]))
    return found


def _parts(n: int, size: int) -> list[slice]:
    """So many items at once that all pairs of their candidates fit into memory."""
    step = max(1, _AT_ONCE // size**2)
    return [slice(start, start + step) for start in range(0, n, step)]


def _ranks(totals: Floats) -> Ints:
    """How many others each candidate is better than, item by item; -1 where it has no total."""
    rounded = np.round(totals, _DECIMALS)
    found: Ints = (rounded[:, :, None] > rounded[:, None, :]).sum(axis=2)
    found[np.isnan(totals)] = -1
    return found


def _better(ranks: Ints) -> Floats:
    found: Floats = ((ranks[:, :, None] > ranks[:, None, :]) & (ranks[:, None, :] >= 0)).astype(np.float64)
    return found


def _halves(ranks: Ints) -> Floats:
    """Wins, with half a win for each of two equals."""
    drawn = (ranks[:, :, None] == ranks[:, None, :]) & (ranks[:, None, :] >= 0) & ~np.eye(ranks.shape[1], dtype=bool)
    found: Floats = _better(ranks) + drawn / 2
    return found
