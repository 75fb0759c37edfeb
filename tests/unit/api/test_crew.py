"""How many processes a run is worth, and what is shown of them."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack

import pytest

from adjudge import api
from adjudge.api.crew import Board, crew_for, crew_of
from adjudge.core import limits
from adjudge.run.engine import Progress
from adjudge.run.usage import Usage

ROWS = [{"id": f"i{n}", "content": f"Story {n}. It ends.", "text": "A story."} for n in range(3 * limits.CREW_ITEMS)]


@pytest.fixture(autouse=True)
def cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


def sized(rows: int, *, processes: int | None = None, **options) -> tuple[int, int]:
    prepared = api.prepare("summary", ROWS[:rows], api.RunOptions(**options))
    with ExitStack() as closing:
        closing.callback(prepared.dataset.close)
        found = crew_of([prepared], processes)
    return found.processes, found.concurrency


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        (limits.CREW_ITEMS, {}, (1, 32)),
        (2 * limits.CREW_ITEMS - 1, {}, (1, 32)),
        (2 * limits.CREW_ITEMS, {}, (2, 16)),
        (3 * limits.CREW_ITEMS, {}, (3, 10)),
        # a server computes elsewhere: only many answers at once are work for several
        (3 * limits.CREW_ITEMS, {"model": "openai:m"}, (1, 32)),
        (3 * limits.CREW_ITEMS, {"model": "openai:m", "concurrency": 64}, (2, 32)),
        (3 * limits.CREW_ITEMS, {"model": "openai:m", "concurrency": 256}, (3, 85)),
        (3 * limits.CREW_ITEMS, {"model": "openai:m", "concurrency": 256, "rpm": 60}, (1, 256)),
        (3 * limits.CREW_ITEMS, {"until": "ci(coverage) < 0.1"}, (1, 32)),
        (1, {"processes": 5}, (5, 6)),
        (1, {"processes": 5, "concurrency": 2}, (2, 1)),
        (3 * limits.CREW_ITEMS, {"processes": 1}, (1, 32)),
    ],
)
def test_as_many_as_help_or_as_are_wanted(rows, options, expected):
    assert sized(rows, **options) == expected


def test_never_more_than_cores_or_the_limit(monkeypatch):
    monkeypatch.setattr(limits, "CREW_ITEMS", 1)
    assert sized(100)[0] == limits.CREW_MOST
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3})
    assert sized(100)[0] == 2
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert sized(100)[0] == 1, "what has threads is not forked"


def test_only_what_is_left_counts(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/a.db"
    monkeypatch.setattr(limits, "CREW_ITEMS", 2)
    prepared = api.prepare("summary", ROWS[:6], api.RunOptions(store=url))
    run = api.begin(prepared)
    prepared.dataset.close()
    assert crew_for(run, store=url).processes == 3
    assert crew_for(run, store=url, processes=2, concurrency=9).concurrency == 4
    api.resume(run, store=url)
    assert crew_for(run, store=url, processes=2).processes == 1, "nothing is left"


def test_progress_is_that_of_all():
    def done(judged: int, failed: int, **used) -> Progress:
        return Progress(run="r", model="m", total=100, judged=judged, failed=failed, usage=Usage(**used))

    board = Board(2)
    mine = done(10, 1, calls=11, cached=1, tokens_in=5, tokens_out=6, cost_usd=0.5)
    assert board.added(mine) == mine, "nothing is known of who has said nothing"
    board.note(0, done(20, 2, calls=22, tokens_in=50, cost_usd=0.25))
    board.note(1, done(3, 0, calls=3, cached=7))
    board.note(1, done(4, 0, calls=4, cached=8))
    expected = done(34, 3, calls=37, cached=9, tokens_in=55, tokens_out=6, cost_usd=0.75)
    assert board.added(mine) == expected
    board.note(1, done(4, 0, calls=4, cost_known=False))
    assert not board.added(mine).usage.cost_known
