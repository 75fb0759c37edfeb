"""Summaries of batches: read in the shapes that models write, and the batches that their sentences name."""

from __future__ import annotations

import json

import pytest

from adjudge.core.errors import Missing, NoVerdict, TooLarge, Truncated
from adjudge.core.limits import CITED_BATCHES, REPLY_CHARS
from adjudge.core.records import Reply
from adjudge.reply.summary import cited, read_summary, uncited
from adjudge.spec.load import load_judge
from tests.linear import assert_linear

JUDGE = load_judge("translation")
TEXTS = {criterion.name: f"On {criterion.name} [1, 2]." for criterion in JUDGE.scored}


def listed(numbers):
    return f"<{' '.join(map(str, numbers))}>"


@pytest.mark.parametrize(
    "value", [TEXTS, {"summary": TEXTS}, {criterion.title: TEXTS[criterion.name] for criterion in JUDGE.scored}]
)
def test_the_shapes_that_models_write_are_read(value):
    for text in (json.dumps(value), f"Here it is:\n```json\n{json.dumps(value)}\n```"):
        assert read_summary(JUDGE, Reply(text=text))[0] == TEXTS


def test_a_criterion_without_a_text_is_an_error_that_names_it():
    with pytest.raises(Missing, match="fluency"):
        read_summary(JUDGE, Reply(text=json.dumps(TEXTS | {"fluency": ""})))
    with pytest.raises(NoVerdict):
        read_summary(JUDGE, Reply(text="I would rather not."))
    with pytest.raises(Truncated):
        read_summary(JUDGE, Reply(text='{"adequacy": "On', finish="length"))
    with pytest.raises(TooLarge):
        read_summary(JUDGE, Reply(text=" " * (REPLY_CHARS + 1)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Lost [3].", "Lost <3>."),
        ("Lost [3, 7]. Found. [1]", "Lost <3 7>. Found. <1>"),
        ("Lost[3;7].", "Lost<3 7>."),
        ("Lost [ 3 ,7 ].", "Lost <3 7>."),
        ("Lost [2-4].", "Lost <3>."),
        ("Lost [1–7, 3].", "Lost <1 3 7>."),
        ("Lost [3, 99].", "Lost <3>."),
        ("Lost [99]. More.", "Lost. More."),
        ("Lost [7-1].", "Lost."),
        ("Lost [3a], [], [x], [-3], (3).", "Lost [3a], [], [x], [-3], (3)."),
        ("Nothing named.", "Nothing named."),
    ],
)
def test_numbers_of_batches_are_found_and_those_of_none_dropped(text, said):
    assert cited(text, [1, 3, 7], listed) == said


def test_a_mention_that_has_nothing_to_show_goes():
    assert cited("Lost [3]. Found [7].", [3, 7], lambda numbers: "" if 3 in numbers else "(x)") == "Lost. Found (x)."


def test_one_mention_names_so_many_batches_at_most():
    found = cited("All [1-999999999].", range(1, 100_000), lambda numbers: str(len(numbers)))
    assert found == f"All {CITED_BATCHES}."
    assert cited(f"All [{', '.join(map(str, range(1, 101)))}].", range(1, 101), listed).count(" ") == CITED_BATCHES


def test_numbers_in_the_brackets_of_a_quotation_are_not_taken_for_batches():
    assert uncited({"a": "The note [12] and [3, 4] are lost."}) == {"a": "The note (12) and (3, 4) are lost."}
    assert cited(uncited({"a": "Lost [3]."})["a"], [3], listed) == "Lost (3)."


@pytest.mark.parametrize("piece", [" ", "[", " [1", "[1, ", "[1-", "[1, 2]", "1, 2, ", "[ 1 ,"])
def test_no_text_takes_long(piece):
    known = range(1, 1000)
    assert_linear(lambda text: cited(text, known, listed), lambda n: piece * (n // len(piece)), 50_000)
