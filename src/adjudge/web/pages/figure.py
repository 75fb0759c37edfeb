"""The main figure of a run in the list: it takes all verdicts of the run, so it is made when its row is looked at."""

from __future__ import annotations

import threading

from adjudge.api.browse import kept_report, known_report
from adjudge.api.stored import StoredRun
from adjudge.core.limits import WEB_FIGURE_ITEMS
from adjudge.core.runs import RunState
from adjudge.report.basis import narrowed
from adjudge.report.element import Markup, element
from adjudge.report.tables import Report
from adjudge.report.warn import warn_over
from adjudge.report.words import Words
from adjudge.web.message import Request, Response, see_other
from adjudge.web.pages.query import run_path
from adjudge.web.router import Route
from adjudge.web.site import Site

_ONE = threading.Lock()


def figure(site: Site, request: Request) -> Response:
    """The main figure of a run."""
    run = site.run(request)
    if not request.fragment:
        return see_other(run_path(run.id))
    # one at a time: who looks at a list must not keep the pages of others waiting
    with _ONE:
        report = kept_report(run)
    return Response(body=_drawn(run, report, site.say(request)))


def figure_drawn(run: StoredRun, state: RunState, say: Words) -> Markup:
    """The figure where it is known; else what asks for it when it comes into sight."""
    if state.status == "running" or not state.judged or state.run.items > WEB_FIGURE_ITEMS:
        return element("span", "—", class_="soft")
    if report := known_report(run, state):
        return _drawn(run, report, say)
    return element(
        "span",
        "—",
        class_="soft",
        hx_get=run_path(run.id, "figure"),
        hx_trigger="revealed",
        hx_swap="outerHTML",
        hx_target="this",
    )


def _drawn(run: StoredRun, report: Report, say: Words) -> Markup:
    """What the judge derives first, else its first criterion; of candidates, what the best one has."""
    best = report.ranking[0] if report.candidates else None
    one = best.total if best else (report.derived or report.criteria)[0]
    told = f"{best.name} · {one.title} · " if best else f"{one.title} · "
    ends = element("span", say.interval(one.ci95, one.digits), class_="soft small") if one.ci95 else None
    counted = element("span", say.n_of(one.n, one.of), class_="counted")
    mean = element("b", f"{say.number(one.mean, one.digits)}{f' {one.unit}' if one.unit else ''}")
    note = None
    if over := narrowed(run.judge, one.name, one.basis):
        short = say("pages_figure_over", names=", ".join(over))
        note = element("div", f"! {short}", class_="small", title=warn_over(one.title, over, say))
    return element("div", mean, " ", ends, element("div", told, counted, class_="soft small"), note)


ROUTES = (Route(method="GET", path="/runs/{run}/figure", handler=figure, says="the main figure of a run"),)
