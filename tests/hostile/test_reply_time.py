"""Reading takes linear time and bounded stack, whatever the text."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from adjudge.core import limits
from adjudge.core.errors import ReplyError, TooLarge
from adjudge.core.judge import Judge, Leaf
from adjudge.core.records import Reply, Source
from adjudge.reply.claims import read_checks, read_claims
from adjudge.reply.derive import contradictions, derive
from adjudge.reply.questionnaire import read_answers, read_questions
from adjudge.reply.quotes import Quotes
from adjudge.reply.read import Expected, read
from tests.hostile.reply_shapes import PROSE, SHAPES, TABLES
from tests.linear import assert_linear, seconds
from tests.unit.reply.judges import ANSWERS, SEARCH, SUMMARY, TRANSLATION, judge, rating, summary_verdict
from tests.unit.reply.test_forms import NUMBER, NUMBERS, PREFERENCE

#: Over this many seconds for a text of a page or two, no larger one need be tried.
_HOPELESS_S = 1.0
LETTER = replace(judge("single", (rating("quality"),), {"quality": Leaf("quality")}), reply="letter")
PAIR = Expected(labels={"A": "one", "B": "two"})


def _reading(judge: Judge, expected: Expected) -> Callable[[str], None]:
    def work(text: str) -> None:
        with contextlib.suppress(ReplyError):
            read(judge, text, expected)

    return work


def _linear(judge: Judge, make: Callable[[int], str], expected: Expected) -> None:
    work = _reading(judge, expected)
    for length in (4_000, 16_000):
        early = seconds(work, make(length))
        assert early < _HOPELESS_S, f"{length} characters took {early:.1f} seconds"
    assert_linear(work, make, 100_000)


def test_there_are_forty_shapes():
    assert len(SHAPES) >= 40


@pytest.mark.parametrize("shape", SHAPES)
def test_time_for_an_object_is_linear(shape: str):
    _linear(SUMMARY, SHAPES[shape], Expected())


@pytest.mark.parametrize("shape", TABLES)
def test_time_for_a_table_is_linear(shape: str):
    _linear(ANSWERS, TABLES[shape], PAIR)


@pytest.mark.parametrize("shape", PROSE)
def test_time_for_prose_is_linear(shape: str):
    _linear(NUMBER, PROSE[shape], Expected())
    _linear(LETTER, PROSE[shape], Expected())
    _linear(NUMBERS, PROSE[shape], PAIR)
    _linear(PREFERENCE, PROSE[shape], PAIR)


#: What a hostile reply may pile up before or behind a verdict, and a judged text in itself.
AROUND = [
    "а",
    "I ",
    '"',
    "“",
    "«",
    "(",
    "не ",
    "I cannot ",
    "score ",
    "1. ",
    ": ",
    "\n",
    "<a>",
    "```",
    "wait, ",
    "}",
    "x: ",
    "если бы ",
]


@pytest.mark.parametrize("unit", AROUND)
def test_time_for_what_stands_around_a_verdict_is_linear(unit: str):
    verdict = json.dumps(summary_verdict(4))
    for shape in ("{0}{1}", "{1}\n{0}", "{1}{0}{1}"):
        _linear(SUMMARY, lambda n, shape=shape: shape.format(unit * (n // len(unit)), verdict), Expected())  # type: ignore[misc]


@pytest.mark.parametrize(
    "unit", ['"', '",', '", a', '": ', '"a": 1, ', "”, “score”: 5}, ", "\\u0022", "&quot;", "{", '": {"a']
)
def test_time_for_a_judged_text_of_members_is_linear(unit: str):
    def work(text: str) -> None:
        quotes = Quotes([text])
        quotes.repeated(text)
        quotes.copied(text)

    assert_linear(work, lambda n: unit * (n // len(unit)), 25_000)


def test_sources_are_prepared_once_for_all_claims():
    claim = {"text": "a", "quote": "not there", "sources": [], "verdict": "minor"}
    reply = json.dumps({"hallucination_evaluation": {"claims": [claim] * 262}})
    sources = tuple(Source(id=str(n), text="Abc déf «ghi» " * 3000) for n in range(5))
    assert seconds(_reading(SEARCH, Expected(sources={"": sources})), reply) < 1


@pytest.mark.parametrize(
    ("judge", "bracket"),
    [(SUMMARY, "["), (SUMMARY, "{"), (SUMMARY, "("), (SUMMARY, '{"a":'), (ANSWERS, "[{"), (TRANSLATION, "[")],
)
def test_a_million_brackets_end_in_a_stated_failure(judge, bracket):
    with pytest.raises(ReplyError):
        read(judge, bracket * (1_000_000 // len(bracket)))


def test_a_reply_over_the_limit_is_refused_unread():
    with pytest.raises(TooLarge):
        read(SUMMARY, " " * (limits.REPLY_CHARS + 1))


@pytest.mark.parametrize(
    "text",
    ["\x00", "\ud800", '{"coverage": "\ud800"}', '{"coverage": 1e999}', "\ufeff", '{"a": ' + "9" * 100_000 + "}"],
)
def test_odd_characters_and_numbers_are_failures(text):
    with pytest.raises(ReplyError):
        read(SUMMARY, text)


@pytest.mark.parametrize("figure", ["9" * 299, "9" * 305, "9" * 350, "-" + "9" * 350, "9" * 450, "0x" + "f" * 5000])
def test_a_huge_number_is_off_the_scale_or_contradicts(figure: str):
    reply = json.dumps(summary_verdict(4, average_score=4))
    with pytest.raises(ReplyError):
        read(SUMMARY, reply.replace('"score": 4', f'"score": {figure}', 1))
    stated = read(SUMMARY, reply.replace('"average_score": 4', f'"average_score": {figure}')).opinions[""]
    computed = derive(SUMMARY, dict.fromkeys(("coverage", "accuracy", "coherence"), 4.0))
    assert list(contradictions(SUMMARY, stated.stated, computed)) == ["stated_average_score_differs"]


@pytest.mark.parametrize("word", ["++NaN", "--nan", "+-infinity", "-NaN", "[--nan", "+"])
def test_signs_before_a_word_are_failures(word: str):
    with pytest.raises(ReplyError):
        read(SUMMARY, f'{{"coverage": {word}}}')


@pytest.mark.parametrize("shape", SHAPES)
def test_time_for_the_lists_of_stages_is_linear(shape: str):
    def work(text: str) -> None:
        reply = Reply(text=text)
        for stage in (
            lambda: read_claims(reply, ()),
            lambda: read_checks(reply, (1,), ()),
            lambda: read_questions(reply, ()),
            lambda: read_answers(reply, (), (1,)),
        ):
            with contextlib.suppress(ReplyError):
                stage()

    assert_linear(work, SHAPES[shape], 10_000)


@pytest.mark.parametrize(
    "unit", ['{"claims": []} ', '{"claims": [{"claim": "a"}]} ', '{"a": {"claims": []}} ', '[{"claim": "a"}] ']
)
def test_time_for_a_list_that_is_quoted_again_and_again_is_linear(unit: str):
    """The texts that were shown are cut into words once, however many quotations there are to look for."""

    def work(text: str) -> None:
        with contextlib.suppress(ReplyError):
            read_claims(Reply(text=text), (text,))

    assert_linear(work, lambda n: unit * (n // len(unit)), 20_000)
