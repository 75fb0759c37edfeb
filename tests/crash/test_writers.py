"""Eight processes write one store from its first moment: nothing is lost, nothing counts twice, nobody must wait."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from adjudge.core.records import Verdict
from adjudge.store.store import open_store

WRITERS, EACH = 8, 500
N = WRITERS * EACH
#: Outcomes that a writer writes although they are another one's: a process that was thought dead comes back.
SHARED = 40

WRITER = """
import random, sys
from adjudge.core.errors import Conflict
from adjudge.core.records import Call, Reply, Settings, Verdict
from adjudge.core.runs import Run
from adjudge.store.store import open_store
from adjudge.store.writes import OutcomeDone, ReplyDone

url, first, count, shared, items = sys.argv[1], *map(int, sys.argv[2:])


def writes(number):
    item = str(number)
    call = Call(key=f"k{number}", stage="judge", items=(item,))
    verdict = Verdict(item=item, scores={"a": number}, reasons={}, derived={}, native={}, calls=(call.key,))
    reply = Reply(text=f"reply {number} " * 100, tokens_in=7, tokens_out=3, cost_usd=0.001)
    yield ReplyDone(run="r", call=call, span=(number, number), reply=reply)
    yield OutcomeDone(run="r", position=number, outcome=verdict)


with open_store(url) as store:
    store.add_dataset("data", ((str(number), "{}") for number in range(items)))
    run = Run(id="r", judge="j", judge_digest="j", lang="en", data="d", data_digest="data", items=items,
              settings=Settings(model="m"))
    try:
        store.create_run(run, spec="")
    except Conflict:
        pass  # another one was first
    draw = random.Random(first)
    left = [number % items for number in range(first, first + count + shared)]
    draw.shuffle(left)
    while left:
        some = [left.pop() for _ in range(min(len(left), draw.randint(1, 9)))]
        store.commit([write for number in some for write in writes(number)])
        assert set(store.replies(f"k{number}" for number in some)) == {f"k{number}" for number in some}
        if draw.random() < 0.1:
            assert store.state("r").judged >= len(some)
"""


def test_many_processes_write_one_store_from_its_first_moment(url: str, tmp_path: Path) -> None:
    arguments = [[url, str(writer * EACH), str(EACH), str(SHARED), str(N)] for writer in range(WRITERS)]
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, *given], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for given in arguments
    ]
    ended = [(child.communicate()[0].decode(), child.returncode) for child in children]
    assert ended == [("", 0)] * WRITERS, "nobody sees that the database is locked"
    with open_store(url) as store:
        outcomes = list(store.outcomes("r"))
        assert [outcome.item for outcome in outcomes] == [str(number) for number in range(N)]
        assert all(isinstance(outcome, Verdict) and outcome.scores == {"a": int(outcome.item)} for outcome in outcomes)
        replies = store.replies(f"k{number}" for number in range(N))
        assert {key: reply.text for key, reply in replies.items()} == {
            f"k{number}": f"reply {number} " * 100 for number in range(N)
        }
        state = store.state("r")
        assert (state.judged, state.failed, state.calls, state.cached) == (N, 0, N, 0)
        assert (state.tokens_in, state.tokens_out, state.cost_usd) == (7 * N, 3 * N, N / 1000)
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
