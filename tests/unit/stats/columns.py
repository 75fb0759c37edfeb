"""Columns of scores for the tests of comparisons."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adjudge.stats.board import Axis, Floats
from adjudge.stats.interval import Moments

SCALE = Axis(name="quality", title="Quality", low=1, high=5, better="higher")
LOWER = Axis(name="errors", title="Errors", low=0, high=3, better="lower")


def moments_of(values: Iterable[float]) -> Moments:
    found = Moments()
    for value in values:
        found.add(value)
    return found


def column(*values: float | None) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def scores(n: int, number: int, rng: np.random.Generator, *, gaps: float = 0.1) -> tuple[Floats, Floats]:
    """Two sides on a scale of 1-5 with ties and gaps: whole points, halves, or measured finely."""
    quality = rng.normal(3.0, 1.0, n)
    sides = [np.clip(quality + rng.normal(0.1 * side, 0.6, n), 1, 5) for side in range(2)]
    step = (1, 2, None)[number % 3]
    a, b = (side if step is None else np.rint(side * step) / step for side in sides)
    for side in (a, b):
        side[rng.random(n) < gaps] = np.nan
    return a, b
