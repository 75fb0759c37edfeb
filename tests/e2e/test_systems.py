"""Rows with `system`, from a file over a scripted server to the report: who is better, and what can't be told."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

from adjudge.cli import run_command
from tests.e2e.test_run_http import run_json, valid
from tests.fakes.server import Answer

SOURCES = 24


def dataset(tmp_path: Path, judge: str, *, sources: int = SOURCES) -> str:
    """Three systems that all render the same sources."""
    rows = []
    for number in range(sources):
        for system in ("north", "south", "west"):
            texts = {"src": f"Sentence {number}.", "trg": f"{system}: rendering {number}."}
            if judge == "summary":
                texts = {"content": texts["src"], "text": texts["trg"]}
            rows.append({"id": f"{system}-{number}", "system": system, **texts})
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(file)


_RENDERED = re.compile(r"(?:north|south|west): rendering \d+")


def level(criterion: str, prompt: str) -> int:
    """North and south are alike, west is a point worse; the rest of the prompt, with its marks, decides nothing."""
    found = _RENDERED.search(prompt)
    assert found is not None
    draw = random.Random(f"{criterion}{found[0]}")
    return 4 - found[0].startswith("west") + draw.choice([0, 0, 0, 1, -1])


def judged(request: dict[str, Any], n: int) -> Answer:
    user = request["messages"][-1]["content"]
    verdict = valid(request)
    for name, value in verdict.items():
        if isinstance(value, dict) and "score" in value:
            value["score"] = level(name, user)
    return Answer(text=json.dumps(verdict))


def batch(request: dict[str, Any], n: int) -> Answer | None:
    verdict = valid(request)
    if "scores" not in verdict:  # the summary of all batches
        return None
    user = request["messages"][-1]["content"]
    for shown, entry in verdict["scores"].items():
        text = user[user.index(shown) :]
        for name, pair in entry.items():
            pair["score"] = level(name, text)
    return Answer(text=json.dumps(verdict))


def test_the_worse_system_is_told_and_equals_are_not(serve, capsys, tmp_path):
    run = ["run", "summary", dataset(tmp_path, "summary"), "--model", "openai:m", "--base-url", serve(judged).url]
    code, found = run_json(capsys, *run)
    assert code == 0
    beside = found["beside"]["systems"]
    assert {name: one["of"] for name, one in beside["systems"].items()} == dict.fromkeys(("north", "south", "west"), 24)
    assert beside["sources"] == {"seen": 24, "by_all": 24, "sampled": False}
    differences = beside["differences"]["average_score"]
    assert differences["best"] in ("north", "south")
    assert differences["from"]["west"]["apart"] and differences["from"]["west"]["mean"] < -0.5
    (equal,) = [one for name, one in differences["from"].items() if name != "west"]
    assert equal["apart"] is False and equal["n"] == 24
    assert not [warning for warning in found["warnings"] if "different sources" in warning]
    for form in ("text", "markdown", "html"):
        assert run_command(["show", "latest", "--format", form]) == 0
        drawn = capsys.readouterr().out
        assert "Systems compared" in drawn and "told apart" in drawn


def test_batches_and_different_sources(serve, capsys, tmp_path):
    file = Path(dataset(tmp_path, "translation"))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows if row["id"] not in ("west-0", "west-1")))
    run = ["run", "translation", str(file), "--model", "openai:m", "--base-url", serve(batch).url, "--lang", "en"]
    code, found = run_json(capsys, *run)
    assert code == 0
    beside = found["beside"]["systems"]
    assert beside["systems"]["west"]["of"] == SOURCES - 2
    assert beside["differences"]["quality"]["from"]["west"]["apart"]
    assert any("only 22 of 24 were rendered by every system" in warning for warning in found["warnings"])


def test_one_system_is_no_comparison(fake_server, capsys, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"content": "a", "text": "b", "system": "x"}\n{"content": "c", "text": "d", "system": "x"}\n')
    run = ["run", "summary", str(file), "--model", "openai:m", "--base-url", fake_server.url]
    _, found = run_json(capsys, *run)
    assert "systems" not in found.get("beside", {})
