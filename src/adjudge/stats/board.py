"""Scores as columns of numbers: what comparisons, agreement with people and corrections work on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from adjudge.core.scale import Better

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """What a column measures: a criterion or a derived value, its ends and its good one."""

    name: str
    title: str
    low: float
    high: float
    better: Better
    derived: bool = False

    @property
    def sign(self) -> int:
        """1 where more is better, -1 where less is."""
        return 1 if self.better == "higher" else -1

    @property
    def span(self) -> float:
        return self.high - self.low


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Board:
    """A number, or a gap (NaN), for every item of a run that has an outcome: of one candidate, or of the only text.

    `columns` are by the names of the axes, in dataset order as `items` are; a failed item has gaps everywhere.
    `trials` has the values of each repeat where there were several: items × repeats, by the names of the axes. `bases`
    says which criteria a derived value rests on. Where the rows were wanted, `sources` has a key for each item's source
    texts and question, equal for equal ones in whatever run, `queries` one for its question alone, `texts` one for its
    source texts alone or, where it has none, for its question or itself, `references` one for its golden answers;
    `clusters` numbers the items by `sources`, and `languages` and `systems` have a name for each item, "" where it is
    not known.
    """

    run: str
    candidate: str = ""
    items: Sequence[str]
    axes: tuple[Axis, ...]
    columns: Mapping[str, Floats]
    trials: Mapping[str, Floats] = field(default_factory=dict)
    bases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sources: Keys | None = None
    queries: Keys | None = None
    texts: Keys | None = None
    references: Keys | None = None
    clusters: Ints | None = None
    languages: Sequence[str] = ()
    systems: Sequence[str] = ()

    def axis(self, name: str) -> Axis:
        return next(one for one in self.axes if one.name == name)


def numbered(keys: Keys) -> Ints | None:
    """Items numbered by their keys; None where every one has its own."""
    found, numbers = np.unique(keys, return_inverse=True)
    return None if len(found) == len(keys) else numbers.reshape(len(keys)).astype(np.int64)


def generator(seed: int, *about: str) -> np.random.Generator:
    """Random numbers of their own for each purpose; the same ones for the same seed, and 0 is a seed."""
    return np.random.Generator(np.random.PCG64([seed & (2**64 - 1), *(_hash(part) for part in about)]))


def _hash(text: str) -> int:
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
