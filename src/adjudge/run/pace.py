"""How fast, and how often again: requests in flight, requests and tokens a minute, patience with transport faults."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import NoReturn

from adjudge.core import limits
from adjudge.core.counted import duration
from adjudge.core.errors import ModelError, Paused, RateLimited, TimedOut, Transient
from adjudge.core.records import Reply

#: Told of every attempt that failed and will be made again, and of every long pause; and in how many seconds.
Told = Callable[[ModelError, float], None]
#: How an error says for how long its server wants to be left alone, where that is longer than we wait at once.
_ASKS_TO_WAIT = "; it asks to wait "
#: More would reach no longer wait, and in the end no number.
_DOUBLINGS = 30


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
        #: Places that are held, and requests that were sent and have not come back: who holds a place may yet wait.
        self._held = self._flying = 0
        self._round: list[float] = []
        self._quickest_s = math.inf
        self._heard_at = time.monotonic()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._resume_at = self._slowed_at = 0.0
        self.max_wait_s = max_wait_s
        #: Since when the server has told everyone to wait; None since its last good answer.
        self._limited_since: float | None = None
        self._answered_at = -math.inf
        #: The two questions that were refused last by a 429, and when; the latest is first.
        self._refused: list[tuple[object, float]] = []
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
        tries = _Tries()
        while True:
            await self._enter(tokens)
            tries.made += 1
            began = time.monotonic()
            try:
                reply = await answer()
            except ModelError as error:
                if error.final:
                    raise
                error.attempts = tries.made
                if error.no_credit:
                    self._pause(f"{error}; nothing more is asked")
                if isinstance(error, RateLimited | TimedOut):
                    self._slow_down(began, error.retry_after_s)
                self._count(tries, began, error)
                if not isinstance(error, Transient) or tries.counted >= _most(error):
                    raise
                wait_s = self._within_the_bound(tries, error, backoff_s(tries.made, error.retry_after_s))
                self.told(error, wait_s)
            else:
                self._answered(began)
                if self._tokens:
                    self._tokens.charge((reply.tokens_in or 0) + (reply.tokens_out or 0) - tokens)
                return reply if tries.made == 1 else replace(reply, attempts=tries.made)
            finally:
                self._flying -= 1
                self._heard_at = time.monotonic()
                self._leave()
            await self._nap(wait_s)

    async def _enter(self, tokens: int) -> None:
        while self._held >= int(self._allowed):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # the place it was given goes to the next
                raise
        self._check()
        self._held += 1
        try:
            await self._rest_out()
            for bucket, units in ((self._requests, 1), (self._tokens, tokens)):
                if bucket and (short_s := bucket.take(units)) > 0:
                    await self._nap(short_s)
            await self._rest_out()  # one may have been asked for meanwhile
        except (asyncio.CancelledError, Paused):
            self._leave()
            raise
        if not self._flying:
            self._heard_at = time.monotonic()  # who waits for its turn does not wait for the server
        self._flying += 1

    async def _rest_out(self) -> None:
        while (pause_s := self._resume_at - time.monotonic()) > 0:
            await self._nap(pause_s)

    def _answered(self, began: float) -> None:
        now = time.monotonic()
        self._allowed = min(self._most, self._allowed + 1 / self._allowed)
        self._answered_at = now
        self._limited_since = now if now < self._resume_at else None
        self._note(now - began)

    def _count(self, tries: _Tries, began: float, error: ModelError) -> None:
        """Count an attempt against its question, unless the server refuses other questions as well.

        Then it is the server's limit, which the bound on waiting is for. A question that is refused alone, as too large
        for the limit, would be refused for ever.
        """
        if not isinstance(error, RateLimited):
            tries.faults += 1
            return
        now = time.monotonic()
        others = [(who, at) for who, at in self._refused if who is not tries]
        self._refused = [(tries, now), *others[:1]]
        since = min(self._answered_at, began if tries.refused_at is None else tries.refused_at)
        tries.alone = 0 if others and others[0][1] >= since else tries.alone + 1
        tries.first_refused_at = now if tries.first_refused_at is None else tries.first_refused_at
        tries.refused_at = now

    def _within_the_bound(self, tries: _Tries, error: Transient, wait_s: float) -> float:
        """How long to wait, or the end of all where the server has told us to wait for as long as the user would.

        Where it goes on answering others, only this question ends.
        """
        if not isinstance(error, RateLimited) and error.retry_after_s is None:
            return wait_s
        now = time.monotonic()
        if self._limited_since is None:
            self._limited_since = now
        asked_s = max(error.retry_after_s or 0.0, self._resume_at - now)
        left_s = self._limited_since + self.max_wait_s - now
        if left_s <= 0 or asked_s > left_s:
            self._pause(self._told_to_wait(str(error), asked_s, over=left_s <= 0))
        if tries.first_refused_at is not None and now - tries.first_refused_at >= self.max_wait_s:
            raise error
        return min(wait_s, max(left_s, asked_s))

    def _told_to_wait(self, what: str, asked_s: float, *, over: bool = False) -> str:
        """Why nothing more is asked of a server that tells us to wait."""
        bound = duration(self.max_wait_s)
        if asked_s <= self.max_wait_s and over:
            return f"{what}; nothing more is asked after {bound} of it (--max-wait)"
        if _ASKS_TO_WAIT not in what:
            what = f"{what}{_ASKS_TO_WAIT}{duration(asked_s)}"
        if asked_s > self.max_wait_s:
            return f"{what}, longer than --max-wait {bound}; nothing more is asked"
        return f"{what}, more than {bound} in all (--max-wait); nothing more is asked"

    def _pause(self, why: str) -> NoReturn:
        """Ask nothing more, here and elsewhere."""
        self._stop(why)
        raise Paused(self._paused)

    def _stop(self, why: str) -> None:
        """Let nothing more be asked, and wake all who wait for their turn; what is under way may come back."""
        self._paused = self._paused or why
        for nap in self._naps:
            nap.cancel()

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
        self._held -= 1
        self._wake()

    def _wake(self) -> None:
        free = int(self._allowed) - self._held
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

    def used_up(self, seconds: float) -> None:
        """Rest as a good answer asks for: say so where it is long, and ask nothing more where it is too long."""
        what, rest_s = "the server says that its limit is used up", min(seconds, limits.RETRY_AFTER_CAP_S)
        if rest_s > self.max_wait_s:
            # what it really asks for was capped where it was read
            asked = f"at least {duration(rest_s)}" if rest_s == limits.RETRY_AFTER_CAP_S else duration(rest_s)
            self._stop(self._told_to_wait(f"{what}{_ASKS_TO_WAIT}{asked}", rest_s))
        elif rest_s >= limits.SILENT_S and self._resume_at <= time.monotonic():
            self.told(RateLimited(f"{what}; nothing is asked for {duration(rest_s)}"), rest_s)
        self.rest(rest_s)

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


@dataclass(kw_only=True, slots=True, eq=False)
class _Tries:
    """What became of one question so far."""

    made: int = 0
    #: Attempts that failed otherwise than by a 429, and 429s in a row while no other question was refused.
    faults: int = 0
    alone: int = 0
    first_refused_at: float | None = None
    refused_at: float | None = None

    @property
    def counted(self) -> int:
        """The attempts that count against the question."""
        return self.faults + self.alone


class Bucket:
    """So many units a minute, spread evenly: a second's worth may be taken at once, and debts are waited off."""

    def __init__(self, per_minute: int) -> None:
        self._rate = per_minute / 60
        self._level = self._most = max(1.0, self._rate)
        self._at = time.monotonic()

    def take(self, units: int) -> float:
        """Take units; gives for how many seconds to wait until earlier ones are paid for."""
        self._refill()
        self._level -= units
        return -self._level / self._rate

    def charge(self, units: int) -> None:
        """What was really used beyond what was taken, or less when negative."""
        self._level -= units

    def _refill(self) -> None:
        now = time.monotonic()
        self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now


def backoff_s(attempt: int, retry_after_s: float | None) -> float:
    """Doubling with full jitter, so that clients scatter, and no less than what the server asks for, within reason."""
    ceiling = min(limits.BACKOFF_CAP_S, limits.BACKOFF_FIRST_S * 2 ** min(attempt, _DOUBLINGS))
    own_s = random.uniform(limits.BACKOFF_FIRST_S / 2, ceiling)  # noqa: S311
    return max(own_s, min(retry_after_s or 0.0, limits.RETRY_AFTER_CAP_S))
