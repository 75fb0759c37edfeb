"""One run: its report, or how far it is, and its items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from adjudge.api.browse import ItemIndex, item_index, kept_report, last_failures
from adjudge.api.comparable import others
from adjudge.api.stored import StoredRun
from adjudge.core.runs import RunState
from adjudge.report.element import Child, Markup, element
from adjudge.report.html import failures_drawn, footer_drawn, sections_drawn, summary_drawn
from adjudge.report.overview import head_and_charts
from adjudge.report.tables import Measure
from adjudge.report.words import Words, words
from adjudge.web.message import Request, Response, see_other
from adjudge.web.pages import judges
from adjudge.web.pages.downloads import FORMS
from adjudge.web.pages.items import ItemList
from adjudge.web.pages.live import polled
from adjudge.web.pages.query import ItemsAsked, item_places, run_path, with_query
from adjudge.web.router import Route
from adjudge.web.shell import fragment, page
from adjudge.web.site import Site


def shown(site: Site, request: Request) -> Response:
    """The report of a run with all its items; of one that is going on, how far it is."""
    run = site.run(request)
    if request.params["run"] != run.id:
        return see_other(with_query(run_path(run.id), {name: values[-1] for name, values in request.query.items()}))
    state = run.state
    say, index = words(state.run.lang), item_index(run, state)
    asked = ItemsAsked.read(request).within(index)
    items = ItemList(run=run, index=index, asked=asked, say=say)
    if request.fragment:
        return replace(fragment(items.found()), headers={"HX-Replace-Url": asked.address(run_path(run.id))})
    name = state.run.name or run.id
    running = state.status == "running"
    above = _going(run, state, say) if running else _reported(run, state, items.index, asked, say)
    below = () if running else (footer_drawn(kept_report(run, state), say),)
    return page(
        site,
        request,
        say,
        name,
        *above,
        items.section(),
        *below,
    )


def _going(run: StoredRun, state: RunState, say: Words) -> Iterator[Child]:
    yield element("h1", run.judge.title or run.judge.name)
    yield element("p", " · ".join((state.run.shown, state.run.settings.model)), class_="sub")
    yield _ways(run, state, say)
    yield polled(state, last_failures(run), say)
    yield element("p", say("pages_so_far"), class_="soft")


def _reported(run: StoredRun, state: RunState, index: ItemIndex, asked: ItemsAsked, say: Words) -> Iterator[Child]:
    report = kept_report(run, state)
    path = run_path(run.id)

    def bars(measure: Measure) -> Callable[[str], str]:
        return lambda label: f"{asked.address(path, bar=f'{measure.name}:{label}', page=1)}#items"

    drawn = head_and_charts(report, say, link=bars, people=run.people(), spending=run.spending())
    # the title and the name of the run come first, then the ways on
    yield from (next(drawn), next(drawn), _ways(run, state, say))
    yield from drawn
    place = item_places(run, index)
    yield from summary_drawn(report, say, place)
    yield from sections_drawn(report.sections, place)
    yield from failures_drawn(report, say, place)


def _ways(run: StoredRun, state: RunState, say: Words) -> Markup:
    """Where one can go from here: the items, labels, the judge, other runs, files."""
    path = run_path(run.id)
    links = [
        element("a", say("pages_items_link"), href="#items"),
        element("a", say("pages_label"), href=f"{path}/label"),
        element("a", say("labels_title"), href=f"{path}/labels"),
        element("a", say("pages_agreement"), href=f"{path}/agreement"),
        element("a", say("pages_judge_link"), href=judges.address(run.judge.name, run=run.id)),
    ]
    files = [element("li", element("a", say(word), href=f"{path}/{form}")) for form, (word, _) in FORMS.items()]
    return element(
        "div",
        element("nav", links, aria_label=say("pages_ways"), class_="ways-links"),
        _compared(run, state, say),
        element("details", element("summary", say("pages_downloads")), element("ul", files), class_="menu"),
        class_="ways",
    )


def _compared(run: StoredRun, state: RunState, say: Words) -> Markup | None:
    """A choice among the runs of the same judge and data."""
    found = [one.state.run for one in others(run) if one.same_data and not one.bar]
    if not found:
        return None
    options = [element("option", f"{one.name or one.id} · {one.settings.model}", value=one.id) for one in found[:100]]
    return element(
        "form",
        element("input", type="hidden", name="run", value=state.run.id),
        element("label", say("pages_with_another"), for_="other"),
        element("select", options, id="other", name="run", title=say("pages_choose")),
        element("button", say("pages_compare_short"), type="submit"),
        action="/compare",
        method="get",
    )


ROUTES = (Route(method="GET", path="/runs/{run}", handler=shown, says="a run: its report and its items"),)
