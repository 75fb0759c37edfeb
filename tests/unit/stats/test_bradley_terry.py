"""Strengths against independent fits, their intervals against simulated candidates of known strength."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, special
from scipy import stats as scipy_stats

from adjudge.stats.bradley_terry import PRIOR, Strengths, fitted
from adjudge.stats.bradley_terry import strengths as maybe


def strengths(totals: np.ndarray) -> Strengths:
    """The strengths of a table that has them."""
    found = maybe(totals)
    assert found is not None
    return found


def a_table(seed: int) -> np.ndarray:
    """Totals with ties and gaps; some candidates always win, some never meet."""
    draw = np.random.default_rng(seed)
    size, n = int(draw.integers(2, 8)), int(draw.integers(2, 40))
    totals = draw.integers(0, draw.integers(2, 12), size=(n, size)).astype(float)
    totals += draw.normal(0, 3, size).round() * draw.integers(0, 2)
    totals[draw.random((n, size)) < draw.choice([0, 0.2, 0.6])] = np.nan
    return totals


def comparisons(totals: np.ndarray) -> list[tuple[int, int, int, float, float]]:
    """(item, i, j, won by i, weight): halves as two rows, the prior as item -1."""
    size = totals.shape[1]
    found = []
    for item, row in enumerate(totals):
        for i, j in combinations(range(size), 2):
            if not np.isnan(row[i] + row[j]):
                if row[i] == row[j]:
                    found += [(item, i, j, 1.0, 0.5), (item, i, j, 0.0, 0.5)]
                else:
                    found.append((item, i, j, float(row[i] > row[j]), 1.0))
    for i, j in combinations(range(size), 2):
        found += [(-1, i, j, won, PRIOR / 2 / (size - 1)) for won in (0.0, 1.0)]
    return found


def design(found: list[tuple[int, int, int, float, float]], size: int) -> np.ndarray:
    rows = np.zeros((len(found), size))
    for place, (_, i, j, _, _) in enumerate(found):
        rows[place, i], rows[place, j] = 1, -1
    return rows


TABLES = [table for seed in range(260) if maybe(table := a_table(seed)) is not None][:200]


def test_there_are_two_hundred_tables():
    assert len(TABLES) == 200
    assert any(np.isnan(one).any() for one in TABLES) and any(one.shape[1] == 2 for one in TABLES)


@pytest.mark.parametrize("totals", TABLES)
def test_strengths_are_those_of_a_logistic_regression_without_intercept(totals):
    size = totals.shape[1]
    found = comparisons(totals)
    rows = design(found, size)
    # the last candidate is the reference, then all are centred
    model = sm.GLM(
        [one[3] for one in found], rows[:, :-1], sm.families.Binomial(), freq_weights=[one[4] for one in found]
    )
    logs = np.append(model.fit(tol=1e-14, maxiter=300).params, 0.0)
    ours = strengths(totals)
    np.testing.assert_allclose(ours.log, logs - logs.mean(), atol=1e-9)


@pytest.mark.parametrize("totals", TABLES[::10])
def test_strengths_are_the_maximum_of_the_likelihood(totals):
    found = comparisons(totals)
    rows, won, weight = design(found, totals.shape[1]), *np.array([one[3:] for one in found]).T

    def loss(log):
        return -np.sum(weight * special.log_expit((2 * won - 1) * (rows @ log)))

    def slope(log):
        return -rows.T @ (weight * (won - special.expit(rows @ log)))

    ours = strengths(totals).log
    assert np.abs(slope(ours)).max() < 1e-9
    free = optimize.minimize(loss, np.zeros(len(ours)), jac=slope, method="BFGS", options={"gtol": 1e-7})
    assert loss(ours) <= free.fun + 1e-12


@pytest.mark.parametrize("totals", TABLES)
def test_intervals_are_the_sandwich_over_items(totals):
    size, found = totals.shape[1], comparisons(totals)
    rows, ours = design(found, size), strengths(totals)
    expected = special.expit(rows @ ours.log)
    weights = np.array([one[4] for one in found])
    information = rows.T @ np.diag(weights * expected * (1 - expected)) @ rows
    bread = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    meat = np.zeros((size, size))
    for item in {one[0] for one in found}:
        mine = [place for place, one in enumerate(found) if one[0] == item]
        scores = [weights[p] * (found[p][3] - expected[p]) * rows[p] for p in mine]
        if item < 0:
            # what the prior gives are parts of comparisons, each by itself
            meat += sum(np.outer(one, one) / weights[p] for one, p in zip(scores, mine, strict=True))
        else:
            meat += np.outer(np.sum(scores, axis=0), np.sum(scores, axis=0))
    n = len({one[0] for one in found} - {-1})
    half = scipy_stats.t.ppf(0.975, n - 1) * np.sqrt(np.diag(bread @ meat @ bread))
    assert ours.items == n
    np.testing.assert_allclose(ours.high - ours.log, half, atol=1e-9, rtol=1e-9)
    np.testing.assert_allclose(ours.log - ours.low, half, atol=1e-9, rtol=1e-9)
    for i, j in combinations(range(size), 2):
        assert ours.wins[i, j] == sum(row[i] > row[j] for row in totals)


def test_two_candidates_have_the_odds_of_their_wins():
    totals = np.array([[1.0, 0.0]] * 7 + [[0.0, 1.0]] * 2 + [[1.0, 1.0]])
    found = strengths(totals)
    assert found.log[0] - found.log[1] == pytest.approx(np.log((7.5 + 0.5) / (2.5 + 0.5)), abs=1e-12)


def test_a_candidate_that_never_lost_has_a_strength_that_grows_with_the_items():
    logs = [strengths(np.array([[2.0, 1.0, 0.0]] * n)) for n in (5, 50, 5000)]
    assert all(np.isfinite([one.low, one.high]).all() for one in logs)
    assert logs[0].log[0] < logs[1].log[0] < logs[2].log[0]


def test_nothing_is_said_of_too_little():
    gaps = np.full((5, 3), np.nan)
    assert maybe(gaps) is None
    assert maybe(np.empty((0, 3))) is None
    assert maybe(np.array([[1.0, 2.0, 3.0]])) is None
    one_each = gaps.copy()
    one_each[:, 1] = 4
    assert maybe(one_each) is None
    equal = strengths(np.ones((4, 3)))
    assert np.abs(equal.log).max() < 1e-12 and (equal.high > 0).all()


@pytest.mark.parametrize("totals", TABLES[:40])
def test_rows_in_another_order_give_the_same_bits_and_candidates_keep_their_strength(totals):
    draw = np.random.default_rng(1)
    ours = strengths(totals)
    mixed = strengths(totals[draw.permutation(len(totals))])
    assert all(np.array_equal(getattr(ours, name), getattr(mixed, name)) for name in ("log", "low", "high", "wins"))
    places = draw.permutation(totals.shape[1])
    np.testing.assert_allclose(strengths(totals[:, places]).log, ours.log[places], atol=1e-10)
    np.testing.assert_allclose(strengths(totals * 3 + 1).log, ours.log, atol=0)


def test_sums_in_another_order_are_equal():
    assert 0.1 + 0.2 != 0.3
    found = strengths(np.array([[0.1 + 0.2, 0.3]] * 5))
    assert found.wins.sum() == 0


@pytest.mark.parametrize(
    ("logs", "n", "gaps"),
    [([0.5, 0.0, -0.5], 40, 0.0), ([1.5, 0.5, 0.0, -2.0], 60, 0.0), ([1, 0.4, 0, 0, -0.4, -1], 60, 0.4)],
)
def test_intervals_cover_the_strength_of_simulated_candidates(logs, n, gaps):
    """Totals with Gumbel noise: pairs of one item depend on one another, and each is Bradley-Terry's."""
    draw, truth, repeats = np.random.default_rng(7), np.array(logs) - np.mean(logs), 2_000
    hits = np.zeros(len(logs))
    for _ in range(repeats):
        totals = truth + draw.gumbel(size=(n, len(logs)))
        totals[draw.random(totals.shape) < gaps] = np.nan
        found = strengths(totals)
        hits += (found.low <= truth) & (truth <= found.high)
    assert 0.935 <= hits.sum() / repeats / len(logs) <= 0.965
    assert (hits / repeats > 0.92).all()


def test_intervals_cover_what_rounded_totals_converge_to():
    """With ties the strengths are those that ever more items lead to."""
    draw, level, repeats = np.random.default_rng(8), np.array([1.0, 0.3, -0.2, -1.0]), 2_000
    whole = np.round(level + draw.normal(0, 1.2, size=(400_000, 4)))
    truth = strengths(whole).log
    hits = np.zeros(4)
    for _ in range(repeats):
        found = strengths(np.round(level + draw.normal(0, 1.2, size=(50, 4))))
        hits += (found.low <= truth) & (truth <= found.high)
    assert 0.935 <= hits.sum() / repeats / 4 <= 0.965


def test_many_items_and_candidates_are_taken_in_parts(monkeypatch):
    totals = np.random.default_rng(3).integers(0, 30, size=(300, 12)).astype(float)
    whole = strengths(totals)
    monkeypatch.setattr("adjudge.stats.bradley_terry._AT_ONCE", 1_000)
    parts = strengths(totals)
    np.testing.assert_allclose(parts.log, whole.log, atol=1e-12)
    np.testing.assert_allclose(parts.high, whole.high, atol=1e-12)


def test_a_lopsided_table_is_fitted():
    wins = np.array([[0, 1e6, 1e6], [0, 0, 1e6], [0, 1, 0.0]])
    logs = fitted(wins)
    assert logs[0] > logs[1] > logs[2] and np.isfinite(logs).all()
