"""The units of a run with `--until`: in the order drawn, and no further than its question needs."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from adjudge.core import limits, points
from adjudge.core.errors import ConfigError
from adjudge.core.records import Item, Verdict
from adjudge.core.runs import Run
from adjudge.run.ask import Asker
from adjudge.run.draws import draws_of
from adjudge.run.plan import Unit
from adjudge.run.supply import Supply
from adjudge.run.until import Stopping, parse
from adjudge.store.store import Store
from adjudge.store.writes import AnsweredDone, OutcomeDone, SummaryDone, Write

#: What is kept of an item when its turn has come; replies are kept at once.
_IN_TURN = (OutcomeDone, AnsweredDone, SummaryDone)
#: The whole run: it can't be shared, since whoever looks must see all outcomes.
_ALL = 0


class Drawn(Supply):
    """Gives out draw after draw, and keeps the outcomes of a draw when those of all draws before it are kept.

    So the store holds the outcomes of the first draws and of no others, whatever came back first, and the question is
    answered after the same draw however many requests are in flight. What was asked beyond it is paid for: its replies
    stay in the store, and a run that wants them has them.
    """

    def __init__(self, run: Run, store: Store, asker: Asker, item: Callable[[str], Item], *, ahead: int) -> None:
        super().__init__(run, store, asker, item)
        judge = asker.planner.judge
        question = parse(run.until, judge)
        self._draws = draws_of(run, question, judge, store, item)
        self._stopping = Stopping(question, self._draws)
        #: How many draws may be begun before the first of them is done.
        self._ahead = ahead
        self._begun = 0
        #: Draws of which something failed before: asked again, all of them, before anything new is drawn.
        self._failed: deque[int] = deque()
        self._again = self._started = False
        self._flying = 0
        self._held: dict[int, list[Write]] = {}
        #: The draw of each unit that was given out, by its first position.
        self._numbers: dict[int, int] = {}
        self._moved = asyncio.Event()

    async def next(self) -> Unit | None:
        """The next unit to judge; None when the question is answered or all is judged."""
        if not self._started:
            self._start()
        while not self._ended:
            if not self._ready:
                self._fill()
            if self._ready:
                self._flying += 1
                return self._ready.popleft()
            if not self._flying:
                return None
            self._moved.clear()
            await self._moved.wait()
        return None

    def stop(self) -> None:
        """Give out nothing more."""
        super().stop()
        self._moved.set()

    async def keep(self, unit: Unit, writes: Sequence[Write]) -> Sequence[Write]:
        """Store the replies at once, the outcomes in their turn; what has been stored of them by now."""
        self._flying -= 1
        kept = [write for write in writes if not isinstance(write, _IN_TURN)]
        in_turn = [write for write in writes if isinstance(write, _IN_TURN)]
        self._note(in_turn)
        done = in_turn if self._again else self._turn(unit, in_turn)
        await self._asker.ledger.put(*kept, *done)
        points.reached("outcome.durable")
        self._moved.set()
        return done

    def _turn(self, unit: Unit, writes: Sequence[Write]) -> list[Write]:
        """The writes of the draws whose turn has come with this one."""
        if self._stopping.answered:
            return []
        self._held.setdefault(self._numbers.pop(min(unit.positions)), []).extend(writes)
        first = self._stopping.seen
        answered = self._stopping.look()
        done = [self._held.pop(turn, []) for turn in range(first, self._stopping.seen)]
        if answered:
            self._held.clear()
            self._asker.enough = True
            self.stop()
        return list(chain.from_iterable(done))

    def _note(self, writes: Sequence[Write]) -> None:
        for write in writes:
            if isinstance(write, OutcomeDone):
                self._stopping.note(write.position, write.outcome)

    def _start(self) -> None:
        """Take the run, and note what is stored of it."""
        self._started = True
        if not self._store.take(self._run.id, _ALL):
            self._ended = True
            raise ConfigError(
                f"run {self._run.id} is being judged by another process, and with --until only one at a time can",
                hint="wait for it; `adjudge runs` shows how far it came",
            )
        points.reached("part.taken")
        failed = set()
        for place, outcome in self._store.placed_outcomes(self._run.id):
            if isinstance(outcome, Verdict):
                self._stopping.note(place, outcome)
                self.judged_before += 1
            else:
                failed.add(place)
        numbers = range(len(self._draws)) if failed else ()
        self._failed.extend(one for one in numbers if not failed.isdisjoint(self._draws.positions(one)))
        self._again = bool(failed)
        if not failed:
            self._look()

    def _look(self) -> None:
        """Begin where the stored outcomes end, unless they answer the question."""
        answered = self._stopping.look()
        self._begun = self._stopping.seen
        if answered:
            self.stop()

    def _fill(self) -> None:
        """Get some units ready, with the replies that are stored for them."""
        if self._again and not self._failed:
            if self._flying:
                return
            self._again = False
            self._look()
        units: list[Unit] = []
        self._chars = 0
        while len(units) < limits.LOOK_AHEAD_UNITS and self._chars < limits.STORE_PAGE_CHARS:
            number = self._draw()
            if number is None:
                break
            units.extend(self._units(number))
        self._asker.know(self._asker.look_up([call for unit in units for call in unit.calls]))
        self._ready.extend(units)

    def _draw(self) -> int | None:
        """The number of the next draw that may be begun."""
        if self._again:
            return self._failed.popleft() if self._failed else None
        if self._ended or self._begun >= min(len(self._draws), self._stopping.seen + self._ahead):
            return None
        self._begun += 1
        return self._begun - 1

    def _units(self, number: int) -> Iterator[Unit]:
        """What of a draw has no verdict; a batch is whole, and what it needs not ask again is in the store."""
        places = self._draws.positions(number)
        wanted = [place for place in places if self._together > 1 or not self._stopping.has(place)]
        if all(map(self._stopping.has, places)):
            return
        rows = self._store.items_at(self._run.data_digest, wanted)
        self._chars += sum(len(body) for _, body in rows)
        for unit in self._asker.planner.units((place, self._item(body)) for place, body in rows):
            self._numbers[min(unit.positions)] = number
            yield unit
