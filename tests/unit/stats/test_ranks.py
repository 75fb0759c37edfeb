"""Ranks against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.ranks import ranks, spearman, spearman_interval

values = st.floats(-100, 100).map(lambda value: round(value, 1))
pairs = st.lists(st.tuples(values, values), min_size=2, max_size=40)


@given(st.lists(values))
def test_ranks_are_scipys(given_values):
    assert ranks(given_values) == pytest.approx(stats.rankdata(given_values).tolist())


@given(pairs)
def test_the_correlation_is_scipys(given_pairs):
    a, b = ([pair[side] for pair in given_pairs] for side in (0, 1))
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert spearman(a, b) is None
    else:
        assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)


def test_one_value_has_no_order():
    assert spearman([1.0], [2.0]) is None


@given(st.floats(-0.999, 0.999), st.integers(4, 500))
def test_the_interval_of_a_rank_correlation_is_fishers(correlation, n):
    error = np.sqrt((1 + correlation**2 / 2) / (n - 3))
    ends = np.tanh(stats.norm.interval(0.95, loc=np.arctanh(correlation), scale=error))
    assert spearman_interval(correlation, n) == pytest.approx(tuple(ends), abs=1e-9)


def test_no_interval_where_there_is_no_order_or_no_doubt():
    assert spearman_interval(None, 50) is None
    assert spearman_interval(0.5, 3) is None
    assert spearman_interval(1.0, 50) is None and spearman_interval(-1.0, 50) is None


def test_the_interval_of_a_rank_correlation_holds_the_truth_at_its_rate():
    """Normal pairs with a correlation of 0.7, whose rank correlation is 6/π · asin(0.35), 40 of them, 1,000 times."""
    draw, truth, held = np.random.default_rng(7), 6 / np.pi * np.arcsin(0.35), 0
    for _ in range(1000):
        a, b = draw.multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], size=40).T.tolist()
        interval = spearman_interval(spearman(a, b), 40)
        held += interval is not None and interval[0] <= truth <= interval[1]
    assert 930 <= held <= 970
