"""Whether marked items could have been any of them: a test by exchanging the marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from adjudge.stats.board import Floats
from adjudge.stats.paired import holm

EXCHANGES = 4_999
#: Names beyond the commonest are taken together: what is rare shows nothing.
NAMES_MAX = 20
_AT_ONCE = 500


def exchanged(
    marked: NDArray[np.bool_],
    numbers: Mapping[str, Floats],
    names: Mapping[str, Sequence[str]],
    rng: np.random.Generator,
) -> dict[str, float]:
    """For each trait how often chance alone would set the marked items so far apart; adjusted by Holm's method.

    Permutation tests (Fisher, "The design of experiments", 1935) of the rank sum of numbers and of the chi-square of
    names, on the same exchanges of the marks, the items as they are among them (Phipson and Smyth, "Permutation
    p-values should never be zero", Statistical Applications in Genetics and Molecular Biology 9, 2010). Traits that do
    not vary are left out. The items must come in an order that is always the same.
    """
    columns, traits = list[Floats](), list[tuple[str, slice]]()
    for trait, values in numbers.items():
        if len(np.unique(values)) > 1:
            traits.append((trait, slice(len(columns), len(columns) + 1)))
            columns.append(_ranks(values))
    for trait, given in names.items():
        if len(each := _groups(given)) > 1:
            traits.append((trait, slice(len(columns), len(columns) + len(each))))
            columns += each
    if not traits or not marked.any() or marked.all():
        return {}
    table, share = np.stack(columns, axis=1), float(marked.mean())
    expected = table.sum(axis=0) * share
    seen = _apart(marked[None, :] @ table, expected, traits)
    hits = np.zeros(len(traits))
    for start in range(0, EXCHANGES, _AT_ONCE):
        size = min(_AT_ONCE, EXCHANGES - start)
        marks = rng.permuted(np.broadcast_to(marked, (size, len(marked))), axis=1)
        # equal sums may differ in their last bits
        hits += (_apart(marks @ table, expected, traits) >= seen * (1 - 1e-9) - 1e-12).sum(axis=0)
    adjusted = holm(((hits + 1) / (EXCHANGES + 1)).tolist())
    return {trait: p for (trait, _), p in zip(traits, adjusted, strict=True) if p is not None}


def _apart(sums: Floats, expected: Floats, traits: Sequence[tuple[str, slice]]) -> Floats:
    """How far the sums over marked items lie from what chance gives: one column for each trait."""
    distances = (sums - expected) ** 2 / expected
    return np.stack([distances[:, columns].sum(axis=1) for _, columns in traits], axis=1)


def _ranks(values: Floats) -> Floats:
    """Ranks from 1 on; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    found: Floats = (ends - (counts - 1) / 2)[place.reshape(-1)]
    return found


def _groups(names: Sequence[str]) -> list[Floats]:
    """A column of zeros and ones for each name."""
    given, place, counts = np.unique(np.array(names, dtype=object), return_inverse=True, return_counts=True)
    common = sorted(range(len(given)), key=lambda at: (-int(counts[at]), at))[:NAMES_MAX]
    place = place.reshape(-1)
    found = [(place == at).astype(np.float64) for at in common]
    rest = ~np.isin(place, common)
    return [*found, rest.astype(np.float64)] if rest.any() else found
