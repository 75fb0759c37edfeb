"""A run gets an id of its own, whatever begins in the same second."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

import adjudge
from adjudge.api import create
from adjudge.core.errors import Conflict

ROWS = [{"id": "a", "content": "A keeper lights the lamp.", "text": "A lamp is lit."}]


@pytest.fixture(autouse=True)
def one_second(monkeypatch):
    class Still(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 11, 16, 21, 35, 29, tzinfo=UTC)

    monkeypatch.setattr(create, "datetime", Still)


def drawing(monkeypatch, *drawn: int) -> None:
    left = list(drawn)
    monkeypatch.setattr(os, "urandom", lambda size: left.pop(0).to_bytes(size, "big"))


@pytest.mark.parametrize("fresh", [True, False])
def test_an_id_that_is_taken_is_drawn_again(monkeypatch, fresh):
    with monkeypatch.context() as patched:
        drawing(patched, 7, 7, 7, 8)
        first, second = (adjudge.evaluate("summary", ROWS, fresh=fresh) for _ in range(2))
    assert (first.id, second.id) == ("summary-20261116-213529-0007", "summary-20261116-213529-0008")
    assert first.state.status == second.state.status == "complete"


def test_a_conflict_that_is_no_chance_is_said(monkeypatch):
    with monkeypatch.context() as patched:
        drawing(patched, *[7] * 20)
        adjudge.evaluate("summary", ROWS)
        with pytest.raises(Conflict, match="there is a run summary-20261116-213529-0007 already"):
            adjudge.evaluate("summary", ROWS)
