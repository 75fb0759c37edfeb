"""`adjudge check --data`: the prompts that it shows are those that a run sends, in one call and in stages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from adjudge import api
from adjudge.cli import run_command
from tests.fakes.server import FakeModelServer

SAMPLE = {
    "id": "a",
    "user_query": "What is there to see?",
    "search_results": [
        {"url": "https://a.example/1", "content": "The tower is 40 metres high.", "metadata": {}},
        {"url": "https://b.example/2", "content": "The bridge is made of stone.", "metadata": {}},
    ],
    "summary": "The tower is 40 metres high [1].",
}


@pytest.fixture
def rows(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text(json.dumps(SAMPLE), encoding="utf-8")
    return "rows.jsonl"


def unmarked(text: str) -> str:
    """A prompt without the marks of its fences: they come from the key of a call, and so from the model's name."""
    return re.sub(r"[0-9a-f]{12}", "MARK", text)


def sent(server: FakeModelServer) -> set[tuple[str, str]]:
    messages = [received.data["messages"] for received in server.requests]
    return {(system["content"], unmarked(user["content"])) for system, user, *_ in messages}


def run(server: FakeModelServer, rows: str, *more: str) -> None:
    model = ("--model", "openai:m", "--base-url", server.url)
    assert run_command(["run", "search-summary", rows, *model, *more]) in (0, 3)


def test_the_prompt_of_one_call_is_the_one_that_is_sent(serve, rows):
    server = serve()
    run(server, rows)
    (shown,) = api.check("search-summary", data=rows).prompts
    assert (shown.prompt.system, unmarked(shown.prompt.user)) in sent(server)


def test_the_prompts_of_stages_are_those_that_are_sent(serve, rows):
    server = serve()
    run(server, rows, "--staged")
    shown = api.check("search-summary", data=rows, staged=True).prompts
    assert [(one.stage, one.criterion) for one in shown] == [
        ("rest", ""),
        ("claims", "hallucination"),
        ("support", "hallucination"),
        ("questions", "quality"),
        ("questions", "quality"),
        ("answers", "quality"),
    ]
    asked = sent(server)
    assert {one.prompt.system for one in shown} == {system for system, _ in asked}
    first = {(one.prompt.system, unmarked(one.prompt.user)) for one in shown if one.stage not in ("support", "answers")}
    assert first <= asked, "what follows from no reply is the same to the letter"
    assert all("1. …" in one.prompt.user for one in shown if one.stage in ("support", "answers"))


def test_the_command_names_each_stage(rows, capsys):
    assert run_command(["check", "search-summary", "--data", rows, "--staged"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("===")]
    assert heads[:2] == ["=== rest", "=== claims: hallucination"] and len(heads) == 6
    assert run_command(["check", "search-summary", "--data", rows, "--staged", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [one["stage"] for one in found["prompts"]][:2] == ["rest", "claims"]
    assert run_command(["check", "search-summary", "--data", rows, "--json"]) == 0
    assert "===" not in json.loads(capsys.readouterr().out)["prompt"]["system"]


def test_a_judge_without_stages_says_so(capsys):
    assert run_command(["check", "summary", "--staged"]) == 2
    assert "--staged is for claims and questions" in capsys.readouterr().err
