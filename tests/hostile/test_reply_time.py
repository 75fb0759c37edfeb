"""Reading takes linear time and bounded stack, whatever the text."""

from __future__ import annotations

import contextlib
import time

import pytest

from adjudge.core import limits
from adjudge.core.errors import ReplyError, TooLarge
from adjudge.core.judge import Judge
from adjudge.reply.read import Expected, read
from tests.hostile.reply_shapes import SHAPES
from tests.unit.reply.judges import ANSWERS, SUMMARY, TRANSLATION

#: Below this many seconds a ratio measures the clock.
_NOISE_S = 0.05


def _read(judge: Judge, text: str) -> float:
    expected = Expected() if judge is SUMMARY else Expected(labels={"A": "one", "B": "two"})
    start = time.perf_counter()
    with contextlib.suppress(ReplyError):
        read(judge, text, expected)
    return time.perf_counter() - start


def test_there_are_forty_shapes():
    assert len(SHAPES) >= 40


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear(shape):
    judge = ANSWERS if "table" in shape or "pipes" in shape else SUMMARY
    small, large = SHAPES[shape](100_000), SHAPES[shape](400_000)
    ratio = 0.0
    for _ in range(5):  # a busy machine may spoil one measurement, hardly five
        short, long = min(_read(judge, small), _read(judge, small)), _read(judge, large)
        ratio = long / max(short, 1e-9)
        if ratio < 6 or long < _NOISE_S:
            return
    pytest.fail(f"four times the text took {ratio:.1f} times as long")


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
