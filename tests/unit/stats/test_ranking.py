"""Who is best, and how surely: against scipy and against exact probabilities."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats import ranking
from adjudge.stats.joint import Joint
from adjudge.stats.ranking import best, difference, leader, rounding

#: Four standard errors of a share of the draws.
ERROR = 4 * math.sqrt(0.25 / ranking.DRAWS)


def joint(vectors: list[list[float]]) -> Joint:
    found = Joint(len(vectors[0]))
    for vector in vectors:
        found.add(vector)
    return found


def drawn(n: int, means: list[float], seed: int = 1, shared: float = 2.0) -> list[list[float]]:
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        item = draw.gauss(0, shared)
        rows.append([item + mean + draw.gauss() for mean in means])
    return rows


@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_the_interval_of_a_difference_is_that_of_the_paired_t_test(n):
    rows = drawn(n, [1.0, 0.5, 0.0])
    found = joint(rows)
    for one, other in ((0, 1), (2, 0)):
        expected = stats.ttest_rel([row[one] for row in rows], [row[other] for row in rows])
        mean, interval = difference(found, one, other)
        assert mean == pytest.approx(np.mean([row[one] - row[other] for row in rows]), abs=1e-9)
        assert interval == pytest.approx(tuple(expected.confidence_interval(0.95)), abs=1e-9)


def test_differences_that_never_vary_are_as_uncertain_as_rounding_makes_them():
    found = joint([[5.0, 4.0], [3.0, 2.0], [4.0, 3.0]])
    grain = rounding([1.0] * 6)
    assert grain == pytest.approx(0.5)
    mean, interval = difference(found, 0, 1, grain=grain)
    half = stats.t.ppf(0.975, 2) * math.sqrt(2 * grain / 3)
    assert mean == 1.0
    assert interval == pytest.approx((1 - half, 1 + half), abs=1e-9)
    chances = best(found, seed="s", grain=grain)
    assert chances is not None
    assert chances[0] == pytest.approx(stats.t.cdf(1 / math.sqrt(2 * grain / 3), 2), abs=ERROR)
    assert difference(found, 0, 1, grain=grain, most=2.0)[1] == pytest.approx((max(-2.0, 1 - half), 2.0))


def test_rounding_adds_nothing_where_more_varies():
    found = joint(drawn(20, [1.0, 0.5, 0.0]))
    assert difference(found, 0, 1, grain=0.5) == difference(found, 0, 1)
    assert best(found, seed="s", grain=0.5) == best(found, seed="s")


@pytest.mark.parametrize(("n", "gap"), [(2, 1.0), (5, 0.4), (30, 0.2), (30, 0.0)])
def test_of_two_the_probability_is_that_of_students_t(n, gap):
    rows = drawn(n, [gap, 0.0], seed=n)
    expected = stats.ttest_rel(*np.array(rows).T, alternative="greater").pvalue
    chances = best(joint(rows), seed="s")
    assert chances is not None
    assert chances[0] == pytest.approx(1 - expected, abs=ERROR)
    assert sum(chances) == pytest.approx(1)


def test_of_several_the_probability_is_that_of_another_sampler():
    rows = drawn(12, [0.3, 0.2, 0.0, -0.5], seed=4)
    table = np.array(rows)
    sampler = stats.multivariate_t(table.mean(axis=0), np.cov(table, rowvar=False) / 12, df=11, seed=7)
    wins = np.bincount(sampler.rvs(100_000).argmax(axis=1), minlength=4) / 100_000
    assert best(joint(rows), seed="s") == pytest.approx(wins.tolist(), abs=ERROR)


@pytest.mark.parametrize("size", range(2, 9))
def test_candidates_that_never_differ_are_equally_likely_the_best(size):
    found = joint([[float(n)] * size for n in (12, 13, 19, 8)])
    for grain in (0.0, 0.5):
        chances = best(found, seed="s", grain=grain)
        assert chances == pytest.approx([1 / size] * size, abs=ERROR)


def test_the_good_end_may_be_the_low_one():
    found = joint(drawn(30, [0.0, 3.0]))
    assert (leader(found), leader(found, lowest=True)) == (1, 0)
    high, low = best(found, seed="s"), best(found, seed="s", lowest=True)
    assert high is not None and low is not None
    assert high[1] > 0.99 and low[0] > 0.99


def test_one_item_says_nothing():
    found = joint([[1.0, 2.0]])
    assert best(found, seed="s") is None
    assert difference(found, 1, 0) == (1.0, None)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(0, 30).map(float), min_size=3, max_size=3), min_size=2, max_size=6), st.randoms())
def test_the_same_items_in_any_order_give_the_same_bytes(rows, draw):
    shuffled = list(rows)
    draw.shuffle(shuffled)
    assert best(joint(rows), seed="s", grain=0.5) == best(joint(shuffled), seed="s", grain=0.5)
