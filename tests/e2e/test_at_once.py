"""Two runs of the same data at once: the second says what it may cost, and names the first."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.fakes.clock import PATIENCE_S, wait_for
from tests.fakes.instance import instance
from tests.fakes.server import Answer, FakeModelServer
from tests.faults.running import start


def rows(name: str, word: str) -> str:
    Path(name).write_text("\n".join(json.dumps({"content": f"{word} {n}", "text": "t"}) for n in range(3)))
    return name


@pytest.mark.parametrize(
    ("data", "model", "more", "warned"),
    [
        ("a.jsonl", "openai:m", (), True),
        ("a.jsonl", "openai:m", ("--name", "other", "--concurrency", "1"), True),
        ("a.jsonl", "openai:other", (), False),
        ("a.jsonl", "openai:m", ("--temperature", "1"), False),
        ("a.jsonl", "openai:m", ("--fresh",), False),
        ("b.jsonl", "openai:m", (), False),
    ],
)
def test_a_run_beside_another_that_asks_the_same(
    data: str, model: str, more: tuple[str, ...], warned: bool, capsys: Any
) -> None:
    rows("a.jsonl", "one"), rows("b.jsonl", "two")
    go_on = threading.Event()

    def script(request: Any, n: int) -> Answer:
        text = json.dumps(instance(server.requests[n - 1].schema or {}, "x"))
        return Answer(text=text, after=go_on.is_set)

    with FakeModelServer(script) as server:
        first = start(["run", "summary", "a.jsonl", "--model", "openai:m", "--base-url", server.url, "--json"])
        try:
            wait_for(lambda: server.calls >= 1)
            server.script = None
            command = ["run", "summary", data, "--model", model, "--base-url", server.url, *more]
            assert run_command(command) == 0
            said = capsys.readouterr().err
        finally:
            go_on.set()
            out, _ = first.communicate(timeout=PATIENCE_S)
    named = re.search(r"run (\S+) is under way .* paid twice.*adjudge resume (\S+)", said)
    assert (named is not None) == warned, said
    if named:
        assert named[1] == named[2] == json.loads(out)["run"]


def test_a_run_that_is_done_or_was_killed_is_none(capsys: Any) -> None:
    rows("a.jsonl", "one")
    with FakeModelServer() as server:
        command = ["run", "summary", "a.jsonl", "--model", "openai:m", "--base-url", server.url]
        assert run_command([*command, "--limit", "2"]) == run_command(command) == 0
    assert "under way" not in capsys.readouterr().err
