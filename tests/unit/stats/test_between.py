"""How people agree with each other, against each figure by itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from adjudge.stats.alpha import alpha
from adjudge.stats.between import NAMES, between
from tests.unit.stats.tables import AXIS


def scores(n=60, annotators=4, gaps=0.25, seed=21):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, (n, 1))
    given = np.clip(truth + rng.integers(-1, 2, (n, annotators + 1)), 1, 5).astype(float)
    people = given[:, 1:]
    people[rng.random(people.shape) < gaps] = np.nan
    return given[:, 0], people


def found_for(judge, people):
    return between(judge, people, np.arange(len(judge)), axis=AXIS)


def weighted(found):
    values, sizes = zip(*found, strict=True)
    return np.average(values, weights=sizes)


def test_each_person_stands_against_the_mean_of_the_others():
    judge, people = scores()
    found = found_for(judge, people)
    rows = (~np.isnan(people)).sum(axis=1) >= 2
    persons, judges, exact = [], [], []
    for one in range(4):
        at = rows & ~np.isnan(people[:, one])
        others = np.nanmean(np.delete(people, one, axis=1)[at], axis=1)
        persons.append((stats.pearsonr(people[at, one], others).statistic, at.sum()))
        judges.append((stats.kendalltau(judge[at], others).statistic, at.sum()))
        exact.append((np.mean(people[at, one] == np.floor(others + 0.5)), at.sum()))
    assert found.annotators == 4
    assert set(found.persons) == set(found.judge) == set(found.pairs) == set(NAMES)
    assert found.persons["pearson"].value == pytest.approx(weighted(persons), abs=1e-9)
    assert found.judge["kendall"].value == pytest.approx(weighted(judges), abs=1e-9)
    assert found.persons["exact"].value == pytest.approx(weighted(exact), abs=1e-9)
    assert found.persons["exact"].n == rows.sum()


def test_any_two_people_are_compared():
    judge, people = scores()
    found, kappas = found_for(judge, people), []
    for one, other in combinations(range(4), 2):
        at = ~np.isnan(people[:, one]) & ~np.isnan(people[:, other])
        kappas.append((cohen_kappa_score(people[at, one], people[at, other], weights="quadratic"), at.sum()))
    assert found.pairs["kappa_quadratic"].value == pytest.approx(weighted(kappas), abs=1e-9)


def test_alphas_are_over_all_people_and_with_the_judge_among_them():
    judge, people = scores()
    found = found_for(judge, people)
    rows = (~np.isnan(people)).sum(axis=1) >= 2
    for level in ("nominal", "ordinal", "interval"):
        alone = alpha(people[rows], np.ones(rows.sum()), level)[0].value
        joined = alpha(np.column_stack([people, judge])[rows], np.ones(rows.sum()), level)[0].value
        assert found.alphas[f"alpha_{level}"].value == pytest.approx(alone, abs=1e-12)
        assert found.with_judge[f"alpha_{level}"].value == pytest.approx(joined, abs=1e-12)


def test_units_that_only_one_person_labelled_say_nothing_of_people():
    judge, people = scores(gaps=0.0)
    people[:, 1:] = np.nan
    assert found_for(judge, people) is None


def test_people_who_all_say_the_same():
    found = found_for(np.arange(6) % 3 + 1.0, np.full((6, 3), 4.0))
    assert found.persons["exact"].value == 1.0
    assert (found.persons["pearson"].value, found.persons["pearson"].reason) == (None, "same")
    assert (found.alphas["alpha_ordinal"].value, found.alphas["alpha_ordinal"].reason) == (None, "same")


def test_the_average_over_people_has_an_honest_interval():
    """Each unit is in the figure of every annotator: their errors are not independent."""
    rng, held, repeats = np.random.default_rng(22), 0, 400
    truth = found_for(*scores(20_000, 3, 0.1)).persons["icc"].value
    for _ in range(repeats):
        judge, people = scores(60, 3, 0.1, int(rng.integers(1 << 40)))
        low, high = found_for(judge, people).persons["icc"].ci95
        held += low <= truth <= high
    assert 0.92 <= held / repeats <= 0.98


def test_people_who_agree_on_everything_seen_may_differ_on_more():
    for n in (2, 40):
        values = np.resize([1.0, 2, 3, 4, 5], n)
        people = np.column_stack([values] * 3)
        found = between(values, people, np.arange(n), axis=AXIS)
        assert found is not None
        for side in (found.persons, found.judge, found.pairs, found.alphas, found.with_judge):
            for name in ("alpha_nominal", "alpha_ordinal", "alpha_interval"):
                assert (side[name].value, side[name].reason) == (1.0, None)
                low, high = side[name].ci95 or (None, None)
                assert low is not None and low < (0.1 if n == 2 else 1) and high == 1
        assert found.persons["kappa_quadratic"].ci95 == pytest.approx(found.pairs["kappa_quadratic"].ci95)
