"""Pace: transient faults are tried again with patience, permanent ones are not, and an answer is asked for once."""

from __future__ import annotations

import asyncio
import time

import pytest

from adjudge.core import limits
from adjudge.core.errors import BadRequest, ModelError, Paused, RateLimited, ServerFailed, TimedOut
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
    for tiny in (0.0, 0.01):
        assert backoff_s(1, tiny) >= limits.BACKOFF_FIRST_S / 2, "the server's wait is the least, not all"


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


@pytest.mark.parametrize("wait_s", [0.0, 0.01])
def test_a_tiny_retry_after_does_not_switch_the_backoff_off(wait_s, monkeypatch):
    monkeypatch.setattr("adjudge.run.pace.random.uniform", lambda least, most: most)
    naps = Clock(monkeypatch).nap_by(monkeypatch)
    refused = [RateLimited("slow", retry_after_s=wait_s)] * 3
    ask(Pace(concurrency=1), *refused, Reply(text="ok"))
    own = [nap for nap in naps if nap > wait_s]
    assert own[0] == 2 * limits.BACKOFF_FIRST_S and own == sorted(own) and sum(own) > 6 * limits.BACKOFF_FIRST_S


def together(pace: Pace, *scripts: list[object]) -> list[object]:
    """What becomes of questions that are asked at once, each with its own answers; the last of each is repeated."""

    async def one(script: list[object]) -> Reply:
        async def answer() -> Reply:
            outcome = script.pop(0) if len(script) > 1 else script[0]
            if isinstance(outcome, Exception):
                raise outcome
            assert isinstance(outcome, Reply)
            return outcome

        return await pace.ask(answer)

    async def work() -> list[object]:
        return await asyncio.gather(*map(one, scripts), return_exceptions=True)

    return asyncio.run(work())


def limited(times: int) -> list[object]:
    return [*(RateLimited("slow", retry_after_s=1) for _ in range(times)), Reply(text="ok")]


def test_a_limit_for_all_is_not_counted_against_a_question(monkeypatch):
    Clock(monkeypatch).nap_by(monkeypatch)
    many = 4 * limits.TRANSPORT_ATTEMPTS
    found = together(Pace(concurrency=8, max_wait_s=1e9), *(limited(many) for _ in range(8)))
    assert [reply.text for reply in found] == ["ok"] * 8  # type: ignore[attr-defined]
    assert {reply.attempts for reply in found} == {many + 1}, "and they are told"  # type: ignore[attr-defined]


def test_faults_of_the_server_are_counted_among_429s(monkeypatch):
    Clock(monkeypatch).nap_by(monkeypatch)
    mixed = [*limited(3)[:3], ServerFailed("x")] * 9
    found, _ = together(Pace(concurrency=2, max_wait_s=1e9), mixed, limited(99))
    assert isinstance(found, ServerFailed) and found.attempts == 4 * limits.TRANSPORT_ATTEMPTS


def test_a_question_that_is_refused_alone_ends(monkeypatch):
    Clock(monkeypatch).nap_by(monkeypatch)
    refused, answered = together(Pace(concurrency=2), limited(99), [Reply(text="ok")])
    assert isinstance(refused, RateLimited) and refused.attempts == limits.TRANSPORT_ATTEMPTS
    assert isinstance(answered, Reply)


def test_a_question_among_others_that_are_answered_is_asked_no_longer_than_the_bound(monkeypatch):
    clock, pace = Clock(monkeypatch), Pace(concurrency=2, max_wait_s=60)
    clock.nap_by(monkeypatch)
    sometimes = [*limited(3), *limited(3)] * 99

    async def answer_of(outcome: object) -> Reply:
        if isinstance(outcome, Exception):
            raise outcome
        assert isinstance(outcome, Reply)
        return outcome

    async def others() -> None:
        while not ended.is_set():
            await pace.ask(lambda: answer_of(sometimes.pop(0)))

    async def work() -> object:
        beside = asyncio.create_task(others())
        try:
            return await pace.ask(lambda: answer_of(RateLimited("too large")))
        except ModelError as error:
            return error
        finally:
            ended.set()
            await beside

    ended = asyncio.Event()
    began = clock.now
    assert isinstance(asyncio.run(work()), RateLimited)
    assert clock.now - began < 60 + 3 * limits.BACKOFF_CAP_S


@pytest.mark.parametrize(
    ("error", "max_wait_s", "told"),
    [
        (
            RateLimited("api answered 429: quota; it asks to wait 1 h", retry_after_s=120),
            5,
            "api answered 429: quota; it asks to wait 1 h, longer than --max-wait 5 s; nothing more is asked",
        ),
        (
            RateLimited("api answered 429: slow", retry_after_s=20),
            5,
            "api answered 429: slow; it asks to wait 20 s, longer than --max-wait 5 s; nothing more is asked",
        ),
        (
            RateLimited("api answered 429: slow", retry_after_s=40),
            60,
            "api answered 429: slow; it asks to wait 40 s, more than 1 min in all (--max-wait); nothing more is asked",
        ),
        (RateLimited("slow"), 0, "slow; nothing more is asked after 0 s of it (--max-wait)"),
    ],
)
def test_why_nothing_more_is_asked(error, max_wait_s, told, monkeypatch):
    Clock(monkeypatch).nap_by(monkeypatch)
    with pytest.raises(Paused) as paused:
        ask(Pace(concurrency=1, max_wait_s=max_wait_s), *[error] * 9)
    assert str(paused.value) == told


def test_the_bound_is_used_up_before_a_run_ends(monkeypatch):
    """Our own jitter does not end a run that would have gone on."""
    monkeypatch.setattr("adjudge.run.pace.random.uniform", lambda least, most: most)
    clock = Clock(monkeypatch)
    clock.nap_by(monkeypatch)
    began = clock.now
    with pytest.raises(Paused, match="after 5 s of it"):
        ask(Pace(concurrency=1, max_wait_s=5), *[RateLimited("slow")] * 9)
    assert clock.now - began == 5


def test_a_pause_is_no_unanswered_request(monkeypatch):
    """Neither one that the server asks for nor one that --rpm makes."""
    clock = Clock(monkeypatch)
    seen: list[tuple[float, int]] = []
    pace = Pace(concurrency=2, rpm=1)

    async def nap(seconds: float) -> None:
        clock.now += seconds
        seen.append((pace.silent_s(), pace.flying))

    monkeypatch.setattr(asyncio, "sleep", nap)

    async def answer() -> Reply:
        return Reply(text="ok")

    async def work() -> None:
        await pace.ask(answer)
        await pace.ask(answer)
        pace.rest(100.0)
        await pace.ask(answer)

    asyncio.run(work())
    assert len(seen) >= 2 and set(seen) == {(0.0, 0)}


def test_a_limit_that_a_good_answer_tells_of_is_told_and_kept(monkeypatch):
    clock, pace, told = Clock(monkeypatch), Pace(concurrency=1), []
    naps = clock.nap_by(monkeypatch)
    pace.told = lambda error, wait_s: told.append((str(error), wait_s))

    async def answer() -> Reply:
        pace.used_up(3600.0)
        pace.used_up(3600.0)
        return Reply(text="ok")

    async def work() -> None:
        await pace.ask(answer)
        await pace.ask(answer)

    asyncio.run(work())
    cap_s = limits.RETRY_AFTER_CAP_S
    assert naps == [cap_s], "what was answered counts, and the next waits"
    assert told[0] == ("the server says that its limit is used up; nothing is asked for 2 min", cap_s)
    assert len(told) == 2, "once for each pause"
    pace.used_up(limits.SILENT_S / 2)
    assert len(told) == 2, "a short one is nothing to tell of"


def test_a_limit_that_a_good_answer_tells_of_is_within_the_bound(monkeypatch):
    pace = Pace(concurrency=2, max_wait_s=5)
    naps = Clock(monkeypatch).nap_by(monkeypatch)

    async def answer() -> Reply:
        pace.used_up(3600.0)
        return Reply(text="ok")

    assert asyncio.run(pace.ask(answer)).text == "ok", "what was paid for counts"
    with pytest.raises(Paused) as paused:
        asyncio.run(pace.ask(answer))
    assert str(paused.value) == (
        "the server says that its limit is used up; it asks to wait at least 2 min, longer than --max-wait 5 s; "
        "nothing more is asked"
    )
    assert naps == []


def test_a_429_whose_headers_ask_for_a_rest_is_within_the_bound(monkeypatch):
    pace = Pace(concurrency=1, max_wait_s=5)
    naps = Clock(monkeypatch).nap_by(monkeypatch)

    async def answer() -> Reply:
        pace.rest(30.0)
        raise RateLimited("slow")

    with pytest.raises(Paused, match="it asks to wait 30 s, longer than --max-wait 5 s"):
        asyncio.run(pace.ask(answer))
    assert naps == []


def test_who_waits_for_a_turn_of_a_minute_is_woken_when_nothing_more_is_asked(monkeypatch):
    pace = Pace(concurrency=2, rpm=1)
    asked = 0

    async def answer() -> Reply:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.01)
        error = BadRequest("no credit")
        error.no_credit = True
        raise error

    async def work() -> list[object]:
        return await asyncio.gather(*(pace.ask(answer) for _ in range(4)), return_exceptions=True)

    found = asyncio.run(asyncio.wait_for(work(), 30))
    assert asked == 1 and all(isinstance(one, Paused) for one in found)
