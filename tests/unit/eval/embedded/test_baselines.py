"""The plain metrics on small texts, against definitions written out; checked once against sacrebleu and rouge-score."""

from __future__ import annotations

import random

import pytest
from eval.embedded import baselines


def _slow_lcs(a: list[str], b: list[str]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@pytest.mark.parametrize("seed", range(20))
def test_lcs_by_bits_is_lcs_by_table(seed: int):
    rng = random.Random(seed)
    a, b = ([rng.choice("abcd") for _ in range(rng.randint(0, 30))] for _ in range(2))
    assert baselines.lcs(a, b) == _slow_lcs(a, b)


def test_rouge_on_a_counted_example():
    text, other = "the cat sat on the mat", "the cat lay on a mat"
    assert baselines.rouge_n(text, other, 1) == pytest.approx(2 * 4 / 12)
    assert baselines.rouge_n(text, other, 2) == pytest.approx(2 * 1 / 10)
    assert baselines.rouge_l(text, other) == pytest.approx(2 * 4 / 12)
    assert baselines.lcs_precision("the cat sat", other) == pytest.approx(2 / 3)


@pytest.mark.parametrize("metric", [baselines.chrf, baselines.bleu, baselines.rouge_l])
def test_a_text_against_itself_another_and_nothing(metric):
    text = "Кошка сидела на старом ковре у окна."
    assert metric(text, text) == pytest.approx(1.0)
    assert metric(text, "zzzz qqqq xxxx") < 0.1
    assert metric("", text) == metric(text, "") == 0.0


def test_chrf_of_one_order_is_f2_of_letters():
    # Of "ab" both letters are in "abcd", which has four: precision 1, recall 1/2.
    assert baselines.chrf("ab", "abcd", order=1) == pytest.approx(5 * 1 * 0.5 / (4 * 1 + 0.5))


def test_bleu_on_a_counted_example():
    # 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, no four (smoothed to 1/2 of 1); no brevity penalty.
    expected = (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** 0.25
    assert baselines.bleu("a b c x", "a b c d") == pytest.approx(expected)


def test_words_of_scripts_without_spaces_are_letters():
    assert baselines.words("我们 go") == ("我", "们", "go")
