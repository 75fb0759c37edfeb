"""Questions in stages, for any content: answers follow their numbers, fences hold, and no reply breaks the reader."""

from __future__ import annotations

import json
import re
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import ReplyError
from adjudge.core.records import Reply
from adjudge.reply.questionnaire import Asked, distinct, read_answers, read_questions, words_of
from adjudge.spec.questionnaire import render_answers, render_questions
from tests.property.test_prompt import HOSTILE
from tests.unit.spec.rows import bundled

STATES = st.sampled_from(["yes", "partly", "no"])
ANSWERS = st.dictionaries(st.integers(1, 200), STATES, min_size=1, max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | STATES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["answers", "questions", "question", "answered", "why", "1", "2"]), inner)
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(ANSWERS, st.randoms(use_true_random=False), st.booleans(), st.text(max_size=20))
def test_answers_follow_their_numbers_in_whatever_order(states, random, by_key, why):
    order = list(states)
    random.shuffle(order)
    if by_key:
        said = {str(number): {"why": why, "answered": states[number]} for number in order}
        text = json.dumps({"answers": said})
    else:
        text = json.dumps({"answers": [{"question": n, "why": why, "answered": states[n]} for n in order]})
    found, _ = read_answers(Reply(text=f"Here:\n```json\n{text}\n```"), (), sorted(states))
    assert {number: answer.state for number, answer in found.items()} == states


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=60) | VALUES.map(lambda value: json.dumps(value)), HOSTILE, st.sampled_from(["stop", "length"]))
def test_no_reply_breaks_the_readers_or_makes_up_a_number(text, judged, finish):
    reply = Reply(text=text, finish=finish)
    with suppress(ReplyError):
        found, _ = read_answers(reply, (judged,), (1, 2, 5))
        assert found and found.keys() <= {1, 2, 5}
        assert {answer.state for answer in found.values()} <= {"yes", "partly", "no"}
    with suppress(ReplyError):
        listed, _ = read_questions(reply, (judged,))
        assert len(listed.asked) <= limits.QUESTIONS_PER_SOURCE_MAX
        assert all(0 < len(one.text) <= limits.QUESTION_CHARS and "\n" not in one.text for one in listed.asked)
        assert len({words_of(one.text) for one in listed.asked}) == len(listed.asked)


@settings(max_examples=300, deadline=None)
@given(HOSTILE, HOSTILE, st.lists(HOSTILE, max_size=3), st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=3))
def test_every_text_stands_between_its_fences(text, query, known, asked):
    judge = bundled("search-summary")
    criterion = judge.criterion("quality")
    numbered = dict(enumerate(asked, 1))
    for prompt, texts in (
        (
            render_questions(judge, criterion, "k", text=text, query={"user_query": query}, known=known),
            [query, text, *(["\n".join(f"- {one}" for one in known)] if known else [])],
        ),
        (render_answers(judge, criterion, "k", outputs={"summary": text}, asked=numbered), [text]),
    ):
        mark = re.findall(r"<<<([0-9a-f]{12}) and a line", prompt.user)[0]
        between = re.findall(rf"<<<{mark} \S+\n(.*?)\n{mark}>>>", prompt.user, re.DOTALL)
        assert between[: len(texts)] == texts
        assert prompt.user.count(mark) == 2 + 2 * len(between), "the mark is in none of the texts"


@given(st.lists(st.text(alphabet="ab ?Ёеё", min_size=1, max_size=6).filter(words_of), max_size=12))
def test_distinct_keeps_the_first_of_each(texts):
    asked = [Asked(text, str(place)) for place, text in enumerate(texts)]
    kept = distinct(asked)
    assert [one.answer for one in kept] == sorted((one.answer for one in kept), key=int)
    for one in asked:
        first = next(other for other in asked if words_of(other.text) == words_of(one.text))
        assert first in kept
    assert len(kept) == len({words_of(text) for text in texts})
