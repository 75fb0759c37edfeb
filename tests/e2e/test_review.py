"""What a review of the engine found, each as it was found: money, sharing, merging, resuming."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge
from adjudge import api
from adjudge.cli import run_command
from adjudge.core import limits
from adjudge.core.errors import ConfigError, StoreError
from adjudge.store.store import Store, open_store
from adjudge.store.writes import OutcomeDone
from tests.e2e.test_run_http import exported, run_json, valid
from tests.fakes.clock import PATIENCE_S, wait_for
from tests.fakes.server import Answer, dead_url

PRICES = 'prices: {"openai:m": {input: 10, output: 100, seen: "2026-01-31"}}'
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100}


@pytest.fixture(autouse=True)
def _files():
    rows = [{"id": f"i{n}", "content": f"Story {n}.", "text": f"S{n}."} for n in range(20)]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    Path("prices.yaml").write_text(PRICES)


def run(capsys, server, *options: str):
    return run_json(capsys, "run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", server.url, *options)


@pytest.mark.parametrize(
    ("data", "attempts"),
    [
        ({"choices": [{"message": {"refusal": "no"}, "finish_reason": "stop"}], "usage": USAGE}, 1),
        ({"choices": [], "usage": USAGE}, limits.PAID_ATTEMPTS),
    ],
)
def test_an_answer_without_a_reply_is_paid_for_and_counts(data, attempts, serve, capsys, monkeypatch):
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.001)
    server = serve(lambda request, n: Answer(data=data))
    options = ("--prices", "prices.yaml", "--limit", "4")
    _, found = run(capsys, server, *options)
    assert server.calls == 4 * attempts
    assert found["cost_usd"] == pytest.approx(server.calls * 0.02)
    assert found["tokens"] == {"in": 1000 * server.calls, "out": 100 * server.calls}
    before = server.calls
    _, found = run(capsys, server, *options, "--max-cost", "0.05", "--concurrency", "1", "--fresh")
    assert found["status"] == "partial" and server.calls - before <= max(3, attempts), "and it counts for the ceiling"


def test_a_run_reads_its_own_replies_whoever_stored_them(serve, capsys):
    """A process that joined died after its reply was durable and before its outcome was: the starter takes over."""
    server = serve()
    run(capsys, server, "--limit", "3", "--fresh")
    with open_store("adjudge.db") as store:
        run_id = store.find_run("latest").run.id
        with store._db.write() as transaction:
            transaction.run("DELETE FROM outcomes")
            transaction.run("UPDATE runs SET status = 'running'")
    before = server.calls
    code, found = run_json(capsys, "resume", run_id)
    assert (code, found["judged"], server.calls) == (0, 3, before)


def test_a_verdict_is_not_replaced(serve, capsys):
    run(capsys, serve(), "--limit", "1")
    with open_store("adjudge.db") as store:
        run_id = store.find_run("latest").run.id
        (kept,) = store.outcomes(run_id)
        other = adjudge.Verdict(item=kept.item, scores={"coverage": 1.0}, reasons={}, derived={}, native={})
        store.commit([OutcomeDone(run=run_id, position=0, outcome=other)])
        assert list(store.outcomes(run_id)) == [kept]


def test_what_decides_the_numbers_cannot_be_changed_when_resuming(serve, capsys, monkeypatch):
    server = serve(lambda request, n: Answer(status=400, data={"error": {"message": "no"}}))
    run(capsys, server, "--limit", "2")
    for change in ({"model": "openai:other"}, {"repeat": 3}, {"colour": "red"}):
        with pytest.raises(ConfigError, match="can't be changed"):
            api.resume("latest", **change)


def translation(rows: int) -> list[dict[str, str]]:
    return [{"id": f"t{n}", "src": f"Satz {n}.", "trg": f"Sentence {n}."} for n in range(rows)]


def test_a_merge_that_failed_leaves_the_run_partial_and_is_asked_again(serve, capsys, monkeypatch):
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.001)
    Path("t.jsonl").write_text("\n".join(map(json.dumps, translation(4))))
    broken = [True]

    def script(request, n):
        merging = "t0" not in json.dumps(request) and "t2" not in json.dumps(request)
        return Answer(status=500) if merging and broken[0] else None

    server = serve(script)
    args = ("run", "translation", "t.jsonl", "--model", "openai:m", "--base-url", server.url, "--batch-size", "2")
    code, found = run_json(capsys, *args)
    assert (code, found["status"], found["judged"], found["summary"]) == (3, "partial", 4, {})
    broken[0] = False
    before = server.calls
    code, found = run_json(capsys, "resume", "latest")
    assert (code, found["status"], server.calls - before) == (0, "complete", 1)
    assert found["summary"]


def test_a_server_given_up_is_told_once_and_in_plain_words(capsys, monkeypatch):
    monkeypatch.setattr(limits, "BACKOFF_FIRST_S", 0.001)
    rows = [{"id": f"i{n}", "content": f"Story {n}.", "text": f"S{n}."} for n in range(100)]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    args = ("run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", dead_url(), "--concurrency", "8")
    _, found = run_json(capsys, *args)
    messages = [line["failure"]["message"] for line in exported(capsys)]
    assert len(set(messages)) == 2 and max(map(len, messages)) < 200
    assert sum(message.startswith("not asked") for message in messages) == 100 - found["calls"]
    assert limits.DEAD_AFTER_CALLS <= found["calls"] <= limits.DEAD_AFTER_CALLS + 8


@pytest.mark.parametrize("name", ["x@127.0.0.1:8000/v1", "x@", "x@localhost", "x@gpu.example.org"])
def test_an_address_without_a_scheme_is_not_a_model_name(name, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    assert run_command(["run", "summary", "d.jsonl", "--model", f"openai:{name}"]) == 2
    assert "begins with http" in capsys.readouterr().err


def test_prices_are_found_from_another_folder(serve, capsys, monkeypatch):
    def script(request, _):
        message = {"message": {"content": json.dumps(valid(request))}, "finish_reason": "stop"}
        return Answer(data={"choices": [message], "usage": USAGE})

    server = serve(script)
    run(capsys, server, "--prices", "prices.yaml", "--max-cost", "0.1", "--concurrency", "1")
    store = f"sqlite:///{Path('adjudge.db').resolve()}"
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    code, found = run_json(capsys, "resume", "latest", "--max-cost", "10", "--store", store)
    assert (code, found["status"]) == (0, "complete")


def test_why_a_run_was_stopped_is_said(serve, capsys):
    server = serve()  # it states no tokens for this model's price to be used on
    server = serve(lambda request, n: Answer(data={"choices": [{"message": {"content": json.dumps(valid(request))}}]}))
    args = ["run", "summary", "d.jsonl", "--model", "openai:m", "--base-url", server.url, "--prices", "prices.yaml"]
    assert run_command([*args, "--max-cost", "1", "--concurrency", "1"]) == 3
    assert "the cost of some calls is not known" in capsys.readouterr().err


def test_a_fault_of_the_store_ends_all_calls_of_an_item(serve, monkeypatch):
    server, real = serve(), Store.commit_rows
    commits = []

    def fail(self, rows, **how):
        commits.append(rows)
        if len(commits) == 3:
            raise StoreError("the disk is full")
        real(self, rows, **how)

    monkeypatch.setattr(Store, "commit_rows", fail)
    rows = [{"id": "a", "content": "Story.", "text": "S."}]

    async def work() -> int:
        with pytest.raises(StoreError, match="disk is full"):
            await adjudge.evaluate_async(
                "summary", rows, model="openai:m", base_url=server.url, repeat=40, concurrency=2
            )
        asked = server.calls
        await asyncio.sleep(0.5)
        return int(server.calls - asked)

    assert asyncio.run(work()) <= 2, "nothing is asked after the error was raised"


NOTEBOOK = """
import asyncio, sys, adjudge
async def cell():
    rows = [{"id": str(n), "content": f"Story {n}.", "text": "S."} for n in range(300)]
    adjudge.evaluate("summary", rows, model="openai:m", base_url=sys.argv[1], concurrency=1)
asyncio.new_event_loop().run_until_complete(cell())
"""


def test_a_notebook_can_interrupt_a_run(serve):
    server = serve(lambda request, n: Answer(stuck="silent") if n == 3 else None)
    child = subprocess.Popen([sys.executable, "-c", NOTEBOOK, server.url], stderr=subprocess.PIPE, env={**os.environ})
    try:
        wait_for(lambda: server.stuck)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=PATIENCE_S)
        assert (child.returncode != 0, server.calls) == (True, 3)
    finally:
        child.kill()
        child.communicate()


def test_a_refused_temperature_is_flagged_also_when_the_reply_comes_from_the_store(serve, capsys):
    def script(request, _):
        refused = {"error": {"message": "Unsupported parameter: 'temperature'"}}
        return Answer(status=400, data=refused) if "temperature" in request else None

    server = serve(script)
    for _ in range(2):
        _, found = run(capsys, server, "--limit", "2")
        assert found["health"]["flags"]["temperature_refused"] == 2
    assert found["cached"] == 2
