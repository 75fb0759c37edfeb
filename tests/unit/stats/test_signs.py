"""The permutation test against scipy, exact sums of integers and sacrebleu; its error under the null."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.base import Signature
from sacrebleu.significance import PairedTest
from scipy import stats

from adjudge.stats.board import Floats, generator
from adjudge.stats.signs import DRAWS, grid, sign_flips

RNG = generator(0, "signs")


def p_of(differences: Any) -> float:
    return sign_flips(np.asarray(differences, dtype=np.float64), generator(0)).p


def mid_of(differences: Any) -> float:
    return sign_flips(np.asarray(differences, dtype=np.float64), generator(0)).mid


def way_of(differences: Any) -> str:
    return sign_flips(np.asarray(differences, dtype=np.float64), generator(0)).way


def kinds(n: int, number: int, rng: np.random.Generator) -> Floats:
    """Whole points, twelfths, one decimal, and no grid at all."""
    if number % 4 == 3:
        return rng.normal(0.2, 1.0, n)
    step = (1, 12, 10)[number % 4]
    return np.round(rng.integers(-4 * step, 4 * step + 1, n) / step, 12)


def by_hand(differences: Floats, step: int) -> tuple[float, float]:
    """p and mid-p from sums of all choices of signs in whole numbers, added up one difference after the other."""
    whole = [abs(round(value * step)) for value in differences]
    ways = {0: 1}
    for size in whole:
        then: dict[int, int] = {}
        for total, count in ways.items():
            for end in (total + size, total - size):
                then[end] = then.get(end, 0) + count
        ways = then
    seen = abs(sum(round(value * step) for value in differences))
    beyond, further = (sum(count for total, count in ways.items() if abs(total) >= least) for least in (seen, seen + 1))
    return beyond / 2 ** len(whole), (beyond + further) / 2 ** (len(whole) + 1)


@pytest.mark.parametrize("number", range(200))
def test_as_scipy_finds_it_by_all_permutations(number: int) -> None:
    rng = generator(number, "scipy")
    differences = kinds(int(rng.integers(2, 13)), number, rng)

    def total(x: Floats, y: Floats, axis: int = -1) -> Any:
        # scipy counts sums as different that differ in their last bit
        return np.round((x - y).sum(axis=axis), 9)

    zeros = np.zeros(len(differences))
    known = stats.permutation_test((differences, zeros), total, permutation_type="samples", n_resamples=np.inf)
    assert p_of(differences) == pytest.approx(min(1.0, float(known.pvalue)), abs=1e-9)
    assert way_of(differences) == "exact"
    if differences.any():
        sums, seen = np.abs(known.null_distribution), abs(round(float(differences.sum()), 9))
        assert mid_of(differences) == pytest.approx(((sums > seen).mean() + (sums >= seen).mean()) / 2, abs=1e-9)


@pytest.mark.parametrize("number", range(30))
def test_exact_on_a_grid_with_many_items(number: int) -> None:
    rng = generator(number, "grid")
    step = (1, 2, 5, 6)[number % 4]
    differences = rng.integers(-3 * step, 4 * step, int(rng.integers(17, 300))) / step
    assert (p_of(differences), mid_of(differences)) == pytest.approx(by_hand(differences, step), abs=1e-9)
    assert way_of(differences) == "exact"


@pytest.mark.parametrize(("n", "ups"), [(1, 1), (2, 2), (17, 12), (100, 61), (1_000, 540), (100_000, 50_400)])
def test_one_point_up_or_down_is_the_sign_test(n: int, ups: int) -> None:
    differences = np.where(np.arange(n) < ups, 1.0, -1.0)
    assert p_of(differences) == pytest.approx(float(stats.binomtest(ups, n).pvalue), abs=1e-9)


@pytest.mark.parametrize(
    ("differences", "mid"), [([0.0], 1.0), ([0.0, 0.0, 0.0], 1.0), ([1.0], 0.5), ([-2.5], 0.5), ([1.0, -1.0], 0.75)]
)
def test_nothing_to_flip_shows_nothing(differences: list[float], mid: float) -> None:
    assert sign_flips(np.array(differences), RNG) == (1.0, mid, "exact")


@pytest.mark.parametrize(("n", "value"), [(2, 1.0), (5, 1.0), (6, 0.4), (12, math.pi)])
def test_equal_differences(n: int, value: float) -> None:
    assert p_of([value] * n) == pytest.approx(2.0 ** (1 - n), abs=1e-12)
    assert mid_of([value] * n) == pytest.approx(2.0**-n, abs=1e-12)


def test_many_equal_differences_never_have_a_p_of_0() -> None:
    assert 0.0 < p_of([1.0] * 3_000) < 1e-12


def test_items_that_rate_the_same_add_nothing_and_order_and_side_decide_nothing() -> None:
    for number in range(4):
        differences = kinds(40, number, generator(number))
        wanted = p_of(differences)
        assert p_of(np.concatenate([differences, np.zeros(25)])) == wanted
        assert p_of(-differences[::-1]) == wanted


def test_drawn_ones_are_near_all_choices() -> None:
    for number in range(6):
        differences = generator(number, "drawn").normal(0.35, 1.0, 19)
        signs = np.array(list(itertools.product([1.0, -1.0], repeat=10)))
        first, second = signs[:, :10] @ np.abs(differences[:10]), signs[:, :9] @ np.abs(differences[10:])
        known = (np.abs(first[:, None] + second[None, :]) >= abs(differences.sum()) - 1e-9).mean()
        assert way_of(differences) == "drawn"
        assert p_of(differences) == pytest.approx(known, abs=4 * math.sqrt(known * (1 - known) / DRAWS) + 1e-4)
        assert 0.0 <= p_of(differences) - mid_of(differences) < 1e-3


def test_the_choice_seen_counts_among_the_drawn() -> None:
    assert p_of(generator(0).uniform(0.5, 1.5, 60)) == 1 / (DRAWS + 1)


def test_many_off_any_grid_are_normal() -> None:
    differences = generator(0, "normal").normal(0.03, 1.0, 4_000)
    signs = generator(1).choice([-1.0, 1.0], size=(4_000, 4_000))
    share = (np.abs(signs @ differences) >= abs(differences.sum())).mean()
    assert way_of(differences) == "normal"
    assert p_of(differences) == pytest.approx(float(share), abs=0.025)


def test_a_few_giants_are_not_taken_for_normal() -> None:
    differences = np.concatenate([generator(0).normal(0.0, 0.001, 4_000), generator(1).normal(0.0, 5.0, 20)])
    assert way_of(differences) == "drawn"


def test_grids() -> None:
    assert grid(np.array([1.0, 2.0])) == 1
    assert grid(np.array([0.5, 1 / 3])) == 6
    assert grid(np.array([math.pi])) is None
    assert grid(np.arange(300.0)) is None


class Given:
    """A metric of sacrebleu that takes the texts for their scores, so that its tests compare our numbers."""

    def _extract_corpus_statistics(self, hypotheses: list[str], _references: object) -> Floats:
        return np.array([[float(text), 1.0] for text in hypotheses])

    def _aggregate_and_compute(self, rows: Floats) -> Any:
        return self._compute_score_from_stats(np.asarray(rows).sum(axis=0))

    def _compute_score_from_stats(self, sums: Floats) -> Any:
        return SimpleNamespace(name="mean", score=sums[0] / sums[1])

    def get_signature(self) -> Signature:
        return Signature({"num_refs": 0})


@pytest.mark.parametrize("number", range(5))
def test_as_sacrebleu_finds_it(number: int) -> None:
    rng = generator(number, "sacrebleu")
    a = rng.normal(3.0, 1.0, 120)
    b = a + rng.normal(0.1, 0.6, 120)
    found = {}
    for test in ("ar", "bs"):
        sides: list[Any] = [(name, [str(value) for value in side]) for name, side in (("A", a), ("B", b))]
        metrics: dict[str, Any] = {"mean": Given()}
        paired = PairedTest(sides, metrics, None, test_type=test, n_samples=10_000)
        result: Any = paired()[1]["mean"][1]
        found[test] = result.p_value
    assert p_of(b - a) == pytest.approx(found["ar"], abs=0.02)
    # its bootstrap counts one tail only, where the difference is clear
    if found["ar"] < 0.1:
        assert p_of(b - a) == pytest.approx(2 * found["bs"], abs=0.02)


def on_the_scale(n: int, rng: np.random.Generator) -> Floats:
    """Whole points 1-5 of two like systems around a quality that both share: half of the items differ, by a point."""
    quality = 5.4 - rng.gamma(1.5, 0.7, n)
    gaps: Floats = np.diff([np.clip(np.rint(quality + rng.normal(0.0, 0.6, n)), 1, 5) for _ in range(2)], axis=0)[0]
    return gaps


def rare(n: int, rng: np.random.Generator) -> Floats:
    """One item in five differs, by a point."""
    return rng.choice([0.0, 1.0, -1.0], size=n, p=[0.8, 0.1, 0.1])


@pytest.mark.parametrize(
    ("n", "draw"),
    [
        pytest.param(12, lambda n, rng: kinds(n, 3, rng) * rng.choice([-1.0, 1.0], n), id="off any grid, all choices"),
        pytest.param(25, lambda n, rng: kinds(n, 1, rng) * rng.choice([-1.0, 1.0], n), id="twelfths"),
        pytest.param(40, lambda n, rng: kinds(n, 0, rng) * rng.choice([-1.0, 1.0], n), id="whole points"),
        *(pytest.param(n, on_the_scale, id=f"{n} pairs of points 1-5") for n in (30, 50, 100, 300)),
        *(pytest.param(n, rare, id=f"{n} pairs of which one in five differs") for n in (40, 100)),
    ],
)
def test_false_positives(n: int, draw: Any) -> None:
    rng = generator(0, "null", str(n))
    shown = [sign_flips(draw(n, rng), rng) for _ in range(2_000)]
    assert 0.035 <= np.mean([one.mid <= 0.05 for one in shown]) <= 0.065
    # p itself never exceeds its level, and on few values falls far short of it
    assert np.mean([one.p <= 0.05 for one in shown]) <= 0.06


def test_few_differences_show_nothing_however_they_fall() -> None:
    rng = generator(0, "rare")
    assert np.mean([mid_of(rare(12, rng)) <= 0.05 for _ in range(2_000)]) <= 0.01
