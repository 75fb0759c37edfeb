"""The slope over places, against scipy."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.report.beside.places import Places, changed
from adjudge.report.beside.row import Row
from adjudge.stats.interval import Moments
from tests.unit.report import sample


def moments(pairs):
    found: dict[int, Moments] = {}
    for place, score in pairs:
        found.setdefault(place, Moments()).add(score)
    return found


@given(st.lists(st.tuples(st.integers(1, 10), st.integers(1, 5).map(float)), min_size=3, max_size=80))
def test_the_slope_and_its_interval_are_scipys(pairs):
    places, scores = (np.array(side) for side in zip(*pairs, strict=True))
    found = changed(moments(pairs), 10)
    if np.ptp(places) == 0 or np.ptp(scores) == 0:
        assert found is None
        return
    assert found is not None
    expected = stats.linregress(places, scores)
    left = scores - expected.intercept - expected.slope * places
    error = np.sqrt((left**2).sum() / (len(pairs) - 2) / ((places - places.mean()) ** 2).sum())
    half = stats.t.ppf(0.975, len(pairs) - 2) * 9 * error
    assert error == pytest.approx(expected.stderr, abs=1e-6)
    assert found.n == len(pairs)
    assert found.change == pytest.approx(9 * expected.slope, abs=1e-9)
    assert found.ci95 == pytest.approx((9 * expected.slope - half, 9 * expected.slope + half), abs=1e-9)


def test_two_items_or_one_place_have_no_slope():
    assert changed(moments([(1, 2.0), (2, 3.0)]), 10) is None
    assert changed(moments([(1, 2.0)] * 10), 10) is None


def test_chance_alone_is_warned_of_in_no_more_than_one_of_a_hundred_criteria():
    draw, certain = random.Random(11), 0
    for _ in range(1000):
        found = changed(moments([(1 + n % 10, float(draw.randint(1, 5))) for n in range(200)]), 10, tests=5)
        certain += found is not None and found.certain
    assert certain <= 20, "at 1 % each, 10 are to be expected"


def drawn(scores, items=40, size=10):
    judge = sample.single()
    state = sample.state(judge, items)
    places = Places(judge, replace(state, run=replace(state.run, batch_size=size)))
    for n in range(items):
        place = 1 + n % size
        places.add(replace(sample.verdict(f"i{n}", {"coverage": scores(place, n)}), place=place), Row(judge, None))
    return places


def test_a_slope_is_shown_and_warned_of():
    places = drawn(lambda place, n: 5.0 - 0.2 * place)
    section = places.section()
    assert section is not None and section.data["coverage"]["warned"]
    assert section.data["coverage"]["change"] == pytest.approx(-1.8)
    (warning,) = places.warnings()
    assert "changes by -1.80" in warning


def test_no_slope_is_shown_and_not_warned_of():
    places = drawn(lambda place, n: 1.0 + n // 10)
    section = places.section()
    assert section is not None and not section.data["coverage"]["warned"]
    assert list(places.warnings()) == []


def test_few_items_and_items_without_a_place_have_no_table():
    assert drawn(lambda place, n: 5.0 - 0.2 * place, items=20).section() is None
    judge = sample.single()
    places = Places(judge, sample.state(judge, 40))
    for n in range(40):
        places.add(sample.verdict(f"i{n}", {"coverage": 3.0}), Row(judge, None))
    assert places.section() is None
