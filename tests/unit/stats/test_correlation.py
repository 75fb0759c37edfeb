"""Correlations and their intervals against scipy and numpy."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.correlation import by_rank, linear


@pytest.mark.parametrize("n", [4, 5, 30, 500])
@pytest.mark.parametrize("noise", [0.1, 1.0, 10.0])
def test_pearson_and_its_interval_are_scipys(n, noise):
    draw = random.Random(n)
    a = [draw.gauss(0, 1) for _ in range(n)]
    b = [one + draw.gauss(0, noise) for one in a]
    found, theirs = linear(a, b), stats.pearsonr(a, b)
    assert found.value == pytest.approx(theirs.statistic, abs=1e-9)
    assert found.value == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-9)
    assert found.ci95 == pytest.approx(tuple(theirs.confidence_interval(0.95)), abs=1e-9)
    assert found.n == n


@pytest.mark.parametrize("n", [7, 12, 30, 500])
def test_spearman_is_scipys_with_ties_and_its_interval_the_published_formula(n):
    draw = random.Random(n)
    a = [float(draw.randint(1, 5)) for _ in range(n - 1)] + [9.0]
    b = [one + draw.randint(-2, 2) for one in a]
    found = by_rank(a, b)
    value = stats.spearmanr(a, b).statistic
    assert found.value == pytest.approx(value, abs=1e-9)
    half = stats.norm.ppf(0.975) * math.sqrt((1 + value**2 / 2) / (n - 3))
    assert found.ci95 == pytest.approx(tuple(np.tanh(np.arctanh(value) + half * np.array([-1, 1]))), abs=1e-9)


def test_what_can_t_be_known_is_not_said():
    assert linear([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0]).value is None
    assert linear([], []).value is None and by_rank([1.0], [1.0]).ci95 is None
    assert linear([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]).ci95 is None
    for make in (linear, by_rank):
        one = make([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0])
        assert (one.value, one.ci95) == (1.0, None), "four pairs are no certainty"


@pytest.mark.parametrize("make", [linear, by_rank])
def test_the_interval_holds_the_truth_as_often_as_it_says(make):
    """Normal pairs with a correlation of 0.6; by rank that is 6/pi asin(0.3)."""
    truth = 0.6 if make is linear else 6 / math.pi * math.asin(0.3)
    draw, held = random.Random(7), 0
    for _ in range(1000):
        pairs = [(x := draw.gauss(0, 1), 0.6 * x + 0.8 * draw.gauss(0, 1)) for _ in range(40)]
        low, high = make([x for x, _ in pairs], [y for _, y in pairs]).ci95
        held += low <= truth <= high
    assert 930 <= held <= 970
