"""A server that says how long to wait is waited for, by all requests; what it can't mean is capped or ignored."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

import pytest

from adjudge.core import limits
from adjudge.run.pace import Pace
from tests.fakes.faulty import FaultyModel
from tests.fakes.server import Answer, FakeModelServer, refusal
from tests.faults.running import N, arguments, run_json

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
