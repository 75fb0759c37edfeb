"""Places and lengths: against plain computations with numpy."""

from __future__ import annotations

import math
import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.run.plan import candidate_orders
from adjudge.stats.orders import Length, balanced, by_place, most_orders


@pytest.mark.parametrize("n", range(2, 9))
def test_which_orders_are_balanced(n):
    names = [f"n{k}" for k in range(n)]
    assert balanced(candidate_orders(names, "balanced", "s"))
    assert balanced(candidate_orders(names, 2 * n, "s"))
    assert balanced(candidate_orders(names, None, "s")) == (n == 2)
    assert not balanced(candidate_orders(names, 1, "s"))
    assert not balanced(candidate_orders(names, "balanced", "s")[:-1])
    if n <= 5:
        assert balanced(list(permutations(names)))


def test_orders_of_different_candidates_are_not_balanced():
    assert not balanced([("a", "b"), ("c", "d")])


@given(st.integers(2, 6), st.data())
def test_with_balanced_orders_only_the_place_is_left(n, data):
    names = [f"n{k}" for k in range(n)]
    worth = {name: data.draw(st.integers(0, 30)) for name in names}
    bonus = [data.draw(st.integers(-5, 5)) for _ in names]
    orders = candidate_orders(names, "balanced", "s")
    totals = [{name: float(worth[name] + bonus[place]) for place, name in enumerate(order)} for order in orders]
    assert by_place(orders, totals) == pytest.approx([one - sum(bonus) / n for one in bonus], abs=1e-9)


def items(n: int, slope: float, seed: int) -> list[tuple[list[int], list[float]]]:
    draw, made = random.Random(seed), []
    for _ in range(n):
        lengths = [round(math.exp(draw.gauss(6, 0.5))) for _ in range(draw.randint(2, 5))]
        item = draw.gauss(15, 5)
        made.append((lengths, [item + slope * math.log1p(length) + draw.gauss() for length in lengths]))
    return made


def gathered(made: list[tuple[list[int], list[float]]]) -> Length:
    found = Length()
    for lengths, totals in made:
        found.add(lengths, totals)
    return found


def sums(made: list[tuple[list[int], list[float]]]) -> np.ndarray:
    rows = []
    for lengths, totals in made:
        x, y = np.log1p(lengths), np.array(totals)
        x, y = x - x.mean(), y - y.mean()
        rows.append((x @ y, x @ x, y @ y))
    return np.array(rows)


@pytest.mark.parametrize("slope", [-2.0, 0.0, 3.0])
def test_the_correlation_is_that_of_deviations_within_items(slope):
    made = items(25, slope, 5)
    centred = [
        (np.log1p(lengths) - np.log1p(lengths).mean(), np.array(totals) - np.mean(totals)) for lengths, totals in made
    ]
    x, y = (np.concatenate([pair[side] for pair in centred]) for side in (0, 1))
    r, interval = gathered(made).correlation or (math.nan, None)
    # deviations have the mean 0, so this is Pearson's own formula
    assert r == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    rows = sums(made)
    means, n = rows.mean(axis=0), len(rows)
    size = math.sqrt(means[1] * means[2])
    errors = (rows[:, 0] - means[0]) / size - r / 2 * (rows[:, 1] / means[1] + rows[:, 2] / means[2] - 2)
    half = stats.t.ppf(0.975, n - 2) * math.sqrt((errors**2).sum() / (n - 2) / n) / (1 - r * r)
    assert interval == pytest.approx((math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)), abs=1e-9)


def test_points_per_doubling_are_the_slope_within_items():
    made = items(25, 3.0, 6)
    rows = sums(made)
    slope = rows[:, 0].sum() / rows[:, 1].sum()
    value, interval = gathered(made).per_doubling or (math.nan, None)
    assert value == pytest.approx(slope * math.log(2), abs=1e-9)
    errors = (rows[:, 0] - slope * rows[:, 1]) / rows[:, 1].mean()
    n = len(rows)
    half = math.log(2) * stats.t.ppf(0.975, n - 2) * math.sqrt((errors**2).sum() / (n - 2) / n)
    assert interval == pytest.approx((value - half, value + half), abs=1e-9)
    assert interval is not None and interval[0] < 3 * math.log(2) < interval[1]


def test_what_cannot_be_said_is_not():
    assert Length().correlation is None and Length().per_doubling is None
    same_length = gathered([([5, 5], [1.0, 2.0])] * 20)
    assert same_length.correlation is None and same_length.per_doubling is None
    same_total = gathered([([5, 9], [1.0, 1.0])] * 10)
    assert same_total.correlation is None and same_total.per_doubling == (0.0, (0.0, 0.0))
    straight = gathered([([10, 100], [math.log1p(10), math.log1p(100)])] * 10)
    assert straight.correlation is not None
    assert straight.correlation[0] == pytest.approx(1.0) and straight.correlation[1] is None


def test_few_items_whose_answers_differ_in_length_say_nothing_however_many_do_not():
    alike = [([5, 5], [1.0, 2.0]), ([7, 7], [3.0, 2.0])] * 20
    few, enough = gathered([*alike, *items(9, 1.0, 7)]), gathered([*alike, *items(10, 1.0, 7)])
    assert few.n == 49 and few.correlation is None and few.per_doubling is None
    assert enough.correlation is not None and enough.per_doubling is not None


@pytest.mark.parametrize("n", [10, 15])
def test_the_slope_holds_the_truth_nearly_as_often_from_the_least_number_on(n):
    draw, held = random.Random(12), 0
    for _ in range(1000):
        made = [([round(math.exp(draw.gauss(6, 0.5))) for _ in range(2)]) for _ in range(n)]
        found = gathered([(one, [1.5 * math.log1p(size) + draw.gauss() for size in one]) for one in made])
        _, (low, high) = found.per_doubling or (0.0, (math.nan, math.nan))
        held += low <= 1.5 * math.log(2) <= high
    assert held >= 900


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """The correlation is 0.6 in truth: slope 1.5 over a standard deviation of 0.5 beside noise of 1."""
    draw, held = random.Random(11), 0
    for _ in range(1000):
        found = Length()
        for _ in range(30):
            base = draw.gauss(7, 1)
            lengths = [base + draw.gauss(0, 0.5) for _ in range(4)]
            found.add([round(math.exp(one)) for one in lengths], [1.5 * one + draw.gauss() for one in lengths])
        _, interval = found.correlation or (0.0, None)
        assert interval is not None
        held += interval[0] <= 0.6 <= interval[1]
    assert 0.935 <= held / 1000 <= 0.965


@pytest.mark.parametrize("many", [1, 2, 3, 4, 7])
def test_no_number_asks_for_more_orders_than_there_are(many: int) -> None:
    names = [str(n) for n in range(many)]
    assert len(candidate_orders(names, 1000, "seed")) == most_orders(many)
