"""Any question that can be asked is read back as it is spelled; and no order of arrival moves the end of a run."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.core.errors import ConfigError
from adjudge.core.records import Failure, Verdict
from adjudge.run.draws import Draws
from adjudge.run.until import Stopping, parse

JUDGE = adjudge.load_judge("rag-answers", lang="en")
NAMES = st.text(st.characters(codec="utf-8", exclude_characters='"'), min_size=1, max_size=12)


@given(NAMES, NAMES)
def test_any_two_names_can_be_asked_about(first, second):
    if first == second:
        return
    question = parse(f'better("{first}", "{second}")', JUDGE)
    assert question.sides == (first, second)
    assert parse(str(question), JUDGE) == question


@given(st.text(max_size=60))
def test_no_text_does_more_than_be_refused(text):
    try:
        question = parse(text, JUDGE)
    except ConfigError:
        return
    assert parse(str(question), JUDGE) == question


@given(
    st.lists(st.sampled_from([0, 1, 3, 4, 5, 5, None]), min_size=1, max_size=60),
    st.randoms(use_true_random=False),
    st.sampled_from([1, 2, 7]),
    st.sampled_from(["ci(clarity) < 0.9", "better(A, B, clarity)"]),
)
def test_how_fast_what_came_moves_nothing(values, random, size, until):
    outcomes = [
        Failure(item="i", kind="k", stage="ask", message="m")
        if one is None
        else Verdict(item="i", scores={"clarity": {"A": one, "B": 1}}, reasons={}, derived={}, native={})
        for one in values
    ]
    places = list(range(len(values)))
    random.shuffle(places)
    ends = array("q", [*range(size, len(values), size), len(values)])
    found = []
    for order in (places, random.sample(places, len(places))):
        stopping = Stopping(parse(until, JUDGE), Draws(array("q", places), ends, size))
        answered = False
        for place in order:
            assert not answered or stopping.look()
            stopping.note(place, outcomes[place])
            answered = stopping.look()
        found.append(stopping.answer(0))
    assert found[0] == found[1]
    low, high = found[0].interval
    assert low <= high and found[0].items <= len(values)
    assert found[0].answered or found[0].items == len(values)
