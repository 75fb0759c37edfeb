"""A batch of items in one call: what is valid is kept; what is missing is asked again together, then one by one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from adjudge.core.errors import AdjudgeError, ContextTooLong, ModelError, Refused, ReplyError
from adjudge.core.records import Call, Item, Opinion, Prompt
from adjudge.reply.read import Reading
from adjudge.run.ask import Leave
from adjudge.run.plan import Planner, Unit

Consult = Callable[[Call, Sequence[Item]], Awaitable[tuple[Reading, Prompt, list[str]]]]
#: The same with what the calls about an item have in common.
Ask = Callable[[Call, Sequence[Item], Leave], Awaitable[tuple[Reading, Prompt, list[str]]]]


class Batch:
    """What is known so far of the items of one unit, by id: nothing is ever matched by position."""

    def __init__(self, unit: Unit) -> None:
        self.items = unit.items
        self.opinions: dict[str, list[Opinion]] = {item.id: [] for item in unit.items}
        self.errors: dict[str, list[AdjudgeError]] = {item.id: [] for item in unit.items}
        self.keys: dict[str, list[str]] = {item.id: [] for item in unit.items}
        self.summaries: list[Mapping[str, str]] = []
        #: From 1, of the items that were judged in the place that the plan gave them, among others.
        self.places = {item.id: place for place, item in enumerate(unit.items, 1)} if len(unit.items) > 1 else {}

    async def judge(self, call: Call, planner: Planner, ask: Ask) -> None:
        """One repeat of the batch: all, then those without an opinion, then each of those alone.

        For an item these are up to three questions, with no less room from one to the next. The calls that follow a
        reply that can't be used are theirs together: what the batch took, the item alone does without.
        """
        leave = Leave(settings=planner.settings)
        rest = await self._ask(call, self.items, ask, leave)
        if worth := [item for item in self.items if _worth_asking(rest.get(item.id))]:
            if 1 < len(worth) < len(self.items):
                rest |= await self._ask(_again(planner, call, worth, leave), worth, ask, leave)
                worth = [item for item in worth if _worth_asking(rest.get(item.id))]
            for item in worth if len(self.items) > 1 else ():
                rest |= await self._ask(_again(planner, call, [item], leave), [item], ask, replace(leave))
        for item_id, error in rest.items():
            if error is not None:
                self.errors[item_id].append(error)

    async def _ask(self, call: Call, items: Sequence[Item], ask: Ask, leave: Leave) -> dict[str, AdjudgeError | None]:
        """Ask about some items and note what came; the result says of each why it has no opinion, or None."""
        try:
            reading, _, keys = await ask(call, items, leave)
        except (ModelError, ReplyError) as error:
            for item in items:
                self.keys[item.id].extend(error.calls)
            return dict.fromkeys((item.id for item in items), error.with_traceback(None))
        if reading.summary and call.repeat == 0:  # repeats speak of the same items again
            self.summaries.append(reading.summary)
        for item in items:
            self.keys[item.id].extend(keys)
            if call.stage == "again":
                self.places.pop(item.id, None)
            if item.id in reading.opinions:
                opinion = reading.opinions[item.id]
                flags = (*opinion.flags, *reading.flags)
                self.opinions[item.id].append(replace(opinion, flags=flags, repeat=call.repeat))
        return {item.id: None if item.id in reading.opinions else reading.failures[item.id] for item in items}


def _again(planner: Planner, first: Call, items: Sequence[Item], leave: Leave) -> Call:
    """A call about items that were asked about before; with other room than usual it is another call."""
    after = None if leave.settings == planner.settings else leave.settings.max_tokens
    return planner.call("again", items, repeat=first.repeat, after=after)


def _worth_asking(error: AdjudgeError | None) -> bool:
    """A fault of form may pass with fewer items, and so may length and refusal; a dead line will not."""
    return isinstance(error, ReplyError | ContextTooLong | Refused)
