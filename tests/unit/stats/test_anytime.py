"""Intervals that hold at every moment: against the definition, by simulation, and beside one that does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjudge.stats.anytime import Anytime, Wealth
from adjudge.stats.interval import student_quantile

ROUNDS = 2_000


def by_definition(
    draws: list[list[float]], mean: float, *, most: int, of: int | None, aim: float | None
) -> tuple[float, bool]:
    """What there is of bets against a mean, and whether it was ever enough: one draw, one bet, one number at a time."""
    effects = [None] if aim else [0.1, 0.2, 0.4, 0.8]
    up, down = [1 / len(effects)] * len(effects), [1 / len(effects)] * len(effects)
    total, count, squares, rich = 0.0, 0.0, 0.25, False
    for number, values in enumerate(draws, start=1):
        own, share = sum(values) / most, len(values) / most
        left = None if of is None else of - number + 1
        # what the next draw is worth if this is the mean: what has no value is worth the mean itself
        expected = mean if of is None or left is None else (of * mean - total - (number - 1 - count) * mean) / left
        worth = own + (1 - share) * mean
        variance = squares / number
        for place, effect in enumerate(effects):
            if effect is None:
                assert aim is not None
                bet = aim / variance * (1 if of is None or left is None else of / left)
            else:
                bet = effect / math.sqrt(variance)
            up[place] *= 1 + min(bet, 0.9 / expected if expected > 0 else math.inf) * (worth - expected)
            down[place] *= 1 - min(bet, 0.9 / (1 - expected) if expected < 1 else math.inf) * (worth - expected)
        rich = rich or max(sum(up), sum(down)) >= 40
        total, count = total + own, count + share
        squares += (own - share * (total + 0.5) / (count + 1)) ** 2
    return max(sum(up), sum(down)), rich


def table(rng: np.random.Generator) -> tuple[list[list[float]], int]:
    """Draws with ties, gaps and constants, from one to forty of them, of one to three values."""
    most = int(rng.integers(1, 4))
    n = int(rng.choice([1, 2, int(rng.integers(3, 41))]))
    kind = rng.integers(4)
    draws = []
    for _ in range(n):
        size = int(rng.integers(0, most + 1)) if kind != 3 else most
        values = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], size) if kind else rng.random(size)
        draws.append([0.75] * size if kind == 2 else [float(value) for value in values])
    return draws, most


@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize("aim", [None, 0.05])
def test_it_is_what_the_definition_says(finite, aim):
    rng = np.random.default_rng([int(finite), int(bool(aim))])
    outs = 0
    for _ in range(200):
        draws, most = table(rng)
        of = len(draws) + int(rng.integers(0, 30)) if finite else None
        total = sum(sum(one) for one in draws) / most
        count = sum(len(one) for one in draws) / most
        # means that are still possible at the end: the others are ruled out in another way
        rest = math.inf if of is None else of - len(draws)
        low, high = 0.0, 1.0
        if of is not None and count + rest:
            low, high = total / (count + rest), (total + rest) / (count + rest)
        means = np.linspace(low, high, 9)[1:-1]
        wealth = Wealth(means, draws=of, aim=aim)
        for one in draws:
            wealth.add(sum(one) / most, len(one) / most)
        expected = [by_definition(draws, float(mean), most=most, of=of, aim=aim) for mean in means]
        assert wealth.capital.tolist() == pytest.approx([capital for capital, _ in expected], rel=1e-9)
        assert wealth.rejected.tolist() == [rich for _, rich in expected]
        outs += int(wealth.rejected.sum())
    assert outs > 50, "some of them must be out, or nothing was compared"


def narrowest(given: list[list[float]], **options) -> list[tuple[float, float]]:
    interval = Anytime(1.0, 5.0, **options)
    seen = []
    for one in given:
        interval.add(one)
        seen.append(interval.interval)
    return seen


@pytest.mark.parametrize("options", [{"draws": 80}, {"draws": 80, "aim": 0.3}, {}, {"aim": 0.3}])
def test_it_only_narrows_and_leaves_out_what_was_bet_against(options):
    rng = np.random.default_rng(3)
    given = [[float(value)] for value in rng.choice([3.0, 4.0, 5.0], 40, p=[0.1, 0.2, 0.7])]
    seen = narrowest(given, **options)
    assert all(a[0] <= b[0] <= b[1] <= a[1] for a, b in zip([(1.0, 5.0), *seen], seen, strict=False))
    low, high = seen[-1]
    assert high - low < 1.0
    units, of, aim = [[(one[0] - 1) / 4] for one in given], options.get("draws"), options.get("aim", 0) / 4 or None
    total = sum(one[0] for one in units)
    for mean in np.linspace(0.001, 0.999, 200):
        possible = of is None or total / of < mean < (total + 40) / of
        out = not possible or by_definition(units, mean, most=1, of=of, aim=aim)[1]
        inside = low <= 1 + 4 * mean <= high
        near = min(abs(1 + 4 * mean - low), abs(1 + 4 * mean - high)) < 0.005  # a step of the grid
        assert near or inside != out


def test_when_all_are_judged_nothing_is_left_to_doubt():
    rng = np.random.default_rng(5)
    values = [float(value) for value in rng.choice([1.0, 2.0, 4.0, 5.0], 60)]
    low, high = narrowest([[one] for one in values], draws=60, aim=0.05)[-1]
    assert low == high == pytest.approx(np.mean(values), abs=1e-12)
    # in batches of 25, the last one smaller, with gaps: the mean of what has a value
    given = [values[:25], values[25:45], values[50:60]]
    low, high = narrowest(given, draws=3, most=25)[-1]
    assert low == high == pytest.approx(np.mean([*values[:45], *values[50:]]), abs=1e-12)


def test_a_draw_without_a_value_widens_nothing_and_says_nothing():
    draws = [[4.0], [5.0], [4.0], [4.0]] * 10
    gaps: list[list[float]] = [one for draw in draws for one in (draw, [])]
    assert narrowest(gaps)[-1] == pytest.approx(narrowest(draws)[-1], abs=0.25)
    assert narrowest([[]] * 40)[-1] == (1.0, 5.0)
    assert narrowest([[]] * 40, draws=40)[-1] == (1.0, 5.0)


def scores(rng: np.random.Generator, rounds: int, n: int, shape: str) -> np.ndarray:
    if shape == "points":
        return rng.choice(5, size=(rounds, n), p=[0.03, 0.07, 0.2, 0.45, 0.25]) / 4
    if shape == "ceiling":
        return (rng.random((rounds, n)) > 0.04).astype(float)
    return np.clip(rng.normal(0.4, 0.1, (rounds, n)), 0, 1)


def ever_out(values: np.ndarray, truth: np.ndarray, *, draws: int | None, aim: float | None) -> float:
    """How often the mean is left out at any moment."""
    wealth = Wealth(truth, draws=draws, aim=aim)
    share = np.where(np.isnan(values), 0.0, 1.0)
    filled = np.nan_to_num(values)
    for place in range(values.shape[1]):
        wealth.add(filled[:, place], share[:, place])
    return float(wealth.rejected.mean())


@pytest.mark.parametrize("shape", ["points", "ceiling", "measured"])
@pytest.mark.parametrize("aim", [None, 0.025])
def test_looking_after_every_item_keeps_the_stated_rate(shape, aim):
    rng = np.random.default_rng(11)
    n, of = 300, 400
    # a mean of just these items, of which 300 are drawn; one item in ten fails
    values = scores(rng, ROUNDS, of, shape)
    values[rng.random(values.shape) < 0.1] = np.nan
    out = ever_out(values[:, :n], np.nanmean(values, axis=1), draws=of, aim=aim)
    assert out <= 0.05
    # items like these
    values = scores(rng, ROUNDS, n, shape)
    truth = scores(rng, 1, 2_000_000, shape).mean()
    out = ever_out(values, np.full(ROUNDS, truth), draws=None, aim=aim)
    assert out <= 0.05


@pytest.mark.parametrize(("of", "zeros"), [(20, 1), (20, 3), (20, 10), (200, 2), (400, 4)])
@pytest.mark.parametrize("aim", [None, 0.02, 0.2])
def test_rare_zeros_that_fail_oftener_and_few_items_keep_the_rate(of, zeros, aim):
    """What the first draws do not show: a mean that one or two items decide, and every draw is looked at."""
    rng = np.random.default_rng([of, zeros])
    values = rng.permuted(np.tile(np.where(np.arange(of) < zeros, 0.0, 1.0), (5 * ROUNDS, 1)), axis=1)
    assert ever_out(values, values.mean(axis=1), draws=of, aim=aim) <= 0.05
    values[rng.random(values.shape) < np.where(values == 0.0, 0.4, 0.05)] = np.nan
    values = values[~np.isnan(values).all(axis=1)]
    assert ever_out(values, np.nanmean(values, axis=1), draws=of, aim=aim) <= 0.05


def test_an_interval_for_a_set_number_of_items_does_not():
    """The contrast: the usual interval, looked at after every item from the tenth on, misses far more often."""
    rng = np.random.default_rng(12)
    values = scores(rng, ROUNDS, 300, "points")
    number = np.arange(1, 301)
    sums, squares = values.cumsum(axis=1), (values**2).cumsum(axis=1)
    means = sums / number
    sd = np.sqrt(np.maximum(squares - number * means**2, 0) / np.maximum(number - 1, 1))
    quantiles = np.array([student_quantile(0.975, max(int(one) - 1, 1)) for one in number])
    half = quantiles * sd / np.sqrt(number)
    truth = float(np.dot([0.03, 0.07, 0.2, 0.45, 0.25], np.arange(5)) / 4)
    out = np.abs(means - truth) > half
    at_the_end, ever = out[:, -1].mean(), out[:, 9:].any(axis=1).mean()
    assert 0.035 <= at_the_end <= 0.065
    assert ever > 0.2
    assert ever_out(values, np.full(ROUNDS, truth), draws=None, aim=None) <= 0.05


def test_two_equal_sides_are_seldom_told_apart():
    rng = np.random.default_rng(13)
    # differences of totals of 0 to 30 points, most of them small
    values = (np.round(np.clip(rng.normal(0, 4, (ROUNDS, 500)), -30, 30)) + 30) / 60
    assert ever_out(values, np.full(ROUNDS, 0.5), draws=None, aim=None) <= 0.05


def test_a_clear_difference_takes_few_items():
    rng = np.random.default_rng(14)
    stops = []
    for _ in range(40):
        interval = Anytime(-30.0, 30.0)
        for number in range(1, 400):
            interval.add([float(np.clip(round(rng.normal(2, 4)), -30, 30))])
            if interval.interval[0] > 0:
                stops.append(number)
                break
    assert len(stops) == 40
    assert np.median(stops) < 80, "a test of a set number needs 34 for 80 % power"


@pytest.mark.parametrize("aim", [None, 0.05])
def test_batches_of_a_sorted_dataset_and_failures_of_bad_items_keep_the_rate(aim):
    """The items of a batch are alike here, and the worse an item the likelier it fails: what is drawn is the batch."""
    rng = np.random.default_rng(15)
    size, batches, looked = 10, 61, 45
    values = np.sort(scores(rng, ROUNDS, size * batches - 4, "points"), axis=1)
    values[rng.random(values.shape) < 0.3 * (1 - values)] = np.nan
    truth = np.nanmean(values, axis=1)
    padded = np.concatenate([values, np.full((ROUNDS, 4), np.nan)], axis=1).reshape(ROUNDS, batches, size)
    order = rng.permuted(np.tile(np.arange(batches), (ROUNDS, 1)), axis=1)[:, :looked]
    drawn = np.take_along_axis(padded, order[:, :, None], axis=1)
    wealth = Wealth(truth, draws=batches, aim=aim)
    one_by_one = Wealth(truth, draws=size * batches, aim=aim)
    for place in range(looked):
        wealth.add(np.nansum(drawn[:, place], axis=1) / size, (~np.isnan(drawn[:, place])).mean(axis=1))
        for item in range(size):
            value = drawn[:, place, item]
            one_by_one.add(np.nan_to_num(value), np.where(np.isnan(value), 0.0, 1.0))
    assert wealth.rejected.mean() <= 0.05
    assert one_by_one.rejected.mean() > 0.3, "had its items been taken for single draws, it would not have held"
