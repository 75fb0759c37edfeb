"""The figures against slower definitions of the same things, and against scipy."""

from __future__ import annotations

import math
import random
from itertools import combinations

import pytest
from eval.embedded import figures
from scipy.stats import kendalltau, spearmanr


def _texts(n: int, seed: int = 1) -> tuple[list[float], list[float], list[str], list[str]]:
    rng = random.Random(seed)
    human = [float(rng.randint(1, 5)) for _ in range(n)]
    scores = [round(h + rng.gauss(0, 2)) / 2 for h in human]
    documents = [f"d{rng.randint(0, n // 6)}" for _ in range(n)]
    return human, scores, documents, [f"s{name[1:]}" for name in documents]


@pytest.mark.parametrize("seed", range(5))
def test_spearman_is_scipys(seed: int):
    human, scores, _, _ = _texts(60, seed)
    assert figures.spearman(human, scores) == pytest.approx(spearmanr(human, scores).statistic)


def test_spearman_of_a_constant_is_no_number():
    assert math.isnan(figures.spearman([1, 1, 1], [1, 2, 3]))
    assert math.isnan(figures.spearman([], []))


@pytest.mark.parametrize("seed", range(5))
def test_auc_counts_pairs_with_ties_as_half(seed: int):
    human, scores, _, _ = _texts(40, seed)
    positive = [float(h > 3) for h in human]
    ups = [s for p, s in zip(positive, scores, strict=True) if p]
    downs = [s for p, s in zip(positive, scores, strict=True) if not p]
    counted = sum((u > d) + 0.5 * (u == d) for u in ups for d in downs) / (len(ups) * len(downs))
    assert figures.auc(positive, scores) == pytest.approx(counted)


def test_auc_with_one_class_is_no_number():
    assert math.isnan(figures.auc([1, 1], [1, 2]))


@pytest.mark.parametrize("seed", range(5))
def test_right_order_counts_pairs_of_one_source(seed: int):
    human, scores, documents, clusters = _texts(60, seed)
    right = total = 0.0
    for a, b in combinations(range(60), 2):
        if documents[a] == documents[b] and human[a] != human[b]:
            total += 1
            product = (human[a] - human[b]) * (scores[a] - scores[b])
            right += 1 if product > 0 else 0.5 if product == 0 else 0
    found = figures.right_order(human, scores, documents, clusters)
    assert found.value == pytest.approx(right / total)
    assert found.n == 60


def test_right_order_without_ties_is_kendalls_tau():
    human, scores = [1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 1.0, 4.0, 3.0, 5.0]
    found = figures.right_order(human, scores, ["d"] * 5, ["s"] * 5)
    assert 2 * found.value - 1 == pytest.approx(kendalltau(human, scores).statistic)


def test_within_is_the_mean_over_documents_and_skips_constant_ones():
    human = [1.0, 2.0, 3.0, 3.0, 2.0, 1.0, 4.0, 4.0]
    scores = [1.0, 2.0, 3.0, 1.0, 2.0, 2.0, 0.0, 1.0]
    documents = ["a", "a", "a", "b", "b", "b", "c", "c"]
    second = spearmanr([3, 2, 1], [1, 2, 2]).statistic
    found = figures.within(human, scores, documents, documents)
    assert found.value == pytest.approx((1 + second) / 2)
    assert found.n == 6


def test_over_parts_weighs_each_part_alike():
    positive = [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    scores = [2.0, 1.0, 1.0, 2.0, 3.0, 4.0]
    parts = ["a", "a", "b", "b", "b", "b"]
    found = figures.over_parts(figures.auc, positive, scores, parts, list("uvwxyz"))
    assert found.value == pytest.approx((1.0 + 0.0) / 2)


def test_what_was_not_judged_is_left_out():
    found = figures.pooled(figures.spearman, [1.0, 2.0, 3.0, 9.0], [1.0, 2.0, 3.0, math.nan], list("abcd"))
    assert found.value == pytest.approx(1.0)
    assert found.n == 3


def test_intervals_hold_the_value_and_widen_with_clusters():
    human, scores, documents, clusters = _texts(240, 3)
    alone = figures.pooled(figures.spearman, human, scores, [str(i) for i in range(240)], draws=200)
    few = figures.pooled(figures.spearman, human * 4, scores * 4, [str(i) for i in range(240)] * 4, draws=200)
    assert alone.low is not None and alone.high is not None and few.low is not None and few.high is not None
    assert alone.low < alone.value < alone.high
    # Four copies of each text are no more evidence than one.
    assert few.high - few.low == pytest.approx(alone.high - alone.low, abs=0.01)
    ordered = figures.right_order(human, scores, documents, clusters, draws=200)
    assert ordered.low is not None and ordered.high is not None and ordered.low < ordered.value < ordered.high


def test_mean_change_is_the_mean_of_what_is_known():
    found = figures.mean_change([0.1, 0.3, math.nan], ["a", "b", "c"], draws=50)
    assert found.value == pytest.approx(0.2)
    assert found.n == 2
