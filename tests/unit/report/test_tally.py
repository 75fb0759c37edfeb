"""Means over items: which interval they get, and that one item's scores stay together."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from adjudge.core.scale import Scale
from adjudge.report.tally import Span, Tally, bar_of, rate
from adjudge.stats.board import generator
from adjudge.stats.bootstrap import resampled_interval
from adjudge.stats.interval import FEW_VALUES, MOST

FIVE = Scale(min=1, max=5)
SPAN = Span(min=1, max=5, better="higher")


def measured(items, span=SPAN, ends=FIVE, seed=0):
    tally = Tally(ends)
    for item in items:
        tally.add(item)
    return tally.measure("x", "X", len(items), span, seed)


def drawn(n, seed=1):
    rng = random.Random(seed)
    return [rng.choices([1, 2, 3, 4, 5], [2, 3, 10, 35, 50])[0] * 1.0 for _ in range(n)]


def test_the_interval_is_resampled_over_items_with_the_runs_seed():
    values = drawn(40)
    found = measured([[value] for value in values], seed=5)
    assert found.way == "bootstrap"
    assert found.ci95 == resampled_interval(np.array(values), 1, 5, generator(5, "mean"))
    fine = [[value + at / 1000] for at, value in enumerate(values, start=-20)]
    assert measured(fine, seed=5).ci95 != measured(fine, seed=0).ci95 == measured(fine[::-1], seed=0).ci95
    assert found.as_json()["interval"] == "bootstrap"


def test_scores_of_one_item_stay_together():
    values = drawn(40)
    once = measured([[value] for value in values])
    thrice = measured([[value] * 3 for value in values])
    assert thrice.ci95 == once.ci95, "three candidates with equal scores tell no more than one"
    alone = measured([[value] for value in values for _ in range(3)])
    assert alone.ci95[1] - alone.ci95[0] < 0.7 * (once.ci95[1] - once.ci95[0])


def test_what_it_rests_on_is_said():
    assert measured([]).way is None and measured([[3.0]]).way is None
    assert measured([[3.0]]).as_json()["interval"] is None
    assert measured([[3.0], [4.0]]).way == "student"
    assert measured([[3.0]] * 20).way == "rule of three"
    assert measured([[1.0], [5.0]] * 20).way == "wilson"
    assert rate("r", "R", 3, 10, 10).as_json()["interval"] == "wilson"


def test_a_mean_of_ends_is_a_rate():
    found = measured([[1.0]] * 3 + [[0.0]] * 17, Span(min=0, max=1, better="higher"), Scale(min=0, max=1))
    assert found.ci95 == pytest.approx(stats.binomtest(3, 20).proportion_ci(method="wilson"), abs=1e-12)
    many = measured([[1.0]] * 3 + [[0.0]] * 5_000, Span(min=0, max=1, better="higher"), Scale(min=0, max=1))
    assert many.way == "wilson", "however many items there are"


@pytest.mark.parametrize("n", [2, 9, 30, 3_000])
def test_a_rate_of_none_or_all_is_one_too(n):
    found = measured([[1.0]] * n, Span(min=0, max=1, better="higher"), Scale(min=0, max=1))
    assert found.way == "wilson"
    assert found.ci95 == pytest.approx(stats.binomtest(n, n).proportion_ci(method="wilson"), abs=1e-12)


@pytest.mark.parametrize("n", [3, 30])
def test_means_that_differ_in_their_last_bits_are_equal(n):
    """Else their interval would have no width, and three items would be certain."""
    found = measured([[4.1 - 4], [3.1 - 3], [2.1 - 2]] * (n // 3), Span(min=-4, max=4, better="higher"), None)
    assert found.way == "rule of three"
    assert found.ci95 == pytest.approx((0.1 - 4.1 * (1 - 0.05 ** (1 / n)), 0.1 + 3.9 * (1 - 0.05 ** (1 / n))))


def test_memory_is_bounded_by_students_interval():
    rng = random.Random(3)
    values = [rng.uniform(1, 5) for _ in range(MOST + 5)]
    tally = Tally(FIVE)
    for value in values:
        tally.add([value])
    assert tally._means is None
    found = tally.measure("x", "X", len(values), SPAN)
    assert found.way == "student"
    assert found.ci95 == pytest.approx(stats.t.interval(0.95, MOST + 4, np.mean(values), stats.sem(values)), abs=1e-9)
    few = [[round(value * 10) / 10] for value in values]
    assert len({value for (value,) in few}) <= FEW_VALUES and measured(few).way == "bootstrap"


@pytest.mark.parametrize(
    ("low", "high", "values", "expected"),
    [
        (1, 5, [1, 3.4, 3.5, 5], {"1": 1, "2": 0, "3": 1, "4": 1, "5": 1}),
        (0, 100, [0, 9.4, 55, 100], {"0-9": 2, "50-59": 1, "90-100": 1}),
        (6, 30, [6, 30], {"6-8": 1, "28-30": 1}),
        (0.5, 4, [0.5, 0.84, 0.86, 4], {"0.5-0.85": 2, "0.85-1.2": 1, "3.65-4": 1}),
    ],
)
def test_the_histogram_has_points_or_ten_bands(low, high, values, expected):
    span = Span(min=low, max=high, better="higher")
    found = dict(measured([[value] for value in values], span, span).histogram)
    assert {band: count for band, count in found.items() if count or band in expected} == expected
    assert sum(found.values()) == len(values)


@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 100), (6, 30), (0.5, 4)])
def test_a_score_falls_into_the_bar_that_counts_it(low, high):
    span = Span(min=low, max=high, better="higher")
    for value in (low, low + 0.4999, low + 0.5, (low + high) / 2, high - 0.5, high):
        found = measured([[value]], span, span)
        assert [label for label, count in found.histogram if count] == [bar_of(found, value)]
    assert bar_of(replace(found, histogram=()), low) is None
