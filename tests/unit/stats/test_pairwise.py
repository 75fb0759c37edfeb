"""Pairwise accuracy with ties, and its calibration, against going through the pairs one by one."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from adjudge.stats import pairwise as module
from adjudge.stats.pairwise import by_chance, calibrated, calibrated_within, tie_share
from tests.unit.stats.tables import moved, one_more, two_raters


def pairwise(*given):
    return module.pairwise(*given)


def pairwise_within(*given):
    return module.pairwise_within(*given)


def sign(value):
    return (value > 0) - (value < 0)


def by_pairs(judge, people, epsilon):
    """Deutsch et al. (2023): concordant pairs and common ties over all pairs; None without a pair."""
    pairs = list(itertools.combinations(zip(judge.tolist(), people.tolist(), strict=True), 2))
    right = 0
    for (j1, p1), (j2, p2) in pairs:
        ours = 0 if abs(j1 - j2) <= epsilon else sign(j1 - j2)
        right += ours == sign(p1 - p2)
    return Fraction(right, len(pairs)) if pairs else None


def groups(judge, people, clusters):
    for one in sorted(set(clusters)):
        inside = [at for at, cluster in enumerate(clusters) if cluster == one]
        yield judge[inside], people[inside]


def by_sources(judge, people, clusters, epsilon):
    each = [by_pairs(own, others, epsilon) for own, others in groups(judge, people, clusters)]
    return sum(each) / len(each)


def best(accuracy, judge):
    """The smallest epsilon of the highest accuracy among all differences."""
    tried = sorted({0} | {abs(int(one) - int(other)) for one in judge for other in judge})
    return max(tried, key=lambda epsilon: (accuracy(epsilon), -epsilon))


def scores():
    """The judge's in tenths, people's as places."""
    for a, b in two_raters(whole=False):
        yield np.rint(a * 10).astype(np.int64), np.unique(b, return_inverse=True)[1]


@pytest.mark.parametrize("epsilon", [0, 1, 7, 100])
def test_accuracy_is_that_of_all_pairs(epsilon):
    for judge, people in scores():
        found = pairwise(judge, people, np.ones(len(judge), np.int64), epsilon)
        assert found.value == pytest.approx(float(by_pairs(judge, people, epsilon)), abs=1e-9)


def test_fewer_than_two_have_no_pairs():
    one, none = np.zeros(1, np.int64), np.zeros(0, np.int64)
    assert pairwise(one, one, np.ones(1, np.int64)).reason == "few"
    assert pairwise(none, none, none).reason == "none"
    assert pairwise_within(none, none, none).reason == "groups"


def test_epsilon_is_the_best_of_all():
    ties = 0
    for judge, people in scores():
        found = calibrated(judge, people, np.ones(len(judge), np.int64), np.random.default_rng(0))
        assert found == best(lambda epsilon, j=judge, p=people: by_pairs(j, p, epsilon), judge)
        ties += found > 0
    assert ties > 50


def test_rows_that_occur_several_times_count_as_often():
    judge, people, counts = np.array([10, 12, 30, 31]), np.array([0, 0, 1, 2]), np.array([3, 1, 2, 4])
    full = np.repeat(judge, counts), np.repeat(people, counts)
    ones = np.ones(10, np.int64)
    for epsilon in (0, 1, 2):
        found, whole = pairwise(judge, people, counts, epsilon), pairwise(*full, ones, epsilon)
        assert found.value == pytest.approx(whole.value, abs=1e-12)
        assert np.repeat(found.influence, counts) == pytest.approx(whole.influence, abs=1e-12)
    rng = np.random.default_rng(0)
    assert calibrated(judge, people, counts, rng) == calibrated(*full, ones, rng)


@pytest.mark.parametrize("small", [2, 64])
def test_within_sources_it_is_the_mean_over_sources(small, monkeypatch):
    monkeypatch.setattr(module, "_SMALL", small)
    draw = np.random.default_rng(6)
    for judge, people in scores():
        clusters = np.sort(draw.integers(0, 4, len(judge)))
        kept = np.bincount(clusters)[clusters] >= 2
        judge, people = judge[kept], people[kept]
        clusters = np.unique(clusters[kept], return_inverse=True)[1]
        if not len(judge):
            continue
        mixed = draw.permutation(len(judge))
        judge, people, clusters = judge[mixed], people[mixed], clusters[mixed]
        for epsilon in (0, 3):
            found = pairwise_within(judge, people, clusters, epsilon)
            assert found.value == pytest.approx(float(by_sources(judge, people, clusters, epsilon)), abs=1e-9)
        if small == 64:
            epsilon = calibrated_within(judge, people, clusters, np.random.default_rng(0))
            assert epsilon == best(lambda e, j=judge, p=people, c=clusters: by_sources(j, p, c, e), judge)


def test_a_source_of_many_units_is_sampled_for_epsilon_only():
    draw = np.random.default_rng(7)
    truth = draw.integers(0, 5, 400)
    judge = truth * 100 + draw.integers(-20, 21, 400)
    clusters = np.repeat([0, 1], [300, 100])
    epsilon = calibrated_within(judge, truth, clusters, np.random.default_rng(0))
    assert 30 <= epsilon <= 60, "noise of 20 each way makes ties of up to 40"
    assert pairwise_within(judge, truth, clusters, epsilon).value > 0.99


def test_epsilon_of_many_units_comes_from_a_sample():
    draw = np.random.default_rng(8)
    truth = draw.integers(0, 5, 3 * module.SOUGHT)
    judge = truth * 1000 + draw.integers(-200, 201, len(truth))
    ones = np.ones(len(truth), np.int64)
    assert 380 <= calibrated(judge, truth, ones, np.random.default_rng(0)) <= 600


def test_chance_is_what_scores_dealt_out_by_lot_give():
    draw = np.random.default_rng(9)
    judge, people = draw.integers(0, 9, 60), np.unique(draw.integers(0, 4, 60), return_inverse=True)[1]
    ones = np.ones(60, np.int64)
    for epsilon in (0, 2):
        dealt = [pairwise(draw.permutation(judge), people, ones, epsilon).value for _ in range(2_000)]
        expected = by_chance(tie_share(people, ones), tie_share(judge, ones, epsilon))
        assert np.mean(dealt) == pytest.approx(expected, abs=4 * np.std(dealt) / 2_000**0.5)


@pytest.mark.parametrize("epsilon", [0, 2])
def test_the_influence_is_what_a_unit_more_does(epsilon):
    judge, people = np.array([10, 12, 30, 31, 20]), np.array([0, 0, 1, 2, 1])

    def measure(counts):
        return pairwise(judge, people, counts.astype(np.int64), epsilon)

    counts = np.array([3.0, 1, 2, 4, 2])
    assert moved(measure, counts) == pytest.approx(one_more(measure, counts), abs=1e-3)


def test_held_out_sources_have_the_epsilon_of_the_others():
    rng = np.random.default_rng(41)
    for sources in (2, 3, 5, 12):
        clusters = np.repeat(np.arange(sources), 4)
        judge, people = rng.integers(0, 50, len(clusters)), rng.integers(0, 3, len(clusters))
        people = np.unique(people, return_inverse=True)[1]
        expected = []
        for one in range(sources):
            others = clusters % min(5, sources) != one % min(5, sources)
            at = np.unique(clusters[others], return_inverse=True)[1]
            epsilon = calibrated_within(judge[others], people[others], at, np.random.default_rng(0))
            expected.append(float(by_pairs(judge[clusters == one], people[clusters == one], epsilon)))
        found = module.held_out(judge, people, clusters, np.random.default_rng(0))
        assert found == pytest.approx(np.mean(expected), abs=1e-12)
