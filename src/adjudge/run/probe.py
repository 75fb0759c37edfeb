"""Whether batches change the verdicts: a seeded sample of their items is judged by itself too, with the same prompt."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence

from adjudge.core.errors import AdjudgeError, BudgetSpent, ModelError, ReplyError
from adjudge.core.records import Call, Item, Opinion
from adjudge.core.runs import in_batches
from adjudge.run.batch import Consult
from adjudge.run.plan import DEFAULT_BATCH, Options, Planner, Unit


def probed(options: Options, items: int) -> frozenset[int]:
    """The positions of the items to be judged by themselves too, drawn from those that are not alone in their batch."""
    if not options.probe_batch:
        return frozenset()
    together = in_batches(items, options.batch_size or DEFAULT_BATCH)
    draw = random.Random(f"{options.seed}/probe")  # noqa: S311
    return frozenset(draw.sample(range(together), min(options.probe_batch, together)))


def probes(planner: Planner, unit: Unit, places: frozenset[int]) -> list[tuple[Item, tuple[Call, ...]]]:
    """The items of a batch that are to be judged by themselves, each with a call for every repeat of the batch."""
    return [
        (item, tuple(planner.call("probe", [item], repeat=call.repeat) for call in unit.calls))
        for place, item in zip(unit.positions, unit.items, strict=True)
        if place in places
    ]


async def judged_singly(
    asked: Sequence[tuple[Item, tuple[Call, ...]]], consult: Consult
) -> Mapping[str, Sequence[Opinion]]:
    """What is said of each item by itself, where anything is: a probe that fails leaves the verdict as it is."""
    calls = [(item, call) for item, several in asked for call in several]
    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(_one(item, call, consult)) for item, call in calls]
    found: dict[str, list[Opinion]] = {}
    for (item, _), task in zip(calls, asking, strict=True):
        result = task.result()
        if isinstance(result, BudgetSpent):
            raise result
        if not isinstance(result, AdjudgeError):
            found.setdefault(item.id, []).append(result)
    return found


async def _one(item: Item, call: Call, consult: Consult) -> Opinion | AdjudgeError:
    try:
        reading, _, _ = await consult(call, [item])
    except (ModelError, ReplyError, BudgetSpent) as error:
        return error.with_traceback(None)
    return reading.opinions.get(item.id) or reading.failures[item.id]
