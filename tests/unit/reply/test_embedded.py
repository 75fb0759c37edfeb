"""Intervals and findings of the embedded judge: read from it alone, and never trusted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.records import EVIDENCE, Finding, Opinion
from adjudge.reply.combine import combine
from adjudge.reply.read import Expected, ladder, read
from tests.unit.reply.judges import ANSWERS, SUMMARY, TRANSLATION, summary_verdict

TEXT = "Seven ships left. None came back."
FOUND = {"kind": "unsupported", "reason": "No support.", "at": [18, 33], "source": "1", "source_at": [0, 9]}
FINDING = {"criterion": "accuracy", "candidate": "", **FOUND, "against": True}
EMBEDDED = Expected(judged=(TEXT,), embedded=True)


def stated(intervals: Any = None, findings: Any = None) -> dict[str, Any]:
    return {**summary_verdict(3), EVIDENCE: {"intervals": intervals, "findings": findings}}


def opinion(value: Any, expected: Expected = EMBEDDED) -> Opinion:
    return read(SUMMARY, json.dumps(value), expected).opinions[""]


def intervals(found: Opinion) -> dict[str, tuple[float, float]]:
    return {name: per[""].interval for name, per in found.scores.items() if per[""].interval}


def test_what_the_embedded_judge_states_reaches_the_verdict():
    found = opinion(stated({"coverage": {"": [2, 4]}}, [FINDING]))
    assert intervals(found) == {"coverage": (2, 4)}
    verdict = combine(SUMMARY, "i", [found], sources=())
    assert verdict.intervals == {"coverage": [2, 4]}
    assert verdict.findings == ({"criterion": "accuracy", **FOUND, "against": True},)
    assert verdict.scores["coverage"] == 3
    assert EVIDENCE not in verdict.native


def test_the_ladder_reads_the_same():
    text = json.dumps(stated({"coverage": {"": [1, 5]}}, [FINDING]))
    for quick in (read(SUMMARY, text, EMBEDDED), ladder(SUMMARY, text, EMBEDDED)):
        assert intervals(quick.opinions[""]) == {"coverage": (1, 5)}
        assert quick.opinions[""].findings["accuracy"][""] == (
            Finding(kind="unsupported", reason="No support.", at=(18, 33), source="1", source_at=(0, 9), against=True),
        )


@pytest.mark.parametrize("reader", [read, ladder])
def test_a_language_model_that_writes_such_a_key_gains_nothing(reader):
    text = json.dumps(stated({"coverage": {"": [1, 5]}}, [FINDING]))
    found = reader(SUMMARY, text, Expected(judged=(TEXT,))).opinions[""]
    assert intervals(found) == {}
    assert found.findings == {}


def test_candidates_are_named_by_their_labels():
    per = {shown: {"justification": "r", "score": 3} for shown in ("X1", "X2")}
    value = {
        "scores": {"correctness": per, "depth": per},
        "conclusion": "c",
        EVIDENCE: {
            "intervals": {"correctness": {"X1": [2, 4], "X2": [3, 3], "X9": [0, 5]}},
            "findings": [{**FINDING, "criterion": "depth", "candidate": "X2"}, {**FINDING, "criterion": "depth"}],
        },
    }
    expected = Expected(labels={"X1": "one", "X2": "two"}, judged=(TEXT,), embedded=True)
    found = read(ANSWERS, json.dumps(value), expected).opinions[""]
    verdict = combine(ANSWERS, "i", [found], sources=(), candidates=("one", "two"))
    assert verdict.intervals == {"correctness": {"one": [2, 4], "two": [3, 3]}}
    assert [(one["criterion"], one["candidate"]) for one in verdict.findings] == [("depth", "two")]


def test_items_of_a_batch_have_their_own():
    entry = {"adequacy": {"why": "r", "score": 4}, "fluency": {"why": "r", "score": 5}}
    noted = {**entry, EVIDENCE: {"intervals": {"adequacy": {"": [3, 5]}}, "findings": []}}
    text = json.dumps({"scores": {"a": noted, "b": entry}, "summary": {"adequacy": "s", "fluency": "t"}})
    expected = Expected(labels={"a": "1", "b": "2"}, judged=(TEXT,), embedded=True)
    found = read(TRANSLATION, text, expected).opinions
    assert [found[item].scores["adequacy"][""].interval for item in ("1", "2")] == [(3, 5), None]


def test_repeats_have_the_mean_of_their_ends():
    first = opinion(stated({"coverage": {"": [1, 4]}}))
    second = opinion(stated({"coverage": {"": [3, 5]}}))
    bare = opinion(stated())
    assert combine(SUMMARY, "i", [first, second], sources=()).intervals == {"coverage": [2, 4.5]}
    assert combine(SUMMARY, "i", [first, bare], sources=()).intervals == {}


@pytest.mark.parametrize(
    "ends",
    [[5], [1, 2, 3], [4, 1], [0, 5], [1, 6], [True, 5], ["1", "5"], None, {}, "1-5", [1, 1], [[1], 5], [1e400, 5]],
)
def test_an_interval_that_is_none_is_left_out(ends):
    assert intervals(opinion(stated({"coverage": {"": ends}, "nothing": {"": [1, 5]}}))) == {}


@pytest.mark.parametrize("at", [[-1, 3], [3, 1], [0, len(TEXT) + 1], [0.0, 3], [True, 3], [0], "0-3", {}, [0, 10**30]])
def test_a_place_outside_every_text_is_left_out(at):
    ((found,),) = opinion(stated(None, [{**FINDING, "at": at, "source_at": at}])).findings["accuracy"].values()
    assert (found.at, found.source_at, found.reason) == (None, None, "No support.")


@pytest.mark.parametrize(
    "changes",
    [
        {"criterion": "no"},
        {"criterion": ["accuracy"]},
        {"candidate": {}},
        {"kind": 1},
        {"reason": None},
        {"against": 1},
    ],
)
def test_a_finding_that_is_none_is_left_out(changes):
    assert opinion(stated(None, [{**FINDING, **changes}, FINDING])).findings["accuracy"][""] == (
        Finding(kind="unsupported", reason="No support.", at=(18, 33), source="1", source_at=(0, 9), against=True),
    )


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["", "coverage", "accuracy", "at", "kind", "intervals", "findings"]), inner)
    ),
    max_leaves=8,
)


@given(anything)
def test_whatever_stands_there_the_scores_are_read(value):
    found = opinion({**summary_verdict(3), EVIDENCE: value})
    assert {name: per[""].value for name, per in found.scores.items()} == {
        name: per[""].value for name, per in opinion(summary_verdict(3)).scores.items()
    }
    combine(SUMMARY, "i", [found], sources=())
