"""The exact prompts of a judge, for a row of a bundled sample or for an item of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.api.inspect import Shown, prompts_for
from adjudge.api.judges import newest, sample
from adjudge.api.sent import Sent, sent
from adjudge.api.stored import StoredRun
from adjudge.core.judge import Judge
from adjudge.report.element import Child, Markup, element
from adjudge.report.words import Words
from adjudge.spec.criteria import STAGED
from adjudge.store.store import open_store
from adjudge.web.message import Refused, Request
from adjudge.web.pages.query import counted, with_query


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """What the prompts are for, in words, and the prompts; `rows` is how many there are to choose from.

    `sent`: they are those that were sent; `others` is how many more there were, which followed from replies.
    """

    told: str
    prompts: tuple[Shown, ...]
    number: int
    rows: int
    staged: bool
    fields: dict[str, str]
    embedded: bool = False
    sent: bool = False
    others: int = 0


def drawn(
    request: Request, judge: Judge, digest: str, run: StoredRun | None, store: str, say: Words
) -> Iterator[Child]:
    """The prompts for the row or item that the address names; by default the first of a sample that fits."""
    fields, made = {"lang": judge.lang, "digest": digest}, newest(digest, store)
    row = None if run else _sampled(request, judge, fields, say)
    if row is None and (run or made):
        row = _of_run(request, judge, run or StoredRun(store, made.id if made else ""), fields, say)
    yield element("h2", say("judge_prompts" if row and len(row.prompts) > 1 else "judge_prompt"), id="prompts")
    if row is None:
        yield element("p", say("judge_prompt_none"), class_="soft")
        return
    yield element("p", row.told, class_="soft")
    notes = [
        (row.embedded, say("judge_prompt_embedded")),
        (made is not None and made.lang == judge.lang and digest != judge.digest, say("judge_prompt_now")),
        (not row.sent and any(one.stage != "judge" for one in row.prompts), say("judge_prompt_later")),
        (row.others > 0, say("pages_prompts_later", n=say.number(row.others, 0))),
    ]
    yield [element("p", told, class_="soft small") for holds, told in notes if holds]
    if any(one.kind in STAGED for one in judge.criteria) and not row.fields.get("run"):
        yield _ways(judge, row, say)
    if row.rows > 1:
        yield _chooser(judge, row, say)
    for place, one in enumerate(row.prompts):
        yield _prompt(place, one, judge, len(row.prompts) > 1, say)


def _sampled(request: Request, judge: Judge, fields: dict[str, str], say: Words) -> _Row | None:
    name, items = sample(judge)
    if not items:
        return None
    number = counted("row", request.asked("row", "1")) or 1
    if number > len(items):
        raise Refused(404, f"there is no row {number} in {name}", hint=f"it has {len(items)}")
    stages = request.asked("staged")
    if stages not in ("", "yes", "no"):
        raise Refused(400, "staged is yes or no")
    staged = stages == "yes" if stages else judge.staged
    able = any(one.kind in STAGED for one in judge.criteria)
    return _Row(
        told=say("judge_prompt_sample", row=number, data=name),
        prompts=prompts_for(judge, items[number - 1], staged=staged if able else None),
        number=number,
        rows=len(items),
        staged=staged and able,
        fields=fields,
    )


def _of_run(request: Request, judge: Judge, run: StoredRun, fields: dict[str, str], say: Words) -> _Row:
    state, number = run.state, counted("row", request.asked("row", "1")) or 1
    with open_store(run.store, create=False) as store:
        found = next(store.items(state.run.data_digest, number - 1, number - 1), None)
    item = run.item(found[1]) if found else None
    if found is None or item is None:
        raise Refused(404, f"run {run.id} has no item {number}", hint=f"it has {state.run.items}")
    outcome, _ = run.item_record(found[1])
    was = sent(run, outcome) if outcome else Sent()
    prompts = tuple(
        Shown(stage=call.stage, prompt=prompt, criterion=call.criterion, order=call.order)
        for call, prompt in was.prompts
        if call.repeat == 0
    )
    return _Row(
        told=say("judge_prompt_item", number=number, run=state.run.name or run.id),
        prompts=prompts or prompts_for(judge, item, staged=state.run.staged or None),
        number=number,
        rows=state.run.items,
        staged=state.run.staged,
        fields=fields | {"run": run.id},
        embedded=was.embedded,
        sent=bool(prompts),
        others=was.others if prompts else 0,
    )


def _ways(judge: Judge, row: _Row, say: Words) -> Markup:
    """In one call or in stages, where the judge has both."""
    links = [
        element(
            "a",
            say("judge_in_stages" if staged else "judge_one_call"),
            href=_address(judge, row, staged=staged),
            aria_current="true" if staged == row.staged else None,
        )
        for staged in (False, True)
    ]
    return element("nav", links, class_="filters", aria_label=say("judge_ways"))


def _address(judge: Judge, row: _Row, *, staged: bool) -> str:
    chosen = {**row.fields, "row": row.number, "staged": "yes" if staged else "no"}
    return f"{with_query(f'/judges/{judge.name}', chosen)}#prompts"


def _chooser(judge: Judge, row: _Row, say: Words) -> Markup:
    hidden = {**row.fields, "staged": ("yes" if row.staged else "no") if not row.fields.get("run") else ""}
    return element(
        "form",
        [element("input", type="hidden", name=name, value=value) for name, value in hidden.items() if value],
        element("label", say("judge_row"), for_="row"),
        element("input", type="number", name="row", id="row", value=row.number, min=1, max=row.rows),
        element("span", say("n_of", n=say.number(row.number, 0), of=say.number(row.rows, 0)), class_="soft small"),
        element("button", say("judge_show"), type="submit"),
        class_="controls",
        action=f"/judges/{judge.name}#prompts",
        method="get",
    )


def _prompt(place: int, one: Shown, judge: Judge, several: bool, say: Words) -> list[Child]:
    titles = {each.name: each.title or each.name for each in judge.criteria}
    about = [titles.get(one.criterion, one.criterion), " → ".join(one.order)]
    of = "; ".join(filter(None, about))
    title = say("judge_stage_of", stage=one.stage, criterion=of) if of else say("judge_stage", stage=one.stage)
    parts = [("system", say("judge_system"), one.prompt.system), ("user", say("judge_user"), one.prompt.user)]
    if one.prompt.schema:
        schema = json.dumps(one.prompt.schema, ensure_ascii=False, indent=2)
        parts.append(("schema", say("judge_schema"), schema))
    return [
        element("h3", title, class_="titled") if several else None,
        [[element("h4" if several else "h3", head), block(f"{name}-{place}", text, say)] for name, head, text in parts],
    ]


def block(name: str, text: str, say: Words) -> Markup:
    """A text as it is, with a button that copies it where scripts run."""
    button = element(
        "button", say("judge_copy"), type="button", data_copy=name, data_done=say("judge_copied"), hidden=True
    )
    return element(
        "div", button, element("div", text, class_="prompt", id=name, dir="auto", tabindex=0), class_="copied"
    )
