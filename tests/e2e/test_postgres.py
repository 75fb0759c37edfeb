"""A team's store: every command on PostgreSQL as on a file, byte for byte, and no password anywhere."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from tests.fakes.clock import wait_for
from tests.fakes.postgres import PASSWORD, sql
from tests.fakes.server import Answer, FakeModelServer

SAMPLES = Path(adjudge.__file__).parent / "samples"
SUMMARY = str(SAMPLES / "summary.en.jsonl")


def said(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    """What a command prints; the password is in none of it."""
    capsys.readouterr()
    assert run_command([*args]) == code
    out, err = capsys.readouterr()
    assert PASSWORD not in out + err
    return out


def settled(text: str) -> str:
    """The text without what differs from run to run."""
    text = re.sub(r"\d+(?:\.\d+)? s · summary-[\w-]+", "TIME · RUN", text)
    text = re.sub(r"time: \d+(?:\.\d+)? s", "TIME", text)
    return re.sub(r"summary-\d{8}-\d{6}-[0-9a-f]{4}", "RUN", text)


def test_every_command_says_what_it_says_on_a_file(postgres_url, capsys):
    stores = (postgres_url, "sqlite:///file.db")
    for store in stores:
        assert json.loads(said(capsys, "run", "summary", SUMMARY, "--store", store, "--json"))["judged"] == 5
    for command in (
        ["export", "latest"],
        ["export", "latest", "--format", "csv"],
        ["export", "latest", "--format", "native"],
        ["show", "latest"],
        ["show", "latest", "--format", "markdown"],
    ):
        ours, theirs = (settled(said(capsys, *command, "--store", store)) for store in stores)
        assert ours == theirs and ours, command
    (run,) = json.loads(said(capsys, "runs", "--json", "--store", postgres_url))["runs"]
    assert (run["status"], run["items"], run["judged"]) == ("complete", 5, 5)
    assert run["run"] in said(capsys, "runs", "--store", postgres_url)
    again = json.loads(said(capsys, "resume", "latest", "--store", postgres_url, "--json"))
    assert (again["status"], again["judged"]) == ("complete", 5)


def test_the_variable_names_the_store(postgres_url, capsys, monkeypatch):
    monkeypatch.setenv("ADJUDGE_STORE", postgres_url)
    said(capsys, "run", "summary", SUMMARY)
    assert "complete" in said(capsys, "runs")
    assert not Path("adjudge.db").exists()


def test_a_second_run_takes_its_replies_from_the_shared_store(postgres_url, capsys, fake_server: FakeModelServer):
    run = ("run", "summary", SUMMARY, "--model", "openai:m", "--base-url", fake_server.url, "--store", postgres_url)
    first, second = (json.loads(said(capsys, *run, "--json")) for _ in range(2))
    assert (first["calls"], first["cached"], second["calls"], second["cached"]) == (5, 0, 0, 5)
    assert fake_server.calls == 5
    assert first["criteria"] == second["criteria"]


def test_a_killed_run_resumes_without_paying_twice(postgres_url, capsys, serve):
    items, concurrency = 20, 4
    rows = [{"id": f"i{n}", "content": f"Story number {n}. It ends.", "text": f"Story {n}."} for n in range(items)]
    Path("items.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    server = serve(lambda request, n: Answer(stuck="silent") if n > 8 else None)
    command = [
        sys.executable, "-m", "adjudge", "run", "summary", "items.jsonl", "--model", "openai:m", "--base-url",
        server.url, "--concurrency", str(concurrency),
    ]  # fmt: skip
    environment = {**os.environ, "ADJUDGE_STORE": postgres_url}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    wait_for(lambda: server.stuck == concurrency)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (run,) = json.loads(said(capsys, "runs", "--json", "--store", postgres_url))["runs"]
    assert run["status"] == "interrupted" and 0 < run["judged"] < items
    server.script = None
    done = json.loads(said(capsys, "resume", "latest", "--store", postgres_url, "--json"))
    assert (done["status"], done["judged"], done["failed"]) == ("complete", items, 0)
    assert server.calls <= items + concurrency, "only what was in flight is paid for again"
    whole = json.loads(said(capsys, *command[3:], "--store", "sqlite:///whole.db", "--json"))
    assert whole["criteria"] == done["criteria"]
    ours, theirs = (said(capsys, "export", "latest", "--store", url) for url in (postgres_url, "sqlite:///whole.db"))
    assert ours == theirs


def test_a_server_that_is_not_there_is_told_in_a_line(postgres_url, capsys):
    url = re.sub(r":\d+/", ":1/", postgres_url)
    assert run_command(["runs", "--store", url]) == 2
    err = capsys.readouterr().err
    assert "cannot be reached" in err and "hint" in err and "Traceback" not in err
    assert PASSWORD not in err


def everything(url: str) -> str:
    names = sql(url, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'adjudge'::regnamespace")
    rows: list[Any] = [sql(url, f"SELECT * FROM adjudge.{name}") for (name,) in names]
    assert len(rows) > 8
    return repr(rows)


def test_the_password_is_in_no_hint(postgres_url, capsys):
    said(capsys, "run", "summary", SUMMARY, "--store", postgres_url)


def test_the_password_is_in_no_record(postgres_url, capsys):
    said(capsys, "run", "summary", SUMMARY, "--json", "--store", postgres_url)
    assert PASSWORD not in everything(postgres_url)


def test_the_password_is_in_no_repr(postgres_url, capsys):
    said(capsys, "run", "summary", SUMMARY, "--json", "--store", postgres_url)
    assert PASSWORD not in repr(adjudge.open_run("latest", store=postgres_url))
