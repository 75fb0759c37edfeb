"""How fast, and how often again: requests in flight, requests and tokens a minute, patience with transport faults."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NoReturn

from adjudge.core import limits
from adjudge.core.counted import duration
from adjudge.core.errors import ModelError, Paused, RateLimited, TimedOut, Transient
from adjudge.core.records import Reply

#: Told of every attempt that failed and will be made again, and in how many seconds.
Told = Callable[[ModelError, float], None]


class Pace:
    """Keeps requests within what the server takes, and tries transient faults again with jittered backoff.

    The number in flight grows by one for every full round of answers, is halved by a 429 or a time-out, and lowered
    when answers come to take several times as long as they did: additive up, multiplicative down, as networks have
    shared lines fairly since 1988 (Jacobson, Congestion avoidance).
    """

    def __init__(
        self,
        *,
        concurrency: int,
        rpm: int | None = None,
        tpm: int | None = None,
        max_wait_s: float = limits.MAX_WAIT_S,
    ) -> None:
        self._most = self._allowed = float(concurrency)
        self.told: Told = lambda error, wait_s: None
        self._flying = 0
        self._round: list[float] = []
        self._quickest_s = math.inf
        self._heard_at = time.monotonic()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._resume_at = self._slowed_at = 0.0
        self.max_wait_s = max_wait_s
        #: Since when the server has told everyone to wait; None since its last good answer.
        self._limited_since: float | None = None
        self._paused = ""
        self._naps: set[asyncio.Future[None]] = set()
        self._requests = Bucket(rpm) if rpm else None
        self._tokens = Bucket(tpm) if tpm else None

    def silent_s(self) -> float:
        """For how long requests have been under way and none of them has come back."""
        return time.monotonic() - self._heard_at if self._flying else 0.0

    @property
    def allowed(self) -> float:
        """How many requests may be under way at present."""
        return self._allowed

    @property
    def flying(self) -> int:
        """How many requests are under way."""
        return self._flying

    async def ask(self, answer: Callable[[], Awaitable[Reply]], *, tokens: int = 0) -> Reply:
        """The reply, or the last error with `attempts` on it. A place is held only while a request is under way."""
        for attempt in range(1, limits.TRANSPORT_ATTEMPTS + 1):
            await self._enter(tokens)
            began = time.monotonic()
            try:
                reply = await answer()
            except ModelError as error:
                if error.final:
                    raise
                error.attempts = attempt
                if error.no_credit:
                    self._pause(f"{error}; nothing more is asked")
                if isinstance(error, RateLimited | TimedOut):
                    self._slow_down(began, error.retry_after_s)
                if not isinstance(error, Transient) or attempt >= _most(error):
                    raise
                wait_s = backoff_s(attempt, error.retry_after_s)
                self._keep_to_the_bound(error, wait_s)
                self.told(error, wait_s)
            else:
                self._allowed = min(self._most, self._allowed + 1 / self._allowed)
                self._limited_since = None
                self._note(time.monotonic() - began)
                if self._tokens:
                    self._tokens.charge((reply.tokens_in or 0) + (reply.tokens_out or 0) - tokens)
                return reply if attempt == 1 else replace(reply, attempts=attempt)
            finally:
                self._leave()
            await self._nap(wait_s)
        raise AssertionError("unreachable")

    async def _enter(self, tokens: int) -> None:
        while self._flying >= int(self._allowed):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # the place it was given goes to the next
                raise
        self._check()
        if not self._flying:
            self._heard_at = time.monotonic()
        self._flying += 1
        try:
            while (pause_s := self._resume_at - time.monotonic()) > 0:
                await self._nap(pause_s)
                self._heard_at = time.monotonic()
            if self._requests or self._tokens:
                for bucket, units in ((self._requests, 1), (self._tokens, tokens)):
                    if bucket:
                        await bucket.take(units)
                self._heard_at = time.monotonic()  # who waits for its turn does not wait for the server
        except (asyncio.CancelledError, Paused):
            self._leave()
            raise

    def _keep_to_the_bound(self, error: Transient, wait_s: float) -> None:
        """End all where the server has told us to wait, and answered nothing, for as long as the user would wait."""
        if not isinstance(error, RateLimited) and error.retry_after_s is None:
            return
        now = time.monotonic()
        if self._limited_since is None:
            self._limited_since = now
        if now + wait_s - self._limited_since > self.max_wait_s:
            self._pause(f"{error}; nothing more is asked after {duration(self.max_wait_s)} of it (--max-wait)")

    def _pause(self, why: str) -> NoReturn:
        """Ask nothing more, and wake all who wait for their turn."""
        self._paused = self._paused or why
        for nap in self._naps:
            nap.cancel()
        raise Paused(self._paused)

    def _check(self) -> None:
        if self._paused:
            self._wake()
            raise Paused(self._paused)

    async def _nap(self, seconds: float) -> None:
        self._check()
        nap: asyncio.Future[None] = asyncio.ensure_future(asyncio.sleep(seconds))
        self._naps.add(nap)
        try:
            await asyncio.wait((nap,))
        finally:
            nap.cancel()
            self._naps.discard(nap)
        self._check()

    def _leave(self) -> None:
        self._flying -= 1
        self._heard_at = time.monotonic()
        self._wake()

    def _wake(self) -> None:
        free = int(self._allowed) - self._flying
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

    def _slow_down(self, began: float, retry_after_s: float | None) -> None:
        """Halve once for each round of requests: those that were under way together were refused together."""
        now = time.monotonic()
        if began >= self._slowed_at:
            self._slowed_at = now
            self._allowed = max(1.0, self._allowed / 2)
        if retry_after_s:
            self.rest(retry_after_s)

    def rest(self, seconds: float) -> None:
        """Send nothing for a while: the server has said that it would refuse."""
        self._resume_at = max(self._resume_at, time.monotonic() + min(seconds, limits.RETRY_AFTER_CAP_S))

    def _note(self, took_s: float) -> None:
        """Compare each full round of answers with the quickest there was: a queue at the server is no use to anyone."""
        self._round.append(took_s)
        if len(self._round) < max(self._allowed, limits.ROUND_MIN):
            return
        usual_s = sorted(self._round)[len(self._round) // 2]
        self._round.clear()
        if usual_s > limits.SLOWER_THAN_QUICKEST * self._quickest_s + limits.SLOWER_NOISE_S:
            self._allowed = max(1.0, self._allowed * limits.SLOWER_FACTOR)
        # The quickest round is forgotten little by little: what was true an hour ago need not be now.
        self._quickest_s = min(usual_s, self._quickest_s * limits.QUICKEST_FORGETS)


def _most(error: ModelError) -> int:
    """How many attempts an error is worth: few where each takes long, or is paid for."""
    if isinstance(error, TimedOut):
        return limits.TIME_OUT_ATTEMPTS
    return limits.TRANSPORT_ATTEMPTS if error.paid is None else limits.PAID_ATTEMPTS


class Bucket:
    """So many units a minute, spread evenly: a second's worth may be taken at once, and debts are waited off."""

    def __init__(self, per_minute: int) -> None:
        self._rate = per_minute / 60
        self._level = self._most = max(1.0, self._rate)
        self._at = time.monotonic()

    async def take(self, units: int) -> None:
        """Take units, waiting until earlier ones are paid for."""
        self._refill()
        self._level -= units
        if (short := -self._level) > 0:
            await asyncio.sleep(short / self._rate)

    def charge(self, units: int) -> None:
        """What was really used beyond what was taken, or less when negative."""
        self._level -= units

    def _refill(self) -> None:
        now = time.monotonic()
        self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now


def backoff_s(attempt: int, retry_after_s: float | None) -> float:
    """What the server asks for, within reason; otherwise doubling with full jitter, so that clients scatter."""
    if retry_after_s is not None:
        return min(retry_after_s, limits.RETRY_AFTER_CAP_S)
    ceiling = min(limits.BACKOFF_CAP_S, limits.BACKOFF_FIRST_S * 2**attempt)
    return random.uniform(limits.BACKOFF_FIRST_S / 2, ceiling)  # noqa: S311
