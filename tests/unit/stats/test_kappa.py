"""Kappa against scikit-learn, and its variance against statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from adjudge.stats import kappa as module
from tests.unit.stats.tables import moved, one_more, two_raters

WEIGHTS = {"none": None, "linear": "linear", "quadratic": "quadratic"}
POINTS = np.arange(1, 6)


def kappa(*given):
    return module.kappa(*given)


def whole(values):
    return values.astype(np.int64)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_is_scikit_learns(weights):
    known = 0
    for a, b in two_raters():
        found = kappa(whole(a), whole(b), np.ones(len(a)), weights)
        if len(set(a) | set(b)) == 1:
            assert (found.value, found.reason) == (None, "same")
            continue
        known += 1
        assert found.value == pytest.approx(cohen_kappa_score(a, b, labels=POINTS, weights=WEIGHTS[weights]), abs=1e-9)
    assert known > 150


@pytest.mark.parametrize(("weights", "theirs"), [("none", None), ("linear", "linear"), ("quadratic", "quadratic")])
def test_the_variance_is_statsmodels(weights, theirs):
    for a, b in two_raters(60):
        if len(a) < 13 or len(set(a)) < 2 or len(set(b)) < 2:
            continue
        found = kappa(whole(a), whole(b), np.ones(len(a)), weights)
        table = np.zeros((5, 5))
        np.add.at(table, (whole(a) - 1, whole(b) - 1), 1)
        expected = cohens_kappa(table, wt=theirs).std_kappa
        assert math.sqrt((found.influence**2).sum()) / len(a) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_rows_that_occur_several_times_count_as_often(weights):
    a, b, counts = np.array([1, 2, 5, 3]), np.array([1, 3, 4, 3]), np.array([4, 1, 2, 3])
    found = kappa(a, b, counts.astype(float), weights)
    full = kappa(np.repeat(a, counts), np.repeat(b, counts), np.ones(10), weights)
    assert found.value == pytest.approx(full.value, abs=1e-12)
    assert np.repeat(found.influence, counts) == pytest.approx(full.influence, abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_influence_is_what_a_unit_more_does(weights):
    a, b = np.array([1, 2, 5, 3, 1]), np.array([1, 3, 4, 3, 4])

    def measure(counts):
        return kappa(a, b, counts, weights)

    counts = np.array([4.0, 1, 2, 3, 2])
    assert moved(measure, counts) == pytest.approx(one_more(measure, counts), abs=1e-4)
