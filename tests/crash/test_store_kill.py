"""kill -9 while the store is written."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from adjudge.core.records import Settings, Verdict
from adjudge.core.runs import Run
from adjudge.store.store import open_store
from tests.fakes.postgres import PASSWORD, PostgresServer

COMMON = """
import sys
from adjudge.core.records import Call, Reply, Settings, Verdict
from adjudge.core.runs import Run
from adjudge.store.store import open_store
from adjudge.store.writes import OutcomeDone, ReplyDone
url, start, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = open_store(url)
def writes(number):
    item = str(number)
    call = Call(key=f"k{number}", stage="judge", items=(item,))
    verdict = Verdict(item=item, scores={"a": number}, reasons={}, derived={}, native={}, calls=(call.key,))
    return [
        ReplyDone(span=(0, 0), run="r", call=call, reply=Reply(text=item * 500, cost_usd=0.001)),
        OutcomeDone(run="r", position=number, outcome=verdict),
    ]
"""

WRITER = """
store.claim("r")
for number in range(start, start + count):
    store.commit(writes(number))
    print(number, flush=True)
import time
time.sleep(600)
"""


def a_store(url: str, items: int) -> None:
    with open_store(url) as store:
        store.add_dataset("data", ((str(number), "{}") for number in range(items)))
        run = Run(
            id="r",
            judge="j",
            judge_digest="j",
            lang="en",
            data="d",
            data_digest="data",
            items=items,
            settings=Settings(model="m"),
        )
        store.create_run(run, spec="")


def intact(url: str) -> bool:
    """PostgreSQL keeps its constraints by itself, and was not killed."""
    if not url.startswith("sqlite:///"):
        return True
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        whole = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return whole and connection.execute("PRAGMA foreign_key_check").fetchall() == []


def start(script: str, url: str, first: int, count: int) -> subprocess.Popen[bytes]:
    """Unbuffered: `communicate` reads the pipe itself, and would miss the lines that `readline` had read ahead."""
    arguments = [sys.executable, "-c", COMMON + script, url, str(first), str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_acknowledged_survives_a_kill(url: str, seed: int) -> None:
    a_store(url, 20_000)
    child = start(WRITER, url, 0, 20_000)
    assert child.stdout
    first = child.stdout.readline()
    with open_store(url) as watching:
        assert watching.state("r").status == "running"
    time.sleep(random.Random(seed).uniform(0.0, 0.4))
    os.kill(child.pid, signal.SIGKILL)
    rest, _ = child.communicate()
    acknowledged = {int(line) for line in (first + rest).splitlines(keepends=True) if line.endswith(b"\n")}

    with open_store(url) as store:
        outcomes = list(store.outcomes("r"))
        assert all(isinstance(outcome, Verdict) for outcome in outcomes)
        stored = {int(outcome.item) for outcome in outcomes}
        assert acknowledged <= stored
        # One commit may have been made and not yet told.
        assert len(stored - acknowledged) <= 1
        assert set(store.replies(f"k{number}" for number in stored)) == {f"k{number}" for number in stored}
        state = store.state("r")
        assert (state.status, state.judged, state.calls) == ("interrupted", len(stored), len(stored))
        store.claim("r")
        assert store.state("r").status == "running"
    assert intact(url)


def test_what_was_acknowledged_survives_the_crash_of_the_server() -> None:
    with PostgresServer(fsync=True) as server:
        server.sql("CREATE DATABASE store")
        a_store(server.url("store"), 5_000)
        child = start(WRITER, server.url("store"), 0, 5_000)
        assert child.stdout
        first = [child.stdout.readline() for _ in range(20)]
        server.stop(signal.SIGKILL)
        rest, said = child.communicate()
        assert child.returncode == 1 and b"the connection to the server was lost" in said
        assert PASSWORD.encode() not in said
        acknowledged = {int(line) for line in (b"".join(first) + rest).splitlines()}
        server.start()
        with open_store(server.url("store")) as store:
            stored = {int(outcome.item) for outcome in store.outcomes("r")}
            assert acknowledged <= stored and len(stored - acknowledged) <= 1
            assert store.state("r").status == "interrupted"
