"""All of it, with the counts: python -m tests.crash.sweep [KILLS BY CHANCE ON EACH STORE, 150]

Every point of every layout, the same with SIGINT and SIGTERM, kills at any time on both stores, and runs that are
shared by several processes. It ends with 1 when anything was not as it should be.
"""

from __future__ import annotations

import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

import pytest

from tests.crash.kills import by_chance, shared, stopped_at, sweep
from tests.crash.nursery import Nursery, Stop
from tests.crash.test_shared import STOPS
from tests.crash.trial import LAYOUTS, SQLITE, Ground
from tests.fakes.postgres import PostgresServer
from tests.fakes.server import FakeModelServer
from tests.fakes.truthful import truthful

LATENCY_S = 0.003


class Count:
    """Trials, stops and what was wrong, of one kind of trial."""

    def __init__(self, title: str) -> None:
        self.title, self.stops, self._began = title, 0, time.monotonic()
        self.wrong: list[str] = []

    def add(self, trial: Callable[[], int]) -> None:
        try:
            self.stops += trial()
        except AssertionError as error:
            self.wrong.append(" ".join(str(error).split())[:500])
            say(f"  WRONG  {self.wrong[-1]}")

    def __str__(self) -> str:
        return f"{self.title:45} {self.stops:5} {len(self.wrong):10} {time.monotonic() - self._began:9.0f} s"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def swept(ground: Ground) -> Iterator[Count]:
    for layout in LAYOUTS:
        count = Count(f"{layout}: SIGKILL at every point")
        for name in ground.whole(layout).passed:
            count.add(lambda layout=layout, name=name: sweep(ground, layout, name))  # type: ignore[misc]
        yield count
        for how in (signal.SIGINT, signal.SIGTERM):
            count = Count(f"{layout}: {how.name} at every third point")
            for name, nth in ground.whole(layout).points[::3]:
                if not name.startswith(("schema.", "finish.")):
                    stop = Stop(name=name, nth=nth, signal=how)
                    count.add(lambda layout=layout, stop=stop: stopped_at(ground, layout, stop))  # type: ignore[misc]
            yield count


def swept_on_postgres(ground: Ground, url: str) -> Iterator[Count]:
    count = Count("postgres, single: SIGKILL at every point")
    for name in ground.whole("single").passed:
        if name != "schema.written":  # the tables are there already
            count.add(lambda name=name: sweep(ground, "single", name, url=url))  # type: ignore[misc]
    yield count


def chanced(ground: Ground, store: str, url: str, kills: int) -> Iterator[Count]:
    count, draw, layouts = Count(f"{store}: SIGKILL at any time"), random.Random(store), cycle(LAYOUTS)
    ground.server.latency_s = LATENCY_S
    while count.stops < kills and len(count.wrong) < 10:
        count.add(lambda: by_chance(ground, next(layouts), url, draw))
    ground.server.latency_s = 0.0
    yield count
    count = Count(f"{store}: one of three processes stopped")
    for layout in LAYOUTS:
        for stop in STOPS:
            count.add(lambda layout=layout, stop=stop: shared(ground, layout, url, processes=3, stop=stop))  # type: ignore[misc]
    yield count


def main(kills: int) -> int:
    with ExitStack() as open_:
        folder = Path(open_.enter_context(tempfile.TemporaryDirectory()))
        server, nursery = open_.enter_context(FakeModelServer(truthful)), open_.enter_context(Nursery())
        ground = Ground(nursery, server, folder)
        wrong = 0
        say(f"{'':45} {'stops':>5} {'violations':>10} {'time':>11}")
        parts = [swept(ground), chanced(ground, "sqlite", SQLITE, kills)]
        try:
            url = open_.enter_context(open_.enter_context(PostgresServer()).database())
            parts += [swept_on_postgres(ground, url), chanced(ground, "postgres", url, kills)]
        except pytest.skip.Exception as reason:
            say(f"no PostgreSQL: {reason}")
        for part in parts:
            for count in part:
                say(str(count))
                wrong += len(count.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 150))
