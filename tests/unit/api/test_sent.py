"""Prompts that are rendered again are, letter for letter, those that were sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.api.sent import sent
from adjudge.api.stored import open_run
from adjudge.cli import run_command
from adjudge.core.records import Failure
from tests.fakes.server import Answer

SAMPLES: dict[str, list[dict[str, Any]]] = {
    "summary": [{"id": f"i{n}", "content": f"The ferry {n} leaves.", "text": f"It is {n}."} for n in range(3)],
    "translation": [{"id": f"i{n}", "src": f"Паром {n} ушёл.", "trg": f"The ferry {n} left."} for n in range(5)],
    "rag-answers": [
        {"id": f"i{n}", "question": f"When, {n}?", "sources": ["At nine."], "answers": {"A": "nine", "B": f"ten {n}"}}
        for n in range(2)
    ],
    "search-summary": [
        {
            "id": f"i{n}",
            "user_query": f"When, {n}?",
            "search_results": [{"url": "https://example.org/1", "content": "It leaves at nine."}],
            "summary": f"At nine, {n}.",
        }
        for n in range(2)
    ],
}


@pytest.mark.parametrize(
    ("judge", "options"),
    [
        ("summary", []),
        ("summary", ["--repeat", "2"]),
        ("translation", ["--batch-size", "3"]),
        ("rag-answers", ["--orders", "2"]),
        ("search-summary", []),
        ("search-summary", ["--staged"]),
    ],
)
def test_what_is_shown_was_sent(fake_server, tmp_path, judge, options):
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps(row) for row in SAMPLES[judge]))
    run_command(["run", judge, str(data), "--model", "openai:any", "--base-url", fake_server.url, *options])
    asked = {(one.data["messages"][0]["content"], one.user) for one in fake_server.requests}
    run = open_run("latest")
    for outcome in run.outcomes():
        found = sent(run, outcome)
        assert found.prompts
        assert not found.embedded
        assert {(prompt.system, prompt.user) for _, prompt in found.prompts} <= asked
        assert len(found.prompts) + found.others == len(set(outcome.calls))


def test_the_prompt_of_a_failed_item_is_shown_too(fake_server, tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(SAMPLES["summary"][0]))
    fake_server.script = lambda request, n: Answer(status=400, data={"error": {"message": "no"}})
    run_command(["run", "summary", str(data), "--model", "openai:any", "--base-url", fake_server.url])
    run = open_run("latest")
    (outcome,) = run.outcomes()
    assert isinstance(outcome, Failure)
    ((_, prompt),) = sent(run, outcome).prompts
    assert prompt.user == fake_server.requests[0].user


def test_the_embedded_judge_is_sent_nothing(tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(SAMPLES["summary"][0]))
    run_command(["run", "summary", str(data)])
    run = open_run("latest")
    (outcome,) = run.outcomes()
    assert sent(run, outcome).embedded
