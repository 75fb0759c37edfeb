"""Whatever two columns hold, the word on them contradicts none of the figures beside it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats.board import Axis, Floats, generator
from adjudge.stats.paired import Paired, compare_pair, holm, settle
from adjudge.stats.together import together

POINTS = st.one_of(st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, 2.5, math.nan]), st.floats(1.0, 5.0))
ROWS = st.lists(st.tuples(POINTS, POINTS, st.integers(0, 6)), max_size=40)
AXES = st.sampled_from([Axis(name="x", title="X", low=1, high=5, better=better) for better in ("higher", "lower")])


def columns(rows: list[tuple[float, float, int]]) -> tuple[Floats, Floats, Any]:
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2].astype(np.int64)


def compared(rows: list[tuple[float, float, int]], axis: Axis, noise: float | None, *, clusters: bool) -> Paired:
    a, b, groups = columns(rows)
    return compare_pair(a, b, axis=axis, clusters=groups if clusters else None, noise=noise, rng=generator(0))


@settings(max_examples=300, deadline=None)
@given(ROWS, AXES, st.none() | st.floats(0, 2), st.booleans())
def test_the_word_agrees_with_every_figure(
    rows: list[tuple[float, float, int]], axis: Axis, noise: float | None, clusters: bool
) -> None:
    pair = settle([compared(rows, axis, noise, clusters=clusters)])[0]
    assert pair.n + pair.only_a + pair.only_b + pair.neither == len(rows)
    assert pair.wins + pair.losses + pair.ties == pair.n
    for tested in (pair.seen, pair.best, pair.worst):
        if tested is not None and tested.difference is not None:
            assert 0.0 < (tested.p or 0.0) <= 1.0
            assert -4.0 <= tested.difference <= 4.0
            if tested.interval is not None:
                low, high = tested.interval
                assert -4.0 <= low <= high <= 4.0
                if pair.word in ("better", "worse"):
                    way = axis.sign * (1 if pair.word == "better" else -1)
                    assert (tested.p_adjusted or 1.0) <= 0.05
                    assert way * low > 0 < way * high
                    assert way * tested.difference >= (noise or 0.0)
                if pair.word == "same":
                    assert -pair.margin <= low <= high <= pair.margin
    if pair.word == "blocked":
        assert pair.only_a + pair.only_b
    if pair.best is not None and pair.worst is not None:
        assert axis.sign * (pair.worst.difference or 0.0) <= axis.sign * (pair.best.difference or 0.0)


@settings(max_examples=150, deadline=None)
@given(ROWS, AXES, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_rows_decides_no_bit(
    rows: list[tuple[float, float, int]], axis: Axis, clusters: bool, random: Any
) -> None:
    turned = rows[:]
    random.shuffle(turned)
    assert compared(turned, axis, None, clusters=clusters) == compared(rows, axis, None, clusters=clusters)


@settings(max_examples=150, deadline=None)
@given(ROWS, AXES, st.booleans())
def test_swapped_sides_mirror_the_figures(rows: list[tuple[float, float, int]], axis: Axis, clusters: bool) -> None:
    one = compared(rows, axis, None, clusters=clusters)
    other = compared([(b, a, group) for a, b, group in rows], axis, None, clusters=clusters)
    assert one.seen.p == other.seen.p
    assert math.isclose(one.seen.sd or 0.0, other.seen.sd or 0.0, abs_tol=1e-9)
    assert math.isclose(one.seen.same or 0.0, other.seen.same or 0.0, abs_tol=1e-9)
    assert (one.wins, one.losses, one.only_a) == (other.losses, other.wins, other.only_b)
    if one.difference is not None and other.difference is not None:
        assert one.difference == -other.difference


@settings(max_examples=500, deadline=None)
@given(st.lists(st.none() | st.floats(0, 1)))
def test_holm_keeps_order_and_gaps(ps: list[float | None]) -> None:
    adjusted = holm(ps)
    known = [(p, more) for p, more in zip(ps, adjusted, strict=True) if p is not None and more is not None]
    assert [p is None for p in ps] == [more is None for more in adjusted]
    assert all(p <= more <= 1.0 for p, more in known)
    assert [more for _, more in sorted(known)] == sorted(more for _, more in known)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(POINTS, POINTS, POINTS), max_size=25), AXES)
def test_letters_are_shared_by_those_that_cannot_be_told_apart(
    rows: list[tuple[float, float, float]], axis: Axis
) -> None:
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    sides = [table[:, at] for at in range(3)]
    pairs = [compare_pair(sides[i], sides[j], axis=axis, rng=generator(0)) for i, j in ((0, 1), (0, 2), (1, 2))]
    found = together(sides, settle(pairs), seed="x")
    letters = {side.index: set(side.letters) for side in found.sides}
    assert all(letters.values())
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pair = found.matrix[i][j]
        assert pair is not None
        assert bool(letters[i] & letters[j]) == (pair.word not in ("better", "worse"))
    chances = [side.best for side in found.sides if side.best is not None]
    assert not chances or math.isclose(sum(chances), 1.0)
