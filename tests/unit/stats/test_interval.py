"""Intervals against scipy, and against what they promise."""

from __future__ import annotations

import random
import statistics

import pytest
from scipy import stats

from adjudge.stats.interval import Interval, Moments, mean_interval, student_quantile, wilson


def moments(values: list[float]) -> Moments:
    gathered = Moments()
    for value in values:
        gathered.add(value)
    return gathered


def interval(values: list[float]) -> Interval:
    found = mean_interval(moments(values), 1, 5)
    assert found is not None
    return found


@pytest.mark.parametrize("df", [*range(1, 40), 57, 99, 100, 512, 998, 999, 1000, 1001, 4096, 10**5, 10**7])
def test_student_quantile_is_scipys(df):
    for p in (0.025, 0.3, 0.5, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9995):
        assert student_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("p", "df"), [(0.0, 3), (1.0, 3), (1.5, 3), (0.5, 0)])
def test_student_quantile_refuses_what_has_none(p, df):
    with pytest.raises(ValueError, match="quantile"):
        student_quantile(p, df)


def test_moments_are_those_of_the_standard_library():
    generator = random.Random(0)
    for _ in range(200):
        values = [generator.choice([generator.uniform(0, 5), float(generator.randint(0, 100))]) for _ in range(40)]
        found = moments(values)
        assert found.n == 40
        assert found.mean == pytest.approx(statistics.fmean(values), rel=1e-14)
        assert found.variance == pytest.approx(statistics.variance(values), rel=1e-12)


def test_moments_have_the_same_bits_in_any_order():
    generator = random.Random(1)
    values = [generator.uniform(0, 5) for _ in range(500)]
    first = moments(values)
    for _ in range(5):
        generator.shuffle(values)
        again = moments(values)
        assert (again.mean, again.variance) == (first.mean, first.variance)


def test_a_mean_has_scipys_interval():
    values = [3.0, 4.0, 4.0, 2.0, 5.0, 3.5]
    expected = stats.t.interval(0.95, 5, loc=statistics.fmean(values), scale=stats.sem(values))
    assert interval(values) == pytest.approx(expected, abs=1e-12)


def test_an_interval_stays_on_the_scale():
    assert interval([5.0, 5.0, 4.0]) == pytest.approx((3.2324, 5.0), abs=1e-4)
    assert interval([1.0, 2.0]) == (1.0, 5.0)


@pytest.mark.parametrize("values", [[], [4.0]])
def test_below_two_values_there_is_no_interval(values):
    assert mean_interval(moments(values), 1, 5) is None


def test_equal_values_are_not_certainty():
    few, many = interval([5.0] * 3), interval([5.0] * 300)
    assert few == pytest.approx((5 - 4 * (1 - 0.05 ** (1 / 3)), 5.0))
    assert 4.95 < many[0] < 5.0
    low, high = interval([3.0] * 10)
    assert low == pytest.approx(3 - 2 * 0.2589, abs=1e-3)
    assert high == pytest.approx(3 + 2 * 0.2589, abs=1e-3)


@pytest.mark.parametrize("points", [(1, 2, 3, 4, 5), (3, 4, 4, 4, 5, 5), (0, 1, 2, 3)])
def test_intervals_cover_as_often_as_they_say(points):
    generator, low, high = random.Random(7), min(points), max(points)
    true, hits = statistics.fmean(points), 0
    for _ in range(2000):
        found = mean_interval(moments([float(generator.choice(points)) for _ in range(30)]), low, high)
        assert found is not None
        hits += found[0] <= true <= found[1]
    assert 0.935 <= hits / 2000 <= 0.965


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (5, 5), (1, 2), (25, 40), (333, 1000)])
def test_wilson_is_scipys(successes, n):
    expected = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_no_rate_of_nothing():
    assert wilson(0, 0) is None
