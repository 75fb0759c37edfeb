"""Two sides on the same items: the figures against scipy and statsmodels, and the one word that they allow."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

from adjudge.stats.board import Axis, Floats, Ints, generator
from adjudge.stats.paired import MARGIN_SHARE, UNITS_MIN, Paired, compare_pair, holm, settle
from adjudge.stats.paired import Tested as Found
from adjudge.stats.power import items_needed, smallest_shown
from adjudge.stats.signs import sign_flips
from tests.unit.stats.columns import LOWER, SCALE, column, scores


def compared(a: Floats, b: Floats, axis: Axis = SCALE, **how: Any) -> Paired:
    return compare_pair(a, b, axis=axis, rng=generator(0, "compared"), **how)


def found(difference: float, low: float, high: float, p: float, same: float = 1.0) -> Found:
    return Found(
        n=50, units=50, difference=difference, interval=(low, high), p_adjusted=p, same_adjusted=same, p=p, same=same
    )


def paired(seen: Found, best: Found | None = None, worst: Found | None = None, **other: Any) -> Paired:
    pair = compared(column(3.0, 3.0), column(3.0, 4.0))
    return replace(pair, seen=seen, best=best, worst=worst, margin=0.2, **other)


@pytest.mark.parametrize("number", range(200))
def test_figures_as_scipy_and_statsmodels_have_them(number: int) -> None:
    rng = generator(number, "figures")
    a, b = scores(int(rng.integers(2, 40)), number, rng)
    pair, both = compared(a, b), ~np.isnan(a) & ~np.isnan(b)
    x, y = a[both], b[both]
    assert pair.n == len(x)
    assert pair.only_a == int((~np.isnan(a) & np.isnan(b)).sum())
    assert pair.only_b == int((~np.isnan(b) & np.isnan(a)).sum())
    assert pair.n + pair.only_a + pair.only_b + pair.neither == len(a)
    assert (pair.wins, pair.losses, pair.ties) == ((y > x).sum(), (y < x).sum(), (y == x).sum())
    if not len(x):
        assert [pair.mean_a, pair.mean_b, pair.difference, pair.interval, pair.p] == [None] * 5
        return
    assert pair.mean_a == pytest.approx(x.mean(), abs=1e-9)
    assert pair.mean_b == pytest.approx(y.mean(), abs=1e-9)
    assert pair.difference == pytest.approx((y - x).mean(), abs=1e-9)
    if len(x) < 2:
        assert [pair.interval, pair.seen.sd, pair.smallest] == [None] * 3
        return
    sd = (y - x).std(ddof=1)
    assert pair.seen.sd == pytest.approx(sd, abs=1e-9)
    if len(x) < UNITS_MIN:
        assert pair.smallest is pair.needed is None
    elif sd > 1e-9:
        least = smallest_shown(sd, len(x))
        assert least is not None
        assert pair.smallest == (pytest.approx(least, abs=1e-9) if least <= pair.axis.span else None)
        assert pair.needed == items_needed((y - x).mean(), sd)


def test_nothing_is_reckoned_from_few_sources_and_no_difference_is_wider_than_the_scale() -> None:
    a, b = np.full(10, 3.0), np.tile([1.0, 5.0, 2.0, 4.0, 3.5], 2)
    few = compared(a, b, clusters=np.repeat(np.arange(4), [3, 3, 2, 2]))
    assert few.seen.units == 4 and few.smallest is few.needed is None
    # the test itself can't show anything of four units: 2 of 16 signs are as far out, half of them counted
    assert compared(a[:4], b[:4] * 0 + 5).seen.mid == pytest.approx(1 / 16)
    known = compared(a, b, clusters=np.repeat(np.arange(5), 2))
    assert known.smallest is not None and known.smallest <= known.axis.span and known.needed is not None
    wide = compared(np.array([1.0, 5.0, 1.0, 5.0, 1.0]), np.array([5.0, 1.0, 5.0, 1.0, 5.0]))
    assert wide.smallest is None and wide.needed is not None


@pytest.mark.parametrize("number", range(40))
def test_few_items_have_the_interval_of_the_paired_t_test(number: int) -> None:
    rng = generator(number, "few")
    n = int(rng.integers(2, 10))
    a = rng.uniform(2.5, 3.5, n)
    b = a + rng.normal(0.0, 0.05, n)
    known = stats.ttest_rel(b, a).confidence_interval()
    assert compared(a, b).interval == pytest.approx((float(known.low), float(known.high)), abs=1e-9)


def test_p_is_near_that_of_the_paired_t_test_where_both_hold() -> None:
    for number in range(20):
        rng = generator(number, "t")
        a = rng.normal(3.0, 0.5, 300)
        b = a + rng.normal(0.03, 0.4, 300)
        assert compared(a, b).p == pytest.approx(float(stats.ttest_rel(b, a).pvalue), abs=0.02)


@pytest.mark.parametrize("number", range(200))
def test_spread_over_clusters_as_statsmodels_has_it(number: int) -> None:
    rng = generator(number, "clusters")
    n = int(rng.integers(4, 80))
    clusters: Ints = rng.integers(0, max(2, n // 3), n)
    clusters[:2] = 0, 1
    a, b = scores(n, 2, rng, gaps=0.0)
    pair = compared(a, b, clusters=clusters)
    known: Any = sm.OLS(b - a, np.ones(n)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    assert pair.seen.units == len(set(clusters.tolist()))
    assert pair.seen.sd is not None
    assert pair.seen.sd / math.sqrt(pair.seen.units) == pytest.approx(float(known.bse[0]), abs=1e-9)
    assert pair.difference == pytest.approx(float(known.params[0]), abs=1e-9)


def test_a_row_given_twice_adds_nothing_when_it_is_known_to_be_the_same() -> None:
    for number in range(6):
        a, b = scores(30, number, generator(number, "twice"), gaps=0.0)
        once, twice = compared(a, b), compared(np.tile(a, 2), np.tile(b, 2), clusters=np.tile(np.arange(30), 2))
        assert twice.n == 60
        assert twice.p == pytest.approx(once.p, abs=0.02)
        assert twice.interval == pytest.approx(once.interval, abs=1e-9)
        assert twice.smallest == pytest.approx(once.smallest, abs=1e-9)
        assert twice.needed == 2 * (once.needed or 0)


def test_clusters_of_one_item_are_items() -> None:
    a, b = scores(25, 0, generator(0, "ones"))
    alone = compared(a, b, clusters=np.arange(100, 125))
    assert replace(alone, seen=replace(alone.seen)) == compared(a, b)


def test_order_of_items_and_numbers_of_clusters_decide_no_bit() -> None:
    for number in range(6):
        rng = generator(number, "order")
        a, b = scores(60, number, rng)
        clusters, order = rng.integers(0, 20, 60), rng.permutation(60)
        turned = compared(a[order], b[order], clusters=(20 - clusters)[order])
        assert turned == compared(a, b, clusters=clusters)
        assert compared(a[order], b[order]) == compared(a, b)


@pytest.mark.parametrize("number", range(200))
def test_holm_as_statsmodels_has_it(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gc.collect", lambda: 0)  # statsmodels collects all garbage each time: most of the time here
    rng = generator(number, "holm")
    ps = np.round(rng.uniform(0, 0.3, int(rng.integers(1, 12))), 2)
    assert holm(ps.tolist()) == pytest.approx(multipletests(ps, method="holm")[1].tolist(), abs=1e-9)


def test_holm_counts_no_gaps() -> None:
    assert holm([None, 0.02, math.nan, 0.03]) == [None, 0.04, None, 0.04]
    assert holm([]) == []


def test_settling_adjusts_tests_of_difference_and_of_sameness_and_fillings_alike() -> None:
    rng = generator(0, "settled")
    plain = [compared(*scores(60, number, rng, gaps=0.02 * number)) for number in range(3)]
    settled = settle(plain)
    for pick in (lambda pair: pair.seen, lambda pair: pair.best or pair.seen, lambda pair: pair.worst or pair.seen):
        wanted_p = holm([pick(pair).mid for pair in plain])
        wanted_same = holm([pick(pair).same for pair in plain])
        adjusted = [(pick(pair).p_adjusted, pick(pair).same_adjusted) for pair in settled]
        # the first has no gaps, and so no fillings of its own
        assert adjusted[1:] == list(zip(wanted_p, wanted_same, strict=True))[1:]
    assert settled[0].best is settled[0].worst is None
    assert [pair.seen.p for pair in settled] == [pair.seen.p for pair in plain]


UP, DOWN = found(0.4, 0.3, 0.5, 0.001), found(-0.4, -0.5, -0.3, 0.001)
SAME, OPEN = found(0.0, -0.1, 0.1, 0.9, 0.01), found(0.1, -0.1, 0.3, 0.3, 0.2)
SMALL, SMALL_DOWN = found(0.1, 0.05, 0.15, 0.001, 0.001), found(-0.1, -0.15, -0.05, 0.001, 0.001)


@pytest.mark.parametrize(
    ("tests", "noise", "wanted"),
    [
        ([UP], None, ("better", "shown")),
        ([DOWN], None, ("worse", "shown")),
        ([SMALL], None, ("better", "small")),
        ([SAME], None, ("same", "within")),
        ([OPEN], None, ("not_separable", "test")),
        ([found(0.3, -0.01, 0.6, 0.04)], None, ("not_separable", "interval")),
        ([found(0.3, 0.01, 0.6, 0.06)], None, ("not_separable", "test")),
        ([found(0.0, -0.3, 0.1, 0.9, 0.01)], None, ("not_separable", "test")),
        ([UP], 0.4, ("better", "shown")),
        ([UP], 0.41, ("not_separable", "noise")),
        ([SMALL], 0.41, ("same", "within")),
        ([Found(n=1, units=1, difference=4.0, p=1.0, p_adjusted=1.0)], None, ("not_separable", "few")),
        ([Found(n=0, units=0)], None, ("not_separable", "few")),
        ([UP, UP, UP], None, ("better", "shown")),
        ([UP, UP, SMALL], None, ("better", "shown")),
        ([UP, UP, OPEN], None, ("blocked", "gaps")),
        ([UP, UP, DOWN], None, ("blocked", "gaps")),
        ([OPEN, UP, UP], None, ("blocked", "gaps")),
        ([OPEN, UP, OPEN], None, ("blocked", "gaps")),
        ([OPEN, OPEN, OPEN], None, ("not_separable", "test")),
        ([SAME, SAME, SAME], None, ("same", "within")),
        ([SAME, SMALL, SMALL_DOWN], None, ("same", "within")),
        ([SMALL, SMALL, SMALL_DOWN], None, ("same", "within")),
        ([SAME, UP, SAME], None, ("blocked", "gaps")),
        ([Found(n=0, units=0), UP, DOWN], None, ("blocked", "gaps")),
    ],
)
def test_the_word(tests: list[Found], noise: float | None, wanted: tuple[str, str]) -> None:
    pair = paired(*tests, noise=noise)
    assert pair.verdict == wanted
    assert (pair.word, pair.why) == wanted


def test_where_less_is_better_the_lower_side_is() -> None:
    a = np.tile([2.0, 3.0, 1.0, 2.0], 20)
    pair = compared(a, a - 1.0 + np.tile([0.0, 0.0, 0.0, 1.0], 20), axis=LOWER)
    assert pair.difference == -0.75
    assert (pair.word, pair.wins, pair.losses, pair.ties) == ("better", 60, 0, 20)


def test_gaps_block_and_a_clear_case_stands() -> None:
    a = np.tile([2.0, 3.0, 3.0, 4.0], 25)
    b = np.minimum(5.0, a + np.tile([1.0, 0.0, 1.0, 1.0], 25))
    few, many = b.copy(), b.copy()
    few[:3], many[:30] = np.nan, np.nan
    assert compared(a, b).word == "better"
    assert compared(a, few).word == "better"
    blocked = compared(a, many)
    assert blocked.verdict == ("blocked", "gaps")
    assert blocked.best is not None
    assert blocked.worst is not None
    filled = [np.where(np.isnan(many), end, many) - a for end in (5.0, 1.0)]
    assert [blocked.best.difference, blocked.worst.difference] == pytest.approx([rows.mean() for rows in filled])
    assert blocked.best.n == blocked.worst.n == 100


def test_gaps_of_either_side_are_filled_with_the_ends_of_the_scale() -> None:
    pair = compared(column(1.0, None, 2.0, None), column(2.0, 3.0, None, None), axis=LOWER)
    assert pair.best is not None
    assert pair.worst is not None
    # less is better: in favour of B, A's gap is 3 and B's is 0
    assert pair.best.difference == pytest.approx(((2 - 1) + (3 - 3) + (0 - 2)) / 3)
    assert pair.worst.difference == pytest.approx(((2 - 1) + (3 - 0) + (3 - 2)) / 3)
    assert (pair.n, pair.only_a, pair.only_b, pair.neither) == (1, 1, 1, 1)


def test_many_items_with_few_gaps_are_the_same_all_the_same() -> None:
    a = generator(0, "same").integers(1, 6, 20_000).astype(np.float64)
    b = np.clip(a + generator(1, "same").integers(-1, 2, 20_000), 1, 5)
    b[:200] = np.nan
    assert compared(a, b).verdict == ("same", "within")


@pytest.mark.parametrize(("n", "word"), [(2, "not_separable"), (58, "not_separable"), (59, "same"), (500, "same")])
def test_the_same_scores_are_the_same_only_from_so_many_items_on(n: int, word: str) -> None:
    a = np.tile([2.0, 4.0], n)[:n]
    pair = compared(a, a)
    assert (pair.difference, pair.p, pair.smallest, pair.needed) == (0.0, 1.0, None, None)
    assert pair.word == word


def test_the_margin_is_a_share_of_the_scale_unless_it_is_stated() -> None:
    a, b = scores(10, 0, generator(0))
    assert compared(a, b).margin == MARGIN_SHARE * 4.0
    assert compared(a, b, margin=0.5).margin == 0.5


def test_decimals_that_differ_by_the_same_count_as_equal() -> None:
    a = column(0.3, 0.4, 0.1, 1.7)
    pair = compared(a, column(0.7, 0.8, 0.5, 2.1), axis=LOWER)
    assert pair.seen.sd == 0.0
    assert (pair.seen.p, pair.p) == pytest.approx((2 / 2**4, 1 / 2**4), abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [((), ()), ((None,), (3.0,)), ((3.0,), (4.0,)), ((3.0, None), (4.0, 4.0))])
def test_hardly_any_items(a: tuple[float | None, ...], b: tuple[float | None, ...]) -> None:
    pair = compared(column(*a), column(*b))
    assert pair.word == "not_separable"
    assert pair.why == "few"


def rates(pairs: list[Paired], true: float = 0.0) -> tuple[float, float, float]:
    """How often the interval holds the truth, p is at most 0.05, and a winner is named."""
    ends = np.array([pair.interval for pair in pairs])
    held = (ends[:, 0] <= true + 1e-9) & (true - 1e-9 <= ends[:, 1])
    shown, named = ([pick(pair) for pair in pairs] for pick in (lambda pair: (pair.p or 0.0) <= 0.05, is_named))
    return float(held.mean()), float(np.mean(shown)), float(np.mean(named))


def is_named(pair: Paired) -> bool:
    return pair.word in ("better", "worse")


def near_the_end(n: int, off: float, up: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two systems on the same items, whole points 1-5, most of them good; B better by `up` where there is room."""
    quality = 5.4 - rng.gamma(1.5, 0.7, n)
    a, b = (np.clip(np.rint(quality + rng.normal(0.0, off, n) + more), 1, 5) for more in (0.0, up))
    return a, b


@pytest.mark.parametrize(
    ("n", "off", "up", "most"),
    [
        pytest.param(30, 0.6, 0.0, 0.965, id="half of the items differ"),
        pytest.param(100, 0.4, 0.3, 0.965, id="one is better"),
        pytest.param(100, 0.12, 0.0, 0.965, id="one in ten differs"),
        # with three items that differ no interval can be much narrower
        pytest.param(30, 0.12, 0.0, 0.985, id="one in ten of few items differs"),
    ],
)
def test_intervals_of_two_systems_hold_the_truth_and_the_words_err_seldom(
    n: int, off: float, up: float, most: float
) -> None:
    rng = generator(0, "systems", str(n), str(off))
    a, b = near_the_end(2_000_000, off, up, rng)
    true = float((b - a).mean()) if up else 0.0
    pairs = [compare_pair(*near_the_end(n, off, up, rng), axis=SCALE, rng=rng) for _ in range(2_000)]
    held, shown, named = rates(pairs, true)
    assert 0.935 <= held <= most
    # whole points have few different sums, and an exact test stays below its level: theory has no lower bound
    assert up or named <= shown <= 0.065


def test_rare_failures_of_one_side_that_is_as_good_on_the_whole() -> None:
    rng, pairs = generator(0, "rare failures"), []
    for _ in range(2_000):
        a = np.full(50, 3.0)
        b = a + rng.choice([0.0, 1.0, -2.0], 50, p=[0.7, 0.2, 0.1])
        pairs.append(compare_pair(a, b, axis=SCALE, rng=rng))
    held, _, named = rates(pairs)
    assert 0.935 <= held <= 0.965
    assert named <= 0.065


def test_where_sums_are_many_the_level_is_used_up() -> None:
    rng, pairs = generator(0, "coverage"), []
    for _ in range(2_000):
        a, b = scores(40, 1, rng, gaps=0.0)
        swap = rng.random(40) < 0.5
        pairs.append(compare_pair(np.where(swap, b, a), np.where(swap, a, b), axis=SCALE, rng=rng))
    held, shown, named = rates(pairs)
    assert 0.935 <= held <= 0.965
    assert 0.035 <= shown <= 0.065
    assert named <= 0.065


def test_items_of_one_source_mislead_who_takes_them_for_independent() -> None:
    rng, told, naive = generator(0, "sources"), [], []
    for _ in range(2_000):
        clusters = np.repeat(np.arange(40), rng.integers(1, 6, 40))
        own = rng.choice([-1.0, 0.0, 1.0], len(clusters), p=[0.1, 0.8, 0.1])
        gaps = rng.choice([-1.0, 0.0, 1.0], 40)[clusters] + own
        a = np.full(len(gaps), 3.0)
        told.append(compare_pair(a, a + gaps, axis=SCALE, clusters=clusters, rng=rng))
        naive.append(sign_flips(gaps, rng).mid <= 0.05)
    held, shown, _ = rates(told)
    assert np.mean(naive) > 0.2
    assert 0.035 <= shown <= 0.065
    assert 0.935 <= held <= 0.965


def test_where_few_items_differ_the_interval_is_that_of_the_paired_t_test() -> None:
    a = np.full(50, 3.0)
    b = a + np.array([1.0] * 5 + [2.0] + [0.0] * 44)
    known = stats.ttest_rel(b, a).confidence_interval()
    assert compared(a, b).interval == pytest.approx((float(known.low), float(known.high)), abs=1e-9)


@pytest.mark.parametrize(("n", "wanted"), [(1, "few"), (2, "equal"), (58, "equal"), (59, "within")])
def test_sides_that_rate_every_item_the_same_are_said_to(n: int, wanted: str) -> None:
    assert compared(np.full(n, 4.0), np.full(n, 4.0)).why == wanted
