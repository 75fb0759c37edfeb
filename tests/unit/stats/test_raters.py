"""Two raters: rounding as scales do, what one unit or none can say, and how often the intervals hold."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.core.scale import Scale
from adjudge.stats.board import Axis
from adjudge.stats.interval import wilson
from adjudge.stats.raters import EVERY, KINDS, Raters
from tests.unit.stats.tables import AXIS, two_raters

REPEATS = 2_000
LEAST_HELD = 0.935


def figures(a, b, clusters=None, axis=AXIS):
    clusters = np.arange(len(a)) if clusters is None else clusters
    two = Raters.of(np.asarray(a, float), np.asarray(b, float), clusters, axis, int(clusters.max(initial=-1)) + 1)
    return two.figures()


def test_points_are_those_of_the_scale():
    values = np.array([1.0, 1.49, 1.5, 2.5, 3.4999, 3.5, 4.99])
    two = Raters.of(values, np.ones(7), np.arange(7), AXIS, 7)
    assert two.points()[0].tolist() == [Scale(min=1, max=5).nearest(value) for value in values]
    wide = Axis(name="x", title="x", low=-25, high=0, better="higher")
    minus = np.array([-24.5, -3.5, -1.2, -0.5, 0.0])
    assert Raters.of(minus, minus, np.arange(5), wide, 5).points()[0].tolist() == [-24, -3, -1, 0, 0]


def test_values_that_rounding_tells_apart_are_equal():
    found = figures([0.1 + 0.2, 0.3, 1.0], [0.3, 0.1 + 0.2, 2.0])
    assert found["kendall"].value == found["pairwise"].value == 1.0


def test_every_figure_comes_in_every_case():
    for a, b in two_raters(whole=False, least=1):
        found = figures(a, b)
        assert set(found) == set(EVERY)
        for name, one in found.items():
            assert one.n == len(a)
            assert (one.value is None or one.ci95 is None) == (one.reason is not None), name
            for number in (one.value, *(one.ci95 or ())):
                assert number is None or np.isfinite(number)
            if one.ci95:
                assert one.ci95[0] - 1e-12 <= one.value <= one.ci95[1] + 1e-12


def test_nothing_one_and_two_units():
    assert {one.reason for one in figures([], []).values()} == {"none"}
    one = figures([3], [4])
    assert one["exact"].value == 0.0 and one["bias"].value == -1.0 and one["mae"].value == 1.0
    assert one["exact"].ci95 == pytest.approx(wilson(0, 1)) and one["bias"].reason == "alone"
    assert one["kappa"].reason == one["pairwise"].reason == "few"
    two = figures([3, 4], [4, 5])
    assert two["pearson"].value == 1.0 and two["pearson"].ci95[0] < 0, "two units always lie on a line"
    assert figures([3, 4], [4, 3])["icc"].reason == "few"
    assert two["exact"].ci95[1] > 0.5


def test_the_side_that_never_varies_is_named():
    assert figures([3] * 8, [1, 2, 3, 4] * 2)["pearson"].reason == "judge"
    assert figures([1, 2, 3, 4] * 2, [3] * 8)["kappa"].reason == "people"
    assert figures([3] * 8, [3] * 8)["kappa"].reason == "same"
    assert figures([1, 2], [0.7, 1.2])["kappa_quadratic"].reason == "people", "both are 1 in points"


COEFFICIENTS = [name for name in EVERY if KINDS[name] == "coefficient"]


def test_to_agree_on_everything_seen_is_no_certainty():
    for n in (2, 5, 8, 40, 400):
        values = np.resize([1.0, 2, 3, 4, 5], n)
        found = figures(values, values)
        assert found["exact"].ci95[0] < 1
        for name in COEFFICIENTS:
            assert (found[name].value, found[name].ci95[1], found[name].reason) == (1.0, 1.0, None)
            assert found[name].ci95[0] < (0 if n == 2 else 1), (n, name)
    assert figures([1, 2] * 4, [1, 2] * 4)["kappa"].ci95[0] == pytest.approx(1 - 2 * (1 - 0.05 ** (1 / 8)), abs=1e-3)
    against = figures([1, 5] * 20, [5, 1] * 20)
    assert against["kappa_quadratic"].ci95[0] == -1 and -1 < against["kappa_quadratic"].ci95[1] < -0.5
    apart = figures([1, 2] * 20, [4, 5] * 20)["kappa"]
    assert apart.value == apart.ci95[0] == 0.0 and apart.ci95[1] > 0.03, "no point is common, so far"


def test_units_of_one_source_that_agree_are_worth_one():
    values = np.resize([1.0, 2, 3, 4, 5], 40)
    few, many = (figures(values, values, np.arange(40) // per)["kappa_quadratic"] for per in (8, 1))
    assert few.ci95[0] < 0 < 0.5 < many.ci95[0]


@pytest.mark.parametrize("n", [10, 40])
def test_intervals_hold_where_agreement_is_nearly_perfect(n):
    """One text in n is off by any distance, so that about a third of the samples agree on everything."""
    rng = np.random.default_rng(n)

    def sample(size):
        a = rng.integers(1, 6, size)
        return a, np.where(rng.random(size) < 1 / n, rng.integers(1, 6, size), a)

    truth = {name: one.value for name, one in figures(*sample(200_000)).items()}
    held, whole = dict.fromkeys(COEFFICIENTS, 0), 0
    for _ in range(REPEATS // 2):
        found = figures(*sample(n))
        whole += found["exact"].value == 1
        for name in COEFFICIENTS:
            held[name] += found[name].ci95[0] <= truth[name] <= found[name].ci95[1]
    assert whole > REPEATS / 8
    assert {name: count for name, count in held.items() if count / (REPEATS // 2) < LEAST_HELD} == {}


def draw(rng, n, per):
    """Scores of 1 to 5 of two raters; units of one source have a share of what is easy and of what is misjudged."""
    sources = n // per
    easy, misjudged = (np.repeat(rng.normal(size=sources), per) for _ in range(2))
    own = 0.7 * easy + 0.71 * rng.normal(size=n)
    error = 0.6 * misjudged + 0.8 * rng.normal(size=n)
    a, b = (np.clip(np.rint(3 + 1.1 * value), 1, 5) for value in (own, 0.3 + 0.6 * own + 0.8 * error))
    return a, b, np.repeat(np.arange(sources), per)


@pytest.mark.parametrize(("n", "per"), [(80, 1), (240, 4)])
def test_intervals_hold_the_truth_as_often_as_they_say(n, per):
    rng = np.random.default_rng(11)
    truth = {name: one.value for name, one in figures(*draw(rng, 400_000, per)).items()}
    held = dict.fromkeys(EVERY, 0)
    for _ in range(REPEATS):
        for name, one in figures(*draw(rng, n, per)).items():
            held[name] += one.ci95[0] <= truth[name] <= one.ci95[1]
    assert {name: count for name, count in held.items() if not 0.935 <= count / REPEATS <= 0.965} == {}


def test_units_of_one_source_are_not_taken_for_independent():
    rng = np.random.default_rng(12)
    a, b, clusters = draw(rng, 400, 8)
    blind, seen = figures(a, b), figures(a, b, clusters)
    for name in ("exact", "kappa_quadratic", "pearson", "bias"):
        assert blind[name].value == pytest.approx(seen[name].value)
        assert seen[name].ci95[1] - seen[name].ci95[0] > 1.1 * (blind[name].ci95[1] - blind[name].ci95[0])
