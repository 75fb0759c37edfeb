"""One item: its texts with what was found in them, the scores, what people said, what was sent and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import adjudge
from adjudge.api.browse import Around, item_index, item_labels
from adjudge.api.sent import sent
from adjudge.api.stored import StoredRun
from adjudge.core.judge import Judge
from adjudge.core.labels import Label
from adjudge.core.limits import REPLIES_SHOWN, WEB_PAGE_ROWS
from adjudge.core.records import Call, Failure, Item, Outcome, Prompt, Verdict
from adjudge.report.element import Child, Markup, element
from adjudge.report.page import failed, inside
from adjudge.report.raw import stage_named
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import Words, words
from adjudge.web.message import Refused, Request, Response, whole
from adjudge.web.pages.query import ItemsAsked, run_path, run_trail
from adjudge.web.router import Route
from adjudge.web.shell import fragment, page
from adjudge.web.site import Site


def shown(site: Site, request: Request) -> Response:
    """An item of a run, by its number; with `prompt`, what was sent about it too."""
    run = site.run(request)
    state = run.state
    index = item_index(run, state)
    row = index.row(whole(request.params["number"]) or 0)
    if row is None:
        raise Refused(404, f"run {run.id} has no judged item of this number", hint="items are counted from 1")
    say, asked = words(state.run.lang), ItemsAsked.read(request)
    outcome, replies = run.item_record(row.id)
    assert outcome is not None  # it is in the index, and outcomes are never taken away
    if request.fragment and request.asked("prompt"):
        return fragment(_prompts(run, outcome, state.run.version, say))
    item = run.item(row.id)
    drawn = (
        failed(run.judge, outcome, item, say, replies)
        if isinstance(outcome, Failure)
        else inside(run.judge, outcome, item, say, replies)
    )
    name = state.run.name or run.id
    return page(
        site,
        request,
        say,
        f"{row.id} · {name}",
        element("p", say("pages_item_number", n=say.number(row.number, 0)), class_="soft small over"),
        element("h1", row.id, class_="id"),
        _asked_for(run.judge, item),
        _steps(run, asked, asked.around(index, row.number), say),
        element("article", element("h2", say("pages_verdict"), class_="unseen"), drawn, class_="whole"),
        _people(run.judge, outcome, item_labels(run, row.id), say),
        element("h2", say("pages_prompts"), id="prompts"),
        element(
            "div",
            _prompts(run, outcome, state.run.version, say)
            if request.asked("prompt")
            else _on_demand(asked.address(run_path(run.id, "items", row.number), page=1), say),
            id="prompts-sent",
        ),
        trail=run_trail(state.run, say),
        scripts=["keys.js"],
    )


def _asked_for(judge: Judge, item: Item | None) -> list[Markup]:
    """The question that the judged text answers, where there is one."""
    fields = judge.with_role("query")
    return [
        element("p", text, class_="asked-for", dir="auto")
        for field in fields
        if item and (text := item.text(field.name))
    ]


def _steps(run: StoredRun, asked: ItemsAsked, around: Around, say: Words) -> Markup:
    """The way to the neighbours in the list that one came from, and back to it."""

    def step(number: int | None, word: str, key: str, rel: str) -> Markup | None:
        if number is None:
            return None
        address = asked.address(run_path(run.id, "items", number), page=1)
        return element("a", word, href=address, rel=rel, data_key=key, aria_keyshortcuts=key)

    at = max(0, around.place - 1) // WEB_PAGE_ROWS + 1
    back = f"{asked.address(run_path(run.id), page=at)}#items"
    counts = {"n": say.number(around.place, 0), "of": say.number(around.total, 0)}
    return element(
        "nav",
        step(around.previous, say("pages_earlier"), "k", "prev"),
        element("span", say("pages_item_place", **counts), class_="soft") if around.place else None,
        step(around.next, say("pages_later"), "j", "next"),
        element("a", say("pages_to_list"), href=back, data_key="u", aria_keyshortcuts="u"),
        element("span", say("pages_keys"), class_="soft small keys"),
        class_="steps",
        aria_label=say("pages_pages"),
    )


def _people(judge: Judge, outcome: Outcome, labels: Sequence[Label], say: Words) -> list[Markup]:
    """What people said of the item, beside what the judge said; what they wrote stands below."""
    if not labels:
        return []
    titles = {one.name: one.title or one.name for one in judge.scored}
    names = list(dict.fromkeys(label.annotator for label in labels))
    given = {(label.criterion, label.candidate, label.annotator): label for label in labels}
    places = [
        (name, who)
        for name in titles
        for who in dict.fromkeys(label.candidate for label in labels if label.criterion == name)
    ]
    heads = (say("criterion"), say("pages_judge_gave"), *(name or say("pages_annotator") for name in names))
    rows = []
    for name, who in places:
        own = by_candidate(outcome.scores.get(name)).get(who) if isinstance(outcome, Verdict) else None
        said = [_value(given.get((name, who, one)), say) for one in names]
        cells = [element("td", cell) for cell in (say.score(own), *said)]
        title = " · ".join(part for part in (titles[name], who) if part)
        rows.append(element("tr", element("th", title, scope="row"), cells))
    top = element("tr", [element("th", head, scope="col") for head in heads])
    table = element("table", element("thead", top), element("tbody", rows), class_="people")
    return [
        element("h2", say("pages_people")),
        element("div", table, class_="scroll", tabindex=0, role="group", aria_label=say("pages_people")),
        element("ul", [_comment(label, titles, say) for label in labels if label.comment], class_="claims"),
    ]


def _value(label: Label | None, say: Words) -> Child:
    if label is None:
        return "—"
    if label.value is None:
        return say("pages_no_value")
    return element("b", label.value if isinstance(label.value, str) else say.score(label.value))


def _comment(label: Label, titles: Mapping[str, str], say: Words) -> Markup:
    about = (label.annotator or say("pages_annotator"), titles.get(label.criterion, ""), label.candidate)
    told = " · ".join(part for part in about if part)
    return element("li", element("b", f"{told}: "), element("span", label.comment, dir="auto"))


def _on_demand(path: str, say: Words) -> Markup:
    """The exact prompts are long, and few want them."""
    address = f"{path}{'&' if '?' in path else '?'}prompt=1"
    told = say("pages_prompts_show")
    return element("p", element("a", told, href=f"{address}#prompts", hx_get=address, hx_target="#prompts-sent"))


def _prompts(run: StoredRun, outcome: Outcome, version: str, say: Words) -> list[Child]:
    found = sent(run, outcome)
    if found.embedded:
        return [element("p", say("pages_prompts_embedded"), class_="soft")]
    drawn: list[Child] = [_prompt(call, prompt, say) for call, prompt in found.prompts[:REPLIES_SHOWN]]
    if len(found.prompts) > REPLIES_SHOWN:
        drawn.append(element("p", say("more", n=len(found.prompts) - REPLIES_SHOWN), class_="soft small"))
    if not found.prompts and not found.others:
        drawn.append(element("p", say("pages_prompts_none"), class_="soft"))
    if found.others:
        drawn.append(element("p", say("pages_prompts_later", n=say.number(found.others, 0)), class_="soft small"))
    if found.prompts and version != adjudge.__version__:
        told = say("pages_prompts_version", own=adjudge.__version__, made=version)
        drawn.append(element("p", told, class_="soft small"))
    return drawn


def _prompt(call: Call, prompt: Prompt, say: Words) -> Markup:
    told = [stage_named(call.stage, say), call.criterion]
    told.append(say("pages_prompt_order", order=", ".join(call.order)) if call.order else "")
    told.append(say("pages_prompt_repeat", n=call.repeat + 1) if call.repeat else "")
    return element(
        "details",
        element("summary", " · ".join(part for part in told if part)),
        list(_texts(prompt, say)),
        class_="raw",
        open=True,
    )


def _texts(prompt: Prompt, say: Words) -> Iterator[Markup]:
    for title, text in ((say("pages_prompt_system"), prompt.system), (say("pages_prompt_user"), prompt.user)):
        yield element("h3", title)
        yield element("pre", text, dir="auto", tabindex=0)


ROUTES = (
    Route(
        method="GET", path="/runs/{run}/items/{number}", handler=shown, says="an item of a run, by its number, from 1"
    ),
)
