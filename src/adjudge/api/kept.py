"""What is made of stored runs and takes long is kept while they stay as they are."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from adjudge.api.stored import StoredRun
from adjudge.core.limits import WEB_RENEWED_AFTER
from adjudge.core.runs import RunState

T = TypeVar("T")


class _Place(Generic[T]):
    """What was made, when, of runs in which state, and how long it took."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: tuple[T] | None = None
        self.stamp: object = None
        self.at = self.took = 0.0


class Kept(Generic[T]):
    """The results of `make` for the runs, or the pairs and more of them, that were last asked for, at `most` so many.

    Any thread may ask. What has grown is read anew. While it still runs this happens so seldom that reading it takes a
    small share of the time, so what is given may then be a little behind.
    """

    def __init__(self, make: Callable[..., T], *, most: int) -> None:
        self._make, self._most = make, most
        self._lock = threading.Lock()
        self._places: OrderedDict[tuple[tuple[str, str], ...], _Place[T]] = OrderedDict()

    def of(self, states: Sequence[RunState], *runs: StoredRun) -> T:
        """What `make` gives for runs in these states."""
        place = self._place(tuple((run.store, run.id) for run in runs))
        stamp = _stamp(states)
        with place.lock:
            if place.made is None or (place.stamp != stamp and not _soon(place, states)):
                began = time.monotonic()
                place.made = (self._make(*runs),)
                place.stamp, place.at = stamp, time.monotonic()
                place.took = place.at - began
            return place.made[0]

    def known(self, states: Sequence[RunState], *runs: StoredRun) -> T | None:
        """What was made of runs in these states, if it is kept."""
        with self._lock:
            place = self._places.get(tuple((run.store, run.id) for run in runs))
        return place.made[0] if place and place.made and place.stamp == _stamp(states) else None

    def _place(self, key: tuple[tuple[str, str], ...]) -> _Place[T]:
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self._most:
                self._places.popitem(last=False)
            return place


def _stamp(states: Sequence[RunState]) -> object:
    return [(one.status, one.judged, one.failed, one.calls, one.finished, one.run) for one in states]


def _soon(place: _Place[T], states: Sequence[RunState]) -> bool:
    """Whether what still runs was read so shortly ago that it need not be read again."""
    running = any(state.status == "running" for state in states)
    return running and time.monotonic() - place.at < WEB_RENEWED_AFTER * place.took
