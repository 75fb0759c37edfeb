"""Real processes, started as people start them: stopped, gone on with, and joined. The sweeps are in test_points.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.e2e.test_run_http import valid
from tests.fakes.clock import PATIENCE_S, wait_for
from tests.fakes.server import Answer

N, CONCURRENCY = 20, 4


def write_items(path: Path) -> None:
    rows = [{"id": f"i{n}", "content": f"Story number {n}. It ends.", "text": f"Story {n}."} for n in range(N)]
    path.write_text("\n".join(json.dumps(row) for row in rows))


def start(url: str, store: str) -> subprocess.Popen[str]:
    command = [
        sys.executable, "-m", "adjudge", "run", "summary", "items.jsonl", "--model", "openai:m", "--base-url", url,
        "--concurrency", str(CONCURRENCY), "--store", store,
    ]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})


def lines(capsys, store: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_command(["export", "latest", "--store", store]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def listed(capsys, store: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run_command(["runs", "--json", "--store", store]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    return dict(run)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_stopped_run_resumes_to_the_same_result(how, serve, capsys):
    write_items(Path("items.jsonl"))
    server = serve()
    whole = start(server.url, "sqlite:///whole.db")
    whole.communicate(timeout=PATIENCE_S)
    assert (whole.returncode, server.calls) == (0, N)
    server.script = lambda request, n: Answer(stuck="silent") if n > N + 7 else None
    process = start(server.url, "sqlite:///stopped.db")
    wait_for(lambda: server.stuck)
    process.send_signal(how)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130), said
    run = listed(capsys, "sqlite:///stopped.db")
    assert run["status"] == "interrupted", "a stopped run says so"
    assert run["judged"] + run["failed"] < N and run["items"] == N
    if how != signal.SIGKILL:
        assert f"adjudge resume {run['run']}" in said
    server.script = None
    assert run_command(["resume", "latest", "--store", "sqlite:///stopped.db", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["status"], report["judged"], report["failed"]) == ("complete", N, 0)
    assert server.calls <= N + N + CONCURRENCY, "only what was in flight is paid for again"
    assert lines(capsys, "sqlite:///stopped.db") == lines(capsys, "sqlite:///whole.db")


def test_another_process_may_join_a_run_that_is_running(serve, capsys):
    write_items(Path("items.jsonl"))
    server = serve(lambda request, n: Answer(text=json.dumps(valid(request)), after=lambda: server.calls > CONCURRENCY))
    process = start(server.url, "sqlite:///live.db")
    try:
        wait_for(lambda: server.calls == CONCURRENCY)  # the next request is another process's
        assert listed(capsys, "sqlite:///live.db")["status"] == "running"
        assert run_command(["resume", "latest", "--store", "sqlite:///live.db", "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert (report["status"], report["judged"]) == ("complete", N)
        assert process.wait(PATIENCE_S) == 0
        assert server.calls == N, "nothing is asked twice"
    finally:
        process.kill()
        process.communicate()
