"""Whether failed items could have been any: permutation tests against exact ones, and their false alarms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.board import generator
from adjudge.stats.exchange import exchanged


def test_numbers_are_tested_by_their_ranks():
    rng = generator(1, "numbers")
    for _ in range(10):
        values = np.round(rng.normal(100, 30, 14))
        marked = np.zeros(14, dtype=bool)
        marked[rng.choice(14, 5, replace=False)] = True
        ranks = stats.rankdata(values)
        exact = stats.permutation_test(
            (ranks[marked], ranks[~marked]),
            lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
            vectorized=True,
            n_resamples=np.inf,
        ).pvalue
        (p,) = exchanged(marked, {"length": values}, {}, generator(2, "draws")).values()
        assert p == pytest.approx(exact, abs=0.03)


def test_names_are_tested_by_their_counts():
    names = ["a"] * 30 + ["b"] * 30
    marked = np.array([True] * 9 + [False] * 21 + [True] * 2 + [False] * 28)
    (p,) = exchanged(marked, {}, {"system": names}, generator(0, "names")).values()
    assert p == pytest.approx(stats.fisher_exact([[9, 21], [2, 28]]).pvalue, abs=0.02)


def test_traits_are_adjusted_for_one_another():
    rng = generator(3, "holm")
    marked = np.arange(60) < 12
    far, near = np.where(marked, 50.0, 0.0) + rng.random(60), rng.random(60)
    found = exchanged(marked, {"far": far, "near": near}, {"same": ["x"] * 60}, generator(4, "draws"))
    assert found.keys() == {"far", "near"}, "what does not vary is not tested"
    assert found["far"] == pytest.approx(2 / 5_000) and found["near"] > 0.05


@pytest.mark.parametrize("marked", [[], [False, False, False], [True, True, True]])
def test_without_both_kinds_there_is_nothing_to_test(marked):
    lengths = np.arange(len(marked), dtype=np.float64)
    assert exchanged(np.array(marked, dtype=bool), {"length": lengths}, {}, generator(0)) == {}


def test_many_names_are_taken_together():
    names = [f"n{at}" for at in range(200)]
    marked = np.arange(200) % 10 == 0
    assert exchanged(marked, {}, {"system": names}, generator(0, "many"))["system"] > 0.05


def test_false_alarms_are_rare(monkeypatch):
    monkeypatch.setattr("adjudge.stats.exchange.EXCHANGES", 999)
    rng, alarms, simulations = generator(5, "alarms"), 0, 2_000
    for _ in range(simulations):
        marked = rng.permutation(np.arange(40) < 8)
        numbers = {"source": np.round(rng.lognormal(5, 1, 40)), "place": np.arange(40.0)}
        found = exchanged(marked, numbers, {"system": rng.choice(["a", "b", "c"], 40).tolist()}, rng)
        alarms += min(found.values()) <= 0.05
    assert 0.035 <= alarms / simulations <= 0.065
