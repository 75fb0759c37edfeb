"""Several processes on one run: nothing is asked twice, and what a dead one leaves is done by the others."""

from __future__ import annotations

import signal
from itertools import cycle

import pytest

from tests.crash.kills import shared
from tests.crash.nursery import Stop
from tests.crash.trial import LAYOUTS, SQLITE

STOPS = [
    Stop(name="part.taken", nth=1),
    Stop(name="answer.came", nth=1),
    Stop(name="commit.written", nth=1),
    Stop(name="commit.durable", nth=1),
    Stop(name="items.judged", nth=1),
    Stop(name="request.sent", nth=1, signal=signal.SIGTERM),
]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return SQLITE if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_processes_share_a_run(ground, url, layout):
    assert shared(ground, layout, url, processes=3)


@pytest.mark.parametrize(("stop", "layout"), [*zip(STOPS, cycle(LAYOUTS), strict=False)], ids=str)
def test_the_others_take_over_from_one_that_dies(ground, url, stop, layout):
    assert any(shared(ground, layout, url, processes=3, stop=stop) for _ in range(12)), "it never had a part"
