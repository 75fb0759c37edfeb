"""A real language model, small and without skill, from the command to the verdict: in process and over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.cli import run_command
from adjudge.core.errors import NoVerdict
from adjudge.reply.odds import log_odds
from tests.e2e.test_run_http import exported, run_json
from tests.fakes import gguf

SHORT = [
    {
        "id": "good",
        "content": "The train to Omsk leaves at nine from platform two.",
        "text": "The Omsk train leaves at nine.",
    },
    {"id": "bad", "content": "The train to Omsk leaves at nine from platform two.", "text": "A dog ate the cat."},
]


@pytest.fixture(scope="module")
def small() -> str:
    return gguf.model("small")


@pytest.fixture(scope="module")
def server(small: str) -> Iterator[str]:
    with gguf.served(small) as url:
        yield url


@pytest.fixture
def rows() -> str:
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in SHORT), encoding="utf-8")
    return "rows.jsonl"


def test_in_process_and_over_http_give_the_same_odds(small, server, rows, capsys):
    code, inside = run_json(capsys, "run", "summary", rows, "--model", f"local:{small}")
    assert (code, inside["status"], inside["calls"], inside["cost_usd"]) == (0, "complete", 10, 0.0)
    assert inside["model"] == f"local:{Path(small).name}", "a file is named, its folder is not"
    assert "|ask:yes-no|" in inside["signature"] and "|revision:" in inside["signature"]
    own = [line["scores"] for line in exported(capsys)]
    code, outside = run_json(
        capsys, "run", "summary", rows, "--model", "openai:small", "--base-url", server, "--ask", "yes-no"
    )
    assert (code, outside["calls"]) == (0, 10)
    for one, other in zip(own, [line["scores"] for line in exported(capsys)], strict=True):
        assert one == pytest.approx(other, abs=0.2), "the same model, whichever way it is asked"


def test_a_second_run_loads_no_model(small, rows, capsys, monkeypatch):
    monkeypatch.setenv("ADJUDGE_LOCAL_MODEL", small)
    code, first = run_json(capsys, "run", "summary", rows, "--model", "local", "--limit", "1")
    assert (code, first["calls"]) == (0, 5)
    code, second = run_json(capsys, "run", "summary", rows, "--model", f"local:{small}")
    assert (code, second["calls"], second["cached"]) == (0, 5, 5)


def test_a_rating_is_held_to_the_schema_by_grammar(small, capsys):
    judge = Path("short")
    judge.mkdir()
    (judge / "judge.yaml").write_text(
        "judge: short\nversion: 1\nlayout: single\nlanguages: [en]\nfields: {text: {role: output}}\n"
        "criteria: {clear: {kind: rating, scale: {min: 1, max: 3, better: higher}}}\noutput: {clear: clear.score}\n",
        encoding="utf-8",
    )
    (judge / "en.yaml").write_text(
        'title: Short\ninstructions: "{{criteria}} {{format}}"\nitem: "{{text}}"\nfields: {text: Text}\n'
        "criteria: {clear: {title: Clear, asks: Is it clear?, labels: {1: Dark, 2: Dim, 3: Light}}}\n",
        encoding="utf-8",
    )
    Path("one.jsonl").write_text('{"text": "Snow fell."}\n', encoding="utf-8")
    code, found = run_json(capsys, "run", "short", "one.jsonl", "--model", f"local:{small}", "--ask", "rating")
    assert (code, found["health"]["read_as"]) == (0, {"structured": 1})
    assert found["criteria"]["clear"]["mean"] in (1, 2, 3)


def _tells(odds: dict[str, float]) -> bool:
    try:
        log_odds(odds)
    except NoVerdict:
        return False
    return True


def test_what_the_model_can_t_say_is_a_failure_and_not_a_number(small, capsys):
    # its tokenizer cuts Russian letters into bytes, so neither word may be among the likely tokens
    Path("ru.jsonl").write_text('{"src": "Good morning.", "trg": "Доброе утро."}\n', encoding="utf-8")
    code, found = run_json(capsys, "run", "translation", "ru.jsonl", "--lang", "ru", "--model", f"local:{small}")
    assert run_command(["export", "latest", "--format", "replies", "-o", "said.jsonl"]) == 0
    said = [json.loads(line)["odds"] for line in Path("said.jsonl").read_text(encoding="utf-8").splitlines()]
    if sum(map(_tells, said)) == 5:
        assert (code, found["judged"]) == (0, 1)
    else:
        assert (code, found["judged"], found["failed"]) == (3, 0, 1)
        assert exported(capsys)[0]["failure"]["kind"] == "no_verdict"


def test_a_text_that_is_too_long_is_told_so(small, capsys, monkeypatch):
    monkeypatch.setenv("ADJUDGE_LOCAL_CONTEXT", "256")
    Path("long.jsonl").write_text(json.dumps({"content": "word " * 500, "text": "b"}) + "\n", encoding="utf-8")
    code, _ = run_json(capsys, "run", "summary", "long.jsonl", "--model", f"local:{small}")
    failure = exported(capsys)[0]["failure"]
    assert (code, failure["kind"]) == (3, "context_too_long")
    assert "ADJUDGE_LOCAL_CONTEXT" in failure["message"]


def test_a_damaged_file_is_told_so(small, rows, capsys):
    with Path(small).open("rb") as whole:
        Path("cut.gguf").write_bytes(whole.read(5000))
    code, _ = run_json(capsys, "run", "summary", rows, "--model", "local:cut.gguf")
    assert code == 3
    assert all("cut.gguf can't be loaded" in line["failure"]["message"] for line in exported(capsys))


def test_an_interrupted_run_ends_soon_and_keeps_what_it_has(small, capsys):
    many = [{"id": str(n), "content": "The ferry sails at noon. " * 20, "text": f"It sails at {n}."} for n in range(40)]
    Path("many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in many), encoding="utf-8")
    command = [sys.executable, "-m", "adjudge", "run", "summary", "many.jsonl", "--model", f"local:{small}", "--json"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ.copy())
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not _answers():
            time.sleep(0.2)
        started.send_signal(signal.SIGINT)
        out, _ = started.communicate(timeout=120)
    finally:
        started.kill()
    assert started.returncode == 130
    found = json.loads(out)
    assert found["status"] == "interrupted"
    assert 0 < found["calls"] < 200


def _answers() -> bool:
    """Whether a reply is stored."""
    if not Path("adjudge.db").exists():
        return False
    return run_command(["export", "latest", "--format", "replies", "-o", "so-far.jsonl"]) == 0 and bool(
        Path("so-far.jsonl").stat().st_size
    )
