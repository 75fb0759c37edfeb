"""What was spent when, in every store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core import limits
from adjudge.store.store import Store
from adjudge.store.writes import (
    CallFailed,
    ReplyDone,
)
from tests.contract.records import COMPLETE, a_call


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let it be so many seconds after noon."""
    monkeypatch.setattr("adjudge.store.writes.time.time_ns", lambda: int((1_800_000_000 + seconds) * 1e9))


def test_what_was_spent_when(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.spending("r1") == []
    for seconds in (0, 1, 2, 3):
        at(monkeypatch, seconds)
        call = a_call(f"k{seconds}")
        store.commit([ReplyDone(span=(0, 0), run="r1", call=call, reply=COMPLETE)])
    store.commit([ReplyDone(span=(0, 0), run="r1", call=call, reply=COMPLETE)])
    spent = store.spending("r1")
    assert [one.seconds for one in spent] == [0, 1, 2, 3] and {one.paused for one in spent} == {0}
    assert [(one.calls, one.tokens) for one in spent] == [(1, 15), (2, 30), (3, 45), (4, 60)]
    assert [one.cost_usd for one in spent] == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_a_pause_is_no_work(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in (0, 1, 2, 86_402, 86_403, 86_503):
        at(monkeypatch, seconds)
        store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(f"k{seconds}"), reply=COMPLETE)])
    spent = store.spending("r1")
    assert [one.seconds for one in spent] == [0, 1, 2, 2, 3, 3]
    assert [one.paused for one in spent] == [0, 0, 0, 86_400, 0, 100]


def test_a_slow_model_is_at_work_while_it_is_silent(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        at(monkeypatch, 90 * number)
        store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call(f"k{number}"), reply=COMPLETE)])
    assert [one.seconds for one in store.spending("r1")] == [0, 90, 180, 270, 360]


def test_the_curve_of_what_was_spent_has_few_points(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [a_call(f"k{number}") for number in range(2_000)]
    moments = iter(range(2_000))
    monkeypatch.setattr(
        "adjudge.store.writes.time.time_ns", lambda: (1_800_000_000_000 + 7_300 * next(moments)) * 10**6
    )
    store.commit([CallFailed(span=(0, 0), run="r1", call=call, kind="timed_out", message="") for call in calls])
    spent = store.spending("r1")
    assert limits.SPENDING_POINTS / 2 < len(spent) <= limits.SPENDING_POINTS + 2
    assert (spent[-1].calls, spent[-1].tokens, spent[-1].cost_usd) == (2_000, 0, 0)
    assert spent[-1].seconds == pytest.approx(7.3 * 1_999, abs=0.01)


def test_replies_from_the_store_cost_nothing_and_an_unknown_price_is_unknown(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, 0)
    store.commit([CallFailed(span=(0, 0), run="r1", call=a_call("k0"), kind="refused", message="", cost_usd=0.5)])
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k0"), reply=COMPLETE, cached=True)])
    assert [(one.calls, one.cost_usd) for one in store.spending("r1")] == [(0, 0.5)]
    at(monkeypatch, 1)
    unpriced = replace(COMPLETE, cost_usd=None)
    store.commit([ReplyDone(span=(0, 0), run="r1", call=a_call("k1"), reply=unpriced)])
    assert [(one.calls, one.cost_usd) for one in store.spending("r1")] == [(0, 0.5), (1, None)]
