"""Two one-sided tests against statsmodels; how often sides that differ by the margin pass for the same."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from adjudge.stats.board import generator
from adjudge.stats.equivalence import equivalence
from adjudge.stats.interval import mean_interval
from tests.unit.stats.columns import moments_of


@pytest.mark.parametrize("number", range(200))
def test_as_statsmodels_has_it(number: int) -> None:
    rng = generator(number, "tost")
    n = int(rng.integers(2, 60))
    a = rng.integers(1, 6, n).astype(np.float64)
    b = a + (rng.integers(-2, 3, n) if number % 2 else rng.normal(0.1, 0.7, n))
    if (b - a).std() < 1e-9:
        b[0] += 1.0
    margin = float(rng.uniform(0.05, 1.0))
    known = ttost_paired(b, a, -margin, margin)[0]
    assert equivalence(b - a, margin, 4.0) == pytest.approx(float(known), abs=1e-9)


@pytest.mark.parametrize("values", [[], [0.3]])
def test_unknown_below_two(values: list[float]) -> None:
    assert equivalence(np.array(values), 0.2, 4.0) is None


@pytest.mark.parametrize("value", [0.0, 0.1, -0.15, 0.2, 1.0, -4.0])
@pytest.mark.parametrize("n", [2, 10, 58, 59, 200])
def test_equal_differences_agree_with_their_interval(value: float, n: int) -> None:
    p = equivalence(np.full(n, value), 0.2, 4.0)
    ends = mean_interval(moments_of([value] * n), -4.0, 4.0)
    assert p is not None
    assert ends is not None
    inside = ends[0] >= -0.2 and ends[1] <= 0.2
    # the interval goes both ways, the test the shorter one
    assert not inside or p <= 0.05
    assert value != 0.0 or inside == (p <= 0.05)


def test_a_margin_as_wide_as_the_scale_is_always_kept() -> None:
    assert equivalence(np.zeros(2), 4.0, 4.0) == 0.0


def test_a_difference_of_the_margin_passes_once_in_twenty_at_most() -> None:
    rng = generator(0, "margin")
    smooth = rng.normal(0.2, 0.3, (4_000, 30))
    points = rng.choice([0.0, 1.0, -1.0], size=(4_000, 200), p=[0.7, 0.25, 0.05])
    for tables in (smooth, points):
        passed = np.mean([(equivalence(row, 0.2, 4.0) or 0.0) <= 0.05 for row in tables])
        # 5 %, and three standard errors of 4,000 repeats
        assert passed <= 0.05 + 3 * (0.05 * 0.95 / 4_000) ** 0.5
