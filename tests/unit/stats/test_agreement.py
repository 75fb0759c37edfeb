"""The whole for one criterion: the figures beside chance and the best constant, with gaps, several people, sources."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, confusion_matrix, mean_absolute_error

from adjudge.stats.agreement import FIGURES, Confusion, agreement
from adjudge.stats.board import Axis, generator
from tests.unit.stats.tables import AXIS, two_raters


def found_for(judge, people, clusters=None, axis=AXIS, **options):
    judge, people = np.asarray(judge, float), np.asarray(people, float)
    people = people[:, None] if people.ndim == 1 else people
    clusters = np.arange(len(judge)) if clusters is None else clusters
    return agreement(judge, people, clusters, axis=axis, rng=generator(0, "agree"), **options)


def sample(n=120, annotators=3, gaps=0.2, seed=31):
    rng = np.random.default_rng(seed)
    truth = np.repeat(rng.integers(1, 6, n // 4), 4)[:, None] + rng.integers(-1, 2, (n, 1))
    people = np.clip(truth + rng.integers(-1, 2, (n, annotators)), 1, 5).astype(float)
    people[rng.random(people.shape) < gaps] = np.nan
    judge = np.clip(truth[:, 0] + rng.normal(0, 1, n).round(1), 1, 5)
    judge[rng.random(n) < 0.1] = np.nan
    return judge, people, np.repeat(np.arange(n // 4), 4)


def numbers(value):
    """Every number anywhere in a result."""
    if dataclasses.is_dataclass(value):
        value = [getattr(value, part.name) for part in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, int | float):
        yield value


def test_the_judge_is_compared_with_the_mean_of_people():
    judge, people, clusters = sample()
    found = found_for(judge, people, clusters)
    both = ~np.isnan(judge) & ~np.isnan(people).all(axis=1)
    own, mean = judge[both], np.nanmean(people[both], axis=1)
    points, theirs = np.floor(own + 0.5), np.floor(mean + 0.5)
    assert (found.n, found.labelled) == (both.sum(), (~np.isnan(people).all(axis=1)).sum())
    assert (found.annotators, found.labels) == (3, (~np.isnan(people[both])).sum())
    assert found.clusters == len(set(clusters[both]))
    assert found.judge_mean == pytest.approx(own.mean(), abs=1e-9)
    assert found.people_mean == pytest.approx(mean.mean(), abs=1e-9)
    value = {name: one.value for name, one in found.figures.items()}
    assert tuple(value) == FIGURES
    assert value["bias"] == pytest.approx((own - mean).mean(), abs=1e-9)
    assert value["mae"] == pytest.approx(mean_absolute_error(own, mean), abs=1e-9)
    assert value["exact"] == pytest.approx((points == theirs).mean(), abs=1e-9)
    assert value["within_one"] == pytest.approx((abs(points - theirs) <= 1).mean(), abs=1e-9)
    assert value["spearman"] == pytest.approx(stats.spearmanr(own, mean.round(9)).statistic, abs=1e-9)
    assert value["kendall"] == pytest.approx(stats.kendalltau(own, mean.round(9)).statistic, abs=1e-9)
    assert value["kappa_linear"] == pytest.approx(
        cohen_kappa_score(points, theirs, labels=np.arange(1, 6), weights="linear"), abs=1e-9
    )
    assert value["pairwise_calibrated"] >= value["pairwise"]
    assert value["pairwise_within_calibrated"] >= value["pairwise_within"]


def test_the_confusion_matrix_is_scikit_learns():
    for a, b in two_raters():
        found = found_for(a, b).confusion
        assert found.points == tuple(sorted({*a.tolist(), *b.tolist()}))
        places = np.array(found.points) - 1
        whole = confusion_matrix(b, a, labels=np.arange(1, 6))
        assert found.counts == tuple(map(tuple, whole[np.ix_(places, places)].tolist()))


def test_a_constant_judge_is_what_the_majority_scores():
    people = np.array([4.0] * 5 + [3.0] * 3 + [1.0] * 4)
    found = found_for([1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2], people)
    assert found.majority.point == 4
    same = found_for(np.full(12, 4.0), people)
    assert found.majority.exact == same.figures["exact"].value == found.figures["exact"].constant
    assert found.majority.within_one == same.figures["within_one"].value


@pytest.mark.parametrize("name", ["exact", "within_one", "mae", "pairwise", "pairwise_calibrated", "kappa"])
def test_no_constant_is_better_than_the_best(name):
    judge, people, _ = sample(gaps=0.0)
    stated = found_for(judge, people).figures[name].constant
    tried = [
        found_for(np.where(np.isnan(judge), np.nan, point), people).figures[name].value
        for point in np.arange(1, 5.1, 0.5)
    ]
    assert stated == pytest.approx(min(tried) if name == "mae" else max(tried), abs=0.03 if name == "mae" else 1e-9)


@pytest.mark.parametrize("inside", [False, True])
def test_chance_is_what_the_same_scores_give_by_lot(inside):
    rng = np.random.default_rng(32)
    judge, people, clusters = sample(80, 1, 0.0)
    judge = np.where(np.isnan(judge), 3.0, judge)
    parts, dealt = (20 if inside else 1), []
    for _ in range(200):
        mixed = np.concatenate([rng.permutation(part) for part in np.split(judge, parts)])
        dealt.append(found_for(mixed, people, clusters).figures)
    stated = found_for(judge, people, clusters).figures
    for name in ["pairwise_within"] if inside else ["exact", "within_one", "mae", "pairwise", "kappa", "pearson"]:
        values = [one[name].value for one in dealt]
        assert np.mean(values) == pytest.approx(stated[name].chance, abs=4 * np.std(values) / math.sqrt(200)), name


def test_nothing_is_ever_nan():
    rng = np.random.default_rng(33)
    for at, (a, b) in enumerate(two_raters(least=1, whole=False)):
        people = np.column_stack([b, np.clip(b + rng.integers(-1, 2, len(b)), 1, 5)])[:, : 1 + at % 2]
        people[rng.random(people.shape) < 0.2 * (at % 3)] = np.nan
        a = np.where(rng.random(len(a)) < 0.1 * (at % 2), np.nan, a)
        found = found_for(a, people, np.arange(len(a)) // (1 + at % 3))
        assert all(math.isfinite(number) for number in numbers(found))
        assert set(found.figures) == set(FIGURES)
        for one in found.figures.values():
            assert (one.value is None or one.ci95 is None) == (one.reason is not None)


def test_nobody_labelled_anything():
    found = found_for(np.empty(0), np.empty((0, 0)))
    assert {one.reason for one in found.figures.values()} == {"none"}
    assert (found.confusion, found.majority, found.people) == (Confusion(points=(), counts=()), None, None)
    assert (found.judge_mean, found.people_mean, found.epsilon, found.epsilon_within) == (None, None, None, None)
    assert found.alternative.reason == "annotators"
    apart = found_for([1.0, np.nan], [np.nan, 2.0])
    assert (apart.n, apart.labelled) == (0, 1)


def test_the_order_of_rows_and_the_numbers_of_sources_decide_nothing():
    judge, people, clusters = sample()
    found = found_for(judge, people, clusters)
    assert found_for(judge, people, 1_000 - 7 * clusters) == found
    mixed = np.random.default_rng(34).permutation(len(judge))
    other = found_for(judge[mixed], people[mixed], clusters[mixed])
    assert list(numbers(other)) == pytest.approx(list(numbers(found)), abs=1e-12)


def test_all_units_of_one_source_have_no_interval():
    judge, people, _ = sample(40, 1, 0.0)
    found = found_for(judge, people, np.zeros(40, np.int64))
    assert found.clusters == 1
    assert {one.reason for one in found.figures.values()} == {"alone"}


SYMMETRIC = [name for name in FIGURES if not name.startswith("pairwise_")]


def test_the_judge_and_people_may_change_places():
    for a, b in two_raters(60):
        one, other = found_for(a, b).figures, found_for(b, a).figures
        for name in SYMMETRIC:
            sign = -1 if name == "bias" else 1
            if one[name].value is None:
                assert other[name].value is None
            else:
                assert one[name].value == pytest.approx(sign * other[name].value, abs=1e-12), name


def test_a_scale_may_be_turned_round():
    for a, b in two_raters(60):
        one, other = found_for(a, b).figures, found_for(6 - a, 6 - b).figures
        for name in FIGURES:
            sign = -1 if name == "bias" else 1
            if one[name].value is None:
                assert other[name].reason == one[name].reason
            else:
                assert one[name].value == pytest.approx(sign * other[name].value, abs=1e-12), name


def test_scales_of_a_hundred_points():
    rng = np.random.default_rng(35)
    axis = Axis(name="quality", title="Quality", low=0, high=100, better="higher")
    people = rng.integers(0, 101, 300).astype(float)
    judge = np.clip(people + rng.normal(0, 10, 300), 0, 100)
    found = found_for(judge, people, axis=axis)
    assert found.figures["pearson"].value == pytest.approx(stats.pearsonr(judge, people).statistic, abs=1e-9)
    assert found.figures["kendall"].value == pytest.approx(stats.kendalltau(judge, people).statistic, abs=1e-9)
    assert found.figures["mae"].value == pytest.approx(np.abs(judge - people).mean(), abs=1e-9)


def test_the_published_pitfall_is_seen():
    """59 % of yes/no verdicts right, where always "yes" has 69 %: kappa is below 0 and the constant stands beside."""
    people = np.repeat([1.0, 0.0], [69, 31])
    judge = np.concatenate([np.repeat([1.0, 0.0], [53, 16]), np.repeat([1.0, 0.0], [25, 6])])
    axis = Axis(name="supported", title="Supported", low=0, high=1, better="higher")
    found = found_for(judge, people, axis=axis)
    assert found.figures["exact"].value == pytest.approx(0.59)
    assert found.figures["exact"].constant == pytest.approx(0.69)
    assert found.figures["kappa"].value == pytest.approx(-0.04, abs=5e-3)
    assert found.figures["kappa"].ci95[0] < 0 < found.figures["kappa"].ci95[1]


def test_a_margin_sought_on_the_same_pairs_is_reckoned_with():
    """The calibrated accuracy is too good where sources are few: its interval still holds that of the best margin."""
    rng, name = np.random.default_rng(10), "pairwise_within_calibrated"

    def figure(count):
        quality = np.repeat(rng.normal(size=count), 4) + rng.normal(size=4 * count)
        judge = np.clip(3 + 0.5 * quality + 0.5 * rng.normal(size=len(quality)), 1, 5)
        people = np.clip(np.rint(3 + 0.7 * quality + 0.5 * rng.normal(size=len(quality))), 1, 5)
        return found_for(judge, people, np.repeat(np.arange(count), 4)).figures[name]

    truth, repeats = figure(10_000).value, 1_000
    drawn = [figure(10) for _ in range(repeats)]
    assert np.mean([one.value for one in drawn]) > truth + 0.02
    assert all(one.ci95[0] <= one.value <= one.ci95[1] for one in drawn)
    assert np.mean([one.ci95[0] <= truth <= one.ci95[1] for one in drawn]) > 0.93
