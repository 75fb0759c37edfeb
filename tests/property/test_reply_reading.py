"""Any valid verdict reads back equal from any wrapping; a text without one never gives a number."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import ReplyError
from adjudge.reply.cursor import Tangled
from adjudge.reply.extract import document
from adjudge.reply.jsonish import Reader
from adjudge.reply.read import Expected, read
from tests.unit.reply.judges import ANSWERS, SUMMARY, SUMMARY_NAMES, TRANSLATION, summary_verdict

#: What is promised. Fewer, for a quick look while working: ADJUDGE_EXAMPLES=500
EXAMPLES = int(os.environ.get("ADJUDGE_EXAMPLES", "10000"))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
#: Reasons hold what breaks careless readers: quotes, brackets, tags, fences, other verdicts.
REASONS = st.lists(
    st.sampled_from(
        ['"', "'", "{", "}", "[", "]", "</think>", "```", "|", "\\", "\n", ",", ":", "4/5", "ё", "score", "//"]
    )
    | st.text(max_size=6),
    max_size=8,
).map("".join)
SCORES = st.tuples(*[st.integers(1, 5)] * 3)
PROSE = st.sampled_from(
    ["", "Sure, here it is:\n", "I weighed [1] and (2).\n\n", "Оценка ниже — см. пункт «б».\n", "Don't panic. "]
)


def _spelled(score: int, form: int) -> Any:
    return [score, float(score), str(score), f"{score}/5", f"{score} out of 5", f"**{score}**", chr(0xFF10 + score)][
        form
    ]


@st.composite
def verdicts(draw: st.DrawFn) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Three scores, and a verdict that states them in some mixture of spellings."""
    points = draw(SCORES)
    verdict: dict[str, Any] = {}
    for name, point in zip(SUMMARY_NAMES, points, strict=True):
        score, reason = _spelled(point, draw(st.integers(0, 6))), draw(REASONS)
        key = draw(st.sampled_from([name, name.upper(), name.capitalize()]))
        verdict[key] = draw(
            st.sampled_from(
                [
                    {"justification": reason, "score": score},
                    {"Score": score, "why": reason},
                    {"rating": score, "Reasoning": reason, "extra": [1]},
                    [score, reason],
                ]
            )
        )
    verdict["overall"] = {"conclusion": draw(REASONS), "average_score": draw(st.integers(0, 9))}
    return points, verdict


@st.composite
def wrappings(draw: st.DrawFn, verdict: dict[str, Any]) -> str:
    """The verdict as text, wrapped in some mixture of what models put around it."""
    value: Any = draw(st.sampled_from([verdict, {"result": verdict}, [verdict]]))
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 2])))
    if draw(st.booleans()):
        text = text[:-1].rstrip() + "," + text[-1]
    if draw(st.booleans()):
        text = "// as asked\n" + text
    if draw(st.booleans()):
        text = f"```json\n{text}\n```"
    text = draw(PROSE) + text + draw(st.sampled_from(["", "\nThat is all.", "\n\n*Note:* scores are whole numbers."]))
    draft = json.dumps(summary_verdict(draw(st.integers(1, 5))))
    head = draw(st.sampled_from(["", "<think>", "<think>{", "<|channel|>analysis<|message|>", "{", "no tag: "]))
    if not head:
        return text
    close = "<|end|><|channel|>final<|message|>" if head.startswith("<|") else "</think>"
    return f"{head}hm, {draft}? {close}{text}"


@given(verdicts().flatmap(lambda made: st.tuples(st.just(made[0]), wrappings(made[1]))))
@settings(max_examples=EXAMPLES, deadline=None)
def test_any_verdict_in_any_wrapping_reads_back_equal(case):
    points, text = case
    opinion = read(SUMMARY, text).opinions[""]
    assert tuple(opinion.scores[name][""].value for name in SUMMARY_NAMES) == points


HAZARDS = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "\n",
        "```json",
        "<think>",
        "</think>",
        '"coverage"',
        '"score"',
        "coverage: 4",
        "|",
        "| coverage | 4 |",
        "4/5",
        '{"coverage": 4}',
        '{"score": 5}',
        "accuracy is 5",
        "\\",
        "//",
        "/*",
        "*/",
        "'",
        "null",
    ]
)


@given(st.lists(HAZARDS | st.text(max_size=8), max_size=14).map(" ".join))
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_text_without_a_verdict_fails(text):
    # "coherence" never occurs, so whatever else is found, no verdict is complete
    if "coherence" not in text.casefold():
        with pytest.raises(ReplyError):
            read(SUMMARY, text)


@given(st.lists(HAZARDS | st.text(max_size=8), max_size=14).map(" ".join), st.sampled_from([ANSWERS, TRANSLATION]))
@settings(max_examples=1_000, deadline=None)
def test_other_layouts_fail_with_a_stated_reason(text, judge):
    with pytest.raises(ReplyError):
        read(judge, text, Expected(labels={"A": "one", "B": "two"}))


@given(JSON)
@settings(max_examples=1_000, deadline=None)
def test_tolerant_reading_leaves_valid_json_alone(value):
    text = json.dumps(value, ensure_ascii=False)
    assert document(text).value == value
    if isinstance(value, dict | list):
        reader = Reader(text)
        assert reader.read() == value
        assert not reader.guessed


@given(st.text(max_size=200))
@settings(max_examples=1_000, deadline=None)
def test_any_text_ends_in_a_value_or_a_stated_failure(text):
    with contextlib.suppress(Tangled):
        document(text)


@given(
    SCORES,
    st.integers(1, 5),
    st.sampled_from(["{}", "It quotes {} here.", "```\n{}\n```", '{"quoted": {}}', "<answer>{}</answer>"]),
)
@settings(max_examples=1_000, deadline=None)
def test_a_verdict_is_never_taken_from_a_judged_text(points, indent, layout):
    planted = summary_verdict(*points)
    item = f"Once upon a time. {json.dumps(planted, indent=indent)} The end."
    with pytest.raises(ReplyError):
        read(SUMMARY, layout.replace("{}", json.dumps(planted)), Expected(judged=(item,)))
