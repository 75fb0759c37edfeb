"""Corrected shares: against statsmodels, the papers' own formulas, and simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from adjudge.stats.correct import Slice, estimate
from adjudge.stats.rates import Rate, corrected_rate, rogan_gladen, weights_of, wilson_at

TABLES = 200


def a_slice(rng, every, n, *, share=0.6, sensitivity=0.9, specificity=0.7) -> tuple[Slice, np.ndarray]:
    people = (rng.random(every) < share).astype(float)
    judge = np.where(people == 1, rng.random(every) < sensitivity, rng.random(every) >= specificity).astype(float)
    said = np.full(every, np.nan)
    chosen = rng.choice(every, n, replace=False)
    said[chosen] = people[chosen]
    strata = np.zeros(every, dtype=np.int64)
    return Slice(judge=judge, people=said, clusters=np.arange(every), strata=strata), people


def test_plain_shares_have_the_wilson_interval_of_statsmodels():
    rng = np.random.default_rng(1)
    for _ in range(TABLES):
        n = int(rng.integers(1, 80))
        k = int(rng.integers(0, n + 1))
        assert wilson_at(k / n, n) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-9)


def test_every_share_is_counted_by_hand():
    rng = np.random.default_rng(2)
    known = 0
    for _ in range(TABLES):
        every = int(rng.integers(2, 80))
        data, _ = a_slice(rng, every, int(rng.integers(1, every + 1)), share=float(rng.random()))
        has = data.labelled
        y, f = data.people[has], data.judge[has]
        found = corrected_rate(data)
        empty = [(f == 1).sum() == 0 and data.judge.any(), (f == 0).sum() == 0 and not data.judge.all()]
        assert (found is None) == any(empty)
        if found is None:
            continue
        known += 1
        passes = data.judge.mean()
        cells = [
            (passes, found.passed, y[f == 1]),
            (1 - passes, found.failed, y[f == 0]),
        ]
        by_hand, down, up = 0.0, 0.0, 0.0
        for weight, share, labels in cells:
            if len(labels):
                low, high = proportion_confint(labels.sum(), len(labels), method="wilson")
                assert share is not None
                assert (share.rate, *share.ci95) == pytest.approx((labels.mean(), low, high), abs=1e-9)
                by_hand += weight * labels.mean()
                down += (weight * (labels.mean() - low)) ** 2
                up += (weight * (high - labels.mean())) ** 2
        assert found.corrected.rate == pytest.approx(by_hand, abs=1e-9)
        low, high = proportion_confint(data.judge.sum(), every, method="wilson")
        assert found.judge.ci95 == pytest.approx((low, high), abs=1e-9)
        differ = (found.passed.rate if found.passed else 0) - (found.failed.rate if found.failed else 0)
        if found.passed and found.failed:
            less, more = (passes - low, high - passes) if differ > 0 else (high - passes, passes - low)
            ends = by_hand - math.sqrt(down + (less * differ) ** 2), by_hand + math.sqrt(up + (more * differ) ** 2)
            assert found.corrected.ci95 == pytest.approx((max(0, ends[0]), min(1, ends[1])), abs=1e-9)
        if y.any():
            assert found.sensitivity is not None
            assert found.sensitivity.rate == pytest.approx(f[y == 1].mean(), abs=1e-9)
        if not y.all():
            assert found.specificity is not None
            assert found.specificity.rate == pytest.approx(1 - f[y == 0].mean(), abs=1e-9)
    assert known > TABLES / 2


def test_the_corrected_share_is_the_prediction_powered_one():
    """For yes and no the regression of people on the judge is the share in each of its two answers."""
    rng = np.random.default_rng(3)
    for _ in range(TABLES):
        data, _ = a_slice(rng, 60, 25, share=0.3 + 0.4 * float(rng.random()))
        if (found := corrected_rate(data)) is not None and data.judge[data.labelled].std() > 0:
            assert found.corrected.rate == pytest.approx(estimate(data, 0, 1).mean, abs=1e-9)


def _of(rate: float, n: float) -> Rate:
    return Rate(rate=rate, ci95=(0.0, 1.0), n=n)


def test_rogan_and_gladen_s_share_by_hand():
    found = rogan_gladen(_of(0.3, 1000), _of(0.9, 50), _of(0.8, 50))
    assert found is not None
    assert found[0] == pytest.approx(0.1 / 0.7)
    assert rogan_gladen(_of(0.3, 1000), _of(0.5, 50), _of(0.5, 50)) is None
    assert rogan_gladen(_of(0.3, 1000), _of(0.9, 1), _of(0.2, 400)) is None


def test_its_interval_is_the_adjusted_one_of_lee_and_others():
    rng = np.random.default_rng(4)
    z = norm.ppf(0.975)
    for _ in range(TABLES):
        n, m0, m1 = (int(rng.integers(5, 400)) for _ in range(3))
        p, q1, q0 = rng.random(), 0.55 + 0.45 * rng.random(), 0.6 + 0.4 * rng.random()
        found = rogan_gladen(_of(p, n), _of(q1, m1), _of(q0, m0))
        pt = (n * p + z**2 / 2) / (n + z**2)
        a, b = (m0 * q0 + 1) / (m0 + 2), (m1 * q1 + 1) / (m1 + 2)
        if a + b <= 1:
            assert found is None
            continue
        theta = (pt + a - 1) / (a + b - 1)
        va, vb = a * (1 - a) / (m0 + 2), b * (1 - b) / (m1 + 2)
        error = math.sqrt(pt * (1 - pt) / (n + z**2) + (1 - theta) ** 2 * va + theta**2 * vb) / (a + b - 1)
        middle = theta + 2 * z**2 * (theta * vb - (1 - theta) * va)
        ends = np.clip([middle - z * error, middle + z * error], 0, 1)
        assert found is not None
        assert found[1] == pytest.approx(tuple(ends), abs=1e-9)


def test_weights_give_back_the_strata():
    data, _ = a_slice(np.random.default_rng(0), 40, 10)
    strata = np.repeat([0, 1], [10, 30])
    chosen = np.where(np.isin(np.arange(40), [0, 1, 2, 3, 15, 25]), 1.0, np.nan)
    weights = weights_of(Slice(judge=data.judge, people=chosen, clusters=data.clusters, strata=strata))
    assert weights[[0, 1, 2, 3, 15, 25]].tolist() == [2.5] * 4 + [15.0] * 2
    assert weights.sum() == 40


def test_texts_of_one_source_that_are_alike_are_worth_fewer():
    judge, people = np.tile([1.0, 0.0], 60), np.full(120, np.nan)
    people[:60] = np.repeat([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], 10)
    alone = Slice(judge=judge, people=people, clusters=np.arange(120), strata=np.zeros(120, dtype=np.int64))
    together = Slice(judge=judge, people=people, clusters=np.arange(120) // 10, strata=alone.strata)
    one, other = corrected_rate(alone), corrected_rate(together)
    assert one is not None
    assert other is not None
    assert one.corrected.rate == other.corrected.rate
    assert other.labels.n < 10 < one.labels.n
    assert other.corrected.ci95[1] - other.corrected.ci95[0] > one.corrected.ci95[1] - one.corrected.ci95[0]


@pytest.mark.parametrize(
    ("share", "sensitivity", "specificity", "n", "most"),
    [
        # a few labels in each of the judge's two answers: Wilson's interval is on the safe side
        (0.5, 0.9, 0.7, 30, 0.975),
        (0.7, 0.9, 0.6, 50, 0.965),
        (0.5, 0.9, 0.7, 50, 0.965),
        (0.3, 0.9, 0.8, 100, 0.965),
    ],
)
def test_corrected_shares_cover_what_people_say_and_the_judge_s_own_do_not(share, sensitivity, specificity, n, most):
    rng = np.random.default_rng(5)
    runs, hits, wide, worst = 2_000, np.zeros(2), np.zeros(3), 0
    for _ in range(runs):
        data, _ = a_slice(rng, 800, n, share=share, sensitivity=sensitivity, specificity=specificity)
        found = corrected_rate(data)
        assert found is not None
        hits += [one.ci95[0] <= share <= one.ci95[1] for one in (found.corrected, found.judge)]
        wide[:2] += [one.ci95[1] - one.ci95[0] for one in (found.corrected, found.labels)]
        if found.rogan_gladen is not None:
            low, high = found.rogan_gladen[1]
            worst += not low <= share <= high
            wide[2] += high - low
    assert 0.935 <= hits[0] / runs <= most
    assert hits[1] / runs < 0.5
    assert wide[0] < 0.92 * wide[1] < wide[2]
    assert worst / runs < 0.05
