"""Ways to stop a run: at every point that it passes, at any time, and while others share it."""

from __future__ import annotations

import random
import signal
import time
from itertools import count

from tests.crash.nursery import Stop
from tests.crash.trial import CONCURRENCY, SQLITE, Ground

#: Enough for each of several processes to get a part of a run.
SHARED_LATENCY_S = 0.03


def stopped_at(ground: Ground, layout: str, stop: Stop, url: str = SQLITE) -> bool:
    """Stop a run at a point, go on with it and check both; False where it ended before it could be stopped."""
    with ground.trial(layout, url) as trial:
        child = trial.go_on(stop)
        code = child.wait()
        try:
            if code == 0:
                trial.ended(child)
                return False
            assert code == (-stop.signal if stop.signal == signal.SIGKILL else 130), child.err
            trial.stopped(child, stop)
            if stop.signal != signal.SIGKILL:
                assert "interrupted; go on with: adjudge resume " + trial.runs()[0]["run"] in child.err
            trial.ended(trial.go_on())
        except AssertionError as error:
            raise AssertionError(f"{layout}, {stop}: {error}") from error
    return True


def sweep(ground: Ground, layout: str, name: str, *, every: int = 1, url: str = SQLITE) -> int:
    """Kill a run at a point, the first time it comes there, the second, and so on until it never comes; the kills."""
    for kills in count():
        if not stopped_at(ground, layout, Stop(name=name, nth=1 + kills * every), url):
            return kills
    raise AssertionError


def by_chance(ground: Ground, layout: str, url: str, draw: random.Random) -> int:
    """Kill a run at any time, and half of the processes that go on with it, until one is through; the kills."""
    seconds = ground.seconds(layout, url)
    with ground.trial(layout, url) as trial:
        while True:
            child = trial.go_on()
            if not trial.stops or draw.random() < 0.5:
                time.sleep(draw.uniform(0, seconds))
                child.kill()
            if child.wait() == 0:
                trial.ended(child)
                return trial.stops
            assert child.wait() == -signal.SIGKILL, child.err
            trial.stopped(child)


def shared(ground: Ground, layout: str, url: str, *, processes: int, stop: Stop | None = None) -> bool:
    """Several processes go on with one run at once; whether the first of them was stopped where it should be."""
    with ground.trial(layout, url) as trial:
        begun = Stop(name="run.created", nth=1)
        first = trial.go_on(begun)
        assert first.wait() == -signal.SIGKILL
        trial.stopped(first, begun)
        ground.server.latency_s = SHARED_LATENCY_S
        try:
            one, *others = [trial.go_on(None if number else stop) for number in range(processes)]
            if stop is None or one.wait() == 0:
                # where the others left it nothing to do, it did not come to that point
                trial.ended(one, *others, again=0)
                return stop is None
            assert one.wait() == (-signal.SIGKILL if stop.signal == signal.SIGKILL else 130), one.err
            trial.ended(*others, again=CONCURRENCY * trial.layout.at_once)
            return True
        finally:
            ground.server.latency_s = 0.0
