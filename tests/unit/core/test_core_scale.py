"""A scale says its ends, its direction and its points once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.scale import Scale

HIGH, LOW = Scale(min=1, max=5), Scale(min=0, max=3, better="lower")


def test_ends_and_points():
    assert (HIGH.best, HIGH.worst, list(HIGH.points)) == (5, 1, [1, 2, 3, 4, 5])
    assert (LOW.best, LOW.worst, list(LOW.points)) == (0, 3, [0, 1, 2, 3])
    assert HIGH.holds(1) and HIGH.holds(4.5) and not HIGH.holds(0.99) and not HIGH.holds(float("nan"))


def test_normalised_goes_from_worst_to_best():
    assert [HIGH.normalised(point) for point in (1, 3, 5)] == [0, 0.5, 1]
    assert [LOW.normalised(point) for point in (3, 0)] == [0, 1]


@pytest.mark.parametrize(("value", "point"), [(2.5, 3), (2.4999, 2), (3.5, 4), (1, 1), (4.5, 5), (0.5, 1)])
def test_halves_go_up(value, point):
    assert HIGH.point(value) == point
    assert Scale(min=-5, max=5).point(-2.5) == -2


@given(st.integers(-50, 50), st.integers(1, 100), st.floats(0, 1), st.sampled_from(["higher", "lower"]))
def test_every_value_has_a_point_of_the_scale(low, width, share, better):
    scale = Scale(min=low, max=low + width, better=better)
    value = low + share * width
    assert scale.point(value) in scale.points
    assert abs(scale.point(value) - value) <= 0.5 + 1e-9
    assert -1e-9 <= scale.normalised(value) <= 1 + 1e-9
