"""An expected score never leaves its scale, is the plain one when sure, and rises with likelier better points."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adjudge.core.scale import Scale
from adjudge.models.odds import digit_places
from adjudge.reply.expected import expectation

SCALES = st.builds(lambda low, width: Scale(min=low, max=low + width), st.integers(-20, 50), st.integers(1, 110))
WORDS = st.dictionaries(
    st.integers(-30, 200).map(str) | st.text(max_size=4), st.floats(-20, 0), min_size=1, max_size=20
)


@settings(max_examples=300, deadline=None)
@given(SCALES, st.integers(-30, 200), WORDS)
def test_any_tokens_give_a_value_of_the_scale_or_none(scale, written, words):
    found = expectation(scale, written, words)
    if found is not None:
        mean, spread = found
        assert scale.min <= mean <= scale.max
        assert 0 <= spread <= (scale.max - scale.min) / 2 + 1e-9


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 9), st.floats(math.log(0.9), 0))
def test_all_mass_on_one_point_is_that_point(point, logprob):
    assert expectation(Scale(min=1, max=9), point, {str(point): logprob}) == (float(point), 0.0)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=5, max_size=5), st.integers(1, 4), st.integers(0, 4), st.floats(0, 1))
def test_mass_moved_to_a_higher_point_raises_the_score(weights, top, below, share):
    assume(below < top)
    whole = math.fsum(weights)
    before = [weight / whole for weight in weights]
    after = list(before)
    after[below] -= share * before[below]
    after[top] += share * before[below]
    scale = Scale(min=1, max=5)

    def mean(shares):
        found = expectation(scale, top + 1, {str(n + 1): math.log(max(share, 1e-12)) for n, share in enumerate(shares)})
        assert found is not None
        return found[0]

    assert mean(after) >= mean(before) - 1e-9
    assert mean(before) == pytest.approx(sum((n + 1) * share for n, share in enumerate(before)))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text(min_size=1, max_size=4) | st.sampled_from(["4", " 4", "жё", "😀", '{"'])),
    st.text(max_size=5),
    st.booleans(),
)
def test_a_place_is_where_its_token_stands(tokens, ending, in_bytes):
    text = "".join(tokens).encode("utf-8", "replace").decode()
    spelled = [*tokens, ending]
    entries = [
        {
            "token": "\ufffd" if in_bytes and not token.isascii() else token,
            "bytes": list(token.encode("utf-8", "replace")),
            "logprob": 0,
        }
        for token in spelled
    ]
    for at, token, words in digit_places({"logprobs": {"content": entries}}, text):
        assert text.startswith(token, at)
        assert any(sign in "0123456789" for sign in token) and words
