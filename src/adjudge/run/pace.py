"""How fast, and how often again: requests in flight, requests a minute, and patience with transport faults."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from adjudge.core import limits
from adjudge.core.errors import ModelError, Transient
from adjudge.core.records import Reply


class Pace:
    """Limits requests in flight and per minute, and tries transient faults again with jittered backoff."""

    def __init__(self, *, concurrency: int, rpm: int | None = None) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._interval_s = 60.0 / rpm if rpm else 0.0
        self._next = 0.0

    async def ask(self, answer: Callable[[], Awaitable[Reply]]) -> Reply:
        """The reply, or the last error with `attempts` on it. A slot is held only while a request is under way."""
        for attempt in range(1, limits.TRANSPORT_ATTEMPTS + 1):
            try:
                async with self._slots:
                    await self._turn()
                    return replace(await answer(), attempts=attempt)
            except ModelError as error:
                error.attempts = attempt
                if not isinstance(error, Transient) or attempt == limits.TRANSPORT_ATTEMPTS:
                    raise
                await asyncio.sleep(backoff_s(attempt, error.retry_after_s))
        raise AssertionError("unreachable")

    async def _turn(self) -> None:
        if self._interval_s:
            now = time.monotonic()
            self._next = max(self._next, now) + self._interval_s
            await asyncio.sleep(self._next - self._interval_s - now)


def backoff_s(attempt: int, retry_after_s: float | None) -> float:
    """What the server asks for, within reason; otherwise doubling with full jitter, so that clients scatter."""
    if retry_after_s is not None:
        return min(retry_after_s, limits.RETRY_AFTER_CAP_S)
    ceiling = min(limits.BACKOFF_CAP_S, limits.BACKOFF_FIRST_S * 2**attempt)
    return random.uniform(limits.BACKOFF_FIRST_S / 2, ceiling)  # noqa: S311
