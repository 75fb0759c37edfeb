"""Corrected means: against least squares of statsmodels, the papers' own formulas, and simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as scipy_stats

from adjudge.stats.correct import Slice, alike, estimate, joined, labels_needed

TABLES = 200


def a_slice(rng: np.random.Generator, *, strata: int = 1, clustered: bool = False) -> Slice:
    """A random table with ties, constants and any number of labels from two a stratum on."""
    every = int(rng.integers(8, 60)) * strata
    judge = rng.integers(1, 6, every).astype(float) if rng.random() < 0.7 else rng.normal(3, 1, every)
    if rng.random() < 0.1:
        judge[:] = 4.0
    people = np.clip(np.round(judge + rng.normal(-0.5, 1, every)), 1, 5)
    if rng.random() < 0.1:
        people[:] = 3.0
    number = np.arange(every) % strata
    said = np.full(every, np.nan)
    for stratum in range(strata):
        here = np.flatnonzero(number == stratum)
        chosen = rng.choice(here, int(rng.integers(2, len(here) + 1)), replace=False)
        said[chosen] = people[chosen]
    clusters = rng.integers(0, every // 2, every) if clustered else np.arange(every)
    return Slice(judge=judge, people=said, clusters=clusters, strata=number)


def test_labels_alone_are_student_s_interval_moved_by_their_skew():
    rng = np.random.default_rng(1)
    for _ in range(TABLES):
        data = a_slice(rng)
        labels = data.people[data.labelled]
        found = estimate(data, 1, 5, use_judge=False)
        assert found.mean == pytest.approx(labels.mean(), abs=1e-9)
        if labels.std() > 0:
            error = scipy_stats.sem(labels)
            moved = scipy_stats.skew(labels) / math.sqrt(len(labels)) * (1 + 2 * scipy_stats.norm.ppf(0.975) ** 2) / 6
            low, high = scipy_stats.t.interval(0.95, len(labels) - 1, labels.mean() + moved * error, error)
            assert found.ci95 == pytest.approx((max(1, low), min(5, high)), abs=1e-9)
            assert found.worth == pytest.approx(len(labels), abs=1e-6)


def test_one_draw_is_prediction_powered_inference_as_published():
    """Of the unlabelled items' verdicts and the labelled ones', with λ as PPI++ states it for a mean."""
    rng = np.random.default_rng(2)
    for _ in range(TABLES):
        data = a_slice(rng)
        has = data.labelled
        y, f, rest = data.people[has], data.judge[has], data.judge[~has]
        if not len(rest) or f.std() == 0:
            continue
        power = np.cov(y, f)[0, 1] / ((1 + len(y) / len(rest)) * f.var(ddof=1))
        published = power * rest.mean() + (y - power * f).mean()
        assert estimate(data, -99, 99).mean == pytest.approx(published, abs=1e-9)


@pytest.mark.parametrize("strata", [1, 2, 4])
def test_estimate_and_error_are_those_of_weighted_least_squares(strata):
    """A line of its own height for each stratum and one slope, at the mean verdict of all items; errors HC2."""
    rng = np.random.default_rng(3 + strata)
    compared = 0
    for _ in range(TABLES):
        data = a_slice(rng, strata=strata)
        has, every = data.labelled, len(data.judge)
        y, f, own = data.people[has], data.judge[has], data.strata[has]
        counts, share = np.bincount(own, minlength=strata), np.bincount(data.strata) / every
        found = estimate(data, -99, 99)
        off = f - np.array([f[own == number].mean() for number in range(strata)])[own]
        lines = np.eye(strata)[own]
        with_slope = bool((off**2).sum() > 1e-9)
        design = np.column_stack([lines, f]) if with_slope else lines
        weights = (share**2 / (counts * (counts - 1)))[own]
        fit = sm.WLS(y, design, weights=weights).fit()
        at = np.append(share, data.judge.mean()) if with_slope else share
        assert found.mean == pytest.approx(at @ fit.params, abs=1e-9)
        assert found.df == max(1, len(y) - strata - with_slope)
        leverage = (
            weights[:, None] * design * np.linalg.solve(design.T @ (weights[:, None] * design), design.T).T
        ).sum(1)
        if (leverage < 1 - 1e-6).all():
            error = at @ fit.get_robustcov_results("HC2").cov_params() @ at
            assert found.of_labels == pytest.approx(error, abs=1e-9)
            compared += 1
    assert compared > TABLES / 2


def test_items_of_one_source_count_together():
    """The variance, summed by hand over sources."""
    rng = np.random.default_rng(7)
    for _ in range(TABLES):
        data = a_slice(rng, clustered=True)
        has, every = data.labelled, len(data.judge)
        y, f, n = data.people[has], data.judge[has], data.n
        if f.std() == 0 or data.sources < 2:
            continue
        slope = np.cov(y, f)[0, 1] / f.var(ddof=1)
        spread, far = ((f - f.mean()) ** 2).sum(), data.judge.mean() - f.mean()
        mean, moved = y.mean() + slope * far, dict.fromkeys(set(data.clusters.tolist()), 0.0)
        labels = dict(moved)
        inflated = math.sqrt(data.sources / (data.sources - 1)) if data.sources < n else 1.0
        for place in range(every):
            moved[data.clusters[place]] += slope * (data.judge[place] - data.judge.mean()) / every
            if has[place]:
                off = data.judge[place] - f.mean()
                left = data.people[place] - y.mean() - slope * off
                free = 1 - 1 / n - off**2 / spread
                part = inflated * (1 / n + far * off / spread) * left / math.sqrt(free if free > 1e-9 else 1.0)
                moved[data.clusters[place]] += part
                labels[data.clusters[place]] += part
        found = estimate(data, -99, 99)
        whole, alone = (sum(value**2 for value in sums.values()) for sums in (moved, labels))
        assert found.mean == pytest.approx(mean, abs=1e-9)
        assert found.of_labels == pytest.approx(alone, abs=1e-9)
        assert found.of_labels + found.of_items == pytest.approx(max(whole, alone), abs=1e-9)
        assert found.df == max(1, data.sources - 2)


def _slice(judge, people, clusters=None, strata=None):
    n = len(judge)
    return Slice(
        judge=np.array(judge, dtype=float),
        people=np.array(people, dtype=float),
        clusters=np.arange(n) if clusters is None else np.array(clusters),
        strata=np.zeros(n, dtype=np.int64) if strata is None else np.array(strata),
    )


def test_one_and_two_labels_and_constants_give_numbers():
    for people in ([3.0], [3.0, np.nan], [3.0, 4.0], [3.0, 3.0, np.nan]):
        found = estimate(_slice([4.0] * len(people), people), 1, 5)
        assert 1 <= found.ci95[0] <= found.mean <= found.ci95[1] <= 5
        assert found.slope == 0


def test_a_judge_that_never_differed_is_not_believed_beyond_the_labels():
    judge = np.array([1, 2, 3, 4, 5] * 40, dtype=float)
    people = np.where(np.arange(200) < 30, judge, np.nan)
    found = estimate(_slice(judge, people), 1, 5)
    unseen = 1 - 0.05 ** (1 / 30)
    assert found.mean == pytest.approx(3.0)
    assert found.ci95_set == pytest.approx((3 - 2 * unseen, 3 + 2 * unseen))
    assert found.ci95[0] <= found.ci95_set[0]


def test_where_all_are_labelled_these_very_items_are_known():
    rng = np.random.default_rng(0)
    judge, people = rng.integers(1, 6, 50).astype(float), rng.integers(1, 6, 50).astype(float)
    found = estimate(_slice(judge, people), 1, 5)
    assert found.mean == pytest.approx(people.mean())
    assert found.ci95_set == pytest.approx((people.mean(), people.mean()))
    assert found.ci95[1] - found.ci95[0] == pytest.approx(2 * 1.96 * people.std() / math.sqrt(50), rel=0.1)


def test_strata_with_fewer_than_two_labels_are_joined():
    strata = np.repeat(np.arange(5), 3)
    held = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0], dtype=bool)
    assert joined(strata, held).tolist() == [0] * 3 + [1] * 6 + [2] * 3 + [2] * 3
    assert joined(strata, np.ones(15, dtype=bool)).tolist() == strata.tolist()
    assert joined(strata, np.zeros(15, dtype=bool)).tolist() == [0] * 15


def test_so_many_labels_give_the_half_width_that_was_asked_for():
    rng = np.random.default_rng(4)
    every = 4_000
    judge = rng.normal(3.5, 0.8, every)
    people = judge - 0.4 + rng.normal(0, 0.6, every)

    def with_labels(n: int):
        said = np.full(every, np.nan)
        chosen = rng.choice(every, n, replace=False)
        said[chosen] = people[chosen]
        return estimate(_slice(judge, said), -9, 9)

    wanted = [labels_needed(with_labels(60), 60, every, 0.1) for _ in range(40)]
    assert None not in wanted
    found = with_labels(round(float(np.mean([one for one in wanted if one]))))
    assert (found.ci95[1] - found.ci95[0]) / 2 == pytest.approx(0.1, rel=0.12)
    assert labels_needed(with_labels(60), 60, every, 0.001) is None
    few = estimate(_slice(judge[:50], people[:50]), -9, 9)
    assert labels_needed(few, 50, 50, 0.05) is None


def test_labelled_items_that_are_unlike_the_rest_are_noticed():
    rng = np.random.default_rng(5)
    judge = rng.integers(1, 6, 400).astype(float)
    random = np.where(np.isin(np.arange(400), rng.choice(400, 40, replace=False)), judge, np.nan)
    worst = np.where(np.arange(400) < 0, judge, np.nan)
    worst[np.argsort(judge, kind="stable")[:40]] = 1.0
    assert alike(_slice(judge, random), np.random.default_rng(0)) > 0.05
    assert alike(_slice(judge, worst), np.random.default_rng(0)) < 0.001
    assert alike(_slice([4.0] * 30, [3.0] * 10 + [np.nan] * 20), np.random.default_rng(0)) == 1.0


def a_population(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Texts on a scale of 1 to 5, and a judge that is half a point too kind and short of room at the top."""
    worth = rng.normal(0, 1, n)
    people = np.clip(np.round(3.4 + 0.9 * worth + rng.normal(0, 0.5, n)), 1, 5)
    return people, np.clip(np.round(4.0 + 0.9 * worth + rng.normal(0, 0.5, n)), 1, 5)


@pytest.mark.parametrize(("every", "n"), [(300, 30), (500, 50)])
def test_corrected_means_cover_what_people_say_and_the_judge_s_own_do_not(every, n):
    rng = np.random.default_rng(11)
    truth = a_population(rng, 2_000_000)[0].mean()
    hits = np.zeros(4)
    wide = np.zeros(2)
    runs = 2_000
    for _ in range(runs):
        people, judge = a_population(rng, every)
        said = np.full(every, np.nan)
        chosen = rng.choice(every, n, replace=False)
        said[chosen] = people[chosen]
        data = _slice(judge, said)
        found, labels = estimate(data, 1, 5), estimate(data, 1, 5, use_judge=False)
        naive = estimate(_slice(judge, judge), 1, 5, use_judge=False)
        inside = [one.ci95[0] <= truth <= one.ci95[1] for one in (found, labels, naive)]
        hits += [*inside, found.ci95_set[0] <= people.mean() <= found.ci95_set[1]]
        wide += [found.ci95[1] - found.ci95[0], labels.ci95[1] - labels.ci95[0]]
    assert 0.935 <= hits[0] / runs <= 0.965
    assert 0.935 <= hits[1] / runs <= 0.965
    assert hits[2] / runs < 0.01
    assert 0.935 <= hits[3] / runs <= 0.965
    assert wide[0] / wide[1] < 0.8


@pytest.mark.parametrize("n", [30, 50, 100])
def test_means_cover_where_the_judge_is_right_on_most_items_and_far_off_on_a_few(n):
    """Nine items of ten as people say, the tenth three points too kind: Student's interval alone holds 90 to 94 %."""
    rng, runs, every = np.random.default_rng(13), 2_000, 10 * n
    truth = 0.9 * 4.2 + 0.1
    hits = np.zeros(2)
    for _ in range(runs):
        judge = rng.choice([3.0, 4.0, 5.0], every, p=[0.2, 0.4, 0.4])
        people = np.where(rng.random(every) < 0.1, 1.0, judge)
        said = np.full(every, np.nan)
        chosen = rng.choice(every, n, replace=False)
        said[chosen] = people[chosen]
        found = estimate(_slice(judge, said), 1, 5)
        hits += [found.ci95[0] <= truth <= found.ci95[1], found.ci95_set[0] <= people.mean() <= found.ci95_set[1]]
    assert ((hits / runs >= 0.935) & (hits / runs <= 0.965)).all()


def test_an_interval_moved_by_its_skew_still_holds_its_mean():
    rng = np.random.default_rng(14)
    for _ in range(TABLES):
        n = int(rng.integers(2, 12))
        people = np.where(np.arange(n) == 0, 5.0, 1.0)
        found = estimate(_slice(rng.integers(1, 6, n), people), -99, 99)
        assert found.ci95[0] < found.mean < found.ci95[1]


def test_means_cover_where_whole_sources_are_labelled():
    rng = np.random.default_rng(12)
    runs, sources, texts = 2_000, 100, 5
    hits = np.zeros(2)
    clusters = np.repeat(np.arange(sources), texts)
    for _ in range(runs):
        people = 3 + rng.normal(0, 0.7, (sources, 1)) + rng.normal(0, 0.6, (sources, texts))
        judge = 3.6 + 0.8 * (people - 3) + rng.normal(0, 0.5, (sources, 1)) + rng.normal(0, 0.4, (sources, texts))
        said = np.where(np.isin(clusters, rng.choice(sources, 20, replace=False)), people.ravel(), np.nan)
        for place, groups in enumerate((clusters, None)):
            low, high = estimate(_slice(judge.ravel(), said, groups), -9, 9).ci95
            hits[place] += low <= 3 <= high
    assert 0.935 <= hits[0] / runs <= 0.965
    assert hits[1] / runs < 0.8
