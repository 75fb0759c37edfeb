from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.findings import weights
from adjudge.models.offline.overlap import alike, common, phrases, pieces, said, sequence
from adjudge.models.offline.text import Text, analyse
from tests.linear import LARGE, assert_linear

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


def plain_common(a: list[str], b: list[str]) -> int:
    """The textbook table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, j in product(range(len(a)), range(len(b))):
        same = table[i][j] + 1 if a[i] == b[j] else 0
        table[i + 1][j + 1] = max(same, table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(a=WORDS, b=WORDS)
def test_the_longest_common_subsequence(a, b):
    assert common(a, b) == plain_common(a, b)


GOLDEN = analyse("The lamp was lit at six by the keeper. A storm broke the window of the lighthouse in March.")


def words_alike(a: Text, b: Text) -> float:
    return alike(a.raw, b.raw)


@pytest.mark.parametrize("share", [sequence, phrases, words_alike])
def test_shares_of_the_same_of_another_and_of_no_text(share):
    assert share(GOLDEN, GOLDEN) == 1
    assert 0 < share(GOLDEN, analyse("A storm broke the window.")) < 1
    assert share(GOLDEN, analyse("Cats purr loudly.")) < 0.2
    assert share(GOLDEN, analyse("")) == share(analyse(""), analyse("")) == 0


@pytest.mark.parametrize("share", [sequence, phrases])
def test_the_same_words_in_another_order_share_less(share):
    mixed = analyse("March the lighthouse of window the storm in keeper six a lit broke lamp the by at was the.")
    assert share(GOLDEN, mixed) < 0.6
    assert words_alike(GOLDEN, mixed) > 0.9


def test_pieces_hold_every_content_word_and_cross_no_sentence():
    cut = pieces(GOLDEN)
    assert {stem for piece in cut for stem in piece} == set(GOLDEN.stems)
    for piece in cut:
        assert any(set(piece) <= set(sentence.stems) for sentence in GOLDEN.sentences)
    assert max(map(len, cut)) <= weights("overlap")["piece"] + 2


def test_what_is_said_together_counts_more_than_words_strewn_about():
    together = Evidence([analyse("At six the keeper lit the lamp. In March a storm broke the lighthouse's window.")])
    strewn = Evidence([analyse("A storm came. The keeper slept. March was lit. Six men broke a lamp. A window.")])
    assert said(GOLDEN, together) > said(GOLDEN, strewn) + 0.2
    assert said(analyse(""), together) == 0


@pytest.mark.parametrize("sentence", ["The cat sat on the mat again. ", "кот ", "One two three four five six, "])
def test_time_grows_with_the_text(sentence):
    golden = analyse("The cat sat on the mat. " * 50)

    def work(text: str) -> object:
        parsed = analyse(text)
        return sequence(parsed, golden), phrases(parsed, parsed), said(parsed, Evidence([parsed]))

    assert_linear(work, lambda size: sentence * (size // len(sentence)), 20_000, ratio=LARGE)
