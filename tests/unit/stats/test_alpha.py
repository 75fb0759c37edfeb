"""Krippendorff's alpha against a transcription of its definition by coincidences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from adjudge.stats import alpha as module
from tests.unit.stats.tables import moved, one_more

LEVELS = ["nominal", "ordinal", "interval"]


def alpha(*given):
    return module.alpha(*given)


def by_definition(table, level):
    """Krippendorff (2011): the matrix of coincidences, the margins, and a difference for each pair of values."""
    units = [[value for value in row if not np.isnan(value)] for row in table]
    units = [unit for unit in units if len(unit) >= 2]
    points = sorted({value for unit in units for value in unit})
    seen = dict.fromkeys(itertools.product(points, points), 0.0)
    for unit in units:
        for one, other in itertools.permutations(unit, 2):
            seen[one, other] += 1 / (len(unit) - 1)
    margin = {point: sum(seen[point, other] for other in points) for point in points}
    n = sum(margin.values())

    def difference(c, k):
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = sorted((c, k))
        between = sum(margin[point] for point in points if low <= point <= high)
        return (between - (margin[c] + margin[k]) / 2) ** 2

    observed = sum(seen[c, k] * difference(c, k) for c in points for k in points)
    expected = sum(margin[c] * margin[k] * difference(c, k) for c in points for k in points) / (n - 1)
    return 1 - observed / expected


def tables():
    draw = np.random.default_rng(3)
    for at in range(200):
        units, raters = (1, 2, 3, 6, 12, 30)[at % 6], (2, 3, 5, 8)[at % 4]
        drawn = draw.integers(1, 6, (units, 1)) + draw.integers(-1, 2, (units, raters)) * (at % 3)
        table = drawn.astype(float) if at % 9 else np.full((units, raters), 2.0)
        if at % 5 == 2:
            table = table + np.round(draw.normal(0, 0.5, table.shape), 1)
        table[draw.random(table.shape) < (0.0, 0.2, 0.6)[at % 3]] = np.nan
        yield table


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_as_defined(level):
    known = 0
    for table in tables():
        (found,) = alpha(table, np.ones(len(table)), level)
        pairable = [row[~np.isnan(row)] for row in table if (~np.isnan(row)).sum() >= 2]
        if not pairable:
            assert (found.value, found.reason) == (None, "none")
        elif len(set(np.concatenate(pairable))) == 1:
            assert (found.value, found.reason) == (None, "same")
        else:
            known += 1
            assert found.value == pytest.approx(by_definition(table, level), abs=1e-9)
    assert known > 130


def test_the_example_krippendorff_prints():
    gap = np.nan
    table = np.array(
        [
            [1, 1, gap, 1],
            [2, 2, 3, 2],
            [3, 3, 3, 3],
            [3, 3, 3, 3],
            [2, 2, 2, 2],
            [1, 2, 3, 4],
            [4, 4, 4, 4],
            [1, 1, 2, 1],
            [2, 2, 2, 2],
            [gap, 5, 5, 5],
            [gap, gap, 1, 1],
            [gap, gap, 3, gap],
        ]
    )
    found = [one.value for one in alpha(table, np.ones(12), "nominal", "ordinal", "interval")]
    assert found == pytest.approx([0.743, 0.815, 0.849], abs=5e-4)


@pytest.mark.parametrize("level", LEVELS)
def test_the_influence_is_what_a_unit_more_does(level):
    gap = np.nan
    table = np.array([[1, 2, 2], [3, 3, gap], [5, 4, 2], [gap, 4, gap], [1, 1, 4], [2, gap, 3]])

    def measure(counts):
        return alpha(table, counts, level)[0]

    counts = np.array([3.0, 1, 2, 4, 2, 1])
    assert moved(measure, counts) == pytest.approx(one_more(measure, counts), abs=1e-3)


@pytest.mark.parametrize("level", LEVELS)
def test_rows_that_occur_several_times_count_as_often(level):
    table, counts = np.array([[1, 2, 2], [3, 3, np.nan], [5, 4, 2]]), np.array([3, 1, 2])
    (found,) = alpha(table, counts.astype(float), level)
    (full,) = alpha(np.repeat(table, counts, axis=0), np.ones(6), level)
    assert found.value == pytest.approx(full.value, abs=1e-12)
    assert np.repeat(found.influence, counts) == pytest.approx(full.influence, abs=1e-12)
