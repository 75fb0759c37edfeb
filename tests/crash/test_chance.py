"""Promises 1 to 4 once more: killed at any time, on both stores."""

from __future__ import annotations

import random

import pytest

from tests.crash.kills import by_chance
from tests.crash.trial import LAYOUTS, SQLITE

KILLS = 5


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_killed_at_any_time(store, layout, ground, request, monkeypatch):
    url = SQLITE if store == "sqlite" else request.getfixturevalue("postgres_url")
    monkeypatch.setattr(ground.server, "latency_s", 0.003)
    draw, kills = random.Random(f"{store} {layout}"), 0
    while kills < KILLS:
        kills += by_chance(ground, layout, url, draw)
