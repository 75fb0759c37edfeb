"""ICC(A,1) against the mean squares of statsmodels' analysis of variance."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from adjudge.stats import icc as module
from tests.unit.stats.tables import moved, one_more


def icc(*given):
    return module.icc(*given)


def dummies(places):
    return (places[:, None] == np.unique(places)[None, 1:]).astype(float)


def by_analysis_of_variance(table):
    n, k = table.shape
    unit, rater = (part.ravel() for part in np.indices(table.shape))
    ones, y = np.ones((n * k, 1)), table.ravel()
    both = OLS(y, np.hstack([ones, dummies(unit), dummies(rater)])).fit()
    without_units = OLS(y, np.hstack([ones, dummies(rater)])).fit()
    without_raters = OLS(y, np.hstack([ones, dummies(unit)])).fit()
    rows = (without_units.ssr - both.ssr) / (n - 1)
    columns = (without_raters.ssr - both.ssr) / (k - 1)
    error = both.ssr / ((n - 1) * (k - 1))
    return (rows - error) / (rows + (k - 1) * error + k * (columns - error) / n)


def test_icc_is_that_of_the_analysis_of_variance():
    draw, known = np.random.default_rng(4), 0
    for at in range(200):
        n, k = (2, 3, 6, 15)[at % 4], (2, 3, 5)[at % 3]
        table = draw.integers(1, 6, (n, 1)) + draw.integers(-1, 2, (n, k)).astype(float)
        if at % 10 == 0:
            table = np.full((n, k), 4.0)
        gaps = np.vstack([table, np.full((1, k), np.nan), np.r_[np.nan, np.ones(k - 1)][None, :]])
        found = icc(gaps, np.ones(n + 2))
        if table.min() == table.max():
            assert (found.value, found.reason) == (None, "same")
            continue
        known += 1
        assert found.value == pytest.approx(by_analysis_of_variance(table), abs=1e-9)
        assert (found.influence[n:] == 0).all(), "units with a gap move nothing"
    assert known > 150


def test_the_example_of_shrout_and_fleiss():
    table = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)
    assert icc(table, np.ones(6)).value == pytest.approx(0.29, abs=5e-3)


def test_too_few_to_say():
    assert icc(np.array([[1.0, 2.0]]), np.ones(1)).reason == "few"
    assert icc(np.array([[1.0, np.nan]]), np.ones(1)).reason == "none"


def test_the_influence_is_what_a_unit_more_does():
    table = np.array([[1, 2, 2], [3, 3, np.nan], [5, 4, 2], [1, 1, 4], [2, 5, 3]])

    def measure(counts):
        return icc(table, counts)

    counts = np.array([3.0, 1, 2, 2, 1])
    assert moved(measure, counts) == pytest.approx(one_more(measure, counts), abs=1e-4)
