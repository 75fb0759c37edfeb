from __future__ import annotations

import pytest

from adjudge.core.errors import Malformed, Missing, OutOfScale
from adjudge.core.scale import Scale
from adjudge.reply.numbers import number

FIVE, PERCENT = Scale(min=1, max=5), Scale(min=0, max=100, unit="%")


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (4, 4),
        (4.0, 4),
        ("4", 4),
        (" **4** ", 4),
        ("4/5", 4),
        ("4 / 5", 4),
        ("4 out of 5", 4),
        ("4 из 5", 4),
        ("４", 4),
        ("４／５", 4),
        ("4,0", 4),
        ("4.0/5", 4),
        ("4 (good)", 4),
        ("4: minor gaps", 4),
    ],
)
def test_numbers_as_models_write_them(value, read):
    assert number(value, FIVE, where="x") == read


def test_a_percentage_needs_a_scale_of_percents():
    assert number("80%", PERCENT, where="x") == 80
    with pytest.raises(Malformed, match="percentage"):
        number("80%", FIVE, where="x")


@pytest.mark.parametrize("value", [0, 6, -1, "6", "0/5", 10**30, 10**350, -(10**350)])
def test_outside_the_scale_is_refused_not_clamped(value):
    with pytest.raises(OutOfScale, match="outside the scale 1 to 5"):
        number(value, FIVE, where="x")


@pytest.mark.parametrize(
    "value",
    [
        True,
        4.5,
        "4.5",
        "4,5",
        "4-5",
        "4—5",
        "4 or 5",
        "8/10",
        "four",
        "4½",
        float("nan"),
        float("inf"),
        [],
        {},
        "4" * 300,
    ],
)
def test_what_is_no_point_of_the_scale_is_malformed(value):
    with pytest.raises(Malformed):
        number(value, FIVE, where="x")


def test_a_comma_that_may_mark_thousands_is_refused():
    with pytest.raises(Malformed, match="thousands"):
        number("1,000", PERCENT, where="x")


@pytest.mark.parametrize("value", [None, "", "  "])
def test_no_score_is_missing(value):
    with pytest.raises(Missing):
        number(value, FIVE, where="x")


def test_the_embedded_judge_may_give_fractions_inside_the_scale():
    assert number(3.7, FIVE, where="x", fractions=True) == 3.7
    with pytest.raises(OutOfScale):
        number(5.1, FIVE, where="x", fractions=True)
