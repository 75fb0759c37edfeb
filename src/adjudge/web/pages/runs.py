"""The runs of the store: filtered, searched, two of them ticked to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from adjudge.api.stored import StoredRun, list_runs
from adjudge.core.limits import NAME_CHARS, WEB_PAGE_ROWS
from adjudge.core.runs import RunState
from adjudge.report.element import Child, Markup, element
from adjudge.report.head import moment
from adjudge.report.words import Words
from adjudge.store.url import shown_url, with_store
from adjudge.web.message import Request, Response
from adjudge.web.pages.figure import figure_drawn
from adjudge.web.pages.live import STATES, status_drawn
from adjudge.web.pages.query import page_number, pager, run_path, with_query, within
from adjudge.web.router import Route
from adjudge.web.shell import fragment, page
from adjudge.web.site import Site


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsAsked:
    """Which runs: "" is any."""

    search: str = ""
    judge: str = ""
    model: str = ""
    status: str = ""
    page: int = 1

    def holds(self, state: RunState) -> bool:
        """Whether a run is among them."""
        run = state.run
        searched = "\n".join((run.name, run.id, run.data_name, run.settings.model)).casefold()
        return (
            self.search.casefold() in searched
            and self.judge in ("", run.judge)
            and self.model in ("", run.settings.model)
            and self.status in ("", state.status)
        )

    def address(self, page: int) -> str:
        """Where a page of the list is."""
        fields = {"q": self.search, "judge": self.judge, "model": self.model, "status": self.status}
        return with_query("/", {**fields, "page": page if page > 1 else ""})


def listed(site: Site, request: Request) -> Response:
    """All runs, the newest first."""
    say = site.say(request)
    asked = RunsAsked(
        search=request.asked("q").strip()[:NAME_CHARS],
        judge=request.asked("judge"),
        model=request.asked("model"),
        status=request.asked("status"),
        page=page_number(request),
    )
    states = list_runs(store=site.store)
    if not states:
        return page(site, request, say, say("web_runs"), *_none_yet(site, say))
    found = [state for state in states if asked.holds(state)]
    asked = replace(asked, page=within(asked.page, len(found)))
    drawn = _found(site, found, len(states), asked, say)
    if request.fragment:
        return replace(fragment(drawn), headers={"HX-Replace-Url": asked.address(asked.page)})
    return page(
        site,
        request,
        say,
        say("web_runs"),
        element("h1", say("web_runs")),
        _filters(states, asked, say),
        element("div", drawn, id="found"),
    )


def _none_yet(site: Site, say: Words) -> list[Markup]:
    commands = (
        ("adjudge judges", say("pages_none_judges")),
        (with_store("adjudge run summary my.jsonl", site.store), say("pages_none_run")),
    )
    steps = [
        element("li", element("code", typed), element("div", told, class_="soft small")) for typed, told in commands
    ]
    return [
        element("h1", say("pages_none_yet")),
        element("p", say("pages_none_store", store=shown_url(site.store))),
        element("ol", steps, class_="commands"),
        element("p", say("pages_none_then"), class_="soft"),
    ]


def _filters(states: Sequence[RunState], asked: RunsAsked, say: Words) -> Markup:
    judges = sorted({state.run.judge for state in states})
    models = sorted({state.run.settings.model for state in states})
    return element(
        "form",
        element(
            "div",
            element("label", say("pages_search"), for_="q"),
            element("input", type="search", id="q", name="q", value=asked.search, placeholder=say("pages_search_runs")),
            class_="wide",
        ),
        select("judge", say("pages_judge"), [(one, one) for one in judges], asked.judge, say),
        select("model", say("model"), [(one, one) for one in models], asked.model, say),
        select("status", say("pages_status"), [(name, say(word)) for name, word in STATES.items()], asked.status, say),
        element("button", say("pages_filter"), type="submit"),
        class_="filters",
        role="search",
        aria_label=say("pages_filters"),
        action="/",
        method="get",
        **as_you_type("/", "#found"),
    )


def as_you_type(path: str, target: str) -> dict[str, str]:
    """Attributes of a form whose list follows what is typed; without script it is sent as any other."""
    return {
        "hx_get": path,
        "hx_target": target,
        "hx_trigger": "input changed delay:300ms from:find input[type=search], change, submit",
        "hx_sync": "this:replace",
    }


def select(
    name: str, title: str, options: Iterable[tuple[str, str]], chosen: str, say: Words, *, any_: bool = True
) -> Markup:
    """A list to choose from, under its title."""
    every = [("", say("pages_any")), *options] if any_ else list(options)
    drawn = [element("option", text, value=value, selected=value == chosen) for value, text in every]
    return element(
        "div", element("label", title, for_=f"by-{name}"), element("select", drawn, id=f"by-{name}", name=name)
    )


def _found(site: Site, found: Sequence[RunState], of: int, asked: RunsAsked, say: Words) -> list[Child]:
    shown = found[(asked.page - 1) * WEB_PAGE_ROWS :][:WEB_PAGE_ROWS]
    counts = {"n": say.number(len(found), 0), "of": say.number(of, 0)}
    told = element("p", say("pages_found_runs", **counts), class_="soft small", role="status")
    if not shown:
        clear = element("a", say("pages_clear"), href="/")
        return [told, element("p", say("pages_nothing"), " ", clear, class_="nothing")]
    heads = (
        "pages_compare_short",
        "pages_run",
        "pages_judge",
        "model",
        "pages_status",
        "pages_figure",
        "cost",
        "pages_started",
    )
    top = element("tr", [element("th", say(head), scope="col") for head in heads])
    body = [_line(site, state, say) for state in shown]
    table = element("table", element("thead", top), element("tbody", body), class_="list runs")
    button = element("button", say("pages_compare"), type="submit") if len(found) > 1 else None
    around = (asked.address(asked.page - 1), asked.address(asked.page + 1))
    return [
        told,
        element("form", table, button, action="/compare", method="get"),
        pager(asked.page, len(found), say, around),
    ]


def _line(site: Site, state: RunState, say: Words) -> Markup:
    run = state.run
    name = run.name or run.id
    tick = element("input", type="checkbox", name="run", value=run.id, aria_label=say("pages_tick", name=name))
    about = " · ".join(part for part in (run.id if run.name else "", run.data_name) if part)
    cells: list[tuple[str, Child]] = [
        ("pages_judge", element("div", run.judge, element("div", run.lang, class_="soft small"))),
        ("model", run.settings.model),
        ("pages_status", status_drawn(state, say)),
        ("pages_figure", figure_drawn(StoredRun(site.store, run.id), state, say)),
        ("cost", say.cost(state.cost_usd)),
        ("pages_started", _when(run.started)),
    ]
    return element(
        "tr",
        element("td", element("label", tick, class_="tick"), class_="ticked", data_label=say("pages_compare_short")),
        element(
            "th", element("a", name, href=run_path(run.id)), element("div", about, class_="soft small"), scope="row"
        ),
        [element("td", content, data_label=say(head)) for head, content in cells],
    )


def _when(stamp: str) -> Child:
    """A time as stored, for people: the day, and below it the minute."""
    day, _, minute = moment(stamp).partition(" ")
    return element("time", day, element("div", minute, class_="soft small") if minute else None, datetime=stamp)


ROUTES = (Route(method="GET", path="/", handler=listed, says="the runs of the store"),)
