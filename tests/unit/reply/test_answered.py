"""What a candidate's reply says: plain text, JSON with what was retrieved, or nothing that can be judged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import Empty, Malformed, ReplyError, TooLarge, Truncated
from adjudge.core.records import Reply
from adjudge.reply.answered import Answered, read_answered


def read(text: str, *, program: bool = True, finish: str = "stop") -> Answered:
    return read_answered(Reply(text=text, finish=finish), program=program)[0]


def test_a_program_may_answer_in_plain_text():
    assert read("  The lamp [1].\n") == Answered(text="The lamp [1].")
    assert read("[1] is a list and 42") == Answered(text="[1] is a list and 42")
    assert read("{no JSON at all") == Answered(text="{no JSON at all")


def test_a_program_may_answer_in_json_and_say_what_it_retrieved():
    passages = [
        "first",
        {"id": "d7", "text": "second", "score": 0.5},
        {"id": 3, "text": "third"},
        {"id": True, "text": "x"},
    ]
    found = read(json.dumps({"answer": " Yes. ", "retrieved": passages, "model": "mine"}))
    assert found.text == "Yes."
    assert found.retrieved == (
        {"text": "first"},
        {"id": "d7", "text": "second"},
        {"id": "3", "text": "third"},
        {"text": "x"},
    )
    assert read('{"answer": "Yes.", "retrieved": []}').retrieved == ()
    assert read('{"answer": "Yes.", "retrieved": null}').retrieved is None


def test_a_model_answers_without_its_reasoning_and_its_json_is_text():
    assert read("<think>Hm, {}.</think>\nThe lamp.", program=False).text == "The lamp."
    assert read('{"answer": "Yes."}', program=False).text == '{"answer": "Yes."}'
    with pytest.raises(Truncated, match="never ends"):
        read("<think>Hm", program=False)


@pytest.mark.parametrize(
    ("text", "finish", "error"),
    [
        ("", "stop", Empty),
        (" \n ", "stop", Empty),
        ('{"answer": " "}', "stop", Empty),
        ("The la", "length", Truncated),
        ("I can", "refusal", Empty),
        ('{"text": "Yes."}', "stop", Malformed),
        ('{"answer": 5}', "stop", Malformed),
        ('{"answer": "Yes.", "retrieved": "p"}', "stop", Malformed),
        ('{"answer": "Yes.", "retrieved": [{"id": "p"}]}', "stop", Malformed),
        ("x" * (limits.ANSWER_CHARS + 1), "stop", TooLarge),
    ],
)
def test_what_is_no_answer(text, finish, error):
    with pytest.raises(error):
        read(text, finish=finish)


KEYS = st.sampled_from(["answer", "retrieved", "text"])
VALUES = st.recursive(st.none() | st.text(max_size=3), lambda some: st.dictionaries(KEYS, some) | st.lists(some))


@given(st.text(max_size=60) | VALUES.map(json.dumps), st.booleans())
def test_any_reply_is_an_answer_or_a_reply_error(text, program):
    try:
        found = read(text, program=program)
    except ReplyError:
        return
    assert found.text.strip()
