from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.offline.chrf import chrf
from tests.linear import LARGE, assert_linear

_TEXTS = st.text(alphabet="аб вc1.", max_size=24)


def plainly(hypothesis: str, reference: str) -> float:
    """chrF by the letter of its definition: each n-gram of one text crossed off against the other."""
    got, want = hypothesis.replace(" ", ""), reference.replace(" ", "")
    scores = []
    for n in range(1, 7):
        ours = [got[i : i + n] for i in range(len(got)) if i + n <= len(got)]
        left = [want[i : i + n] for i in range(len(want)) if i + n <= len(want)]
        if not ours or not left:
            continue
        size, hits = len(left), 0
        for gram in ours:
            if gram in left:
                left.remove(gram)
                hits += 1
        precision, recall = hits / len(ours), hits / size
        scores.append(5 * precision * recall / (4 * precision + recall) if hits else 0.0)
    return sum(scores) / len(scores) if scores else 0.0


@given(_TEXTS, _TEXTS)
def test_chrf_is_what_its_definition_says(hypothesis, reference):
    found = chrf(hypothesis, reference)
    assert abs(found - plainly(hypothesis, reference)) < 1e-12
    assert 0.0 <= found <= 1.0


@given(_TEXTS.filter(str.strip))
def test_a_text_matches_itself(text):
    assert chrf(text, text) == 1.0


def test_a_long_text_takes_time_in_step_with_its_length():
    assert_linear(lambda text: chrf(text, text[::-1]), lambda size: ("слово и дело " * size)[:size], 5_000, ratio=LARGE)
