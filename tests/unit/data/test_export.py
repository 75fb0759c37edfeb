"""Outcomes as other tools read them: the shapes of CONTRACT."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from adjudge.core.records import Call, Failure, Outcome, Reply, Verdict
from adjudge.data.export import dumps, line, native, replies, rounded, rows, table, to_csv, to_parquet
from tests.unit.spec.rows import bundled

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
FAILED = Failure(item="b", kind="truncated", stage="read", message="cut off", attempts=2, calls=("k2",))


def verdict(**changes: Any) -> Verdict:
    made: dict[str, Any] = {
        "item": "a",
        "scores": dict.fromkeys(SUMMARY, 3.7),
        "reasons": dict.fromkeys(SUMMARY, "why"),
        "derived": {"average_score": 3.7},
        "native": {"coverage": {"score": 4, "justification": "why"}},
        "flags": ("repeated", "corrected"),
        "calls": ("k1",),
    }
    return Verdict(**{**made, **changes})


def compared(**changes: Any) -> Verdict:
    made: dict[str, Any] = {
        "scores": {"clarity": {"Zed": 4.0, "Abe": 3.5}},
        "reasons": {"clarity": {"Zed": "good", "Abe": "fair"}, "depth": {"Zed": "no", "Abe": "no"}},
        "derived": {"total": {"Zed": 4.0, "Abe": 3.5}, "winner": {"winner": "Zed", "tied": []}},
        "native": {"winner": "Zed"},
    }
    return verdict(**{**made, **changes})


def test_a_line_of_a_judged_and_of_a_failed_item():
    assert line(verdict(), "sig") == {
        "id": "a",
        "status": "judged",
        "scores": dict.fromkeys(SUMMARY, 3.7),
        "derived": {"average_score": 3.7},
        "intervals": {},
        "verdict": {"coverage": {"score": 4, "justification": "why"}},
        "findings": [],
        "failure": None,
        "flags": ["repeated", "corrected"],
        "calls": ["k1"],
        "signature": "sig",
    }
    assert line(FAILED, "sig") == {
        "id": "b",
        "status": "failed",
        "scores": {},
        "derived": {},
        "intervals": {},
        "verdict": None,
        "findings": [],
        "failure": {"kind": "truncated", "stage": "read", "message": "cut off", "attempts": 2},
        "flags": [],
        "calls": ["k2"],
        "signature": "sig",
    }


def test_native_verdicts_of_a_batch_are_one_object():
    outcomes: list[Outcome] = [verdict(native={"adequacy": [5, ""]}), FAILED]
    found = json.loads("".join(native(bundled("translation"), outcomes, {"adequacy": "good"})))
    assert found == {
        "scores": [
            {"id": "a", "adequacy": [5, ""]},
            {"id": "b", "failure": {"kind": "truncated", "message": "cut off"}},
        ],
        "summary": {"adequacy": "good"},
    }
    assert json.loads("".join(native(bundled("translation"), [], {}))) == {"scores": [], "summary": {}}


def test_native_verdicts_of_other_layouts_are_lines():
    lines = list(native(bundled("summary"), [verdict(), FAILED], {}))
    assert [json.loads(one)["id"] for one in lines] == ["a", "b"]
    assert all(one.endswith("}\n") and one.count("\n") == 1 for one in lines)


def test_replies_can_be_replayed():
    call = Call(key="k", content="c", stage="judge", items=("a",), order=("Zed", "Abe"), repeat=1)
    (one,) = replies([(call, Reply(text="{\n}\ud800", tokens_in=1, finish="length"))])
    assert json.loads(one) == {
        "key": "k",
        "content": "c",
        "stage": "judge",
        "items": ["a"],
        "order": ["Zed", "Abe"],
        "repeat": 1,
        "text": "{\n}\ud800",
        "finish": "length",
        "tokens_in": 1,
        "tokens_out": None,
        "mode": "text",
    }
    one.encode()


def test_json_keeps_letters_and_escapes_only_what_no_file_holds():
    assert dumps({"а": "ё"}) == '{"а": "ё"}'
    assert json.loads(dumps("\ud800").encode()) == "\ud800"
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(float("nan"))


def test_rows_for_data_frames():
    found = list(rows(bundled("summary"), [verdict(), FAILED]))
    assert len(found) == 5
    assert found[0] == {
        "item": "a",
        "candidate": None,
        "criterion": "coverage",
        "score": 3.7,
        "reason": "why",
        "flags": "repeated;corrected",
    }
    found = list(rows(bundled("rag-answers"), [compared()]))
    assert [(row["candidate"], row["score"], row["reason"]) for row in found] == [
        ("Zed", 4.0, "good"),
        ("Abe", 3.5, "fair"),
    ]


def test_a_table_has_a_row_per_candidate_in_the_order_of_the_dataset():
    judge = bundled("rag-answers")
    found = list(table(judge, [compared(), FAILED]))
    assert [(row["id"], row["candidate"], row["total"], row["winner"]) for row in found] == [
        ("a", "Zed", 4.0, 1),
        ("a", "Abe", 3.5, 0),
        ("b", "", None, None),
    ]
    assert found[0]["depth"] is None and found[0]["depth_reason"] == "no"
    assert found[2]["failure"] == "truncated" and found[2]["message"] == "cut off"
    assert len({tuple(row) for row in found}) == 1  # the same columns in every row


@pytest.mark.parametrize(
    ("derived", "shown"),
    [
        ({"winner": None, "tied": ["Zed", "Abe"]}, [0.5, 0.5]),
        ({"winner": None, "tied": ["Zed"]}, [0.5, 0]),
        ({"winner": None, "tied": []}, [None, None]),
    ],
)
def test_a_winner_is_a_number_and_nobody_loses_what_was_not_judged(derived, shown):
    found = table(bundled("rag-answers"), [compared(derived={"total": None, "winner": derived})])
    assert [row["winner"] for row in found] == shown


def test_csv_reads_back_as_it_was():
    judge = bundled("summary")
    hostile = verdict(reasons=dict.fromkeys(SUMMARY, 'a,"b"\r\nc\rd;e\tf'), scores={"coverage": -1.5})
    text = "".join(to_csv(table(judge, [hostile, FAILED]), raw=True))
    header, first, second = csv.reader(io.StringIO(text, newline=""))
    found = dict(zip(header, first, strict=True))
    assert found["coverage"] == "-1.5"
    assert found["coverage_reason"] == 'a,"b"\r\nc\rd;e\tf'
    assert found["accuracy"] == ""
    assert second[:2] == ["b", "failed"]


def test_parquet_holds_the_same_table():
    pyarrow = pytest.importorskip("pyarrow", reason="the parquet extra is not installed")
    import pyarrow.parquet as parquet

    judge = bundled("summary")
    body = to_parquet(table(judge, [verdict(), FAILED]))
    found = parquet.read_table(pyarrow.BufferReader(body)).to_pylist()
    assert found == list(table(judge, [verdict(), FAILED]))


def test_what_only_some_items_have_is_in_their_lines_alone():
    plain = line(verdict(), "s")
    assert not {"trials", "spreads", "probe", "place"} & plain.keys() and not {"place"} & line(FAILED, "s").keys()
    more: dict[str, Any] = {
        "trials": ({"repeat": 0, "scores": {}},),
        "spreads": {"coverage": 0.5},
        "probe": {"coverage": 3.0},
        "place": 2,
    }
    told = json.loads(dumps(line(verdict(**more), "s")))
    assert {name: told[name] for name in more} == {**more, "trials": list(more["trials"])}


def test_a_sum_has_no_dust_in_a_table():
    records = [{"id": "a", "average_score": 4.5200000000000005, "less": -1e-17, "whole": 4.0, "n": 3, "none": None}]
    _, cells = csv.reader(io.StringIO("".join(to_csv(rounded(records)))))
    assert cells == ["a", "4.52", "0.0", "4.0", "3", ""]
