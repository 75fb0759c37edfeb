"""Promises 1 to 4: a run is stopped wherever it can be, and it is as if nothing had happened."""

from __future__ import annotations

import signal

import pytest

from tests.crash.kills import stopped_at, sweep
from tests.crash.nursery import Stop

#: All that a run passes; those of the first group once, the others once for every item, part or commit.
POINTS = (
    "schema.written", "judge.stored", "dataset.written", "dataset.stored", "file.known", "run.written", "run.created",
    "claim.written", "run.claimed", "items.judged", "finish.written", "finish.durable",
    "share.written", "part.taken", "request.sent", "answer.came", "reply.read", "outcome.made", "commit.begun",
    "commit.written", "commit.durable", "outcome.durable", "items.counted",
)  # fmt: skip


def test_the_sweep_leaves_no_point_out(ground):
    passed = ground.whole("single").passed
    assert set(passed) == set(POINTS)
    assert passed.total() >= 180


@pytest.mark.parametrize("name", POINTS)
def test_killed_at_every_point(ground, name):
    # every other time that it is come to; `make crash` takes them all
    assert sweep(ground, "single", name, every=2) >= 1


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("layout", ["compare", "batch", "probe", "long", "staged", "asked"])
def test_killed_at_some_points_of_other_layouts(ground, layout, first):
    for name, nth in ground.whole(layout).points[first * 3 :: 9]:
        stopped_at(ground, layout, Stop(name=name, nth=nth))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_while_it_merges(ground, how):
    """All items are judged, and the run is not complete: resuming makes the summary."""
    assert stopped_at(ground, "batch", Stop(name="request.sent", nth=5, signal=how))


@pytest.mark.parametrize("layout", ["single", "compare", "batch"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_at_some_points(ground, layout, how):
    points = [point for point in ground.whole(layout).points if not point[0].startswith(("schema.", "finish."))]
    # a loop hears of SIGTERM in its next turn, so the last points come too late to stop anything
    early = points[: len(points) // 2 : 8]
    stops = [stopped_at(ground, layout, Stop(name=name, nth=nth, signal=how)) for name, nth in early]
    assert all(stops)


@pytest.mark.parametrize("point", ["judge.stored", "dataset.stored", "run.written", "run.created"])
def test_killed_while_it_is_made_again(ground, point):
    """The new run is there and complete, or not there at all."""
    with ground.trial("single") as trial:
        trial.ended(trial.go_on())
        child = trial.begin(Stop(name=point, nth=1))
        assert child.wait() == -signal.SIGKILL
        states = [run["status"] for run in trial.runs()]
        assert states == ["complete"] * (2 if point == "run.created" else 1)
        assert trial.begin().wait() == 0
        assert [run["judged"] for run in trial.runs()] == [20] * (len(states) + 1)
