"""Strengths of whatever totals: finite, centred, and a win more never makes a candidate weaker."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.bradley_terry import fitted, strengths
from adjudge.stats.cycles import circles, condorcet

SCORE = st.one_of(st.just(float("nan")), st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))
TABLES = st.integers(2, 6).flatmap(
    lambda size: st.lists(st.lists(SCORE, min_size=size, max_size=size), max_size=25).map(
        lambda rows: np.array(rows, dtype=float).reshape(-1, size)
    )
)


@given(TABLES)
def test_strengths_are_finite_and_within_their_intervals(totals):
    found = strengths(totals)
    comparing = int((np.sum(~np.isnan(totals), axis=1) > 1).sum())
    if comparing < 2:
        assert found is None
        return
    assert found is not None and found.items == comparing
    assert np.isfinite([found.log, found.low, found.high]).all() and abs(found.log.sum()) < 1e-9
    assert ((found.low < found.log) & (found.log < found.high)).all()
    assert (found.wins + found.wins.T <= comparing).all()
    winner = condorcet(found.wins)
    assert all(winner not in circle for circle in circles(found.wins))


@given(TABLES, st.data())
def test_a_win_more_makes_nobody_weaker(totals, data):
    size = totals.shape[1]
    wins = np.nan_to_num(np.abs(np.round(totals[:size, :size]))) % 50 if len(totals) >= size else np.zeros((size, size))
    wins = wins * (1 - np.eye(size))
    one, other = data.draw(st.permutations(range(size)))[:2]
    more = wins.copy()
    more[one, other] += 1
    before, after = fitted(wins), fitted(more)
    assert after[one] - before[one] > -1e-9 and after[other] - before[other] < 1e-9
    # its rival gains on nobody: the gap between the two is wider
    assert after[one] - after[other] > before[one] - before[other]
