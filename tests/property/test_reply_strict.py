"""A reply that is as asked for is read off at once, and never otherwise than the ladder reads it."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import ReplyError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Source
from adjudge.reply.extract import bracketless, document, extract, objectless, strict
from adjudge.reply.quotes import everything
from adjudge.reply.read import Expected, ladder, read
from adjudge.reply.strict import entries
from tests.unit.reply.judges import (
    ANSWERS,
    CHECKED,
    CHECKED_ANSWERS,
    CHECKED_BATCH,
    ERRORS,
    ERRORS_BATCH,
    SEARCH,
    SUMMARY,
    TRANSLATION,
)
from tests.unit.spec.rows import LANGS, NAMES, bundled

#: What is promised. Fewer, for a quick look while working: ADJUDGE_EXAMPLES=500
EXAMPLES = int(os.environ.get("ADJUDGE_EXAMPLES", "10000"))
JUDGES = [*(bundled(name, lang) for name in NAMES for lang in LANGS), SUMMARY, ANSWERS, SEARCH, TRANSLATION]
JUDGES += [ERRORS, ERRORS_BATCH, CHECKED, CHECKED_ANSWERS, CHECKED_BATCH]
SOURCES = (
    Source(id="1", text="Tea holds caffeine. It is «hot».", url="https://a.example/t"),
    Source(id="p7", text="Caffeine delays sleep: much."),
    Source(id="3", text=""),
)
LABELS: dict[str, list[dict[str, str]]] = {
    "single": [{}],
    "compare": [{"X1": "ModelB", "X2": "ModelA"}, {"X1": "a", "X2": "b", "X3": "X1"}, {"x": "one", "X": "two"}, {}],
    "batch": [{"t1": "t1", "item-ab": "строка 2"}, {"scores": "s"}, {"t1": "summary"}, {"a": "same", "b": "same"}, {}],
}
PROSE = st.sampled_from(["It is so.", "", " said «no» ", "a|b {c} [1]: d", "ё", '"', "X1 beats X2", "\ud800", "\n"])
#: What a place may hold that should hold something else.
ODD: list[Any] = [
    None, True, False, 0, 1, 6, -1, 4.0, 4.5, -0.0, 1e999, float("nan"), 10**20, 10**350, "4", "4/5", "", "x", "X1",
    "t1", "supported", [], {}, [4], [4, "x"], ["a", "b"], [4, "x", 1], {"score": 4}, {"Score": 3, "why": "x"},
]  # fmt: skip
KEYS = [
    "extra", "score", "Score", "rating", "why", "justification", "reason", "Average Score", "average_score", "totals",
    "winner", "total", "supported", "severity", "id", "ID", "scores", "summary", "Summary", "X1", "X1 ", "X9", "t1",
    "source", "hallucination_score", "claims", "errors", "spans", "span", "category", "checks", "met", "names",
    "evidence", "quotes", "quote",
]  # fmt: skip
JUDGED = [
    (), ("A tea story.",), ('He said [1]: no. "q": 4',), ("a {b} c: d",), ("| a | b |\n|---|---|\n",),
    ("[see: below]",),
]  # fmt: skip


def asked(draw: st.DrawFn, judge: Judge, labels: dict[str, str]) -> dict[str, Any]:
    """A verdict of exactly the shape asked for."""
    pairs = judge.layout == "batch"

    def prose() -> str:
        return draw(PROSE).strip() or "x"

    def pair(low: int, high: int) -> dict[str, Any]:
        return {"why" if pairs else "justification": draw(PROSE), "score": draw(st.integers(low, high))}

    if judge.criteria[0].kind == "claims":
        claims = [
            {
                "text": prose(),
                "quote": draw(st.sampled_from(["", "tea holds", '"hot"', "Caffeine … sleep", "nowhere"])),
                "sources": draw(st.sampled_from([[1], ["p7", 2], [9], [], ["https://a.example/t"], [1.0, "x"]])),
                "verdict": draw(st.sampled_from(["supported", "minor", "significant"])),
            }
            for _ in range(draw(st.integers(0, 3)))
        ]
        question = {"question": prose(), "answer_justification": draw(PROSE), "is_answered": draw(st.booleans())}
        numbers: list[Any] = draw(st.sampled_from([[1, 2], ["3"], [7, 1]]))
        groups = [{"source": number, "questions": [question] * 2} for number in numbers]
        return {
            "hallucination_evaluation": {"claims": claims, "hallucination_justification": draw(PROSE)},
            "summary_quality_evaluation": {"questions_and_answers": groups},
            "answer_relevancy_evaluation": {
                "relevant_search_result_urls": draw(st.sampled_from([[1], [], [2, 2], ["https://a.example/t"]])),
                "relevancy_justification": draw(PROSE),
                "relevancy_score": draw(st.integers(0, 3)),
            },
        }

    def listed(criterion: Criterion) -> Any:
        return [
            {
                "span": draw(st.sampled_from(["tea", "hot", "", ",", "nowhere", "Tea holds caffeine"])),
                "explanation": draw(PROSE),
                "category": draw(st.sampled_from(list(criterion.categories))),
                "severity": draw(st.sampled_from(list(criterion.severities))),
            }
            for _ in range(draw(st.integers(0, 3)))
        ]

    def evidence() -> Any:
        quotes = st.sampled_from(["tea holds", '"hot"', "Caffeine … sleep", "nowhere", "", ","])
        sources = st.sampled_from([1, 2, "p7", 9, None, [1, 2]])
        return [{"source": draw(sources), "quote": draw(quotes)} for _ in range(draw(st.integers(0, 3)))]

    def one(criterion: Criterion) -> Any:
        assert criterion.scale is not None
        if criterion.kind == "spans":
            return {"spans": listed(criterion)} if pairs else listed(criterion)
        if criterion.checks:
            return {
                "checks": {each.name: {"why": draw(PROSE), "met": draw(st.booleans())} for each in criterion.checks}
            }
        given = {"evidence": evidence()} if criterion.evidence and draw(st.booleans()) else {}
        return given | pair(criterion.scale.min, criterion.scale.max)

    text = any(criterion.kind == "text" for criterion in judge.criteria)
    if judge.layout == "single":
        keys = {criterion.name: criterion.name for criterion in judge.scored} | {"noise": "noise_score"}
        end = {"overall": {"conclusion": prose()}} if text else {}
        return {**{keys[criterion.name]: one(criterion) for criterion in judge.scored}, **end}
    if judge.layout == "compare":
        per = {criterion.name: {shown: one(criterion) for shown in labels} for criterion in judge.scored}
        return {"scores": per, "conclusion": prose()} if text else {"scores": per}
    per = {shown: {criterion.name: one(criterion) for criterion in judge.scored} for shown in labels}
    return {"scores": per, "summary": {criterion.name: draw(PROSE) for criterion in judge.scored}}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every object or array in a value, with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def changed(draw: st.DrawFn, value: Any) -> None:
    """Put something wrong, or just unusual, into some place: often a score, or what stands beside it."""
    found = list(places(value))
    scores = [(holder, key) for holder, key in found if isinstance(key, str) and key.endswith("score")]
    if not found:
        return
    holder, key = draw(st.sampled_from(draw(st.sampled_from([found, scores or found]))))
    change = draw(st.integers(0, 7))
    if change == 7 and isinstance(holder, dict):
        beside = draw(st.sampled_from(["reason", "justification", "Reasoning", "why", "Score", "rating", "note"]))
        holder[beside] = draw(st.sampled_from(["other", 2]))
    elif change == 6:
        holder[key] = draw(st.sampled_from([True, False, 1.0, 2.5, -0.0, "1", None]))
    elif change == 0:
        del holder[key]
    elif change == 1 and isinstance(holder, dict):
        holder[draw(st.sampled_from(KEYS))] = copy.deepcopy(draw(st.sampled_from(ODD)))
    elif change == 2 and isinstance(holder, dict):
        respelled = [key.upper(), key.replace("_", " ").title(), f"{key} ", draw(st.sampled_from(KEYS))]
        holder[draw(st.sampled_from(respelled))] = holder.pop(key)
    elif change == 3 and isinstance(holder, dict):
        members = draw(st.permutations(list(holder.items())))
        holder.clear()
        holder.update(members)
    elif change == 4:
        holder[key] = draw(st.sampled_from([{"result": holder[key]}, [holder[key]]]))
    else:
        holder[key] = copy.deepcopy(draw(st.sampled_from(ODD)))


def twice(draw: st.DrawFn, value: Any) -> str:
    """The value as text in which one key may come twice, with the same value or another one."""
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, None, 2])))
    keys = list(re.finditer(r'("\w+"): (\d)?', text))
    if keys and draw(st.integers(0, 3)) == 0:
        key = draw(st.sampled_from(keys))
        text = f"{text[: key.start()]}{key[1]}: {draw(st.sampled_from([key[2] or '{}', '3']))}, {text[key.start() :]}"
    return text


@st.composite
def replies(draw: st.DrawFn, changes: int = 2) -> tuple[Judge, str, Expected, str]:
    judge = draw(st.sampled_from(JUDGES))
    labels = draw(st.sampled_from(LABELS[judge.layout]))
    value = asked(draw, judge, labels)
    judged = draw(st.sampled_from([*JUDGED, (f"It says {json.dumps(value)} here.",), (json.dumps(value)[1:-1],)]))
    for _ in range(draw(st.integers(0, changes))):
        changed(draw, value)
    text = twice(draw, value)
    wrapping = st.sampled_from(
        ["{}"] * 6 + [" \n{}\n", "\ufeff{}", "```\n{}\n```", "[{}]", '{{"result": {}}}', "{} .", "{}{}"]
    )
    expected = Expected(
        labels=labels,
        sources=draw(st.sampled_from([{"": SOURCES}, {}])),
        outputs=draw(st.sampled_from([{"": "Tea, hot tea. Ещё чай."}, {"": None}, {}])),
        judged=judged,
        embedded=draw(st.integers(0, 4)) == 0,
    )
    shown = draw(wrapping).replace("{{", "{").replace("}}", "}").replace("{}", text)
    return judge, shown, expected, draw(st.sampled_from(["stop", "length"]))


def told(reading: Any) -> str:
    """All of a reading, the order of its keys and the types of its numbers included."""
    return repr(replace(reading, failures={item: [error.kind, str(error)] for item, error in reading.failures.items()}))


def outcome(way: Any, judge: Judge, text: str, expected: Expected, finish: str) -> Any:
    try:
        return told(way(judge, text, expected, finish=finish))
    except ReplyError as error:
        return error.kind, str(error)


@given(replies())
@settings(max_examples=EXAMPLES, deadline=None)
def test_read_off_at_once_is_read_as_by_the_ladder(case):
    assert outcome(read, *case) == outcome(ladder, *case)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: f"{judge.name}-{judge.lang}-{judge.layout}")
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_is_exactly_as_asked_for_needs_no_ladder(judge, data):
    labels = LABELS[judge.layout][0]
    value = data.draw(st.composite(lambda draw: asked(draw, judge, labels))())
    expected = Expected(labels=labels, sources={"": SOURCES})
    assert entries(judge, strict(json.dumps(value)), expected) is not None


HAZARDS = st.sampled_from(
    [
        "[",
        "]",
        "[1]",
        "[a, b]",
        "[...]",
        "(",
        ")",
        "}",
        '"',
        '"a"',
        '"coverage": 4',
        ":",
        ",",
        "\n",
        "```",
        "//",
        "/*",
        "\\",
        "'",
        "|",
        "<think>",
    ]
)


@given(st.lists(HAZARDS | st.text(max_size=5), max_size=12).map("".join))
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_text_called_objectless_holds_no_object(text):
    if objectless(text):
        assert not bracketless(text)
        held = everything(candidate.value for candidate in extract(text).candidates)
        assert not any(isinstance(value, dict) for value in held)
    elif bracketless(text):
        with contextlib.suppress(ValueError):  # members that cannot be mended are refused, and nothing else is raised
            assert document(text) is not None
