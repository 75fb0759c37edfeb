"""Counting pairs in O(n log n): for each row, how many units lie in the same direction in both columns."""

from __future__ import annotations

import numpy as np

from adjudge.stats.board import Floats, Ints


def concordant(a: Ints, b: Ints, counts: Ints, apart: int = 0) -> Floats:
    """For each row the units that are lower in both columns or higher in both, by more than `apart` in `a`.

    Each row stands for `counts` units; `b` are places, numbered from 0 without gaps.
    """
    if apart:
        return _lower(a, b, counts, apart) + _lower(-a, b.max() - b, counts, apart)
    a = np.unique(a, return_inverse=True)[1]
    lower = _lower(a, b, counts, 0)
    # What is higher in both is all that is not lower or equal in either; that counts twice what is so in both.
    in_both = lower + _below(a, b, counts, equal=True) + _below(b, a, counts, equal=False)
    either = np.add(*(np.cumsum(np.bincount(side, counts))[side] for side in (a, b)))
    found: Floats = lower + counts.sum() - either + in_both
    return found


def alike(places: Ints, counts: Ints) -> Ints:
    """For each row the units at its place, itself among them."""
    found: Ints = np.bincount(places, counts).astype(np.int64)[places]
    return found


def _below(same: Ints, other: Ints, counts: Ints, *, equal: bool) -> Floats:
    """For each row the units that are equal in the one column, and smaller in the other or `equal` there too."""
    width = int(other.max()) + 1
    keys = same * width + other
    order = np.argsort(keys)
    total = np.concatenate([[0], np.cumsum(counts[order])])
    upper = np.searchsorted(keys[order], keys, "right" if equal else "left")
    found: Floats = (total[upper] - total[np.searchsorted(keys[order], same * width)]).astype(float)
    return found


def _lower(a: Ints, b: Ints, counts: Ints, apart: int) -> Floats:
    """For each row the units with a smaller `b`, and an `a` smaller by more than `apart`.

    Rows are put in the order of `a`, each asking at the place of `a - apart`: what stands before it is lower in `a`.
    Then the bits of the rank in `b` are gone through from the highest. Of rows that share the higher bits, those with a
    0 are smaller than those with a 1 (as in the wavelet tree of Grossi, Gupta and Vitter, 2003).
    """
    n, ranks = len(a), b
    if apart == 0:
        # Of equal values of a the larger b stands first, so that none of them is before a larger b.
        order, weight = np.lexsort((-ranks, a)), counts.astype(float)
    else:
        ranks, weight = np.concatenate([ranks, ranks]), np.concatenate([np.zeros(n), counts])
        order = np.lexsort((np.arange(2 * n) >= n, np.concatenate([a - apart, a])))
    found = np.zeros(len(ranks))
    places = np.arange(len(ranks))
    for bit in range(int(ranks.max()).bit_length() - 1, -1, -1):
        keys = ranks[order] >> bit
        ones = (keys & 1).astype(bool)
        starts = np.concatenate([[True], keys[1:] >> 1 != keys[:-1] >> 1])
        first = np.maximum.accumulate(np.where(starts, places, 0))
        small = np.where(ones, 0.0, weight[order])
        before = np.cumsum(small) - small
        found[order[ones]] += (before - before[first])[ones]
        order = order[np.argsort(keys, kind="stable")]
    return found[:n]
