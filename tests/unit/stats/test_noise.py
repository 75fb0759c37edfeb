"""The judge against itself: agreement of repeats, their reliability and the least difference they let through."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.board import generator
from adjudge.stats.noise import Noise, noise, noise_floor


def tables(seed: int, count: int = 200):
    """Random tables of repeats: ties, gaps, constants, few texts."""
    rng = generator(seed, "tables of repeats")
    for number in range(count):
        items, repeats = int(rng.integers(1, 30)), int(rng.integers(2, 6))
        own = rng.normal(3.5, rng.choice([0.0, 0.5, 1.5]), (items, 1))
        table = np.clip(np.round(own + rng.normal(0, rng.choice([0.0, 0.3, 1.0]), (items, repeats))), 1, 5)
        if number % 3 == 0:
            table[rng.random(table.shape) < 0.3] = np.nan
        if number % 5 == 0:
            table = table / 3
        yield table


def listed(table) -> list[list[float]]:
    """The texts with two scores or more, as plain lists."""
    rows = [[value for value in row if not math.isnan(value)] for row in table.tolist()]
    return [row for row in rows if len(row) > 1]


def reliable(table, clusters=None) -> tuple[float, float]:
    """The interval of the reliability, where there must be one."""
    found = noise(table, clusters)
    assert found is not None and found.reliability95 is not None
    return found.reliability95


def usual(rows) -> float:
    sizes = [len(row) for row in rows]
    return (sum(sizes) - sum(size**2 for size in sizes) / sum(sizes)) / (len(rows) - 1)


def test_counts_and_spread_are_those_of_the_definition():
    for table in tables(1):
        rows, found = listed(table), noise(table)
        if not rows:
            assert found is None
            continue
        assert found is not None
        pairs = [pair for row in rows for pair in itertools.combinations(row, 2)]
        assert (found.items, found.pairs) == (len(rows), len(pairs))
        assert found.equal == pytest.approx(sum(a == b for a, b in pairs) / len(pairs), abs=1e-12)
        assert found.near == pytest.approx(sum(abs(a - b) <= 1 + 1e-9 for a, b in pairs) / len(pairs), abs=1e-12)
        assert found.steady == sum(len(set(row)) == 1 for row in rows)
        within = sum(np.var(row) * len(row) for row in rows)
        assert found.freedom == sum(len(row) - 1 for row in rows)
        assert found.sd == pytest.approx(math.sqrt(within / found.freedom), abs=1e-9)


def test_the_reliability_is_that_of_the_analysis_of_variance():
    checked = 0
    for table in tables(2):
        rows, found = listed(table), noise(table)
        if len(rows) < 2 or found is None or found.sd == 0:
            continue
        ratio, checked = stats.f_oneway(*rows).statistic, checked + 1
        assert found.reliability == pytest.approx((ratio - 1) / (ratio + usual(rows) - 1), abs=1e-9)
    assert checked > 100


def test_its_interval_is_the_jackknife_of_the_logarithm_of_f():
    checked = 0
    for table in tables(3):
        rows, found = listed(table), noise(table)
        if found is None or found.reliability95 is None:
            continue
        n, checked = len(rows), checked + 1
        whole = math.log(stats.f_oneway(*rows).statistic)
        less = [math.log(stats.f_oneway(*rows[:at], *rows[at + 1 :]).statistic) for at in range(n)]
        pseudo = [n * whole - (n - 1) * one for one in less]
        ends = np.exp(stats.t.interval(0.95, n - 1, np.mean(pseudo), stats.sem(pseudo)))
        expected = (ends - 1) / (ends + usual(rows) - 1)
        assert found.reliability95 == pytest.approx(tuple(expected), abs=1e-9)
    assert checked > 80


def test_texts_of_one_item_are_left_out_together():
    rng = generator(4, "clusters")
    one = np.round(rng.normal(3, 1, (20, 1)) + rng.normal(0, 0.5, (20, 3)))
    twice, items = np.repeat(one, 2, axis=0), np.repeat(np.arange(20), 2)
    width = [ends[1] - ends[0] for ends in map(reliable, (one, twice, twice), (None, None, items))]
    assert width[1] < 0.8 * width[0], "the same item twice is taken for two"
    assert width[2] == pytest.approx(width[0], rel=0.05)


@pytest.mark.parametrize(
    ("table", "reliability"),
    [
        ([[3.0, 3.0], [3.0, 3.0]], None),
        ([[3.0, 3.0], [4.0, 4.0], [0.1, 0.1]], 1.0),
        ([[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]], None),
        ([[1.0, 2.0]], None),
    ],
)
def test_what_cannot_be_known_is_not_stated(table, reliability):
    found = noise(np.array(table))
    assert found is not None
    assert (found.reliability, found.reliability95) == (reliability, None)


def test_nothing_scored_twice_has_no_noise():
    assert noise(np.empty((0, 3))) is None
    assert noise(np.array([[1.0, np.nan], [np.nan, 2.0], [np.nan, np.nan]])) is None


@pytest.mark.parametrize(("mean", "between", "own"), [(3.0, 1.0, 0.5), (4.5, 1.0, 0.5), (4.8, 0.5, 0.3)])
def test_the_interval_covers_though_scores_are_neither_normal_nor_free(mean, between, own):
    rng = generator(5, "coverage", str(mean))

    def drawn(items):
        return np.clip(np.round(rng.normal(mean, between, (items, 1)) + rng.normal(0, own, (items, 3))), 1, 5)

    whole, hits, simulations = noise(drawn(200_000)), 0, 2_000
    assert whole is not None and whole.reliability is not None
    true = whole.reliability
    for _ in range(simulations):
        low, high = reliable(drawn(50))
        hits += low <= true <= high
    assert 0.935 <= hits / simulations <= 0.97


def known(sd: float, freedom: int = 100) -> Noise:
    return Noise(
        items=50,
        pairs=50,
        freedom=freedom,
        repeats=2,
        sd=sd,
        equal=0,
        near=0,
        steady=10,
        reliability=None,
        reliability95=None,
    )


def test_the_floor_is_twice_the_noise_of_a_mean():
    one = known(0.5)
    expected = stats.t.ppf(0.975, 100) * 0.5 * math.sqrt(2 / (80 * 3))
    assert one.smallest(80, 3) == pytest.approx(expected, abs=1e-12)
    assert one.sd_of_mean(4) == 0.25
    assert known(0.0).smallest(80, 3) == 0.0
    assert one.smallest(0, 3) == math.inf
    assert one.steady95 == pytest.approx(stats.binomtest(10, 50).proportion_ci(method="wilson"), abs=1e-12)


def test_noise_alone_is_above_the_floor_five_times_in_a_hundred_however_few_repeats_told_it():
    """Two texts twice: with the freedom of two judges, as if both had been measured, it would be 9 in a hundred."""
    rng, above, simulations = generator(8, "few"), 0, 4_000
    for _ in range(simulations):
        found = noise(rng.normal(0, 1, (2, 2)))
        assert found is not None
        above += abs(rng.normal(0, math.sqrt(2 / (10 * 2)))) > found.smallest(10, 2)
    assert 0.035 <= above / simulations <= 0.065


def test_two_judges_have_the_freedom_of_welch():
    a, b = known(0.5, 20), known(1.0, 7)
    parts = [0.25 / (30 * 2), 1.0 / 30]
    freedom = int(sum(parts) ** 2 / (parts[0] ** 2 / 20 + parts[1] ** 2 / 7))
    expected = stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    assert noise_floor([(a, 2), (b, 1)], 30) == pytest.approx(expected, abs=1e-9)
    expected = stats.t.ppf(0.975, 7) * math.sqrt(1.0 / 30 + 1.0 / 60)
    assert noise_floor([(b, 1), (b, 2)], 30) == pytest.approx(expected, abs=1e-9), "one judge has its freedom once"


def test_noise_alone_is_above_the_floor_five_times_in_a_hundred():
    rng, simulations, above = generator(6, "floor"), 2_000, 0
    own = rng.normal(3, 1, (40, 1))
    for _ in range(simulations):
        first, second = (np.round(own + rng.normal(0, 0.7, (40, 3))) for _ in range(2))
        one = noise(first)
        assert one is not None
        above += abs(first.mean() - second.mean()) > one.smallest(40, 3)
    assert 0.035 <= above / simulations <= 0.065
