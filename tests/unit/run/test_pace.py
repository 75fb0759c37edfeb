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


@pytest.mark.parametrize("options", [{"rpm": 600}, {"tpm": 60_000}])
def test_requests_and_tokens_per_minute_are_kept(options):
    """Ten requests a second, of a hundred tokens each: a second's worth at once, the rest spread."""

    async def answer() -> Reply:
        return Reply(text="", tokens_in=90, tokens_out=10)

    async def many() -> float:
        pace = Pace(concurrency=50, **options)
        began = time.monotonic()
        await asyncio.gather(*(pace.ask(answer, tokens=100) for _ in range(15)))
        return time.monotonic() - began

    assert asyncio.run(many()) >= 0.45


def test_a_429_halves_what_is_in_flight_and_answers_bring_it_back():
    flying = 0
    seen: list[int] = []
    refuse = True

    async def answer() -> Reply:
        nonlocal flying
        flying += 1
        seen.append(flying)
        await asyncio.sleep(0.001)
        flying -= 1
        if refuse:
            raise RateLimited("slow", retry_after_s=0.001)
        return Reply(text="")

    async def work() -> None:
        nonlocal refuse
        pace = Pace(concurrency=16)
        tasks = [asyncio.create_task(pace.ask(answer)) for _ in range(16)]
        await asyncio.sleep(0.004)
        refuse = False
        await asyncio.gather(*tasks)
        start = len(seen)
        await asyncio.gather(*(pace.ask(answer) for _ in range(40)))
        assert max(seen[:16]) == 16
        assert max(seen[start : start + 10]) < 16, "it went on more slowly"
        await asyncio.gather(*(pace.ask(answer) for _ in range(600)))
        assert max(seen[-100:]) == 16, "and came back"

    asyncio.run(work())


def test_retry_after_holds_everybody_back():
    times: list[float] = []

    async def answer() -> Reply:
        times.append(time.monotonic())
        if len(times) == 1:
            raise RateLimited("slow", retry_after_s=0.2)
        return Reply(text="")

    async def work() -> None:
        pace = Pace(concurrency=1)
        await asyncio.gather(*(pace.ask(answer) for _ in range(3)))

    asyncio.run(work())
    assert min(times[1:]) - times[0] >= 0.19


def test_a_cancelled_wait_gives_its_place_back():
    async def never() -> Reply:
        await asyncio.sleep(60)
        return Reply(text="")

    async def soon() -> Reply:
        return Reply(text="ok")

    async def work() -> str:
        pace = Pace(concurrency=1)
        stuck = [asyncio.create_task(pace.ask(never)) for _ in range(3)]
        await asyncio.sleep(0.01)
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
        return (await asyncio.wait_for(pace.ask(soon), 5)).text

    assert asyncio.run(work()) == "ok"
