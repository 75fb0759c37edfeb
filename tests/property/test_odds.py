"""A likelier yes is never a worse score, and no answer leaves its scale."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import NoVerdict
from adjudge.core.judge import Criterion
from adjudge.core.records import Reply
from adjudge.core.scale import Scale
from adjudge.reply.odds import log_odds, quality, read_answer
from tests.fakes.requests import JUDGE

LOGPROBS = st.floats(-1e6, 0)
WORDS = st.dictionaries(st.sampled_from(["Yes", "no", "Да", "нет", "The"]) | st.text(max_size=5), LOGPROBS, max_size=8)


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_quality_rises_with_the_odds(a, b):
    low, high = sorted((a, b))
    assert 0 <= quality(low) <= quality(high) <= 1


@settings(max_examples=300, deadline=None)
@given(
    WORDS,
    st.sampled_from(["Yes", "no", "Да", "нет", ""]),
    st.sampled_from(["higher", "lower"]),
    st.integers(-5, 5),
    st.integers(1, 100),
)
def test_any_words_give_a_value_of_the_scale_or_none(words, said, better, low, width):
    criterion = Criterion(
        name="c", kind="rating", scale=Scale(min=low, max=low + width, better=better), question="Is it {good} {{}}?"
    )
    try:
        score, _ = read_answer(JUDGE, criterion, Reply(text=said, odds=words))
    except NoVerdict:
        return
    assert score.value is not None and score.interval is not None
    assert low <= score.interval[0] <= score.value <= score.interval[1] <= low + width
    assert criterion.question in score.reason


@settings(max_examples=300, deadline=None)
@given(WORDS, LOGPROBS, LOGPROBS)
def test_a_likelier_yes_never_lowers_the_odds(words, a, b):
    less, more = sorted((a, b))
    others = {word: p for word, p in words.items() if word != "Yes"} | {"No": -1.0}
    assert log_odds({**others, "Yes": less}) <= log_odds({**others, "Yes": more})
