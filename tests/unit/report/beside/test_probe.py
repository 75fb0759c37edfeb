"""The figures of the batch probe, against scipy and numpy."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.core.judge import Criterion
from adjudge.core.scale import Scale
from adjudge.report.beside.probe import Probe, compared
from adjudge.report.beside.row import Row
from tests.unit.report import sample

FIVE = Criterion(name="coverage", kind="rating", scale=Scale(min=1, max=5))
POINTS = st.integers(1, 5).map(float)


@given(st.lists(st.tuples(POINTS, POINTS), min_size=2, max_size=60))
def test_figures_are_those_of_scipy(pairs):
    found = compared(FIVE, pairs)
    batch, single = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    difference, n = single - batch, len(pairs)
    assert found.n == n
    assert found.difference == pytest.approx(difference.mean(), abs=1e-9)
    assert (found.batch, found.single) == pytest.approx((batch.mean(), single.mean()), abs=1e-9)
    assert found.changed == int((abs(difference) >= 1).sum())
    if difference.std() > 0:
        error = difference.std(ddof=1) / np.sqrt(n)
        low, high = stats.t.interval(0.95, n - 1, loc=difference.mean(), scale=error)
        assert found.ci95 == pytest.approx((max(-4, low), min(4, high)), abs=1e-9)
    if np.ptp(batch) and np.ptp(single):
        assert found.correlation == pytest.approx(stats.spearmanr(batch, single).statistic, abs=1e-9)


def draws(n, shift=0.0, noise=0.0, seed=1):
    draw = random.Random(seed)
    true = [draw.choice([1, 2, 3, 4, 5]) for _ in range(n)]
    return [(min(5.0, max(1.0, one - shift + draw.gauss(0, noise))), float(one)) for one in true]


def test_a_shift_that_is_certain_and_large_enough_changes_the_verdicts():
    assert compared(FIVE, draws(50, shift=0.6, noise=0.2)).shifted
    assert not compared(FIVE, draws(50, shift=0.05, noise=0.01)).shifted, "certain, and too small to matter"
    assert not compared(FIVE, draws(3, shift=0.5, noise=0.9)).shifted, "large, and not certain"
    assert not compared(FIVE, [(5.0, 5.0)] * 50).shifted


def test_a_lost_order_needs_items_enough_that_really_differ():
    draw = random.Random(3)
    lost = [(float(draw.randint(1, 5)), float(draw.randint(1, 5))) for _ in range(40)]
    assert compared(FIVE, lost).reordered
    assert not compared(FIVE, lost[:10]).reordered
    flat = [(5.0, 5.0)] * 48 + [(5.0, 4.0), (4.0, 5.0)]
    assert compared(FIVE, flat).correlation == pytest.approx(-0.02, abs=0.01)
    assert not compared(FIVE, flat).reordered, "two items of fifty decide such a correlation"


def test_noise_alone_is_warned_of_in_three_of_a_hundred_probes_at_most():
    """One verdict in five is a point off, on either side: over 1,000 simulated probes of 50 items."""
    draw, warned = random.Random(5), 0

    def off(true: int) -> float:
        return float(min(5, max(1, true + draw.choice([-1, 1])))) if draw.random() < 0.2 else float(true)

    for _ in range(1000):
        found = compared(FIVE, [(off(true), off(true)) for true in (draw.randint(1, 5) for _ in range(50))])
        warned += found.shifted or found.reordered
    assert warned <= 30


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_table_says_how_many_of_how_many(lang):
    judge = sample.single(lang)
    state = sample.state(judge, 12)
    state = replace(state, run=replace(state.run, probe_batch=3, batch_size=4))
    probe = Probe(judge, state)
    for n in range(4):
        outcome = sample.verdict(f"i{n}", {"coverage": 2.0, "accuracy": 3.0})
        alone = {"coverage": 3.0} if n < 2 else {}
        probe.add(replace(outcome, probe=alone), Row(judge, None))
    section = probe.section()
    assert section is not None
    assert (section.data["asked"], section.data["judged"]) == (3, 2)
    assert section.data["criteria"]["coverage"]["difference"] == 1.0
    assert section.data["criteria"]["accuracy"]["n"] == 0
    assert section.rows[1][1:] == ("— [—]", "— [—]", {"en": "0 of 0", "ru": "0 из 0"}[lang])
    assert len(section.notes) == 2


def test_there_is_no_table_where_nothing_was_probed_and_one_without_rows_where_all_failed():
    judge = sample.single()
    state = sample.state(judge, 12)
    assert Probe(judge, state).section() is None
    empty = Probe(judge, replace(state, run=replace(state.run, probe_batch=3, batch_size=4))).section()
    assert empty is not None and empty.rows == () and "None of the 3" in empty.notes[0]
