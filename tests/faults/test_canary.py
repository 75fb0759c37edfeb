"""A key appears nowhere but in the header of the request: not in what is raised, logged or said in any trouble."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from tests.fakes.clock import PATIENCE_S
from tests.fakes.faulty import FaultyModel, rows
from tests.fakes.server import Answer, FakeModelServer
from tests.faults.canary import disguises, found, misplaced, new_key
from tests.faults.running import IMPATIENT, N, arguments, exported, publish, run_json
from tests.faults.table import TABLE, echoing

_OTHERS = ["400", "401", "429", "500", "reset mid-body", "HTML with 200", "cut off by length", "100 MB body"]


def raised(work: Callable[[], object]) -> str:
    """What is told of an error by the most talkative of reports: every frame with its variables, and every cause."""
    try:
        work()
    except BaseException as error:
        return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    raise AssertionError("nothing was raised")


def test_the_search_finds_every_disguise() -> None:
    key = new_key()
    for name, disguise in disguises(key).items():
        assert name in found(key, b"... " + disguise + b" ...")
        assert name in found(key, (b"... " + disguise.swapcase()).decode())
    assert found(key, new_key()) == []


@pytest.mark.parametrize("name", [*_OTHERS, *echoing("any")])
def test_the_other_protocol_is_as_silent(name: str, key: str, unseen: Any, capsys: Any) -> None:
    """The kinds of its failures are in the contract tests of the models; here the run ends and the key is not seen."""
    row = {**TABLE, **echoing(key)}[name]
    model = FaultyModel({f"i{N // 2}": (row.fault, "always")})
    with FakeModelServer(model) as server:
        code, report, said = run_json(capsys, *arguments(server.url, model="anthropic:m"))
        assert (code, report["judged"], report["failed"]) == (3, N - 1, 1)
        failure = exported(capsys)[f"i{N // 2}"]["failure"]
        assert failure["attempts"] == model.asked[f"i{N // 2}"]
        assert misplaced(key, "x-api-key", server.requests) == []
        assert all("authorization" not in request.headers for request in server.requests)
    publish()
    unseen(said)


def test_what_a_listener_raises_shows_no_key(key: str, unseen: Any) -> None:
    def listener(progress: Any) -> None:
        if progress.judged == N // 2:
            raise RuntimeError("the listener's own fault")

    with FakeModelServer(FaultyModel({})) as server:
        url = server.url
        text = raised(lambda: adjudge.evaluate("summary", rows(N), model="openai:m", base_url=url, listener=listener))
    assert "the listener's own fault" in text
    unseen(text)


def test_a_store_that_breaks_shows_no_key(key: str, unseen: Any) -> None:
    def break_store(item: str) -> None:
        if item == f"i{N // 2}":
            with closing(sqlite3.connect("adjudge.db", timeout=PATIENCE_S)) as connection, connection:
                connection.execute("DROP TABLE calls")

    model = FaultyModel({})
    model.arrives = break_store
    with FakeModelServer(model) as server:
        url = server.url
        text = raised(lambda: adjudge.evaluate("summary", rows(N), model="openai:m", base_url=url))
    assert "StoreError" in text
    unseen(text)


@pytest.mark.parametrize("fault", [Answer(stuck="silent"), Answer(stuck="dripping")])
def test_a_run_that_is_cancelled_in_a_request_shows_no_key(fault: Answer, key: str, unseen: Any) -> None:
    model = FaultyModel({f"i{N // 2}": (lambda request: fault, "always")})

    async def cancelled(url: str) -> None:
        task = asyncio.ensure_future(adjudge.evaluate_async("summary", rows(N), model="openai:m", base_url=url))
        while not model.asked[f"i{N // 2}"]:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    with FakeModelServer(model) as server:
        url = server.url
        text = raised(lambda: asyncio.run(cancelled(url)))
    assert "CancelledError" in text
    assert adjudge.open_run("latest").state.status == "interrupted"
    unseen(text)


@pytest.mark.parametrize("name", ["500", "reset mid-body", "401 that repeats the key", "HTML with the key"])
def test_the_loop_s_own_log_shows_no_key(name: str, key: str, unseen: Any, caplog: Any) -> None:
    """In its debug mode asyncio logs every step that took long, with all that is in it; here every step is long."""
    model = FaultyModel({f"i{N // 2}": ({**TABLE, **echoing(key)}[name].fault, "always")})

    async def watched(url: str) -> Any:
        asyncio.get_running_loop().slow_callback_duration = 0.0
        return await adjudge.evaluate_async("summary", rows(N), model="openai:m", base_url=url)

    with FakeModelServer(model) as server:
        run = asyncio.run(watched(server.url), debug=True)
    assert run.state.failed == 1
    assert any("Executing" in record.getMessage() for record in caplog.records), "asyncio logs its steps"
    unseen(repr(run), repr(vars(run)))


def test_a_process_in_debug_mode_shows_no_key(key: str, unseen: Any) -> None:
    model = FaultyModel({f"i{n}": (row.fault, "always") for n, row in enumerate(list(echoing(key).values())[:N])})
    with FakeModelServer(model) as server:
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-c", IMPATIENT, *arguments(server.url)],
            capture_output=True, text=True, timeout=PATIENCE_S, env={**os.environ, "ADJUDGE_DEBUG": "1"},
        )  # fmt: skip
    assert done.returncode == 3, done.stderr
    unseen(done.stdout, done.stderr)


def test_a_key_that_no_header_can_carry_is_not_repeated(key: str, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{key}\nx: y")
    assert run_command(arguments("http://127.0.0.1:1/v1")) == 2
    said = capsys.readouterr()
    assert "OPENAI_API_KEY" in said.err and found(key, said.out + said.err) == []


def test_a_key_given_as_the_name_of_a_variable_is_not_repeated(key: str, unseen: Any, capsys: Any) -> None:
    assert run_command([*arguments("http://127.0.0.1:1/v1"), "--api-key-env", key]) == 2
    unseen()
