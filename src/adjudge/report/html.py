"""The report as one HTML file that can be read without script and asks nothing of any network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files

from adjudge.core import limits
from adjudge.core.judge import Judge
from adjudge.core.records import Outcome
from adjudge.core.runs import Spent
from adjudge.report.bars import Bars
from adjudge.report.element import Child, Markup, element
from adjudge.report.flags import flag_line
from adjudge.report.items import Held, Records, items_drawn, shown
from adjudge.report.overview import head_and_charts
from adjudge.report.page import Place, anchor, linked, prose, with_links
from adjudge.report.people import Against
from adjudge.report.tables import Report, Section
from adjudge.report.verdicts import Items
from adjudge.report.words import Words, words


def html(
    report: Report,
    outcomes: Iterable[Outcome],
    items: Items | Records,
    judge: Judge,
    *,
    people: Sequence[Against] = (),
    spending: Sequence[Spent] = (),
    limit: int = limits.REPORT_ITEMS,
    size: int = limits.REPORT_BYTES,
) -> Iterator[str]:
    """The page in pieces, to be written one after the other; the worst items come first.

    `people` is what they said of the same texts, `spending` what was spent when; `limit` is how many items have a row,
    `size` about how many bytes all rows may take.
    """
    say = words(report.lang)
    if not isinstance(items, Records):
        outcomes = list(outcomes)
        items = Held(outcomes, items)
    bars = Bars(report, judge)
    kept = shown(report, outcomes, items, judge, bars, say, limit=limit, size=size)
    title = f"{report.title} · {report.state.run.settings.model}"
    yield _opening(title, say, rules=bars.rules(), script=script())
    anchors = {name: f"#{anchor(name)}" for name in kept.names}
    link = bars.link if kept.rows else None
    yield _joined(head_and_charts(report, say, link=link, people=people, spending=spending)) + "\n"
    drawn_at = (partial(summary_drawn, place=anchors.get), _sections, partial(failures_drawn, place=anchors.get))
    for section in drawn_at:
        if drawn := section(report, say):
            yield f"{_joined(drawn)}\n"
    yield from items_drawn(report, kept, bars, say)
    # Our own file, whose hash is let in; nobody else's can be in the page.
    yield footer_drawn(report, say) + "\n</main>\n" + Markup(f"<script>{script()}</script>") + "\n</body>\n</html>\n"


_CLOSING = "\n</main>\n</body>\n</html>\n"


def page(title: str, say: Words, content: Child) -> Iterator[str]:
    """A whole page with this content, under the same rules as a report."""
    yield _opening(title, say)
    yield f"{element('div', content)}{_CLOSING}"


def _opening(title: str, say: Words, *, rules: str = "", script: str = "") -> str:
    sheet = style() + rules
    # The sheet is our own file, and a quote escaped in it would change its hash.
    head = element("head", _policy(sheet, script), element("title", title), Markup(f"<style>{sheet}</style>"))
    return f'<!doctype html>\n<html lang="{say.lang}">\n{head}\n<body>\n<main>\n'


def _joined(drawn: Iterable[Markup]) -> str:
    return "\n".join(drawn)


@cache
def style() -> str:
    """The style sheet of reports and of the web page."""
    return "".join(_own(name) for name in ("style.css", "items.css"))


@cache
def script() -> str:
    """What sorts, searches and pages the items of a report; all of it can be read without."""
    return _own("report.js")


def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(sheet: str, script: str) -> list[Markup]:
    # Only this very sheet and script are let in: nothing else that runs, loads or sends can come from content.
    scripts = f" script-src {_hashed(script)};" if script else ""
    rules = f"default-src 'none'; style-src {_hashed(sheet)};{scripts} base-uri 'none'; form-action 'none'"
    return [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=rules),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
    ]


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def summary_drawn(report: Report, say: Words, place: Place) -> list[Markup]:
    """What a batch says of its items as a whole; `place` is where an item is."""
    if not report.summary:
        return []
    titles = {one.name: one.title for one in report.criteria}
    texts = [
        element("p", element("b", titles.get(name, name), ". "), with_links(text, place), class_="verdict")
        for name, text in report.summary.items()
    ]
    return [element("h2", say("summary")), *texts]


def _sections(report: Report, say: Words) -> list[Markup]:
    return sections_drawn(report.sections)


def sections_drawn(sections: Sequence[Section], place: Place = lambda _: None) -> list[Markup]:
    """Tables with their titles and notes; `place` is where an item is."""
    drawn: list[Markup] = []
    for section in sections:
        drawn.append(element("h2", section.title))
        if section.rows:
            heads = [
                element("th", name, scope="col", class_="figure" if at else None)
                for at, name in enumerate(section.columns)
            ]
            top = element("tr", heads)
            body = [_line(line, place(line[0]) if section.by_item else None) for line in section.rows]
            table = element("table", element("thead", top), element("tbody", body), class_="beside")
            # who cannot point must still be able to scroll it
            drawn.append(element("div", table, class_="scroll", tabindex=0, role="group", aria_label=section.title))
        drawn += [element("p", prose(note), class_="soft small") for note in section.notes]
    return drawn


def _line(cells: Sequence[str], link: str | None) -> Markup:
    figures = [element("td", cell, class_="figure") for cell in cells[1:]]
    return element("tr", element("th", linked(cells[0], link), scope="row"), figures)


def failures_drawn(report: Report, say: Words, place: Place = lambda _: None) -> list[Markup]:
    """What was not judged and why, by kind; `place` is where an item is."""
    if not report.failures:
        return []
    rows = []
    for group in report.failures:
        said = [
            element("div", element("b", linked(item, place(item))), " ", message) for item, message in group.examples
        ]
        if group.count > len(group.examples):
            said.append(element("div", say("more", n=group.count - len(group.examples)), class_="soft"))
        count = element("td", say.number(group.count, 0), class_="figure")
        rows.append(element("tr", element("th", group.kind, scope="row"), count, element("td", said, class_="reason")))
    return [element("h2", say("failures")), element("table", element("tbody", rows))]


def footer_drawn(report: Report, say: Words) -> Markup:
    """How replies were read, and the flags with their counts."""
    state = report.state
    read = [f"{step} {count}" for step, count in state.steps.items()]
    if state.asked_again:
        read.append(f"{say('asked_again')} {say.n_of(state.asked_again, state.calls)}")
    health = element("p", f"{say('reading')}: {', '.join(read)}", class_="soft small") if read else None
    flags = flag_line(report.flags, say)
    noted = element("p", flags, class_="soft small") if flags else None
    return element("footer", health, noted)
