"""The addresses of the label pages."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from adjudge.api.labelling import Desk
from adjudge.web.pages.query import run_path


def base(run: str) -> str:
    """Where the labels of a run begin."""
    return run_path(run, "label")


def address(desk: Desk, place: int | str, after: str = "", **more: str) -> str:
    """The page of an item for this person."""
    return f"{base(desk.run.id)}/{place}{after}?{urlencode({'as': desk.annotator, **more})}"


def onward(desk: Desk, place: int, *besides: int) -> str:
    """The next open item behind a place, or the end."""
    found = next((one for one in desk.open_after(place) if one not in besides), None)
    return address(desk, found or "done")


def desk_places(desk: Desk) -> Callable[[str], str | None]:
    """The addresses of the items on a desk, by their ids."""

    def place(item: str) -> str | None:
        found = desk.place_of(item)
        return None if found is None else address(desk, found)

    return place
