"""Reading takes linear time and bounded stack, whatever the text."""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from adjudge.core import limits
from adjudge.core.errors import ReplyError, TooLarge
from adjudge.core.judge import Judge, Leaf
from adjudge.core.records import Source
from adjudge.reply.derive import contradictions, derive
from adjudge.reply.read import Expected, read
from tests.hostile.reply_shapes import PROSE, SHAPES, TABLES
from tests.unit.reply.judges import ANSWERS, SEARCH, SUMMARY, TRANSLATION, judge, rating, summary_verdict
from tests.unit.reply.test_forms import NUMBER, NUMBERS, PREFERENCE

#: Below this many seconds a ratio measures the clock.
_NOISE_S = 0.05
#: Over this many seconds for a text of a page or two, no larger one need be tried.
_HOPELESS_S = 1.0
#: No text of 400,000 characters may take longer, linear or not.
_MOST_S = 15.0
LETTER = replace(judge("single", (rating("quality"),), {"quality": Leaf("quality")}), reply="letter")
PAIR = Expected(labels={"A": "one", "B": "two"})


def _seconds(judge: Judge, text: str, expected: Expected) -> float:
    start = time.process_time()
    with contextlib.suppress(ReplyError):
        read(judge, text, expected)
    return time.process_time() - start


def _linear(judge: Judge, make: Callable[[int], str], expected: Expected) -> None:
    for length in (4_000, 16_000):
        early = _seconds(judge, make(length), expected)
        assert early < _HOPELESS_S, f"{length} characters took {early:.1f} seconds"
    small, large = make(100_000), make(400_000)
    short, long = math.inf, math.inf
    for _ in range(5):  # a busy machine may spoil one measurement, hardly five
        short, long = min(short, _seconds(judge, small, expected)), min(long, _seconds(judge, large, expected))
        assert long < _MOST_S, f"400,000 characters took {long:.1f} seconds"
        if long < _NOISE_S or long / max(short, 1e-9) < 6:
            return
    pytest.fail(f"four times the text took {long / short:.1f} times as long")


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


def test_sources_are_prepared_once_for_all_claims():
    claim = {"text": "a", "quote": "not there", "sources": [], "verdict": "minor"}
    reply = json.dumps({"hallucination_evaluation": {"claims": [claim] * 262}})
    sources = tuple(Source(id=str(n), text="Abc déf «ghi» " * 3000) for n in range(5))
    assert _seconds(SEARCH, reply, Expected(sources={"": sources})) < 1


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
