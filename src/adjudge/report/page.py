"""One item on the page: the texts side by side, the scores with their reasons, the evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from adjudge.core.judge import Criterion, Field, Judge, Role
from adjudge.core.records import Item, Source, Verdict, digest
from adjudge.report.charts import shade
from adjudge.report.cited import Cited, cited
from adjudge.report.element import Child, Markup, element
from adjudge.report.found import Places, found_list, marked, places_against, places_left_out, places_quoted
from adjudge.report.plain import fit, without_links
from adjudge.report.tables import graded, penalties_of
from adjudge.report.verdicts import (
    by_candidate,
    candidates_in_order,
    conclusion,
    decided,
    derived_rows,
    interval_of,
    mappings,
    parts,
    reason_of,
)
from adjudge.report.words import Words

#: A longer text is cut on the page, and the page says so.
TEXT_CHARS = 20_000
SOURCES_SHOWN = 40
ENTRIES_SHOWN = 200
QUOTED_COLUMNS = 240
LEFT: Sequence[Role] = ("source", "reference", "peers", "other")
RIGHT: Sequence[Role] = ("output", "system")
#: More candidates than these have their reasons below the table.
BESIDE_MAX = 3
SEVERITIES = ("minor", "significant")
#: An option of the command line, which must not be broken.
_OPTION = re.compile(r"(--[a-z][a-z-]{1,30})")
#: Ids of items, as summaries name them.
_NAMED = re.compile(r"\[([^\[\]]{1,2000})\]")


def prose(text: str) -> list[Child]:
    """A sentence as people read it: links by their titles, which lead nowhere, and options in one piece."""
    parts = _OPTION.split(without_links(text))
    return [element("span", part, class_="option") if place % 2 else part for place, part in enumerate(parts)]


def anchor(item: str) -> str:
    """The name of an item's place on the page; ids are hostile, and a hash is not."""
    return f"item-{digest(item)[:16]}"


def with_links(text: str, anchors: Mapping[str, str]) -> list[Child]:
    """A summary as people read it: ids in brackets lead to their items, as far as these are on the page."""
    drawn: list[Child] = []
    for place, part in enumerate(_NAMED.split(without_links(text))):
        if place % 2 == 0:
            drawn += prose(part)
            continue
        for number, name in enumerate(part.split(", ")):
            link = element("a", name, href=f"#{anchors[name]}") if name in anchors else name
            drawn += [", ", link] if number else ["[", link]
        drawn.append("]")
    return drawn


def panel(judge: Judge, verdict: Verdict, item: Item | None, say: Words, *, opened: bool = False) -> Markup:
    """A verdict that opens on a click; without its item it shows what the verdict itself holds."""
    asked = " ".join(item.text(field.name) for field in judge.with_role("query")) if item else ""
    line = element("span", fit(asked, QUOTED_COLUMNS), class_="asked") if asked.strip() else None
    name = element("span", verdict.item, class_="name")
    top = element("summary", name, element("span", _chips(judge, verdict, say), class_="chips"), line)
    inside = element(
        "div",
        _sides(judge, verdict, item, say) if item else None,
        _scores(judge, verdict, item, say),
        found_list(judge, verdict, say),
        _evidence(judge, verdict, say),
        _cited(judge, verdict, item),
        [
            element("p", element("b", title), ": ", prose(text), class_="verdict")
            for title, text in conclusion(judge, verdict)
        ],
        element("p", f"{say('flags')}: {'; '.join(verdict.flags)}", class_="soft small") if verdict.flags else None,
        class_="inside",
    )
    return element("details", top, inside, class_="item", id=anchor(verdict.item), open=opened)


def _chips(judge: Judge, verdict: Verdict, say: Words) -> list[Markup]:
    """The scores in short: by criterion, or the totals and the winner of a comparison."""
    if judge.layout == "compare":
        total = next((one for one in judge.derived if one.operation == "sum"), None)
        totals = by_candidate(verdict.derived.get(total.name)) if total else {}
        chips = [
            element("span", f"{name} ", element("b", say.score(one)), class_="chip") for name, one in totals.items()
        ]
        return [*chips, *_winner(judge, verdict, say)]
    chips = []
    for criterion in judge.scored:
        value = by_candidate(verdict.scores.get(criterion.name)).get("")
        tone = "" if value is None else shade(_good(criterion, value)).replace("g", " c")
        text = element("b", say.judged(value, None))
        chips.append(element("span", f"{criterion.title or criterion.name} ", text, class_=f"chip{tone}"))
    for title, values, _ in derived_rows(judge, verdict, say):
        chips.append(element("span", f"{title} ", element("b", say.score(values.get(""))), class_="chip"))
    return chips


def _good(criterion: Criterion, value: float) -> float:
    if penalties := penalties_of(criterion):
        return graded(penalties, value)
    return criterion.scale.normalised(value) if criterion.scale else 1.0


def _winner(judge: Judge, verdict: Verdict, say: Words) -> Iterator[Markup]:
    if (said := decided(judge, verdict, say)) is not None:
        yield element("span", f"{say('winner')}: ", element("b", said), class_="chip c4")


def _sides(judge: Judge, verdict: Verdict, item: Item, say: Words) -> Markup:
    # offsets are those of the judged text, which is one field's
    places = places_against(verdict) if len(judge.with_role("output")) == 1 else {}
    quoted, left_out = places_quoted(verdict, say), places_left_out(verdict)
    left = [
        _field(field, item, say, {"": left_out.get(field.name, ())}, quoted)
        if field.role == "source"
        else _field(field, item, say, {})
        for field in judge.fields
        if field.role in LEFT
    ]
    right = [
        _field(field, item, say, places if field.role == "output" else {})
        for field in judge.fields
        if field.role in RIGHT
    ]
    return element("div", element("div", left), element("div", right), class_="sides")


def _field(
    field: Field, item: Item, say: Words, places: Mapping[str, Places], quoted: Mapping[str, Places] | None = None
) -> Child:
    """A field with marks: at the places of a judged text by candidate, and at what is quoted of each source."""
    title, quoted = field.title or say(field.role), quoted or {}
    if field.type == "answers":
        return [_text(name, text, say, places.get(name, ())) for name, text in item.answers(field.name).items()]
    if field.type in ("sources", "search_results"):
        shown = item.sources(field.name)[:SOURCES_SHOWN]
        return [_text(_source(one, title), one.text, say, (), quoted.get(one.id, ())) for one in shown]
    text = item.text(field.name)
    if field.type == "name":
        return element("p", f"{title}: ", element("b", text), class_="soft small") if text else None
    return _text(title, text, say, places.get("", ()), quoted.get(field.name, ())) if text else None


def _source(source: Source, title: str) -> str:
    return " · ".join(part for part in (f"{title} [{source.id}]", source.title or "", source.url or "") if part)


def _text(title: str, text: str, say: Words, places: Places = (), quoted: Places = ()) -> list[Markup]:
    shown = text[:TEXT_CHARS]
    drawn = [
        element("h3", fit(title, QUOTED_COLUMNS)),
        element(
            "div",
            marked(shown, quoted, "quoted") if quoted else marked(shown, places),
            class_="text",
            dir="auto",
            tabindex=0,
        ),
    ]
    if len(text) > TEXT_CHARS:
        counts = {"shown": say.number(TEXT_CHARS, 0), "all": say.number(len(text), 0)}
        drawn.append(element("p", say("cut", **counts), class_="soft small"))
    return drawn


def _scores(judge: Judge, verdict: Verdict, item: Item | None, say: Words) -> list[Markup]:
    """The scores with their reasons beside them, or below them where so many columns leave no room."""
    names = candidates_in_order(judge, verdict, item) if judge.layout == "compare" else [""]
    beside = len(names) <= BESIDE_MAX
    columns = [say("criterion"), *(name or say("score") for name in names), *([say("reasons")] if beside else [])]
    top = element("tr", [element("th", name, scope="col") for name in columns])
    rows, below = [], []
    for criterion in judge.scored:
        values, title = by_candidate(verdict.scores.get(criterion.name)), criterion.title or criterion.name
        shown = [say.judged(values.get(name), interval_of(verdict, criterion.name, name)) for name in names]
        cells = [element("td", one, class_="score") for one in shown]
        reasons = [said for name in names if (said := _reason(name, reason_of(verdict, criterion.name, name)))]
        why = element("td", reasons, class_="reason", dir="auto") if beside else None
        rows.append(element("tr", element("th", title, scope="row"), cells, why))
        if reasons and not beside:
            below += [element("h3", title, class_="evidence"), element("div", reasons, class_="reason", dir="auto")]
    for title, figures, note in derived_rows(judge, verdict, say):
        cells = [element("td", element("b", say.score(figures.get(name))), class_="score") for name in names]
        why = element("td", note, class_="soft small") if beside else None
        rows.append(element("tr", element("th", title, scope="row"), cells, why))
        if note and not beside:
            below.append(element("p", f"{title}: {note}", class_="soft small"))
    table = element("table", element("thead", top), element("tbody", rows))
    return [element("div", table, class_="scroll"), *below]


def _reason(name: str, reason: str) -> Markup | None:
    return element("div", element("b", name, ": ") if name else None, prose(reason)) if reason else None


def _evidence(judge: Judge, verdict: Verdict, say: Words) -> Iterator[Markup]:
    """Claims with their support and questions with their answers, where the judge asks for them."""
    for name, value in parts(judge, verdict, "claims"):
        yield element("h3", judge.criterion(name).title or name, class_="evidence")
        yield element("ul", [_claim(claim, say) for claim in list(mappings(value))[:ENTRIES_SHOWN]], class_="claims")
    for name, value in parts(judge, verdict, "questions"):
        yield element("h3", judge.criterion(name).title or name, class_="evidence")
        asked = [question for group in mappings(value) for question in mappings(group.get("questions"))]
        partly = {one.get("reason") for one in mappings(verdict.findings) if one.get("kind") == "question_partly"}
        yield element("ul", [_question(question, partly, say) for question in asked[:ENTRIES_SHOWN]], class_="claims")


def _cited(judge: Judge, verdict: Verdict, item: Item | None) -> Iterator[Markup]:
    """The sources that were selected, each with its title, linked where it has an address, and its number."""
    for title, sources in cited(judge, verdict, item):
        yield element("h3", title, class_="evidence")
        yield element("ul", [_link(source) for source in sources], class_="claims")


def _link(source: Cited) -> Markup:
    name = fit(source.title, QUOTED_COLUMNS)
    link = element("a", name, href=source.url, rel="noopener noreferrer") if source.url else name
    return element("li", link, f" [{source.number}]" if source.number is not None else None)


def _claim(claim: Any, say: Words) -> Markup:
    good, quote = claim.get("supported") is True, str(claim.get("quote") or "")
    word = say("supported" if good else "unsupported")
    if not good and claim.get("severity") in SEVERITIES:
        word += f", {say(claim['severity'])}"
    mark = element("b", f"{'✓' if good else '✗'} {word}. ")
    cited = element("div", f"{say('quote')}: {quote}", class_="soft small") if quote else None
    return element("li", mark, str(claim.get("text", "")), cited, class_=None if good else "no")


def _question(question: Any, partly: Collection[Any], say: Words) -> Markup:
    good, why = question.get("is_answered") is True, str(question.get("answer_justification") or "")
    in_part = good and f"{question.get('question', '')} {why}".strip() in partly
    word = say("answered_partly" if in_part else "answered" if good else "unanswered")
    mark = element("b", f"{'◐' if in_part else '✓' if good else '✗'} {word}. ")
    note = element("div", prose(why), class_="soft small") if why else None
    return element("li", mark, str(question.get("question", "")), note, class_=None if good else "no")
