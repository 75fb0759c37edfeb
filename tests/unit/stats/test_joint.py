"""Means and covariances against numpy, and sums that no order changes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.joint import Joint, half_width

VECTORS = st.integers(1, 5).flatmap(
    lambda size: st.lists(st.lists(st.floats(-100, 100), min_size=size, max_size=size), min_size=2, max_size=30)
)


def joint(vectors: list[list[float]]) -> Joint:
    found = Joint(len(vectors[0]))
    for vector in vectors:
        found.add(vector)
    return found


@given(VECTORS)
def test_means_and_covariances_are_numpys(vectors):
    found, table = joint(vectors), np.array(vectors)
    size = table.shape[1]
    covariance = np.cov(table, rowvar=False).reshape(size, size)
    for i in range(size):
        assert found.mean(i) == pytest.approx(table.mean(axis=0)[i], abs=1e-9)
        for j in range(size):
            assert found.covariance(i, j) == pytest.approx(covariance[i, j], abs=1e-9)
    weights = [0.5 - place for place in range(size)]
    assert found.variance(weights) == pytest.approx(np.var(table @ weights, ddof=1), rel=1e-9, abs=1e-9)


@given(VECTORS, st.randoms(use_true_random=False))
def test_the_order_of_the_vectors_decides_no_bit(vectors, draw):
    shuffled = list(vectors)
    draw.shuffle(shuffled)
    one, other = joint(vectors), joint(shuffled)
    places = range(one.size)
    assert [one.mean(i) for i in places] == [other.mean(i) for i in places]
    assert [one.covariance(i, j) for i in places for j in places] == [
        other.covariance(i, j) for i in places for j in places
    ]


def test_the_half_width_is_that_of_students_interval():
    draw = random.Random(3)
    values = [draw.gauss(2, 3) for _ in range(17)]
    low, high = stats.t.interval(0.95, 16, np.mean(values), stats.sem(values))
    assert half_width(float(np.var(values, ddof=1)), 17) == pytest.approx((high - low) / 2, abs=1e-9)
    scale = stats.sem(values) * np.sqrt(16 / 15)
    assert half_width(float(np.var(values, ddof=1)), 17, fitted=2) == pytest.approx(
        scale * stats.t.ppf(0.975, 15), abs=1e-9
    )
