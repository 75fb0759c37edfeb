"""The upper part of a report's page: its head, its warnings, and its charts with the numbers beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from adjudge.core.runs import Spent
from adjudge.report.charts import (
    histogram_chart,
    interval_chart,
    pauses_told,
    people_chart,
    people_told,
    shade,
    spending_chart,
    spending_told,
    standing_chart,
    standing_legend,
)
from adjudge.report.charts.spending import measured
from adjudge.report.element import Child, Markup, element
from adjudge.report.head import head
from adjudge.report.means import means_note
from adjudge.report.page import prose
from adjudge.report.people import Against
from adjudge.report.tables import Candidate, Measure, Report
from adjudge.report.words import Words

#: Where the bars of a measure's histogram lead, by their labels.
Link: TypeAlias = Callable[[Measure], Callable[[str], str]]
#: The other warnings are folded, or the numbers that they are about would stand far below.
WARNINGS_SHOWN = 3


def head_and_charts(
    report: Report,
    say: Words,
    *,
    link: Link | None = None,
    people: Sequence[Against] = (),
    spending: Sequence[Spent] = (),
) -> Iterator[Markup]:
    """What was judged, by whom, when and for how much; then the charts, as far as there is something to draw."""
    yield from head(report, say)
    yield from warnings_drawn(report.warnings, say)
    yield from _candidates(report, say)
    yield from _criteria(report, say)
    yield from _distributions(report, say, link)
    yield from people_drawn(people, say, say("charts_people_further"))
    yield from _spending(spending, say)


def warnings_drawn(warnings: Sequence[str], say: Words) -> list[Markup]:
    """What a reader must know, in a box; nothing where there is nothing."""
    if not warnings:
        return []
    notes = [element("li", prose(warning)) for warning in warnings]
    # To fold a single one saves nothing.
    shown = WARNINGS_SHOWN if len(notes) > WARNINGS_SHOWN + 1 else len(notes)
    told = [element("ul", notes[:shown])]
    if folded := notes[shown:]:
        more = element("summary", say("charts_warnings_more", n=len(folded)))
        told.append(element("details", more, element("ul", folded)))
    return [element("section", told, class_="warnings", aria_label=say("warnings"))]


def _table(heads: Sequence[str], rows: Iterable[Sequence[Child]], kinds: Sequence[str | None]) -> Markup:
    """A table whose rows begin with their names; `kinds` are the classes of the other cells.

    On a narrow screen there is no room for its heads, so the last cell, a bare count, has its own.
    """
    *_, last = heads
    top = element("tr", [element("th", name, scope="col") for name in heads])
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            [element("td", cell, class_=kind) for cell, kind in zip(row[1:-1], kinds, strict=True)],
            element("td", row[-1], class_="count soft small", data_label=last),
        )
        for row in rows
    ]
    return element("table", element("thead", top), element("tbody", body), class_="measures")


def _mean(one: Measure, say: Words) -> list[Child]:
    if not one.n:
        return [element("span", say("not_judged"), class_="soft small")]
    return [
        element("span", say.number(one.mean, one.digits), class_="mean"),
        f" {one.unit}" if one.unit else None,
        " ",
        element("span", say.interval(one.ci95, one.digits), class_="soft small option") if one.ci95 else None,
        element("div", f"{say('means_sd')} {say.number(one.sd, one.digits)}", class_="soft small")
        if one.sd is not None
        else None,
    ]


def _candidates(report: Report, say: Words) -> list[Markup]:
    ranking = report.ranking
    if not ranking:
        return []
    heads = (say("candidate"), ranking[0].total.title, say("charts_axis"), say("charts_standing"), say("coverage"))
    rows = [
        (
            one.name,
            _mean(one.total, say),
            interval_chart(one.total, say) if one.total.n else None,
            _standing(one, say),
            say.n_of(one.total.n, one.total.of),
        )
        for one in ranking
    ]
    top = element(
        "tr", element("th", say("criterion"), scope="col"), [element("th", one.name, scope="col") for one in ranking]
    )
    body = [
        element(
            "tr",
            element("th", criterion.title, scope="row"),
            [_cell(one.criteria[place], say) for one in ranking],
        )
        for place, criterion in enumerate(report.criteria)
    ]
    heat = element("table", element("thead", top), element("tbody", body), class_="heat")
    return [
        element("h2", say("candidates")),
        _table(heads, rows, (None, "chart", "chart")),
        standing_legend(say),
        element("h2", say("by_criterion")),
        element("div", heat, class_="scroll", tabindex=0, role="group", aria_label=say("by_criterion")),
        element("p", say("charts_heat_note"), class_="soft small"),
    ]


def _standing(one: Candidate, say: Words) -> list[Child]:
    rate = one.win_rate
    if rate.mean is None or rate.ci95 is None:
        return []
    low, high = rate.ci95
    share = f"{say.number(100 * rate.mean, 0)} % {say.interval((100 * low, 100 * high), 0)}"
    return [standing_chart(one, say), element("div", f"{say('win_rate')}: {share}", class_="soft small")]


def _cell(measure: Measure, say: Words) -> Markup:
    if measure.mean is None:
        return element("td", say("not_judged"), class_="soft small")
    tone = shade(measure.tone(measure.mean)).replace("g", "t")
    ends = element("div", say.interval(measure.ci95, measure.digits), class_="soft small") if measure.ci95 else None
    return element("td", say.number(measure.mean, measure.digits), ends, class_=tone)


def drawn_measures(report: Report) -> tuple[Measure, ...]:
    """The measures that have a row and a histogram: criteria, and derived values that are no candidate's."""
    return (*report.criteria, *(() if report.candidates else report.derived))


def _criteria(report: Report, say: Words) -> list[Markup]:
    if not report.criteria:
        return []
    heads = (say("criterion"), say("mean"), say("charts_axis"), say("coverage"))
    rows = [
        (
            [one.title, element("div", _scale(one, say), class_="soft small")],
            _mean(one, say),
            interval_chart(one, say) if one.n else None,
            say.n_of(one.n, one.of),
        )
        for one in drawn_measures(report)
    ]
    notes = (say("charts_axis_note"), say("over_judged"), means_note(report, say))
    return [
        element("h2", say("criteria")),
        _table(heads, rows, (None, "chart")),
        *(element("p", note, class_="soft small") for note in notes if note),
    ]


def _scale(one: Measure, say: Words) -> str:
    ends = f"{say.score(one.min)}–{say.score(one.max)}"
    return f"{ends}, {say('better_higher' if one.better == 'higher' else 'better_lower')}"


def _distributions(report: Report, say: Words, link: Link | None) -> list[Markup]:
    figures = [
        _figure(one.title, chart, say("charts_scores", n=say.number(sum(count for _, count in one.histogram), 0)))
        for one in drawn_measures(report)
        if (chart := histogram_chart(one, say, link(one) if link else None)) is not None
    ]
    if not figures:
        return []
    note = say("charts_distributions_note") + (f" {say('charts_link_note')}" if link else "")
    return [
        element("h2", say("charts_distributions")),
        element("p", note, class_="soft small"),
        element("div", figures, class_="charts"),
    ]


def _figure(title: str, chart: Markup, told: str) -> Markup:
    caption = element("figcaption", element("b", title), element("span", told, class_="soft small"))
    return element("figure", caption, chart)


def people_drawn(people: Sequence[Against], say: Words, further: str = "") -> list[Markup]:
    """The judge against people, a chart for each criterion, with what is told `further`; nothing without labels."""
    figures = [_figure(one.title, chart, people_told(one, say)) for one in people if (chart := people_chart(one, say))]
    if not figures:
        return []
    return [
        element("h2", say("charts_people_title")),
        element("p", prose(f"{say('charts_people_note')} {further}".strip()), class_="soft small"),
        element("div", figures, class_="charts"),
    ]


def _spending(points: Sequence[Spent], say: Words) -> list[Markup]:
    chart, found = spending_chart(points, say), measured(points)
    if chart is None or found is None:
        return []
    told = [element("p", note, class_="soft small") for note in (pauses_told(points, say),) if note]
    inside = [element("h2", say(found[0])), element("p", spending_told(points, say), class_="soft small"), chart, told]
    return [element("section", inside, class_="spending")]
