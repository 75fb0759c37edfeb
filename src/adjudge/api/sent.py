"""The exact prompts of an item, rendered again from what is stored."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.api.stored import StoredRun
from adjudge.core.judge import Judge
from adjudge.core.records import EMBEDDED, Call, Item, Outcome, Prompt
from adjudge.run.plan import Options, Planner, judged_text
from adjudge.spec.criteria import STAGED
from adjudge.spec.prompt import render
from adjudge.spec.stages import part_of, render_claims
from adjudge.store.store import open_store


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """What was sent about an item: the prompts with their calls, and how many other calls there were.

    The others followed from earlier replies. `embedded`: the judge was asked for nothing in words.
    """

    prompts: tuple[tuple[Call, Prompt], ...] = ()
    others: int = 0
    embedded: bool = False


def sent(run: StoredRun, outcome: Outcome) -> Sent:
    """What was sent about an item; a prompt is shown where what is stored gives the very key that was asked under."""
    with open_store(run.store, create=False) as store:
        calls = store.calls_of(run.id, dict.fromkeys(outcome.calls))
        settings = store.state(run.id).run.settings
    if any(state.reply and state.reply.mode == EMBEDDED for state in calls):
        return Sent(embedded=True)
    planner = Planner(judge=run.judge, settings=settings, options=Options())
    prompts = []
    for state in calls:
        items = [item for name in state.call.items if (item := run.item(name)) is not None]
        if len(items) == len(state.call.items):
            prompt = _prompt(planner, run.judge, state.call, items)
            prompts += [] if prompt is None else [(state.call, prompt)]
    return Sent(prompts=tuple(prompts), others=len(calls) - len(prompts))


def _prompt(planner: Planner, judge: Judge, call: Call, items: list[Item]) -> Prompt | None:
    if call.stage == "claims" and len(items) == 1:
        text = judged_text(judge, items[0]) or ""
        planned = planner.call("claims", (), about=items, after=text, criterion=call.criterion)
        criterion = judge.criterion(call.criterion)
        return render_claims(judge, criterion, call.key, text) if planned.key == call.key else None
    planned = planner.call(call.stage, items, order=call.order, repeat=call.repeat, criterion=call.criterion)
    if planned.key != call.key:
        return None
    if call.stage == "rest":
        return render(part_of(judge, [one.name for one in judge.criteria if one.kind not in STAGED]), call, items)
    return render(judge, call, items) if call.stage in ("judge", "again", "probe") else None
