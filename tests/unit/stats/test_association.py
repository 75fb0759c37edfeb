"""Correlations against scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.association import kendall, pearson, spearman
from tests.unit.stats.tables import moved, one_more, two_raters


def places(values):
    return np.unique(values, return_inverse=True)[1]


def reason(a, b):
    return "same" if len(set(a)) == len(set(b)) == 1 else "judge" if len(set(a)) == 1 else "people"


MEASURES = {
    "pearson": (lambda a, b, counts: pearson(a, b, counts), stats.pearsonr),
    "spearman": (lambda a, b, counts: spearman(places(a), places(b), counts), stats.spearmanr),
    "kendall": (lambda a, b, counts: kendall(places(a), places(b), counts.astype(np.int64)), stats.kendalltau),
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("whole", [True, False])
def test_correlations_are_scipys(name, whole):
    ours, theirs = MEASURES[name]
    known = 0
    for a, b in two_raters(whole=whole):
        found = ours(a, b, np.ones(len(a)))
        if len(set(a)) == 1 or len(set(b)) == 1:
            assert (found.value, found.reason) == (None, reason(a, b))
            continue
        known += 1
        assert found.value == pytest.approx(theirs(a, b).statistic, abs=1e-9)
    assert known > 120


@pytest.mark.parametrize("name", MEASURES)
def test_many_different_values(name):
    ours, theirs = MEASURES[name]
    draw = np.random.default_rng(5)
    for n in (100, 1_000, 4_097):
        a = draw.normal(size=n)
        b = a + draw.normal(size=n)
        assert ours(a, b, np.ones(n)).value == pytest.approx(theirs(a, b).statistic, abs=1e-9)


@pytest.mark.parametrize("name", MEASURES)
def test_rows_that_occur_several_times_count_as_often(name):
    a, b, counts = np.array([1.0, 2, 2, 5]), np.array([2.0, 1, 3, 3]), np.array([3, 1, 2, 4])
    ours: Any = MEASURES[name][0]
    found = ours(a, b, counts.astype(float))
    full = ours(np.repeat(a, counts), np.repeat(b, counts), np.ones(10))
    assert found.value == pytest.approx(full.value, abs=1e-12)
    assert np.repeat(found.influence, counts) == pytest.approx(full.influence, abs=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_the_influence_is_what_a_unit_more_does(name):
    a, b = np.array([1.0, 2, 2, 5, 4, 1]), np.array([2.0, 1, 3, 3, 5, 1])

    def measure(counts):
        return MEASURES[name][0](a, b, counts)

    counts = np.array([3.0, 1, 2, 4, 1, 2])
    assert moved(measure, counts) == pytest.approx(one_more(measure, counts), abs=1e-3)
