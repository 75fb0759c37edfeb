"""The units of a run as workers need them: part by part, so that processes share a run and do nothing twice."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from adjudge.core import limits, points
from adjudge.core.records import Item, Run
from adjudge.run.ask import Asker, Stored
from adjudge.run.plan import Unit
from adjudge.store.shares import LAST_PART
from adjudge.store.store import Store
from adjudge.store.writes import PartDone


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """Units of one part, how many of its items needed none, and whether they are the last of it."""

    part: int
    units: list[Unit]
    known: dict[str, Stored]
    skipped: int
    whole: bool


class Supply:
    """Loads ahead of the workers what nobody else has taken and what has no verdict yet."""

    def __init__(self, run: Run, store: Store, asker: Asker, item: Callable[[str], Item]) -> None:
        self._run, self._store, self._asker, self._item = run, store, asker, item
        self._planned = run.batch_size or 1
        # every process must cut a run alike; few parts cost little, many let others join in
        wanted = min(max(run.items // limits.RUN_PARTS_MIN, 1), limits.PART_ITEMS)
        self._size = -(-wanted // self._planned) * self._planned
        self._parts = deque(range(-(-run.items // self._size)))
        self._others: list[int] = []
        self._loading: tuple[int, Iterator[Unit]] | None = None
        self._open: dict[int, int] = {}
        self._whole: set[int] = set()
        self._chars = self._skipped = 0
        self._ready: deque[Unit] = deque()
        self._filling: asyncio.Task[bool] | None = None
        self._ended = False
        #: How many items needed no work, since they had their verdict.
        self.judged_before = 0

    async def next(self) -> Unit | None:
        """The next unit to judge; None when every part is through, here or in another process."""
        while not self._ready:
            if self._ended:
                return None
            self._ended = not await asyncio.shield(self._fill())
        unit = self._ready.popleft()
        if len(self._ready) < limits.LOOK_AHEAD_UNITS // 2 and not self._ended:
            self._fill()
        return unit

    async def last(self) -> bool:
        """Whether what is done once, when all parts are through, falls to this process; the others wait for it."""
        while not await asyncio.to_thread(self._store.take, self._run.id, LAST_PART):
            if LAST_PART in await asyncio.to_thread(self._store.done_parts, self._run.id):
                return False
            await asyncio.sleep(limits.SHARE_POLL_S)
        return True

    def stop(self) -> None:
        """Give out nothing more."""
        self._ended = True
        self._ready.clear()

    def through(self, unit: Unit) -> None:
        """A unit's outcomes are durable; with the last of its part, the part is."""
        part = min(unit.positions) // self._size
        self._open[part] -= 1
        self._close_if_through(part)

    async def close(self) -> None:
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.gather(self._filling, return_exceptions=True)

    def _fill(self) -> asyncio.Task[bool]:
        if self._filling is None or self._filling.done():
            self._filling = asyncio.create_task(self._more())
        return self._filling

    async def _more(self) -> bool:
        """Get some units ready; False when there are none left anywhere."""
        while True:
            while (loaded := await asyncio.to_thread(self._load)) is not None:
                self._asker.know(loaded.known)
                self.judged_before += loaded.skipped
                self._ready.extend(loaded.units)
                self._open[loaded.part] = self._open.get(loaded.part, 0) + len(loaded.units)
                if loaded.whole:
                    self._whole.add(loaded.part)
                    self._close_if_through(loaded.part)
                if loaded.units:
                    return True
            if not self._others:
                return False
            # what others have taken is theirs as long as they live
            await asyncio.sleep(limits.SHARE_POLL_S)
            done = await asyncio.to_thread(self._store.done_parts, self._run.id)
            self._parts.extend(part for part in self._others if part not in done)
            self._others.clear()

    def _close_if_through(self, part: int) -> None:
        if part in self._whole and not self._open[part]:
            self._whole.discard(part)
            del self._open[part]
            self._asker.ledger.put(PartDone(run=self._run.id, part=part, owner=self._store.owner))

    def _load(self) -> Loaded | None:
        """Some units of the part at hand, or of the next that nobody has, with the replies that are stored for them."""
        while self._loading is None:
            if not self._parts:
                return None
            part = self._parts.popleft()
            if self._store.take(self._run.id, part):
                points.reached("part.taken")
                self._loading = part, self._units(part)
            else:
                self._others.append(part)
        part, source = self._loading
        units: list[Unit] = []
        self._chars = self._skipped = 0
        for unit in source:
            units.append(unit)
            if len(units) == limits.LOOK_AHEAD_UNITS or self._chars > limits.STORE_PAGE_CHARS:
                break
        else:
            self._loading = None
        known = self._asker.look_up([call for unit in units for call in unit.calls])
        self._asker.share_budget()
        return Loaded(part=part, units=units, known=known, skipped=self._skipped, whole=self._loading is None)

    def _units(self, part: int) -> Iterator[Unit]:
        first = part * self._size
        judged = self._store.judged(self._run.id, first, first + self._size - 1)
        if len(judged) == min(self._size, self._run.items - first):
            self._skipped += len(judged)
            return
        for unit in self._asker.planner.units(self._items(first, judged if self._planned == 1 else set())):
            if judged.issuperset(unit.positions):
                self._skipped += len(unit.positions)
            else:
                yield unit

    def _items(self, first: int, judged: set[int]) -> Iterator[tuple[int, Item]]:
        for place, _, body in self._store.items(self._run.data_digest, first, first + self._size - 1):
            if place in judged:
                self._skipped += 1
            else:
                self._chars += len(body)
                yield place, self._item(body)
