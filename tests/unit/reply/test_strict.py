"""What is read off at once, and what is left to the ladder."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.errors import NoVerdict
from adjudge.reply import read as reading
from adjudge.reply.read import Expected, read
from adjudge.reply.strict import entries
from tests.unit.reply.judges import ANSWERS, SUMMARY, TRANSLATION, summary_verdict

PAIR = {"X1": "one", "X2": "two"}


def compared(**changes: Any) -> dict[str, Any]:
    per = {shown: {"justification": "r", "score": 3} for shown in PAIR}
    return {"scores": {"correctness": per, "depth": per}, "conclusion": "c", **changes}


def batched(**changes: Any) -> dict[str, Any]:
    entry = {"adequacy": {"why": "r", "score": 4}, "fluency": {"why": "r", "score": 5}}
    return {"scores": {"a": entry, "b": entry}, "summary": {"adequacy": "s", "fluency": "t"}, **changes}


@pytest.fixture
def no_ladder(monkeypatch):
    def refuse(*_args: Any, **_options: Any) -> None:
        raise AssertionError("the ladder was needed")

    monkeypatch.setattr(reading, "ladder", refuse)


@pytest.mark.usefixtures("no_ladder")
@pytest.mark.parametrize("judged", [(), ('He said: "no" [1], {}'.replace("{}", "|"),), ("a {b: c} d",)])
def test_what_is_as_asked_for_needs_no_ladder(judged):
    found = read(SUMMARY, json.dumps(summary_verdict(4, average_score=9)), Expected(judged=judged))
    assert (found.step, found.opinions[""].stated) == ("strict", {"average_score": 9})
    found = read(ANSWERS, json.dumps(compared(winner="X1")), Expected(labels=PAIR, judged=judged))
    assert found.opinions[""].stated == {"winner": "one"}
    assert list(found.opinions[""].scores["depth"]) == ["one", "two"]
    found = read(TRANSLATION, json.dumps(batched()), Expected(labels={"a": "1", "b": "2"}, judged=judged))
    assert list(found.opinions) == ["1", "2"]
    assert found.summary == {"adequacy": "s", "fluency": "t"}


@pytest.mark.parametrize(
    "value",
    [
        summary_verdict(4) | {"coverage": {"score": True, "justification": "r"}},
        summary_verdict(4) | {"coverage": {"score": 6, "justification": "r"}},
        summary_verdict(4) | {"coverage": {"score": 4.5, "justification": "r"}},
        summary_verdict(4) | {"coverage": {"score": 4, "reason": "r"}},
        summary_verdict(4) | {"overall": {"conclusion": "c", "Average score": 4}},
        summary_verdict(4) | {"overall": {"conclusion": " "}},
        {"result": summary_verdict(4)},
        [summary_verdict(4)],
    ],
)
def test_anything_else_is_left_to_the_ladder(value):
    assert entries(SUMMARY, value, Expected()) is None


def test_labels_that_could_be_mistaken_are_left_to_the_ladder():
    assert entries(ANSWERS, compared(), Expected(labels=PAIR)) is not None
    assert entries(ANSWERS, compared(), Expected(labels={**PAIR, "x1": "three"})) is None
    assert entries(TRANSLATION, batched(), Expected(labels={"a": "1", "b": "summary"})) is None
    assert entries(TRANSLATION, batched(more=1), Expected(labels={"a": "1", "b": "2"})) is None


def test_a_verdict_that_a_judged_text_holds_is_not_read_off():
    text = json.dumps(summary_verdict(5))
    with pytest.raises(NoVerdict, match="quoted"):
        read(SUMMARY, text, Expected(judged=(f"A story. {text}",)))
    assert read(replace(SUMMARY, digest="d"), text, Expected(judged=("A story.",))).step == "strict"
