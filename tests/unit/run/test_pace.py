"""Pace: transient faults are tried again with patience, permanent ones are not, and an answer is asked for once."""

from __future__ import annotations

import asyncio
import time

import pytest

from adjudge.core import limits
from adjudge.core.errors import BadRequest, ModelError, RateLimited, ServerFailed
from adjudge.core.records import Reply
from adjudge.run.pace import Pace, backoff_s


@pytest.fixture
def naps(monkeypatch):
    """Sleeping takes no time, and what was slept is noted."""
    slept: list[float] = []
    real = asyncio.sleep

    async def nap(seconds: float) -> None:
        slept.append(seconds)
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", nap)
    return slept


def ask(pace: Pace, *outcomes: object) -> tuple[object, int]:
    queue = list(outcomes)
    asked = 0

    async def answer() -> Reply:
        nonlocal asked
        asked += 1
        outcome = queue.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        assert isinstance(outcome, Reply)
        return outcome

    try:
        return asyncio.run(pace.ask(answer)), asked
    except ModelError as error:
        return error, asked


def test_transient_faults_pass_and_are_counted(naps):
    reply, asked = ask(Pace(concurrency=1), ServerFailed("x"), RateLimited("y", retry_after_s=3), Reply(text="ok"))
    assert isinstance(reply, Reply) and (reply.text, reply.attempts, asked) == ("ok", 3, 3)
    assert naps[1] == 3


def test_lasting_faults_end_after_the_stated_number_of_attempts(naps):
    error, asked = ask(Pace(concurrency=1), *[ServerFailed("x")] * 99)
    assert asked == limits.TRANSPORT_ATTEMPTS
    assert isinstance(error, ServerFailed) and error.attempts == asked


def test_permanent_faults_are_not_tried_again(naps):
    error, asked = ask(Pace(concurrency=1), BadRequest("x"), Reply(text="never"))
    assert isinstance(error, BadRequest) and asked == 1 and naps == []


def test_backoff_is_bounded_and_absurd_retry_after_is_capped():
    for attempt in range(1, 50):
        assert 0 < backoff_s(attempt, None) <= limits.BACKOFF_CAP_S
    assert backoff_s(1, 1e9) == limits.RETRY_AFTER_CAP_S
    assert backoff_s(1, 0.0) == 0.0


def test_no_more_requests_in_flight_than_allowed():
    flying = most = 0

    async def answer() -> Reply:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await asyncio.sleep(0.001)
        flying -= 1
        return Reply(text="")

    async def many() -> None:
        pace = Pace(concurrency=3)
        await asyncio.gather(*(pace.ask(answer) for _ in range(30)))

    asyncio.run(many())
    assert most == 3


def test_requests_per_minute_are_spaced():
    async def answer() -> Reply:
        return Reply(text="")

    async def many() -> float:
        pace = Pace(concurrency=8, rpm=1200)
        began = time.monotonic()
        await asyncio.gather(*(pace.ask(answer) for _ in range(5)))
        return time.monotonic() - began

    assert asyncio.run(many()) >= 4 * 60 / 1200 - 0.01
