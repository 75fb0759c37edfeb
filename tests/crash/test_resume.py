"""A run that is killed, interrupted or told to stop: nothing paid is lost, and resuming ends as it would have."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command

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


def wait_for(condition, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def lines(capsys, store: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_command(["export", "latest", "--store", store]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def listed(capsys, store: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run_command(["runs", "--json", "--store", store]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    return dict(run)


@pytest.mark.parametrize("after", [1, 7, 15])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_stopped_run_resumes_to_the_same_result(how, after, serve, capsys):
    write_items(Path("items.jsonl"))
    server = serve(latency_s=0.05)
    whole = start(server.url, "sqlite:///whole.db")
    whole.communicate(timeout=60)
    assert (whole.returncode, server.calls) == (0, N)
    process = start(server.url, "sqlite:///stopped.db")
    wait_for(lambda: server.calls >= N + after)
    process.send_signal(how)
    _, said = process.communicate(timeout=30)
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130), said
    run = listed(capsys, "sqlite:///stopped.db")
    assert run["status"] == "interrupted", "a stopped run says so"
    assert run["judged"] + run["failed"] < N and run["items"] == N
    if how != signal.SIGKILL:
        assert f"adjudge resume {run['run']}" in said
    assert run_command(["resume", "latest", "--store", "sqlite:///stopped.db", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["status"], report["judged"], report["failed"]) == ("complete", N, 0)
    assert server.calls <= N + N + CONCURRENCY, "only what was in flight is paid for again"
    assert lines(capsys, "sqlite:///stopped.db") == lines(capsys, "sqlite:///whole.db")


def test_a_run_that_is_still_running_cannot_be_resumed_by_another(serve, capsys):
    write_items(Path("items.jsonl"))
    server = serve(latency_s=0.3)
    process = start(server.url, "sqlite:///live.db")
    try:
        wait_for(lambda: server.calls >= 1)
        assert listed(capsys, "sqlite:///live.db")["status"] == "running"
        assert run_command(["resume", "latest", "--store", "sqlite:///live.db"]) == 2
        assert "is being run by process" in capsys.readouterr().err
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()
