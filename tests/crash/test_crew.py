"""One command, several processes: they do the run once, and end with the one that was started, however it ends."""

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

N, PROCESSES, CONCURRENCY = 48, 3, 12


@pytest.fixture(autouse=True)
def items():
    rows = [{"id": f"i{n}", "content": f"Story number {n}. It ends.", "text": f"Story {n}."} for n in range(N)]
    Path("items.jsonl").write_text("\n".join(json.dumps(row) for row in rows))


def start(*options: str, store: str, processes: int = PROCESSES) -> subprocess.Popen[str]:
    command = [
        sys.executable, "-m", "adjudge", "run", "summary", "items.jsonl", *options, "--store", at(store),
        "--concurrency", str(CONCURRENCY), "--processes", str(processes),
    ]  # fmt: skip
    # its own group, as a shell gives it: what is typed at the terminal goes to all of them
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}, start_new_session=True
    )


def at(store: str) -> str:
    return store if "://" in store else f"sqlite:///{store}.db"


def asked_of(server) -> tuple[str, ...]:
    return "--model", "openai:m", "--base-url", server.url


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


def helpers(process: subprocess.Popen[str]) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def exported(capsys, store: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_command(["export", "latest", "--store", at(store)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def listed(capsys, store: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run_command(["runs", "--json", "--store", at(store)]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    return dict(run)


def all_at_work(server):
    """Answers nothing before as many are asked for as only all processes together may ask."""
    return lambda request, n: Answer(text=json.dumps(valid(request)), after=lambda: server.calls >= CONCURRENCY)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_share_a_run_and_ask_nothing_twice(kind, serve, capsys, request):
    server = serve()
    server.script = all_at_work(server)
    shared = "shared" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    assert ended(start(*asked_of(server), store=shared))[0] == 0
    assert server.calls == N
    assert len({request.user for request in server.requests}) == N
    server.script = None
    assert ended(start(*asked_of(server), store="alone", processes=1))[0] == 0
    assert exported(capsys, shared) == exported(capsys, "alone")
    run = listed(capsys, shared)
    assert (run["status"], run["calls"]) == ("complete", N)


def test_the_embedded_judge_says_the_same_in_any_number_of_processes(capsys):
    for processes in (1, PROCESSES):
        assert ended(start(store=f"with{processes}", processes=processes))[0] == 0
    assert exported(capsys, "with1") == exported(capsys, f"with{PROCESSES}")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_helpers_end_with_the_process_that_was_started(how, serve, capsys):
    server = serve()
    assert ended(start(*asked_of(server), store="whole", processes=1))[0] == 0
    server.requests.clear()
    server.script = lambda request, n: Answer(stuck="silent") if n > N // 2 else None
    process = start(*asked_of(server), store="stopped")
    wait_for(lambda: server.stuck == CONCURRENCY)
    others = helpers(process)
    assert len(others) == PROCESSES - 1
    process.send_signal(how)  # to it alone
    code, said = ended(process)
    assert code == (-signal.SIGKILL if how == signal.SIGKILL else 130), said
    wait_for(lambda: all(map(gone, others)))
    run = listed(capsys, "stopped")
    assert (run["status"], run["judged"], run["failed"]) == ("interrupted", N // 2, 0), "all that was answered is kept"
    server.script = None
    assert run_command(["resume", "latest", "--store", "sqlite:///stopped.db", "--json"]) == 0
    assert server.calls <= N + CONCURRENCY, "only what was in flight is paid for again"
    assert exported(capsys, "stopped") == exported(capsys, "whole")


def test_ctrl_c_at_the_terminal_stops_them_all(serve, capsys):
    server = serve(lambda request, n: Answer(stuck="silent") if n > N // 2 else None)
    process = start(*asked_of(server), store="stopped")
    wait_for(lambda: server.stuck == CONCURRENCY)
    others = helpers(process)
    os.killpg(process.pid, signal.SIGINT)
    code, said = ended(process)
    assert (code, said.count("interrupted; go on with: adjudge resume ")) == (130, 1)
    assert "Traceback" not in said
    assert all(map(gone, others)), "it has waited for them"
    assert listed(capsys, "stopped")["judged"] == N // 2


def test_what_a_helper_leaves_is_done_by_the_others(serve, capsys):
    killed: list[int] = []
    server = serve(lambda request, n: Answer(text=json.dumps(valid(request)), after=lambda: n <= 2 or bool(killed)))
    process = start(*asked_of(server), store="left")
    wait_for(lambda: server.calls == 2 + CONCURRENCY)
    for helper in helpers(process):
        os.kill(helper, signal.SIGKILL)
        killed.append(helper)
    code, said = ended(process)
    assert code == 0, said
    run = listed(capsys, "left")
    assert (run["status"], run["judged"], run["failed"]) == ("complete", N, 0)
    assert server.calls <= N + len(killed) * CONCURRENCY // PROCESSES, "only what they had in flight is asked again"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--model", "openai:m", "--rpm", "10"), "--rpm is kept by one process"),
        (("--model", "openai:m", "--tpm", "10"), "--tpm is kept by one process"),
        (("--model", "openai:gpt-4.1-mini", "--max-cost", "1"), "--max-cost is kept by one process"),
        (("--until", "ci(coverage) < 0.1"), "--until is kept by one process"),
        (("--model", "openai:a", "--model", "openai:b"), "several models are asked by one process"),
    ],
)
def test_what_one_process_must_count_is_not_shared(options, why, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    assert run_command(["run", "summary", "items.jsonl", *options, "--processes", "2"]) == 2
    said = capsys.readouterr().err
    assert f"--processes 2: {why}" in said and "hint: leave --processes out" in said
    assert not Path("adjudge.db").exists(), "and nothing was made"
