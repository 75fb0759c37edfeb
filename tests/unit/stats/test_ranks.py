"""Ranks against scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.ranks import ranks, spearman

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
