"""Several processes at one run, on every store."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from itertools import count

import pytest

from adjudge.core import limits
from adjudge.core.errors import Conflict
from adjudge.core.records import Failure
from adjudge.store.database import Transaction
from adjudge.store.process import Process
from adjudge.store.store import Store
from adjudge.store.writes import (
    OutcomeDone,
    PartDone,
)
from tests.contract.records import HOSTILE, Opener


def test_who_works_at_a_run_is_known(opener: Opener, store: Store) -> None:
    other = opener()
    assert store.state("r1").status == "interrupted"
    store.claim("r1")
    store.claim("r1")
    store.beat("r1")
    assert other.state("r1").status == "running"
    assert store.alone("r1") and not other.alone("r1")
    with pytest.raises(Conflict, match="goes on without this process"):
        other.beat("r1")
    store.finish("r1", "partial", summary={"adequacy": HOSTILE}, seconds=1.5)
    state = other.state("r1")
    assert (state.status, state.summary, state.seconds) == ("partial", {"adequacy": HOSTILE}, 1.5)
    assert state.finished
    other.claim("r1")
    assert store.state("r1").status == "running" and store.state("r1").finished is None
    other.finish("r1", "complete", summary=None, seconds=1)
    ended = store.runs()[0]
    assert (ended.status, ended.seconds, ended.summary) == ("complete", 2.5, {"adequacy": HOSTILE})


def test_a_run_with_failures_is_partial_whatever_its_last_process_saw(store: Store) -> None:
    store.claim("r1")
    failure = Failure(item="c", kind="truncated", stage="judge", message="")
    store.commit([OutcomeDone(run="r1", position=2, outcome=failure)])
    store.finish("r1", "complete", summary=None, seconds=1)
    assert store.state("r1").status == "partial"


def test_a_part_is_taken_once_and_done_once(opener: Opener, store: Store) -> None:
    other = opener()
    store.claim("r1")
    other.claim("r1")
    assert [store.take("r1", part) for part in (0, 1)] == [True, True]
    assert [other.take("r1", part) for part in (0, 1, 2)] == [False, False, True]
    store.commit([PartDone(run="r1", part=0, owner=store.owner), PartDone(run="r1", part=2, owner=store.owner)])
    assert other.done_parts("r1") == {0}, "only its owner is through with a part"
    store.finish("r1", "interrupted", summary=None, seconds=1)
    assert store.state("r1").status == "running", "the other goes on"
    assert [other.take("r1", part) for part in (0, 1)] == [False, True], "what was left half done is free"
    other.finish("r1", "complete", summary=None, seconds=2)
    assert store.state("r1").status == "complete"
    store.claim("r1")
    assert store.done_parts("r1") == set() and store.take("r1", 0), "a run that is resumed is gone through again"


def test_a_part_that_is_given_back_while_it_is_asked_for_is_taken(
    opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = opener()
    for one in (store, other):
        one.claim("r1")
    assert store.take("r1", 0)
    write, asked = other._db.write, count()

    def given_back(**how: bool) -> AbstractContextManager[Transaction]:
        if next(asked):
            store.finish("r1", "interrupted", summary=None, seconds=1)
        return write(**how)

    with monkeypatch.context() as patch:
        patch.setattr(other._db, "write", given_back)
        assert other.take("r1", 0)
    assert not opener().take("r1", 0)


def test_the_parts_of_the_dead_are_free(opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("adjudge.store.shares.this_process", lambda: Process(host="elsewhere", pid=1, started="boot 1"))
        store.claim("r1")
    other = opener()
    other.claim("r1")
    assert store.take("r1", 0) and not other.take("r1", 0)
    late = time.time() + limits.HEARTBEAT_STALE_S + 1
    monkeypatch.setattr("adjudge.store.process.time.time", lambda: late)
    assert other.alone("r1") and other.take("r1", 0)


def test_a_closed_store_lets_its_runs_go(opener: Opener, store: Store) -> None:
    with opener() as other:
        other.claim("r1")
    assert store.state("r1").status == "interrupted"
    store.claim("r1")


@pytest.mark.parametrize(("age_s", "status"), [(0.0, "running"), (limits.HEARTBEAT_STALE_S + 1, "interrupted")])
def test_a_runner_elsewhere_lives_by_its_heartbeat(
    opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch, age_s: float, status: str
) -> None:
    with monkeypatch.context() as patch:
        now = time.time()
        patch.setattr("adjudge.store.shares.this_process", lambda: Process(host="elsewhere", pid=1, started="boot 1"))
        patch.setattr("adjudge.store.shares.time.time", lambda: now - age_s)
        store.claim("r1")
    other = opener()
    assert other.state("r1").status == status
    other.claim("r1")
    assert other.alone("r1") == (status == "interrupted")
    if status == "interrupted":
        with pytest.raises(Conflict, match="silent for too long"):
            store.beat("r1")
