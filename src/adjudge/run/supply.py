"""The units of a run as workers need them: part by part, so that processes share a run and do nothing twice."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from adjudge.core import limits, points
from adjudge.core.records import Item
from adjudge.core.runs import Run
from adjudge.run.ask import Asker
from adjudge.run.plan import Unit
from adjudge.store.shares import LAST_PART
from adjudge.store.store import Store
from adjudge.store.writes import PartDone, Write


class Supply:
    """Loads ahead of the workers what nobody else has taken and what has no verdict yet."""

    def __init__(self, run: Run, store: Store, asker: Asker, item: Callable[[str], Item]) -> None:
        self._run, self._store, self._asker, self._item = run, store, asker, item
        self._together = run.batch_size or 1
        # every process must cut a run alike; few parts cost little, many let others join in
        wanted = min(max(run.items // limits.RUN_PARTS_MIN, 1), limits.PART_ITEMS)
        self._size = -(-wanted // self._together) * self._together
        self._parts = deque(range(-(-run.items // self._size)))
        self._others: list[int] = []
        self._loading: tuple[int, Iterator[list[Unit]]] | None = None
        self._chars = 0
        self._open: dict[int, int] = {}
        self._whole: set[int] = set()
        self._ready: deque[Unit] = deque()
        self._waiting = asyncio.Lock()
        self._ended = False
        #: How many items needed no work, since they had their verdict.
        self.judged_before = 0

    async def next(self) -> Unit | None:
        """The next unit to judge; None when every part is through, here or in another process."""
        while not self._ready:
            if self._ended or not (self._load() or await self._others_left()):
                return None
        return self._ready.popleft()

    async def last(self) -> bool:
        """Whether what is done once, when all parts are through, falls to this process; the others wait for it."""
        while not self._store.take(self._run.id, LAST_PART):
            if LAST_PART in self._store.done_parts(self._run.id):
                return False
            await asyncio.sleep(limits.SHARE_POLL_S)
        return True

    def stop(self) -> None:
        """Give out nothing more."""
        self._ended = True
        self._ready.clear()

    async def keep(self, unit: Unit, writes: Sequence[Write]) -> Sequence[Write]:
        """Store what became of a unit; with the last of its part, the part is through. What is stored by now."""
        await self._asker.ledger.put(*writes)
        points.reached("outcome.durable")
        part = min(unit.positions) // self._size
        self._open[part] -= 1
        self._close_if_through(part)
        return writes

    async def _others_left(self) -> bool:
        """Wait a little for the parts that others have: theirs as long as they live. False where there is none left."""
        async with self._waiting:
            if self._others and not self._parts and not self._ready:
                await asyncio.sleep(limits.SHARE_POLL_S)
                done = self._store.done_parts(self._run.id)
                self._parts.extend(part for part in self._others if part not in done)
                self._others.clear()
            return bool(self._parts or self._ready)

    def _close_if_through(self, part: int) -> None:
        if part in self._whole and not self._open[part]:
            self._whole.discard(part)
            del self._open[part]
            self._asker.ledger.put(PartDone(run=self._run.id, part=part, owner=self._store.owner))

    def _load(self) -> bool:
        """Get some units ready, with the replies that are stored for them; False where no part is free."""
        while not self._ready:
            if self._loading is None and not self._take():
                return False
            assert self._loading is not None
            part, pages = self._loading
            units = next(pages, None)
            if units is None:
                self._loading = None
                self._whole.add(part)
                self._close_if_through(part)
            else:
                self._open[part] += len(units)
                self._asker.know(self._asker.look_up([call for unit in units for call in unit.calls]))
                self._ready.extend(units)
        return True

    def _take(self) -> bool:
        """Begin with the next part that nobody has."""
        while self._parts:
            part = self._parts.popleft()
            if self._store.take(self._run.id, part):
                points.reached("part.taken")
                self._open[part] = 0
                self._loading = part, self._pages(part)
                return True
            self._others.append(part)
        return False

    def _pages(self, part: int) -> Iterator[list[Unit]]:
        """The units of a part, as many at a time as fit into memory easily."""
        first, last = part * self._size, min((part + 1) * self._size, self._run.items) - 1
        judged = self._store.judged(self._run.id, first, last)
        if len(judged) > last - first:
            self.judged_before += len(judged)
            return
        page: list[Unit] = []
        for unit in self._asker.planner.units(self._items(first, last, judged if self._together == 1 else set())):
            if judged.issuperset(unit.positions):
                self.judged_before += len(unit.positions)
                continue
            page.append(unit)
            if len(page) == limits.LOOK_AHEAD_UNITS or self._chars > limits.STORE_PAGE_CHARS:
                yield page
                page, self._chars = [], 0
        yield page

    def _items(self, first: int, last: int, judged: set[int]) -> Iterator[tuple[int, Item]]:
        for place, _, body in self._store.items(self._run.data_digest, first, last):
            if place in judged:
                self.judged_before += 1
            else:
                self._chars += len(body)
                yield place, self._item(body)
