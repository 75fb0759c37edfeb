"""Intervals from how far each cluster moves a figure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.estimate import dot
from adjudge.stats.estimate import interval as _interval
from adjudge.stats.interval import wilson


def interval(*args, **options):
    return _interval(*args, **options)


def test_the_interval_of_a_mean_is_students():
    values = np.random.default_rng(1).normal(3, 1, 25)
    found = interval(values.mean(), (values - values.mean()) / 25, "mean", low=-9, high=9)
    expected = stats.t.interval(0.95, 24, loc=values.mean(), scale=stats.sem(values))
    assert found == pytest.approx(expected, abs=1e-9)


def test_it_ends_where_the_scale_does():
    values = np.array([1.0, 1, 1, 1, 2])
    found = interval(values.mean(), (values - values.mean()) / 5, "mean", low=1, high=5)
    assert found[0] == 1.0


def test_a_share_of_single_units_has_wilsons_interval():
    hits = np.array([1.0] * 7 + [0.0] * 13)
    moves = (hits - hits.mean()) / 20
    assert interval(0.35, moves, "share", low=0, high=1, units=20) == pytest.approx(wilson(7, 20), abs=1e-12)


@pytest.mark.parametrize(("share", "moves"), [(1.0, np.zeros(12)), (0.0, np.zeros(12))])
def test_a_share_of_all_or_none_is_no_certainty(share, moves):
    low, high = interval(share, moves, "share", low=0, high=1)
    assert (high if share else low) == share
    assert 0.15 < high - low < 0.35


def test_sources_that_happen_to_agree_do_not_make_more_of_the_units_than_there_are():
    moves = np.array([0.001, -0.002, 0.001])
    low, high = interval(0.5, moves, "share", low=0, high=1, units=60)
    assert (low, high) == pytest.approx((0.257, 0.743), abs=1e-3), "as of 12 units: three sources leave Student wide"


def test_twins_tell_no_more_than_one_of_them():
    hits = np.array([1.0] * 14 + [0.0] * 26)
    alone = (hits - hits.mean()) / 40
    twice = np.repeat(alone, 2) / 2
    together = twice.reshape(40, 2).sum(axis=1)
    for kind in ("share", "coefficient", "mean"):
        assert interval(0.35, together, kind, low=0, high=1) == interval(0.35, alone, kind, low=0, high=1)


def test_a_coefficient_stays_in_range_and_is_unknown_at_its_end():
    moves = np.tile([0.002, -0.002], 20)
    low, high = interval(0.97, moves, "coefficient", low=0, high=1)
    assert 0 < low < 0.97 < high < 1
    error = 0.002 * math.sqrt(40 * 40 / 37) / (1 - 0.97**2)
    assert math.atanh(high) - math.atanh(0.97) == pytest.approx(stats.t.ppf(0.975, 39) * error, abs=1e-9)
    assert interval(1.0, moves, "coefficient", low=0, high=1) == "perfect"
    assert interval(0.5, np.zeros(40), "coefficient", low=0, high=1) == "perfect"


def test_values_that_are_all_equal_follow_the_rule_of_three():
    share = 1 - 0.05 ** (1 / 10)
    assert interval(1.0, np.zeros(10), "mean", low=-4, high=4) == pytest.approx((1 - 5 * share, 1 + 3 * share))


def test_too_few_clusters():
    assert interval(0.5, np.zeros(1), "share", low=0, high=1) == "alone"
    assert interval(0.5, np.array([0.1, -0.2, 0.1]), "coefficient", low=0, high=1) == "few"


def test_sums_of_products():
    draw = np.random.default_rng(2)
    a, b = draw.normal(size=1_000), draw.normal(size=1_000)
    assert dot(a, b) == pytest.approx(math.fsum((a * b).tolist()), abs=1e-12)
