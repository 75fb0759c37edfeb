"""Time that a test moves, and waits that end with what they wait for: no outcome hangs on how fast the machine is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from adjudge.core.errors import TimedOut
from adjudge.models.http import Wire

#: Seconds after which a test gives up what never comes. Nobody waits so long for what comes, however late.
PATIENCE_S = 120.0
_LOOK_S = 0.002


def wait_for(condition: Callable[[], object]) -> None:
    """Return once it is so."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


class Clock:
    """The time of event loops: it goes on as it does, and skips ahead when it is told.

    Then time-outs can be as long as they really are: what is answered never meets one, and nobody waits for those
    that are met.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch, self._ahead_s = monkeypatch, 0.0
        now = asyncio.BaseEventLoop.time
        monkeypatch.setattr(asyncio.BaseEventLoop, "time", lambda loop: now(loop) + self._ahead_s)

    def skip(self, seconds: float) -> None:
        """Call it within the loop whose timers are to notice."""
        self._ahead_s += seconds

    def skip_while_stuck(
        self,
        stuck: Callable[[], int],
        seconds: float,
        *,
        by: tuple[type, str] = (Wire, "post"),
        beat: Callable[[], object] = object,
    ) -> None:
        """Skip again and again while all that is asked by this method waits for what is stuck: so many, up to now.

        Not again at the same beat: between two skips a server that drips has sent something.
        """
        ask: Callable[..., Awaitable[Any]] = getattr(*by)
        under_way = timed_out = 0
        last: object = None
        looking: asyncio.AbstractEventLoop | None = None

        def look() -> None:
            nonlocal last, looking
            if not under_way:
                looking = None
                return
            if under_way == stuck() - timed_out and (now := beat()) != last:
                last = now
                self.skip(seconds)
            asyncio.get_running_loop().call_later(_LOOK_S, look)

        async def watched(*given: Any) -> Any:
            nonlocal under_way, timed_out, looking
            under_way += 1
            if looking is not (loop := asyncio.get_running_loop()):
                looking = loop
                loop.call_soon(look)
            try:
                return await ask(*given)
            except TimedOut:
                timed_out += 1
                raise
            finally:
                under_way -= 1

        self._patch.setattr(*by, watched)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)
