"""Non-negative least squares against scipy, and what it promises."""

from __future__ import annotations

import math
import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from adjudge.stats.monotone import RIDGE, non_negative, predicted

share = st.floats(0, 1).map(lambda value: round(value, 6))
tables = st.integers(1, 5).flatmap(lambda width: st.lists(st.tuples(share, *[share] * width), min_size=3, max_size=30))


def scipys(rows: numpy.ndarray, targets: numpy.ndarray) -> numpy.ndarray:
    """The same problem: columns standardised, the ridge as rows of its own."""
    n, scales = len(rows), rows.std(axis=0)
    columns = (rows - rows.mean(axis=0)) / scales
    below = math.sqrt(RIDGE * n) * numpy.eye(rows.shape[1])
    found, _ = optimize.nnls(
        numpy.vstack([columns, below]), numpy.concatenate([targets - targets.mean(), numpy.zeros(len(below))])
    )
    return numpy.asarray(found / scales)


@given(tables)
def test_weights_are_scipys(table):
    rows = numpy.array([line[1:] for line in table])
    targets = numpy.array([line[0] for line in table])
    if (rows.std(axis=0) < 1e-3).any():
        return
    base, weights = non_negative(rows.tolist(), targets.tolist())
    wanted = scipys(rows, targets)
    assert weights == pytest.approx(wanted, abs=1e-6)
    assert base == pytest.approx(targets.mean() - rows.mean(axis=0) @ wanted, abs=1e-6)


@given(tables, st.data())
def test_a_better_part_never_lowers_the_result(table, data):
    base, weights = non_negative([line[1:] for line in table], [line[0] for line in table])
    assert all(weight >= 0 for weight in weights)
    row = list(table[0][1:])
    at = data.draw(st.integers(0, len(row) - 1))
    better = [*row[:at], min(1.0, row[at] + data.draw(share)), *row[at + 1 :]]
    assert 0 <= predicted(base, weights, row) <= predicted(base, weights, better) + 1e-12 <= 1 + 1e-12


def test_a_column_that_never_varies_weighs_nothing():
    generator = random.Random(0)
    rows = [(0.5, generator.random()) for _ in range(50)]
    base, weights = non_negative(rows, [0.1 + 0.5 * row[1] for row in rows], ridge=0.0)
    assert weights == pytest.approx([0.0, 0.5])
    assert base == pytest.approx(0.1)


def test_two_columns_that_say_the_same_share_the_weight():
    generator = random.Random(1)
    values = [generator.random() for _ in range(50)]
    _, weights = non_negative([(value, value) for value in values], values)
    assert weights[0] == pytest.approx(weights[1])
