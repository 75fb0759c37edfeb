"""Intervals hold what they promise."""

from __future__ import annotations

import math
import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.conformal import half_width

residuals = st.lists(st.floats(-10, 10), min_size=5, max_size=60)


@given(residuals, st.sampled_from([0.5, 0.8, 0.9]))
def test_alone_in_their_groups_it_is_the_usual_quantile(values, share):
    rank = math.ceil(share * (len(values) + 1) - 1e-9)
    found = half_width(enumerate(values), share)
    if rank > len(values):
        assert found == math.inf
    else:
        # numpy.quantile takes a share, which rounding may move past a rank: 15 / 29 of 29 is more than 15
        assert found == pytest.approx(numpy.sort(numpy.abs(values))[rank - 1])


@given(residuals)
def test_a_group_of_many_weighs_as_much_as_a_group_of_one(values):
    many = [(at, value) for at, value in enumerate(values) for _ in range(1 + at % 3)]
    assert half_width(many, 0.8) == half_width(enumerate(values), 0.8)


def test_too_few_groups_promise_nothing():
    assert half_width([("a", 0.1), ("a", 0.2), ("b", 0.3)], 0.8) == math.inf


@pytest.mark.parametrize("per_group", [1, 4])
def test_a_new_group_is_held_as_often_as_promised(per_group):
    """Groups differ more than their members: with members counted one by one the interval would be too sure."""
    generator = random.Random(7)
    held = []
    for _ in range(1500):
        cases = [(group, _residual(generator, level)) for group in range(30) for level in [generator.gauss(0, 1)]]
        if per_group > 1:
            cases = [(group, value + generator.gauss(0, 0.2)) for group, value in cases for _ in range(per_group)]
        new = _residual(generator, generator.gauss(0, 1)) + (generator.gauss(0, 0.2) if per_group > 1 else 0.0)
        held.append(abs(new) <= half_width(cases, 0.8))
    # 25 of 31 places hold the new one
    assert sum(held) / len(held) == pytest.approx(25 / 31, abs=0.03)


def _residual(generator: random.Random, level: float) -> float:
    return level + generator.gauss(0, 0.1)
