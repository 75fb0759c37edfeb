"""Means of any scores: the interval lies on the scale and around the mean, and only the scores decide it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.scale import Scale
from adjudge.report.tally import Span, Tally

SPAN = Span(min=1, max=5, better="higher")
ITEMS = st.lists(
    st.lists(st.one_of(st.integers(1, 5), st.floats(1, 5)), min_size=1, max_size=3), min_size=2, max_size=40
)


def measured(items):
    tally = Tally(Scale(min=1, max=5))
    for item in items:
        tally.add(item)
    return tally.measure("x", "X", len(items), SPAN)


@given(ITEMS, st.randoms(use_true_random=False))
def test_the_interval_is_on_the_scale_around_the_mean_and_of_no_order(items, rng):
    found = measured(items)
    low, high = found.ci95
    assert 1 <= low <= found.mean + 1e-9 and found.mean - 1e-9 <= high <= 5
    assert sum(count for _, count in found.histogram) == sum(map(len, items))
    shuffled = [rng.sample(item, len(item)) for item in items]
    rng.shuffle(shuffled)
    assert measured(shuffled) == found
