"""More than two sides: ranking, groups against all subsets, the matrix, the probability of being best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from adjudge.stats.board import Axis, Floats, Ints, generator
from adjudge.stats.joint import Joint
from adjudge.stats.paired import Paired, compare_pair, settle
from adjudge.stats.ranking import best, rounding
from adjudge.stats.together import Together, together, turned
from tests.unit.stats.columns import LOWER, SCALE, column


def ranked(columns: Sequence[Floats], *, axis: Axis = SCALE, clusters: Ints | None = None) -> Together:
    rng = generator(0, "ranked")
    pairs = [compare_pair(a, b, axis=axis, clusters=clusters, rng=rng) for a, b in combinations(columns, 2)]
    return together(columns, settle(pairs), clusters=clusters, seed="ranked")


def sides(count: int, n: int, rng: np.random.Generator, *, gaps: float = 0.0) -> list[Floats]:
    quality, found = rng.normal(3.0, 0.8, n), []
    for _ in range(count):
        own = np.clip(np.rint(quality + rng.uniform(-0.8, 0.8) + rng.normal(0.0, 0.5, n)), 1, 5)
        own[rng.random(n) < gaps] = np.nan
        found.append(own)
    return found


def cliques(found: Together) -> set[frozenset[int]]:
    """By the definition: all subsets, those of which no two are apart, those in no larger one."""
    size = len(found.sides)

    def together_(group: tuple[int, ...]) -> bool:
        pairs = [found.matrix[i][j] for i, j in combinations(group, 2)]
        return all(pair is not None and pair.word not in ("better", "worse") for pair in pairs)

    every = [frozenset(group) for k in range(1, size + 1) for group in combinations(range(size), k) if together_(group)]
    return {group for group in every if not any(group < other for other in every)}


@pytest.mark.parametrize("number", range(30))
def test_groups_are_the_largest_sets_that_cannot_be_told_apart(number: int) -> None:
    rng = generator(number, "groups")
    found = ranked(sides(int(rng.integers(3, 7)), int(rng.integers(5, 60)), rng, gaps=0.05 * (number % 3)))
    assert {frozenset(group) for group in found.groups} == cliques(found)
    assert len(found.groups) == len(set(found.groups))
    letters = {side.index: set(side.letters) for side in found.sides}
    for i, j in combinations(letters, 2):
        pair = found.matrix[i][j]
        assert pair is not None
        assert bool(letters[i] & letters[j]) == (pair.word not in ("better", "worse"))


@pytest.mark.parametrize("number", range(10))
def test_ranking_is_by_the_mean_over_the_items_of_all(number: int) -> None:
    columns = sides(4, 40, generator(number, "means"), gaps=0.05)
    found = ranked(columns)
    common = ~np.isnan(np.stack(columns)).any(axis=0)
    assert found.n == common.sum()
    for side in found.sides:
        assert side.mean == pytest.approx(columns[side.index][common].mean(), abs=1e-9)
        assert side.judged == (~np.isnan(columns[side.index])).sum()
        assert side.rank == 1 + sum((other.mean or 0) > (side.mean or 0) + 1e-9 for other in found.sides)
    assert [side.rank for side in found.sides] == sorted(side.rank for side in found.sides)


def test_three_clear_levels() -> None:
    base = np.tile([2.0, 3.0, 2.0, 4.0], 15)
    noise = np.tile([0.0, 1.0, 0.0], 20)
    found = ranked([base - 1.0 + noise, base + 1.0 - noise, base + 1.0 - noise[::-1], base])
    assert [side.index for side in found.sides] == [1, 2, 3, 0]
    assert [side.letters for side in found.sides] == ["a", "a", "b", "c"]
    assert [side.rank for side in found.sides] == [1, 1, 3, 4]
    assert [side.places for side in found.sides] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert found.groups == ((1, 2), (3,), (0,))
    assert found.in_order
    assert found.against == ()
    assert [round(side.best or 0.0, 1) for side in found.sides] == [0.5, 0.5, 0.0, 0.0]


def test_where_less_is_better_the_lowest_is_first() -> None:
    base = np.tile([1.0, 2.0, 1.0], 20)
    found = ranked([base + 1.0, base - 1.0 + np.tile([0.0, 0.0, 1.0], 20), base], axis=LOWER)
    assert [side.index for side in found.sides] == [1, 2, 0]
    assert found.sides[0].best == pytest.approx(1.0)


def test_the_matrix_says_the_same_from_both_sides() -> None:
    found = ranked(sides(4, 30, generator(3, "matrix"), gaps=0.1))
    opposite = {"better": "worse", "worse": "better"}
    for i, j in combinations(range(4), 2):
        one, other = found.matrix[i][j], found.matrix[j][i]
        assert one is not None
        assert other is not None
        assert turned(other) == one
        assert other.difference == -(one.difference or 0.0)
        assert (other.only_a, other.only_b, other.wins) == (one.only_b, one.only_a, one.losses)
        assert other.word == opposite.get(one.word, one.word)
        assert other.why == one.why
    assert all(found.matrix[i][i] is None for i in range(4))


@pytest.mark.parametrize("number", range(10))
def test_the_probability_of_the_best_is_that_of_the_items_one_by_one(number: int) -> None:
    columns = sides(3, 20, generator(number, "best"))
    joint = Joint(3)
    for row in np.stack(columns, axis=1).tolist():
        joint.add(row)
    wanted = best(joint, seed="ranked", grain=rounding([1.0]))
    found = {side.index: side.best for side in ranked(columns).sides}
    assert [found[at] for at in range(3)] == pytest.approx(wanted, abs=1e-3)


def test_rows_of_one_source_make_the_best_less_sure() -> None:
    columns = sides(3, 12, generator(8, "sources"))
    many = [np.tile(own, 10) for own in columns]
    once, told = ranked(columns), ranked(many, clusters=np.tile(np.arange(12), 10))
    naive = ranked(many)
    assert [side.best for side in told.sides] == pytest.approx([side.best for side in once.sides], abs=1e-3)
    assert max(side.best or 0.0 for side in naive.sides) > max(side.best or 0.0 for side in told.sides)


def test_order_of_items_decides_no_bit() -> None:
    columns = sides(4, 50, generator(5, "order"), gaps=0.05)
    order = generator(6).permutation(50)
    assert ranked([own[order] for own in columns]) == ranked(columns)


def test_no_item_in_common() -> None:
    found = ranked([column(3.0, None, None), column(None, 4.0, None), column(None, None, 5.0)])
    assert found.n == 0
    assert [(side.index, side.rank, side.mean, side.best) for side in found.sides] == [
        (at, 1, None, None) for at in range(3)
    ]
    assert [side.letters for side in found.sides] == ["a", "a", "a"]
    assert [side.places for side in found.sides] == [(1, 3)] * 3


def test_one_item() -> None:
    found = ranked([column(3.0), column(4.0), column(5.0)])
    assert [side.index for side in found.sides] == [2, 1, 0]
    assert [side.letters for side in found.sides] == ["a", "a", "a"]
    assert [side.best for side in found.sides] == [None] * 3


def test_two_items_that_differ_by_the_same_are_not_certain() -> None:
    found = ranked([column(3.0, 4.0), column(4.0, 5.0), column(2.0, 3.0)])
    assert 0.5 < (found.sides[0].best or 0.0) < 1.0


def test_pairs_that_were_shown_on_other_items_may_go_against_the_means() -> None:
    many = 60
    low, high = np.full(many, 2.0), np.full(many, 4.0)
    low[::7], high[::5] = 3.0, 5.0
    few = np.full(many, np.nan)
    few[:3] = 3.0
    # on the three items of all, the side that is better on sixty is worse
    low[:3], high[:3] = 5.0, 1.0
    found = ranked([low, high, few])
    assert [side.index for side in found.sides] == [0, 2, 1]
    assert found.against == ((0, 1),)


def told(sign: int) -> Paired:
    """A pair of which B was shown to be better (1) or worse (-1), or nothing (0)."""
    pair = compare_pair(column(3.0, 3.0), column(3.0, 3.0), axis=SCALE, rng=generator(0))
    ends = (0.2 * sign - 0.1, 0.2 * sign + 0.1) if sign else (-0.5, 0.5)
    p = 0.001 if sign else 0.9
    return replace(pair, seen=replace(pair.seen, difference=0.2 * sign, interval=ends, p_adjusted=p, same_adjusted=1.0))


def test_groups_may_skip_a_side_and_say_so() -> None:
    columns = [np.full(20, 5.0), np.full(20, 4.0), np.full(20, 3.0)]
    found = together(columns, [told(-1), told(0), told(0)], seed="")
    assert found.groups == ((0, 2), (1, 2))
    assert not found.in_order


def test_more_groups_than_letters() -> None:
    columns = [column(5.0 - at / 20) for at in range(60)]
    found = together(columns, [told(-1)] * (60 * 59 // 2), seed="")
    assert [side.letters for side in found.sides][50:55] == ["Y", "Z", "(53)", "(54)", "(55)"]
    assert found.groups == tuple((at,) for at in range(60))


def test_the_family_of_all_pairs_errs_seldom() -> None:
    wrong, repeats = 0, 500
    for number in range(repeats):
        rng = generator(number, "family")
        quality = rng.normal(3.0, 0.8, 9)
        columns = [np.clip(quality + rng.normal(0.0, 0.6, 9), 1, 5) for _ in range(4)]
        pairs = settle([compare_pair(a, b, axis=SCALE, rng=rng) for a, b in combinations(columns, 2)])
        wrong += any(pair.word in ("better", "worse") for pair in pairs)
    assert wrong / repeats <= 0.05 + 3 * (0.05 * 0.95 / repeats) ** 0.5
