"""A rating that is made of checks: code makes the point, and a check that is absent is never filled in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.core.errors import Malformed, Missing
from adjudge.core.records import Opinion
from adjudge.reply.combine import combine
from adjudge.reply.read import Expected, read
from tests.unit.reply.judges import CHECKED, CHECKED_ANSWERS, CHECKED_BATCH, checks

STYLE = {"justification": "", "score": 5}


def opinion(accuracy: Any, noise: Any = None) -> Opinion:
    value = {"accuracy": accuracy, "style": STYLE, "noise_score": noise or checks(True, True, True)}
    return read(CHECKED, json.dumps(value)).opinions[""]


@pytest.mark.parametrize(
    ("met", "accuracy", "noise"),
    [
        ((True, True, True), 5, 0),
        ((False, False, False), 1, 3),
        ((True, False, False), 3, 1.5),
        ((False, True, False), 2, 2.25),
        ((False, True, True), 3, 1.5),
        ((True, True, False), 4, 0.75),
    ],
)
def test_the_point_follows_from_the_weights_that_are_met(met, accuracy, noise):
    found = opinion(checks(*met), checks(*met))
    assert {name: per[""].value for name, per in found.scores.items()} == {
        "accuracy": accuracy,
        "style": 5,
        "noise": noise,
    }
    assert found.flags == ()


def test_the_verdict_has_the_nearest_point_and_the_unmet_checks_with_their_reasons():
    value = checks(True, False, False)["checks"] | {"dates": {"why": "May, not June.", "met": False}}
    verdict = combine(CHECKED, "1", [opinion({"checks": value}, checks(True, True, False))], sources=())
    assert verdict.scores == {"accuracy": 3, "style": 5, "noise": 0.75}
    told = "✗ Are the dates right? May, not June. ✗ Is the order kept? so"
    assert verdict.native == {
        "accuracy": {"score": 3, "justification": told},
        "style": {"score": 5, "justification": ""},
        "noise_score": 1,
        "noise_reason": "✗ Is the order kept? so",
    }
    assert [(one["criterion"], one["kind"], one["against"]) for one in verdict.findings] == [
        ("accuracy", "check_met", False),
        ("accuracy", "check_unmet", True),
        ("accuracy", "check_unmet", True),
        ("noise", "check_met", False),
        ("noise", "check_met", False),
        ("noise", "check_unmet", True),
    ]


@pytest.mark.parametrize(
    "given",
    [
        checks(True, False, True)["checks"],
        {"checks": {"names": True, "dates": False, "order": "yes"}},
        {"Checks": {"Names": {"met": "да"}, "dates": {"passed": "no"}, "Is the order kept?": {"met": True}}},
        {"score": 1, "justification": "bad", **checks(True, False, True)},
    ],
)
def test_other_ways_to_write_the_same(given):
    assert opinion(given).scores["accuracy"][""].value == 4


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"score": 4, "justification": "x"}, Missing),
        ({"checks": {"names": True, "dates": True}}, Missing),
        ({"checks": {"names": True, "dates": True, "order": None}}, Missing),
        ({"checks": {"names": True, "dates": True, "order": {"why": "x"}}}, Missing),
        ({"checks": {"names": True, "dates": True, "order": "perhaps"}}, Malformed),
        ({"checks": {"names": True, "dates": True, "order": 1}}, Malformed),
        ({"checks": {}}, Missing),
        ({"checks": [True, True, True]}, Malformed),
        ({"checks": None}, Malformed),
        (4, Malformed),
        ([4, "x"], Malformed),
        ("all met", Malformed),
        (None, Missing),
    ],
)
def test_a_check_that_is_absent_or_unclear_is_asked_for_again(given, error):
    with pytest.raises(error, match="accuracy"):
        opinion(given)


def test_every_candidate_has_its_own_checks():
    labels = {"X1": "one", "X2": "two"}
    value: dict[str, Any] = {
        "scores": {
            "correctness": {"X2": checks(False, True, False), "X1": checks(True, True, True)},
            "depth": {label: {"justification": "x", "score": 2} for label in labels},
        }
    }
    found = read(CHECKED_ANSWERS, json.dumps(value), Expected(labels=labels)).opinions[""]
    verdict = combine(CHECKED_ANSWERS, "1", [found], sources=(), candidates=("one", "two"))
    assert verdict.scores["correctness"] == {"one": 5, "two": 1.25}
    assert verdict.native["scores"]["correctness"]["two"]["score"] == 1
    assert verdict.derived["total"] == {"one": 7, "two": 3.25}
    assert [one["candidate"] for one in verdict.findings if one["against"]] == ["two", "two"]
    del value["scores"]["correctness"]["X2"]
    with pytest.raises(Missing, match="no entry for the candidate X2"):
        read(CHECKED_ANSWERS, json.dumps(value), Expected(labels=labels))


def test_a_table_of_scores_states_no_checks():
    table = "| Criterion | X1 | X2 | Reasons |\n|---|---|---|---|\n| correctness | 4 | 2 | x |\n| depth | 3 | 3 | x |\n"
    with pytest.raises(Missing):
        read(CHECKED_ANSWERS, table, Expected(labels={"X1": "one", "X2": "two"}))


def test_in_batches_too():
    entry = {"adequacy": checks(True, False, False), "fluency": {"why": "", "score": 5}}
    given = {"scores": {"a": entry, "b": {**entry, "adequacy": [5, ""]}}, "summary": {}}
    reading = read(CHECKED_BATCH, json.dumps(given), Expected(labels={"a": "1", "b": "2"}))
    assert reading.opinions["1"].scores["adequacy"][""].value == 3
    assert isinstance(reading.failures["2"], Malformed)


def test_the_embedded_judge_states_a_score_or_none():
    value = {"accuracy": {"score": 3.5, "justification": "measured"}, "style": STYLE, "noise_score": None}
    found = read(CHECKED, json.dumps(value), Expected(embedded=True)).opinions[""]
    assert {name: per[""].value for name, per in found.scores.items()} == {"accuracy": 3.5, "style": 5, "noise": None}
