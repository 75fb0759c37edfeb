"""The alternative-annotator test against a transcription of the paper with scipy's t-test, and its error rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from adjudge.stats.alternative import Against, alternative, benjamini_yekutieli
from adjudge.stats.board import Axis
from tests.unit.stats.tables import AXIS


def people_and_judge(rng, n, annotators, *, random=0.0, gaps=0.0):
    """Annotators who err alike, and a judge who is one of them but for a share of scores given at random."""
    truth = rng.integers(1, 6, n)
    error = rng.choice([-1, 0, 0, 0, 1], (n, annotators + 1))
    given = np.clip(truth[:, None] + error, 1, 5).astype(float)
    judge = np.where(rng.random(n) < random, rng.integers(1, 6, n), given[:, -1])
    people = given[:, :-1]
    people[rng.random(people.shape) < gaps] = np.nan
    return judge, people


def by_the_paper(judge, people, epsilon):
    """Calderon et al. (2025), section 3: for each annotator d = W_h - W_f and a one-sided one-sample t-test."""
    found = []
    for one in range(people.shape[1]):
        wins_judge, wins_person = [], []
        for score, row in zip(judge, people, strict=True):
            others = [row[at] for at in range(len(row)) if at != one and not np.isnan(row[at])]
            if np.isnan(row[one]) or np.isnan(score) or not others:
                continue
            near_judge = -np.sqrt(np.mean([(score - other) ** 2 for other in others]))
            near_person = -np.sqrt(np.mean([(row[one] - other) ** 2 for other in others]))
            wins_judge.append(near_judge >= near_person - 1e-12)
            wins_person.append(near_person >= near_judge - 1e-12)
        lead = np.array(wins_person, float) - np.array(wins_judge, float)
        p = stats.ttest_1samp(lead, epsilon, alternative="less").pvalue
        found.append((len(lead), np.mean(wins_judge), np.mean(wins_person), p))
    won = multipletests([one[3] for one in found], alpha=0.05, method="fdr_by")[0]
    return found, won


@pytest.mark.parametrize("annotators", [3, 4, 6])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("random", [0.0, 0.3, 1.0])
def test_it_is_the_papers(annotators, gaps, random):
    rng = np.random.default_rng(annotators)
    for epsilon in (0.1, 0.15, 0.2):
        judge, people = people_and_judge(rng, 80, annotators, random=random, gaps=gaps)
        found = alternative(judge, people, np.arange(80), axis=AXIS, epsilon=epsilon)
        expected, won = by_the_paper(judge, people, epsilon)
        assert len(found.against) == annotators
        for at, (one, (n, own, person, p)) in enumerate(zip(found.against, expected, strict=True)):
            assert (one.annotator, one.n) == (at, n)
            assert (one.judge, one.person, one.p) == pytest.approx((own, person, p), abs=1e-9)
        assert [one.won for one in found.against] == won.tolist()
        assert found.rate == pytest.approx(won.mean()) and found.stands_in == (won.mean() >= 0.5)
        assert found.advantage == pytest.approx(np.mean([own for _, own, _, _ in expected]), abs=1e-9)


def test_benjamini_and_yekutieli_is_statsmodels():
    rng = np.random.default_rng(13)
    for at in range(200):
        ps = (rng.random(1 + at % 9) ** 4 / 3).tolist()
        assert benjamini_yekutieli(ps) == multipletests(ps, alpha=0.05, method="fdr_by")[0].tolist()


def test_what_it_needs_is_said():
    rng = np.random.default_rng(14)
    judge, people = people_and_judge(rng, 60, 2)
    found = alternative(judge, people, np.arange(60), axis=AXIS, epsilon=0.15)
    assert (found.stands_in, found.reason, found.against) == (None, "annotators", ())
    judge, people = people_and_judge(rng, 29, 4)
    assert alternative(judge, people, np.arange(29), axis=AXIS, epsilon=0.15).reason == "units"
    judge, people = people_and_judge(rng, 290, 4)
    assert alternative(judge, people, np.arange(290) // 10, axis=AXIS, epsilon=0.15).reason == "units", "29 sources"
    alone = np.full((90, 3), np.nan)
    alone[np.arange(90), np.arange(90) % 3] = 3.0
    assert alternative(np.full(90, 3.0), alone, np.arange(90), axis=AXIS, epsilon=0.15).reason == "annotators"
    none = np.empty((0, 0))
    assert alternative(np.empty(0), none, np.empty(0, np.int64), axis=AXIS, epsilon=0.15).reason == "annotators"


def test_an_annotator_with_too_few_units_is_left_out():
    judge, people = people_and_judge(np.random.default_rng(15), 100, 4)
    people[20:, 1] = np.nan
    found = alternative(judge, people, np.arange(100), axis=AXIS, epsilon=0.15)
    assert [one.annotator for one in found.against] == [0, 2, 3]


def test_judges_that_never_differ_from_an_annotator():
    people = np.repeat(np.arange(40)[:, None] % 5 + 1.0, 3, axis=1)
    found = alternative(people[:, 0], people, np.arange(40), axis=AXIS, epsilon=0.15)
    assert found.against[0] == Against(annotator=0, n=40, judge=1.0, person=1.0, p=0.0, won=True)
    worst = alternative(people[:, 0] % 5 + 1, people, np.arange(40), axis=AXIS, epsilon=0.15)
    assert worst.stands_in is False and worst.against[0].p == 1.0


def test_scores_are_compared_on_the_points_that_people_have():
    judge, people = people_and_judge(np.random.default_rng(16), 60, 3)
    near = judge + np.tile([0.2, -0.3], 30)
    same = alternative(judge, people, np.arange(60), axis=AXIS, epsilon=0.15)
    assert alternative(near, people, np.arange(60), axis=AXIS, epsilon=0.15) == same
    derived = Axis(name="average", title="Average", low=1, high=5, better="higher", derived=True)
    assert alternative(near, people, np.arange(60), axis=derived, epsilon=0.15) != same


def licensed(n, *, random, repeats=2_000):
    """How often the test lets this judge stand in for one of three annotators."""
    rng, passed = np.random.default_rng(17), 0
    for _ in range(repeats):
        judge, people = people_and_judge(rng, n, 3, random=random)
        passed += bool(alternative(judge, people, np.arange(n), axis=AXIS, epsilon=0.15).stands_in)
    return passed / repeats


#: So many scores at random put a judge behind by the allowance.
EDGE = 0.267


def behind(random):
    """By how much annotators are nearer to the others than this judge, in the long run."""
    judge, people = people_and_judge(np.random.default_rng(18), 100_000, 3, random=random)
    every = alternative(judge, people, np.arange(100_000), axis=AXIS, epsilon=0.15).against
    return np.mean([one.person - one.judge for one in every])


def test_it_licenses_an_equal_and_refuses_a_worse_one():
    assert licensed(200, random=0.0) > 0.95
    assert behind(0.4) == pytest.approx(0.22, abs=0.01)
    assert licensed(100, random=0.4) < 0.01


def test_at_the_edge_it_errs_as_rarely_as_it_says():
    assert behind(EDGE) == pytest.approx(0.15, abs=0.003)
    assert licensed(100, random=EDGE) < 0.05
