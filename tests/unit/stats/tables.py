"""Random scores of two raters: ties, constants, one unit and two; and how a figure really moves with a unit more."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from adjudge.stats.board import Axis, Floats
from adjudge.stats.estimate import Estimate

AXIS = Axis(name="coverage", title="Coverage", low=1, high=5, better="higher")


def two_raters(count: int = 200, *, whole: bool = True, least: int = 2) -> Iterator[tuple[Floats, Floats]]:
    """Columns of 1 to 5: small ones and middling ones, some of them constant, some all but equal."""
    draw = np.random.default_rng(20)
    for at in range(count):
        n = (least, 2, 3, 5, 8, 13, 40)[at % 7]
        a = draw.integers(1, 6, n).astype(float)
        b = np.clip(a + draw.integers(-1, 2, n), 1, 5) if at % 2 else draw.integers(1, 6, n).astype(float)
        if at % 11 == 3:
            a = np.full(n, 3.0)
        if at % 13 == 4:
            b = np.full(n, 3.0)
        if not whole:
            a = np.clip(a + np.round(draw.normal(0, 0.4, n), 1), 1, 5)
        yield a, b.astype(float)


def one_more(measure: Callable[[Floats], Estimate], counts: Floats) -> Floats:
    """The influence of each row by trial: what the figure gains from one unit more among very many."""
    scale = 1e5
    start = measure(counts * scale)
    assert start.value is not None
    found = []
    for row in range(len(counts)):
        more = counts * scale
        more[row] += 1
        changed = measure(more)
        assert changed.value is not None
        found.append((changed.value - start.value) * counts.sum() * scale)
    return np.array(found)


def moved(measure: Callable[[Floats], Estimate], counts: Floats) -> Floats:
    """The influence that the measure itself states, of as many units."""
    found = measure(counts * 1e5).influence
    assert found is not None
    return found
