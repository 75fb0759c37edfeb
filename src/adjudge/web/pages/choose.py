"""Which runs are to be compared: the first, then those that it can be compared with."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.api.comparable import Other, others
from adjudge.api.stored import StoredRun, list_runs
from adjudge.core.runs import Run, RunState
from adjudge.report.element import Markup, element
from adjudge.report.words import Words
from adjudge.web.message import Request, Response
from adjudge.web.pages.query import run_trail, with_query
from adjudge.web.shell import page
from adjudge.web.site import Site

SHEETS = ("compare.css",)
#: Of the runs to choose from.
LISTED = 200
_BARS = {"judge": "changes_why_judge", "scales": "changes_why_scales", "nothing": "changes_why_nothing"}


def first(site: Site, request: Request) -> Response:
    """The runs, one of which is to be compared."""
    say, asked = site.say(request), request.asked("q").strip()
    every = list_runs(store=site.store)
    found = [state for state in every if _meant(state.run, asked)]
    rows = [
        element(
            "tr",
            element(
                "th",
                element("a", state.run.name or state.run.id, href=_with(state.run)),
                scope="row",
            ),
            _facts(state),
        )
        for state in found[:LISTED]
    ]
    heads = [say(name) for name in ("changes_run", "changes_judge", "model", "judged", "changes_started")]
    return page(
        site,
        request,
        say,
        say("changes_choose"),
        element("h1", say("changes_choose")),
        element("p", say("changes_first" if every else "changes_no_runs"), class_="sub"),
        _search(say, asked, "") if len(every) > 1 else None,
        element("p", say("changes_found_none"), class_="soft") if every and not found else None,
        table(say("web_runs"), heads, rows) if rows else None,
        _more(say, len(rows), len(found)),
        styles=SHEETS,
    )


def second(site: Site, request: Request, run: StoredRun) -> Response:
    """The runs that one can be compared with, and why not with the others."""
    say, asked, ours = site.say(request), request.asked("q").strip(), run.state.run
    name, every = ours.name or ours.id, list(others(run))
    meant = [one for one in every if _meant(one.state.run, asked)]
    fit, barred = [one for one in meant if not one.bar], [one for one in meant if one.bar]
    rows = [_choice(one, say) for one in fit[:LISTED]]
    heads = [say(word) for word in ("changes_run", "changes_judge", "model", "judged", "changes_started", "data")]
    title = say("changes_second", run=name)
    form = element(
        "form",
        element("input", type="hidden", name="run", value=ours.id),
        table(title, heads, rows),
        element("p", element("button", say("changes_go"), type="submit")),
        action="/compare",
        method="get",
    )
    why = element(
        "details",
        element("summary", say("changes_barred", count=say.number(len(barred), 0))),
        element("ul", [_barred(one, say) for one in barred[:LISTED]]),
        class_="barred",
    )
    return page(
        site,
        request,
        say,
        title,
        element("h1", title),
        element("p", say("changes_second_hint"), class_="sub") if fit else None,
        _search(say, asked, ours.id) if len(every) > 1 else None,
        form
        if rows
        else element("p", say("changes_found_none") if asked else say("changes_none", run=name), class_="soft"),
        _more(say, len(rows), len(fit)),
        why if barred else None,
        trail=run_trail(ours, say),
        styles=SHEETS,
    )


def _meant(run: Run, asked: str) -> bool:
    wanted = asked.casefold()
    return any(wanted in text.casefold() for text in (run.name, run.id, run.judge, run.settings.model))


def _facts(state: RunState) -> list[Markup]:
    run = state.run
    cells = (run.judge, run.settings.model, f"{state.judged}/{run.items}", run.started[:16].replace("T", " "))
    return [element("td", cell) for cell in cells]


def _choice(one: Other, say: Words) -> Markup:
    run = one.state.run
    box = element("input", type="checkbox", name="run", value=run.id)
    data = say("changes_same_data" if one.same_data else "changes_other_data")
    label = element("label", box, " ", run.name or run.id)
    return element("tr", element("th", label, scope="row"), _facts(one.state), element("td", data))


def _barred(one: Other, say: Words) -> Markup:
    told = {"judge": {"judge": one.told}, "scales": {"names": one.told}}.get(one.bar, {})
    return element("li", element("b", one.state.run.shown), ": ", say(_BARS[one.bar], **told))


def _with(run: Run) -> str:
    return with_query("/compare", {"run": run.id})


def _search(say: Words, asked: str, first: str) -> Markup:
    return element(
        "form",
        element("input", type="hidden", name="run", value=first) if first else None,
        element("label", say("changes_search_runs"), for_="search"),
        element("input", type="search", name="q", id="search", value=asked, maxlength=200),
        element("button", say("changes_apply"), type="submit"),
        class_="controls",
        action="/compare",
        method="get",
    )


def _more(say: Words, shown: int, of: int) -> Markup | None:
    if shown == of:
        return None
    return element("p", say("changes_newest", shown=say.number(shown, 0), of=say.number(of, 0)), class_="soft small")


def table(title: str, heads: Sequence[str], rows: Sequence[Markup]) -> Markup:
    """A table under its heads, which scrolls where it is too wide; the title is for those who hear the page."""
    top = element("tr", [element("th", head, scope="col") for head in heads])
    drawn = element("table", element("thead", top), element("tbody", rows))
    return element("div", drawn, class_="scroll", tabindex=0, role="group", aria_label=title)
