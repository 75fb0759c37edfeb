"""One item by calls of its own planning: what every such way of asking keeps, and how a repeat is lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from adjudge.core.errors import AdjudgeError, ModelError, ReplyError
from adjudge.core.judge import Judge
from adjudge.core.records import Call, Item, Opinion
from adjudge.run.ask import Asker
from adjudge.run.plan import Unit
from adjudge.run.reading import flagged, reader_of
from adjudge.spec.prompt import render


class Repeats(ABC):
    """What is known so far of one item: an opinion for each repeat of which everything was read."""

    def __init__(self, judge: Judge, unit: Unit) -> None:
        self._judge = judge
        (self.item,), (self._place,) = unit.items, unit.positions
        self.opinions: list[Opinion] = []
        self.errors: list[AdjudgeError] = []
        self.keys: list[str] = []

    @property
    def _span(self) -> tuple[int, int]:
        return self._place, self._place

    async def ask(self, asker: Asker) -> None:
        """All repeats, one after another: what is listed in the first is checked in all of them."""
        for repeat in range(asker.planner.options.repeat):
            try:
                opinion = await self._repeat(asker, repeat)
            except (ModelError, ReplyError) as error:
                self.keys.extend(error.calls)
                self.errors.append(error.with_traceback(None))
            else:
                self.opinions.append(replace(opinion, repeat=repeat))

    async def _verdict(self, asker: Asker, judge: Judge, call: Call, item: Item) -> tuple[Opinion, list[str]]:
        """What one call says of all criteria of a judge that was made for it, and the keys it took."""
        prompt = render(judge, call, (item,))
        reading, keys = await asker.consult(call, self._span, prompt, (item,), reader_of(judge, prompt, (item,)))
        return flagged(reading.opinions[""], reading.flags), keys

    @abstractmethod
    async def _repeat(self, asker: Asker, repeat: int) -> Opinion:
        """The opinion of one repeat; the keys of calls that were answered are noted, those of an error it carries."""
