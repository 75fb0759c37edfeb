"""Power of paired comparisons against statsmodels, tails of Student's t against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from adjudge.stats.board import generator
from adjudge.stats.power import items_needed, smallest_shown, student_tail


@pytest.mark.parametrize("df", [1, 2, 3, 7, 30, 400, 1_500, 100_000])
def test_tails_as_scipy_has_them(df: int) -> None:
    for t in (-3.0, 0.0, 0.4, 1.96, 4.3, 12.7):
        assert student_tail(t, df) == pytest.approx(float(stats.t.sf(t, df)), abs=1e-9)
        for shift in (-2.5, 0.7, 2.8, 6.0):
            assert student_tail(t, df, shift) == pytest.approx(float(stats.nct.sf(t, df, shift)), abs=1e-9)


@pytest.mark.parametrize("number", range(200))
def test_the_smallest_difference_is_shown_four_times_in_five(number: int) -> None:
    rng = generator(number, "smallest")
    n, sd = int(rng.integers(2, 5_000)), float(rng.uniform(0.1, 3.0))
    least = smallest_shown(sd, n)
    assert least is not None
    assert float(TTestPower().power(least / sd, n, 0.05)) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("number", range(200))
def test_as_many_items_as_statsmodels_wants(number: int) -> None:
    effect = float(generator(number, "needed").uniform(0.03, 1.2))
    known = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
    assert items_needed(-effect * 2.0, 2.0) == math.ceil(float(known))


def test_one_item_less_is_too_few() -> None:
    for effect in (0.01, 0.2, 0.5, 1.0, 2.0, 5.0):
        n = items_needed(effect, 1.0)
        assert n is not None
        assert float(TTestPower().power(effect, n, 0.05)) >= 0.8
        assert n == 2 or float(TTestPower().power(effect, n - 1, 0.05)) < 0.8


def test_other_levels() -> None:
    known = TTestPower().solve_power(effect_size=0.3, alpha=0.01, power=0.95)
    assert items_needed(0.3, 1.0, power=0.95, level=0.01) == math.ceil(float(known))
    assert smallest_shown(1.0, 50, power=0.95, level=0.01) == pytest.approx(
        float(TTestPower().solve_power(nobs=50, alpha=0.01, power=0.95)), abs=1e-4
    )


@pytest.mark.parametrize(("difference", "sd"), [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1e-9, 1.0)])
def test_no_number_of_items_is_named_where_none_is_known(difference: float, sd: float) -> None:
    assert items_needed(difference, sd) is None


@pytest.mark.parametrize(("sd", "n"), [(1.0, 0), (1.0, 1), (0.0, 50)])
def test_no_smallest_difference_without_a_spread(sd: float, n: int) -> None:
    assert smallest_shown(sd, n) is None


def test_scores_themselves_show_the_smallest_difference_four_times_in_five() -> None:
    least, rng = smallest_shown(1.0, 40) or 0.0, generator(0, "themselves")
    tables = rng.normal(least, 1.0, (4_000, 40))
    shown = np.abs(tables.mean(axis=1)) / tables.std(axis=1, ddof=1) * math.sqrt(40) >= stats.t.isf(0.025, 39)
    assert shown.mean() == pytest.approx(0.8, abs=0.025)
