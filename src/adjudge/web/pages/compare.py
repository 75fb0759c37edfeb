"""Runs side by side: which are chosen, which is better, what decides their numbers, what changed for each item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from adjudge.api.changes import Looked, look
from adjudge.api.stored import StoredRun
from adjudge.core.limits import WEB_COMPARED
from adjudge.core.runs import Run, RunState
from adjudge.report.compared import labels
from adjudge.report.compared_chart import difference_chart
from adjudge.report.element import Child, Markup, element
from adjudge.report.html import sections_drawn
from adjudge.report.overview import warnings_drawn
from adjudge.report.page import prose
from adjudge.report.tables import Section
from adjudge.report.words import Words, words
from adjudge.web.differ import lines_apart
from adjudge.web.message import Refused, Request, Response
from adjudge.web.pages import both, changed, choose
from adjudge.web.pages.choose import SHEETS, table
from adjudge.web.pages.query import run_path
from adjudge.web.router import Route
from adjudge.web.shell import page
from adjudge.web.site import Site

#: Of what differs in a file of a judge.
LINES_SHOWN = 400
_PARTS = {
    "adjudge": "changes_part_adjudge",
    "judge": "changes_part_judge",
    "lang": "changes_part_lang",
    "data": "changes_part_data",
    "n": "changes_part_n",
    "model": "changes_part_model",
    "revision": "changes_part_revision",
    "url": "changes_part_url",
    "temperature": "changes_part_temperature",
    "max_tokens": "changes_part_max_tokens",
    "repeat": "changes_part_repeat",
    "orders": "changes_part_orders",
    "batch": "changes_part_batch",
    "ask": "changes_part_ask",
    "reasons": "changes_part_reasons",
    "staged": "changes_part_staged",
    "window": "changes_part_window",
    "probe_batch": "changes_part_probe_batch",
    "candidates": "changes_part_candidates",
    "until": "changes_part_until",
    "probabilities": "changes_part_probabilities",
    "seed": "changes_part_seed",
}


def chosen(site: Site, request: Request) -> list[StoredRun]:
    """The runs that the address names, by their ids or names."""
    names = [name for name in request.query.get("run", []) if name]
    if len(names) > WEB_COMPARED:
        raise Refused(
            400, f"{len(names)} runs are too many to be compared at once", hint=f"take {WEB_COMPARED} at most"
        )
    return [site.named(name) for name in names]


def compared(site: Site, request: Request) -> Response:
    """Two or more runs compared; fewer are chosen from."""
    runs = chosen(site, request)
    if len(runs) < 2:
        return choose.second(site, request, runs[0]) if runs else choose.first(site, request)
    looked = look(runs)
    say, states = words(looked.sheet.lang), [run.state for run in runs]
    sheet, short = looked.sheet, labels([state.run.name or state.run.id for state in states])
    content: list[Child] = [
        element("h1", sheet.title),
        element("p", " · ".join(sheet.facts), class_="sub"),
        element("p", _named(states, short), class_="sub"),
        [element("p", prose(answer), class_="verdict answer") for answer in sheet.answers],
        warnings_drawn(sheet.warnings, say),
        _ways(looked, say),
        _chart(looked, say),
        _figures(sheet.sections, say),
        _settings([state.run for state in states], short, say),
        _files(runs, short, say),
    ]
    if looked.changes is not None:
        means, rates = looked.found.by == "candidate", looked.found.same_texts
        content.append(changed.items(request, states, short, looked.changes, say, means=means, rates=rates))
    return page(site, request, say, sheet.title, *content, styles=SHEETS)


def opened(site: Site, request: Request) -> Response:
    """One item in two runs: both verdicts, and its texts."""
    runs = chosen(site, request)
    if len(runs) != 2:
        raise Refused(400, f"an item is shown for two runs, not for {len(runs)}", hint="/compare chooses them")
    return both.both(site, request, runs)


def _named(states: Sequence[RunState], short: Sequence[str]) -> Iterator[Child]:
    for place, (state, label) in enumerate(zip(states, short, strict=True)):
        if place:
            yield " · "
        yield element("a", label, href=run_path(state.run.id))


def _chart(looked: Looked, say: Words) -> Iterator[Markup]:
    sides = looked.found.sides
    if len(sides) == 2 and (chart := difference_chart(looked.found, say)):
        yield element("h2", say("changes_chart"))
        yield chart
        note = "changes_rated_chart_note" if looked.found.same_texts else "changes_chart_note"
        yield element("p", say(note, a=sides[0].label, b=sides[1].label), class_="soft small")


def _ways(looked: Looked, say: Words) -> Markup:
    """Where on the page is what."""
    places = [("settings", say("changes_settings"))]
    if looked.changes is not None:
        places.append(("items", say("changes_items")))
    links = [element("a", title, href=f"#{name}") for name, title in places]
    return element("nav", links, class_="links", aria_label=say("changes_ways"))


def _figures(sections: Sequence[Section], say: Words) -> Iterator[Markup]:
    """The table of verdicts; what is behind it opens on a click."""
    yield from sections_drawn(sections[:1])
    if rest := sections[1:]:
        titles = ", ".join(section.title for section in rest)
        summary = element("summary", say("changes_figures", titles=titles))
        yield element("details", summary, sections_drawn(rest), class_="barred")


def _settings(runs: Sequence[Run], short: Sequence[str], say: Words) -> Iterator[Markup]:
    """What decides the numbers of each run, what differs first."""
    parts = [run.parts for run in runs]
    differ, same = list[Markup](), list[Markup]()
    for name in dict.fromkeys(name for one in parts for name in one):
        values = [str(one[name]) if name in one else say("changes_unset") for one in parts]
        apart = len(set(values)) > 1
        word = element("td", say("changes_differs" if apart else "changes_equal"), class_="soft small")
        head = element("th", say(_PARTS[name]) if name in _PARTS else name, scope="row")
        row = element("tr", head, [element("td", value, class_="value") for value in values], word)
        (differ if apart else same).append(row)
    heads = (say("changes_setting"), *short, "")
    title = say("changes_settings")
    yield element("h2", title, id="settings")
    yield table(title, heads, differ) if differ else element("p", say("changes_all_same"), class_="soft")
    summary = element("summary", say("changes_settings_same", n=len(same)))
    yield element("details", summary, table(title, heads, same), class_="barred")


def _files(runs: Sequence[StoredRun], short: Sequence[str], say: Words) -> Iterator[Markup]:
    """What differs in the texts of two judges."""
    if len(runs) != 2:
        return
    before, after = ({name: run.judge.files[name] for name in _texts(run)} for run in runs)
    # texts in another language have no line in common
    apart = [name for name in before if name in after and before[name] != after[name]]
    if apart:
        yield element("h2", say("changes_files"))
        yield element("p", say("changes_files_legend", a=short[0], b=short[1]), class_="soft small")
    for name in apart:
        lines = lines_apart(name, before[name], after[name])
        yield element("h3", name)
        if lines is None:
            yield element("p", say("changes_files_long"), class_="soft small")
            continue
        drawn = [_line(line) for line in islice(lines, LINES_SHOWN + 1)]
        yield element("div", drawn[:LINES_SHOWN], class_="diff", tabindex=0, role="group", aria_label=name)
        if len(drawn) > LINES_SHOWN:
            yield element("p", "…", class_="soft")


def _texts(run: StoredRun) -> tuple[str, str]:
    return "judge.yaml", f"{run.judge.lang}.yaml"


def _line(line: str) -> Markup:
    kind = {"+": "new", "-": "gone", "@": "place"}.get(line[:1])
    return element("div", f"−{line[1:]}" if kind == "gone" else line or " ", class_=kind)


ROUTES = (
    Route(method="GET", path="/compare", handler=compared, says="runs side by side"),
    Route(method="GET", path="/compare/item", handler=opened, says="an item in two runs"),
)
