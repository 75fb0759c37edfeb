from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.models.offline.text import analyse
from tests.unit.models.offline.summaries import BOTH, GOOD, MILL, measured, quality

_LANG = st.sampled_from(BOTH)
_OTHER = {
    "en": ["The bakery sells bread.", "However, it rained.", "He went home and.", "No.", "It cost 12.50 in 1999."],
    "ru": ["Пекарня продаёт хлеб.", "Однако шёл дождь.", "Он ушёл домой и.", "Нет.", "Это стоило 12,50 в 1999 году."],
}


def _pool(lang: str) -> list[str]:
    known = analyse(MILL[lang]).sentences + analyse(GOOD[lang]).sentences
    return [*(sentence.text for sentence in known), *_OTHER[lang]]


@st.composite
def _texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    lang = draw(_LANG)
    return lang, draw(st.lists(st.sampled_from(_pool(lang)), min_size=1, max_size=7))


@given(
    raw=st.one_of(
        st.text(), st.lists(st.sampled_from([". ", "a", "Ё", "1", "[2]", "\n", "- ", "。", "字"])).map("".join)
    )
)
def test_a_sentence_is_the_slice_it_says_it_is(raw):
    found = analyse(raw)
    assert all(raw[s.start : s.start + len(s.text)] == s.text for s in found.sentences)
    assert found.tokens == tuple(token for s in found.sentences for token in s.tokens)
    ends = [(s.start, s.start + len(s.text)) for s in found.sentences]
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


@settings(deadline=None)
@given(given_=_texts(), data=st.data())
def test_a_sentence_more_never_lowers_coverage(given_, data):
    lang, sentences = given_
    more = data.draw(st.sampled_from([s.text for s in analyse(MILL[lang]).sentences]))
    before = measured("coverage", " ".join(sentences), MILL[lang], lang)
    after = measured("coverage", " ".join([*sentences, more]), MILL[lang], lang)
    assert before.quality is not None and after.quality is not None
    assert after.quality >= before.quality - 1e-9
    assert all(after.parts[name] >= before.parts[name] - 1e-9 for name in before.parts)


@settings(deadline=None)
@given(given_=_texts(), data=st.data())
def test_saying_a_sentence_again_never_pays(given_, data):
    lang, sentences = given_
    at = data.draw(st.integers(0, len(sentences) - 1))
    where = data.draw(st.sampled_from([at + 1, len(sentences)]))
    again = [*sentences[:where], sentences[at], *sentences[where:]]
    for criterion in ("coherence", "conciseness"):
        before = quality(criterion, " ".join(sentences), MILL[lang], lang)
        assert quality(criterion, " ".join(again), MILL[lang], lang) <= before + 1e-9


@settings(deadline=None)
@given(given_=_texts(), source=st.one_of(st.text(), st.sampled_from(list(MILL.values()))))
def test_parts_are_between_nought_and_one(given_, source):
    lang, sentences = given_
    for criterion in ("coverage", "coherence", "conciseness"):
        found = measured(criterion, " ".join(sentences), source, lang)
        assert found.quality is None or 0 <= found.quality <= 1
        assert all(0 <= value <= 1 for value in found.parts.values())
