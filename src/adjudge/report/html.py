"""The report as one HTML file that needs no script and asks nothing of any network."""

from __future__ import annotations

import heapq
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.report.charts import histogram_chart, interval_chart, shade
from adjudge.report.element import Child, Markup, element
from adjudge.report.flags import flag_line
from adjudge.report.means import means_note
from adjudge.report.page import anchor, panel, prose, with_links
from adjudge.report.tables import Candidate, Measure, Report, Section
from adjudge.report.verdicts import Items, item_of, worst_first
from adjudge.report.words import Words, words

#: The file stays quick to open; the limit stands on the page.
ITEMS_SHOWN = 500


def html(
    report: Report, outcomes: Iterable[Outcome], items: Items, judge: Judge, *, limit: int = ITEMS_SHOWN
) -> Iterator[str]:
    """The page in pieces, to be written one after the other; the worst items come first."""
    say = words(report.lang)
    verdicts = (outcome for outcome in outcomes if isinstance(outcome, Verdict))
    shown = heapq.nsmallest(limit, verdicts, key=worst_first(judge))
    title = f"{report.title} · {report.state.run.settings.model}"
    yield _opening(title, say)
    anchors = {verdict.item: anchor(verdict.item) for verdict in shown}
    for section in (_head, _warnings, _candidates, _criteria, partial(_summary, anchors), _sections, _failures):
        if drawn := section(report, say):
            yield f"{_joined(drawn)}\n"
    yield element("h2", say("items")) + "\n"
    if report.judged:
        counts = {"shown": say.number(len(shown), 0), "of": say.number(report.judged, 0)}
        yield element("p", say("limit_worst", **counts), class_="soft small") + "\n"
    else:
        yield element("p", say("no_items"), class_="soft") + "\n"
    if any(verdict.intervals for verdict in shown):
        yield element("p", say("interval_note"), class_="soft small") + "\n"
    for place, verdict in enumerate(shown):
        yield panel(judge, verdict, item_of(items, verdict.item), say, opened=place == 0) + "\n"
    yield _footer(report, say) + _CLOSING


_CLOSING = "\n</main>\n</body>\n</html>\n"


def page(title: str, say: Words, content: Child) -> Iterator[str]:
    """A whole page with this content, under the same rules as a report."""
    yield _opening(title, say)
    yield f"{element('div', content)}{_CLOSING}"


def _opening(title: str, say: Words) -> str:
    head = element("head", _policy(), element("title", title), _style())
    return f'<!doctype html>\n<html lang="{say.lang}">\n{head}\n<body>\n<main>\n'


def _joined(drawn: Iterable[Markup]) -> str:
    return "\n".join(drawn)


@cache
def style() -> str:
    """The style sheet of reports and of the web page."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


def _policy() -> list[Markup]:
    # Only this very style sheet is let in: no script, image, font, frame, form or request can come from content.
    allowed = b64encode(sha256(style().encode()).digest()).decode()
    rules = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    return [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=rules),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
    ]


def _style() -> Markup:
    # The sheet is our own file, and a quote escaped in it would change its hash.
    return Markup(f"<style>{style()}</style>")


def _head(report: Report, say: Words) -> list[Markup]:
    state, run = report.state, report.state.run
    about = [run.judge, report.data, run.name or run.id, run.started]
    facts = [
        (say("model"), run.settings.model),
        (say("judged"), say.n_of(report.judged, run.items)),
        (say("cost"), say.cost(state.cost_usd)),
        (say("time"), say.duration(state.seconds)),
        (say("calls"), say.number(state.calls, 0)),
    ]
    if state.cached:
        facts.append((say("cached"), say.number(state.cached, 0)))
    if state.tokens_in or state.tokens_out:
        facts.append((say("tokens"), f"{say.number(state.tokens_in, 0)} / {say.number(state.tokens_out, 0)}"))
    rows = [element("div", element("dt", name), element("dd", value)) for name, value in facts]
    return [
        element("h1", report.title),
        element("p", " · ".join(part for part in about if part), class_="sub"),
        element("dl", rows, class_="facts"),
    ]


def _warnings(report: Report, say: Words) -> list[Markup]:
    return warnings_drawn(report.warnings, say)


def warnings_drawn(warnings: Sequence[str], say: Words) -> list[Markup]:
    """What a reader must know, in a box; nothing where there is nothing."""
    if not warnings:
        return []
    notes = element("ul", [element("li", prose(warning)) for warning in warnings])
    return [element("section", notes, class_="warnings", aria_label=say("warnings"))]


def _measures(say: Words, heads: Sequence[str], rows: Iterable[tuple[Child, Measure, Child]]) -> Markup:
    columns = (heads[0], heads[1], say("interval"), heads[2], say("coverage"))
    top = element("tr", [element("th", name, scope="col") for name in columns])
    body = [
        element(
            "tr",
            element("th", name, scope="row"),
            element(
                "td",
                element("span", say.number(one.mean, one.digits), class_="mean"),
                f" {one.unit}" if one.unit and one.n else None,
                element("div", say.interval(one.ci95, one.digits) if one.n else say("not_judged"), class_="soft small"),
                element("div", f"{say('means_sd')} {say.number(one.sd, one.digits)}", class_="soft small")
                if one.sd is not None
                else None,
            ),
            element("td", interval_chart(one, say) if one.n else None, class_="chart"),
            element("td", extra),
            element("td", say.n_of(one.n, one.of), class_="soft small"),
        )
        for name, one, extra in rows
    ]
    return element("table", element("thead", top), element("tbody", body), class_="measures")


def _criteria(report: Report, say: Words) -> list[Markup]:
    if not report.criteria:
        return []
    measures = (*report.criteria, *(() if report.candidates else report.derived))
    rows = [(_named(one, say), one, histogram_chart(one, say)) for one in measures]
    table = _measures(say, (say("criterion"), say("mean"), say("distribution")), rows)
    notes = [element("p", note, class_="soft small") for note in (say("over_judged"), means_note(report, say)) if note]
    return [element("h2", say("criteria")), table, *notes]


def _named(measure: Measure, say: Words) -> list[Child]:
    return [measure.title, element("div", say(f"better_{measure.better}"), class_="soft small")]


def _wins(say: Words, one: Candidate) -> Markup | None:
    rate = one.win_rate
    if rate.mean is None or rate.ci95 is None:
        return None
    low, high = rate.ci95
    share = f"{say.number(100 * rate.mean, 0)} % {say.interval((100 * low, 100 * high), 0)}"
    counts = " · ".join(
        f"{say(name)}: {count}" for name, count in (("wins", one.wins), ("ties", one.ties), ("open", one.not_separable))
    )
    return Markup(element("div", share) + element("div", counts, class_="soft small"))


def _candidates(report: Report, say: Words) -> list[Markup]:
    ranking = report.ranking
    if not ranking:
        return []
    rows: list[tuple[Child, Measure, Child]] = [(one.name, one.total, _wins(say, one)) for one in ranking]
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
        _measures(say, (say("candidate"), ranking[0].total.title, say("win_rate")), rows),
        element("h2", say("by_criterion")),
        element("div", heat, class_="scroll"),
    ]


def _cell(measure: Measure, say: Words) -> Markup:
    if measure.mean is None:
        return element("td", say("not_judged"), class_="soft small")
    tone = shade(measure.tone(measure.mean)).replace("g", "t")
    ends = element("div", say.interval(measure.ci95, measure.digits), class_="soft small") if measure.ci95 else None
    return element("td", say.number(measure.mean, measure.digits), ends, class_=tone)


def _summary(anchors: Mapping[str, str], report: Report, say: Words) -> list[Markup]:
    if not report.summary:
        return []
    titles = {one.name: one.title for one in report.criteria}
    texts = [
        element("p", element("b", titles.get(name, name), ". "), with_links(text, anchors), class_="verdict")
        for name, text in report.summary.items()
    ]
    return [element("h2", say("summary")), *texts]


def _sections(report: Report, say: Words) -> list[Markup]:
    return sections_drawn(report.sections)


def sections_drawn(sections: Sequence[Section]) -> list[Markup]:
    """Tables with their titles and notes."""
    drawn: list[Markup] = []
    for section in sections:
        drawn.append(element("h2", section.title))
        if section.rows:
            heads = [
                element("th", name, scope="col", class_="figure" if at else None)
                for at, name in enumerate(section.columns)
            ]
            top = element("tr", heads)
            body = [_line(line) for line in section.rows]
            table = element("table", element("thead", top), element("tbody", body), class_="beside")
            drawn.append(element("div", table, class_="scroll"))
        drawn += [element("p", prose(note), class_="soft small") for note in section.notes]
    return drawn


def _line(cells: Sequence[str]) -> Markup:
    figures = [element("td", cell, class_="figure") for cell in cells[1:]]
    return element("tr", element("th", cells[0], scope="row"), figures)


def _failures(report: Report, say: Words) -> list[Markup]:
    if not report.failures:
        return []
    rows = []
    for group in report.failures:
        said = [element("div", element("b", item), " ", message) for item, message in group.examples]
        if group.count > len(group.examples):
            said.append(element("div", say("more", n=group.count - len(group.examples)), class_="soft"))
        count = element("td", say.number(group.count, 0), class_="figure")
        rows.append(element("tr", element("th", group.kind, scope="row"), count, element("td", said, class_="reason")))
    return [element("h2", say("failures")), element("table", element("tbody", rows))]


def _footer(report: Report, say: Words) -> Markup:
    state = report.state
    read = [f"{step} {count}" for step, count in state.steps.items()]
    if state.asked_again:
        read.append(f"{say('asked_again')} {say.n_of(state.asked_again, state.calls)}")
    health = element("p", f"{say('reading')}: {', '.join(read)}", class_="soft small") if read else None
    flags = flag_line(report.flags, say)
    noted = element("p", flags, class_="soft small") if flags else None
    signature = element("p", say("signature"), ": ", element("code", state.run.signature), class_="soft small")
    return element("footer", health, noted, signature)
