"""Pace: transient faults are tried again with patience, permanent ones are not, and an answer is asked for once."""

from __future__ import annotations

import asyncio
import time

import pytest

from adjudge.core import limits
from adjudge.core.errors import BadRequest, ModelError, RateLimited, ServerFailed, TimedOut
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

    async def answer() -> Reply:
        nonlocal flying
        flying += 1
        seen.append(flying)
        refused = len(seen) <= 16
        await asyncio.sleep(0.001)
        flying -= 1
        if refused:
            raise RateLimited("slow", retry_after_s=0.001)
        return Reply(text="")

    async def work() -> None:
        pace = Pace(concurrency=16)
        await asyncio.gather(*(pace.ask(answer) for _ in range(16)))
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
        return (await asyncio.wait_for(pace.ask(soon), 60)).text

    assert asyncio.run(work()) == "ok"


class Clock:
    """Time as the pace sees it, moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("adjudge.run.pace.time.monotonic", lambda: self.now)

    def nap_by(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """Sleeping moves this clock, and what was slept is noted."""
        slept: list[float] = []

        async def nap(seconds: float) -> None:
            slept.append(seconds)
            self.now += seconds

        monkeypatch.setattr(asyncio, "sleep", nap)
        return slept

    def answers(self, pace: Pace, took_s: float, rounds: int = 1) -> None:
        """So many full rounds of answers, each after the same time."""

        async def answer() -> Reply:
            self.now += took_s
            return Reply(text="ok")

        async def work() -> None:
            for _ in range(rounds * max(int(pace.allowed), limits.ROUND_MIN) + 1):
                await pace.ask(answer)

        asyncio.run(work())


def test_answers_that_take_several_times_as_long_lower_what_is_in_flight(monkeypatch):
    clock, pace = Clock(monkeypatch), Pace(concurrency=16)
    clock.answers(pace, 0.5, rounds=4)
    assert pace.allowed == 16, "a steady server is used fully"
    clock.answers(pace, 1.5, rounds=4)
    assert pace.allowed == 16, "twice or three times as long is within what answers differ by"
    clock.answers(pace, 5.0, rounds=6)
    slowed = pace.allowed
    assert slowed < 12
    clock.answers(pace, 0.5, rounds=40)
    assert slowed < pace.allowed <= 16, "a server that has recovered is used again"


def test_a_time_out_halves_what_is_in_flight(naps):
    pace = Pace(concurrency=16)
    ask(pace, TimedOut("slow"), Reply(text="ok"))
    assert 8 <= pace.allowed < 9


def test_a_server_that_asks_for_rest_gets_it_and_no_more_than_the_cap(monkeypatch):
    clock, pace = Clock(monkeypatch), Pace(concurrency=4)
    naps = clock.nap_by(monkeypatch)
    pace.rest(7.0)
    ask(pace, Reply(text="ok"))
    assert naps == [7.0]
    pace.rest(1e9)
    ask(pace, Reply(text="ok"))
    assert naps[-1] == limits.RETRY_AFTER_CAP_S
    ask(pace, Reply(text="ok"))
    assert len(naps) == 2, "and it is over then"


def test_what_is_tried_again_is_told(naps):
    told = []
    pace = Pace(concurrency=1)
    pace.told = lambda error, wait_s: told.append((str(error), wait_s))
    ask(pace, ServerFailed("down", retry_after_s=2), Reply(text="ok"))
    ask(pace, BadRequest("no"))
    assert told == [("down", 2)], "what is not tried again is a failure, and told as one"


def test_silence_counts_only_while_something_is_under_way(monkeypatch):
    clock, pace = Clock(monkeypatch), Pace(concurrency=2)

    async def work() -> list[float]:
        begun = asyncio.Event()

        async def answer() -> Reply:
            begun.set()
            await asyncio.sleep(0)
            clock.now += 3
            heard.append(pace.silent_s())
            return Reply(text="ok")

        heard: list[float] = []
        clock.now += 100
        assert pace.silent_s() == 0
        await pace.ask(answer)
        clock.now += 100
        await pace.ask(answer)
        return [*heard, pace.silent_s()]

    assert asyncio.run(work()) == [3, 3, 0]
