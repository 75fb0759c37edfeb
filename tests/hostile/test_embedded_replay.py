"""Recorded replies of the embedded judge that somebody edited: never a crash, and nothing for other models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from adjudge.core.records import EVIDENCE

ROW = {"id": "a", "content": "Seven ships left the harbour. None came back.", "text": "Nine ships left the harbour."}


def replayed(capsys: pytest.CaptureFixture[str], mode: str, evidence: Any) -> dict[str, Any]:
    """The export line of a run whose recorded reply has other evidence, or comes from another kind of model."""
    Path("d.jsonl").write_text(json.dumps(ROW))
    assert run_command(["run", "summary", "d.jsonl"]) == 0
    assert run_command(["export", "latest", "--format", "replies", "-o", "r.jsonl"]) == 0
    record = json.loads(Path("r.jsonl").read_text())
    text = json.loads(record["text"])
    assert text[EVIDENCE]["findings"]
    whole = {name: {**part, "score": 3} if "score" in part else part for name, part in text.items()}
    record |= {"mode": mode, "text": json.dumps({**whole, EVIDENCE: evidence})}
    Path("r.jsonl").write_text(json.dumps(record))
    assert run_command(["run", "summary", "d.jsonl", "--model", "replay:r.jsonl", "--fresh"]) == 0
    capsys.readouterr()
    for form in ("html", "markdown", "text"):
        assert run_command(["show", "latest", "--format", form]) == 0
    assert capsys.readouterr().out.count("<script>") == 1  # our own
    assert run_command(["export", "latest"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


GOOD: dict[str, Any] = {
    "intervals": {"accuracy": {"": [2, 4]}},
    "findings": [{"criterion": "accuracy", "kind": "k", "reason": "<script>", "at": [0, 4], "against": True}],
}


def test_what_the_embedded_judge_said_is_replayed(capsys):
    found = replayed(capsys, "offline", GOOD)
    assert found["intervals"] == {"accuracy": [2, 4]}
    assert [one["at"] for one in found["findings"]] == [[0, 4]]


@pytest.mark.parametrize("mode", ["text", "schema", "OFFLINE", ""])
def test_another_model_gains_nothing_by_saying_the_same(capsys, mode):
    found = replayed(capsys, mode, GOOD)
    assert (found["intervals"], found["findings"]) == ({}, [])
    assert found["scores"]["accuracy"] == 3


@pytest.mark.parametrize(
    "evidence",
    [
        None,
        7,
        [],
        {"intervals": [], "findings": {}},
        {"intervals": {"accuracy": {"": [0, 99]}}, "findings": [None, [], {"criterion": {}}]},
        {"intervals": {"accuracy": [2, 4]}, "findings": [{**GOOD["findings"][0], "candidate": 3}]},
    ],
)
def test_evidence_that_is_none_is_left_out(capsys, evidence):
    found = replayed(capsys, "offline", evidence)
    assert (found["intervals"], found["findings"]) == ({}, [])


def test_a_place_beyond_the_text_is_left_out(capsys):
    far = {"findings": [{**GOOD["findings"][0], "at": [0, 10**9], "source": "9", "source_at": [5, 2]}]}
    (one,) = replayed(capsys, "offline", far)["findings"]
    assert (one["at"], one["source_at"], one["source"]) == (None, None, "9")
