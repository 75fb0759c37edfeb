"""A server that says how long to wait is waited for, by all requests; what it can't mean is capped or ignored."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from adjudge.cli import run_command
from adjudge.core import limits
from adjudge.run.engine import Engine
from adjudge.run.pace import Pace
from tests.fakes.faulty import FaultyModel
from tests.fakes.server import Answer, FakeModelServer, refusal
from tests.faults.running import N, arguments, run_json, write_items

_FOR_EVER_S = 1e6


def arrivals(capsys: Any, retry_after: str, *, status: int = 429) -> dict[str, list[float]]:
    """When the requests for each item came in, where the first for item 4 is told to come again later."""
    answer = Answer(status=status, headers={"retry-after": retry_after}, data=refusal(status, "later").data)
    model = FaultyModel({"i4": (lambda request: answer, "once")})
    came: dict[str, list[float]] = defaultdict(list)
    model.arrives = lambda item: came[item].append(time.monotonic())
    with FakeModelServer(model) as server:
        code, report, _ = run_json(capsys, *arguments(server.url))
    assert (code, report["judged"]) == (0, N)
    assert {item: len(times) for item, times in came.items()} == {f"i{n}": 2 if n == 4 else 1 for n in range(N)}
    return came


@pytest.mark.parametrize("status", [429, 503])
def test_the_wait_that_is_asked_for_is_kept(status: int, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RETRY_AFTER_CAP_S", 10.0)
    first, second = arrivals(capsys, "0.4", status=status)["i4"]
    assert second - first >= 0.4


def test_a_429_makes_everyone_wait(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RETRY_AFTER_CAP_S", 10.0)
    heard: list[float] = []
    rest = Pace.rest

    def noted(pace: Pace, seconds: float) -> None:
        rest(pace, seconds)
        heard.append(time.monotonic())

    monkeypatch.setattr(Pace, "rest", noted)
    came = [at for times in arrivals(capsys, "0.4").values() for at in times]
    # One request of another worker may have been under way.
    assert sum(0 < at - heard[0] < 0.39 for at in came) <= 1 and max(came) - heard[0] >= 0.39


@pytest.mark.parametrize("absurd", ["1e9", "86400", "1e999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_an_absurd_wait_is_capped(absurd: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RETRY_AFTER_CAP_S", 0.3)
    first, second = arrivals(capsys, absurd)["i4"]
    assert second - first >= 0.3


@pytest.mark.parametrize("nonsense", ["-1", "-1e9", "nan", "soon", "", "Thu, 01 Jan 1970 00:00:00 GMT", "٣", "0x10"])
def test_a_wait_that_means_nothing_is_ignored(nonsense: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RETRY_AFTER_CAP_S", _FOR_EVER_S)
    arrivals(capsys, nonsense)


def limited(headers: dict[str, str], status: int = 429) -> Answer:
    return Answer(status=status, headers=headers, data=refusal(status, "daily quota").data)


@pytest.mark.parametrize("concurrency", [1, 2, 8])
@pytest.mark.parametrize("answered", [0, 3])
@pytest.mark.parametrize("wait", ["11520", "86400", "1e9", ""])
def test_a_lasting_limit_ends_the_run_to_be_resumed(
    wait: str, answered: int, concurrency: int, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RETRY_AFTER_CAP_S", "BACKOFF_FIRST_S", "BACKOFF_CAP_S"):
        monkeypatch.setattr(limits, name, 0.2)
    model = FaultyModel({})

    def script(data: Any, n: int) -> Answer:
        return model(data, n) if n <= answered else limited({"retry-after": wait} if wait else {})

    with FakeModelServer(script) as server:
        began = time.monotonic()
        assert run_command([*arguments(server.url, concurrency=concurrency), "--max-wait", "0.5"]) == 3
        took, calls = time.monotonic() - began, server.calls
        said = capsys.readouterr().err
        assert took < 5 and calls < answered + 8 * concurrency * limits.TRANSPORT_ATTEMPTS
        assert "daily quota" in said and "go on with: adjudge resume" in said and "--max-cost" not in said
        assert "(--max-wait)" in said and "for 0.5 s at most" in said
        told = {"11520": "it asks to wait 3 h 12 min", "86400": "it asks to wait 1 day", "1e9": "more than a year"}
        assert told.get(wait, "") in said
        server.script = model
        code, report, _ = run_json(capsys, "resume", "latest")
        assert (code, report["status"], report["judged"]) == (0, "complete", N)
    assert set(model.answered.values()) == {1}, "nothing is paid for twice"


def test_a_limit_that_passes_now_and_then_does_not_end_a_run(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RETRY_AFTER_CAP_S", 0.1)
    model = FaultyModel({})
    turns = iter(range(10**6))

    def script(data: Any, n: int) -> Answer:
        return model(data, n) if next(turns) % 2 else limited({"retry-after": "0.1"})

    with FakeModelServer(script) as server:
        code, report, _ = run_json(capsys, *arguments(server.url, concurrency=1), "--max-wait", "0.3")
    assert (code, report["judged"]) == (0, N), "in all it waited longer than the bound, but never without an answer"


@pytest.mark.parametrize("answered", [0, 4])
@pytest.mark.parametrize(
    "refused",
    [
        refusal(429, "You exceeded your current quota", code="insufficient_quota"),
        refusal(402, "Payment required"),
        refusal(400, "Your credit balance is too low"),
        refusal(403, "Insufficient balance"),
    ],
)
def test_without_credit_a_run_ends_at_once(refused: Answer, answered: int, capsys: Any) -> None:
    model = FaultyModel({})
    write_items()
    with FakeModelServer(lambda data, n: model(data, n) if n <= answered else refused) as server:
        code, report, _ = run_json(capsys, *arguments(server.url, concurrency=2))
        assert (code, report["status"], report["judged"], report["failed"]) == (3, "partial", answered, 0)
        assert server.calls <= answered + 2
        server.script = model
        code, report, _ = run_json(capsys, "resume", "latest")
        assert (code, report["judged"]) == (0, N)


@pytest.mark.parametrize("bound", ["-1", "nan"])
def test_a_bound_that_is_none_is_refused(bound: str, capsys: Any) -> None:
    assert run_command([*arguments("http://127.0.0.1:1/v1"), "--max-wait", bound]) == 2
    assert "--max-wait" in capsys.readouterr().err


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_limit_that_a_good_answer_tells_of(concurrency: int, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and it is within --max-wait."""

    async def says_nothing(_: Engine) -> None:
        """A slow machine may give cause to say something else first."""

    monkeypatch.setattr(Engine, "_watch", says_nothing)
    monkeypatch.setattr(limits, "RETRY_AFTER_CAP_S", 0.8)
    monkeypatch.setattr(limits, "SILENT_S", 0.4)
    model = FaultyModel({})
    told = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h"}

    def script(data: Any, n: int) -> Answer:
        return replace(model(data, n), headers=told if n == 1 else {})

    with FakeModelServer(script) as server:
        assert run_command(arguments(server.url, concurrency=concurrency)) == 0
        said = capsys.readouterr().err
        assert "the server says that its limit is used up; nothing is asked for 0.8 s" in said
        server.requests.clear()
        assert run_command([*arguments(server.url, concurrency=1), "--fresh", "--max-wait", "0.5"]) == 3
        said = capsys.readouterr().err
        assert "longer than --max-wait 0.5 s; nothing more is asked" in said and "go on with: adjudge resume" in said
        assert server.calls == 1, "what was answered counts, and nothing more is asked"
        code, report, _ = run_json(capsys, "resume", "latest")
        assert (code, report["judged"], server.calls) == (0, N, N)
