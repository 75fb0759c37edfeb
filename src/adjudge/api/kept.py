"""What is made of a stored run and takes long is kept while the run stays as it is."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from adjudge.api.stored import StoredRun
from adjudge.core.limits import WEB_RENEWED_AFTER
from adjudge.core.runs import RunState

T = TypeVar("T")


class _Place(Generic[T]):
    """What was made of one run, when, of which state, and how long it took."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: tuple[T] | None = None
        self.stamp: object = None
        self.at = self.took = 0.0


class Kept(Generic[T]):
    """The results of `make` for the `most` runs that were last asked for; safe to use from several threads.

    A run that has grown is read anew. While it still runs this happens so seldom that reading it takes a small share
    of the time, so what is given may then be a little behind.
    """

    def __init__(self, make: Callable[[StoredRun], T], *, most: int) -> None:
        self._make, self._most = make, most
        self._lock = threading.Lock()
        self._places: OrderedDict[tuple[str, str], _Place[T]] = OrderedDict()

    def of(self, run: StoredRun, state: RunState) -> T:
        """What `make` gives for a run in this state."""
        place = self._place((run.store, run.id))
        stamp = (state.status, state.judged, state.failed, state.calls, state.finished, state.run)
        with place.lock:
            if place.made is None or (place.stamp != stamp and not _soon(place, state)):
                began = time.monotonic()
                place.made = (self._make(run),)
                place.stamp, place.at = stamp, time.monotonic()
                place.took = place.at - began
            return place.made[0]

    def _place(self, key: tuple[str, str]) -> _Place[T]:
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self._most:
                self._places.popitem(last=False)
            return place


def _soon(place: _Place[T], state: RunState) -> bool:
    """Whether a running run was read so shortly ago that it need not be read again."""
    return state.status == "running" and time.monotonic() - place.at < WEB_RENEWED_AFTER * place.took
