"""Named points that a run passes. Nothing happens there, but a test may put something in place of `reached`."""

from __future__ import annotations


def reached(name: str) -> None:
    """The run has come to a point: `points.reached("reply.came")`, looked up anew each time it is called."""
