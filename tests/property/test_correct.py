"""Corrections of any columns: within the scale, in order, the same for any order of rows and any unit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.correct import Slice, estimate, joined
from adjudge.stats.rates import corrected_rate
from adjudge.stats.sampling import draw, expected_spread, stratify

scores = st.one_of(st.integers(1, 5).map(float), st.floats(1, 5, allow_nan=False).map(lambda one: round(one, 3)))
texts = st.lists(
    st.tuples(scores, st.one_of(st.none(), scores), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=40
).filter(lambda rows: any(row[1] is not None for row in rows))


def a_slice(rows) -> Slice:
    people = np.array([np.nan if row[1] is None else row[1] for row in rows])
    strata = joined(np.array([row[3] for row in rows]), ~np.isnan(people))
    return Slice(
        judge=np.array([row[0] for row in rows]),
        people=people,
        clusters=np.array([row[2] for row in rows]),
        strata=strata,
    )


@given(texts, st.randoms(use_true_random=False))
def test_means_lie_in_their_intervals_and_the_order_of_rows_decides_nothing(rows, random):
    found = estimate(a_slice(rows), 1, 5)
    assert 1 <= found.ci95[0] <= found.mean + 1e-12
    assert found.mean - 1e-12 <= found.ci95[1] <= 5
    assert found.of_labels >= 0
    assert found.of_items >= 0
    turned = list(rows)
    random.shuffle(turned)
    other = estimate(a_slice(turned), 1, 5)
    assert other.mean == pytest.approx(found.mean, abs=1e-6)
    assert other.ci95 == pytest.approx(found.ci95, abs=1e-6)


@given(texts, st.integers(-3, 3), st.sampled_from([0.5, 2.0, 4.0]))
def test_another_unit_of_the_scale_moves_all_figures_with_it(rows, shift, factor):
    data = a_slice(rows)
    found = estimate(data, -99, 99)
    moved = Slice(
        judge=data.judge * factor + shift,
        people=data.people * factor + shift,
        clusters=data.clusters,
        strata=data.strata,
    )
    other = estimate(moved, -99 * factor + shift, 99 * factor + shift)
    assert other.mean == pytest.approx(found.mean * factor + shift, abs=1e-6)
    assert other.ci95 == pytest.approx([end * factor + shift for end in found.ci95], abs=1e-5)


@given(
    st.lists(st.tuples(st.booleans(), st.one_of(st.none(), st.booleans()), st.integers(0, 9)), min_size=1, max_size=40)
)
def test_shares_lie_in_their_intervals(rows):
    data = Slice(
        judge=np.array([float(row[0]) for row in rows]),
        people=np.array([np.nan if row[1] is None else float(row[1]) for row in rows]),
        clusters=np.array([row[2] for row in rows]),
        strata=np.zeros(len(rows), dtype=np.int64),
    )
    found = corrected_rate(data)
    if found is None:
        return
    for one in (found.corrected, found.judge, found.labels, found.passed, found.failed):
        if one is not None:
            assert 0 <= one.ci95[0] <= one.rate + 1e-12
            assert one.rate - 1e-12 <= one.ci95[1] <= 1


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.sampled_from(["", "en", "ru", "=x"])), max_size=60),
    st.integers(1, 80),
)
def test_any_scores_can_be_drawn_from(rows, n):
    quality = np.array([np.nan if row[0] is None else row[0] for row in rows])
    strata = stratify(quality, [row[1] for row in rows])
    chosen = draw(
        strata, expected_spread(quality, strata), n, np.random.default_rng(0), [f"{k}" for k in range(len(rows))]
    )
    judged = int((~np.isnan(quality)).sum())
    assert len(chosen) == len(set(chosen)) == min(n, judged)
    assert not np.isnan(quality[chosen]).any()
    assert int(strata.sizes.sum()) == judged
