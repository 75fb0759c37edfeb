"""The texts of one item side by side: what it was judged against, and the judged text, with marks in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudge.core.judge import Field, Judge, Role
from adjudge.core.records import Item, Source, Verdict
from adjudge.report.element import Child, Markup, element
from adjudge.report.found import Places, against, marked, places_left_out, quoted
from adjudge.report.plain import fit
from adjudge.report.words import Words

#: A longer text is cut on the page, and the page says so.
TEXT_CHARS = 20_000
SOURCES_SHOWN = 40
TITLE_COLUMNS = 240
LEFT: Sequence[Role] = ("source", "reference", "peers", "other")
RIGHT: Sequence[Role] = ("output", "system")


def sides(judge: Judge, verdict: Verdict | None, item: Item, say: Words) -> Markup:
    """What is judged and what it is judged against; without a verdict nothing is marked."""
    places: Mapping[str, Places] = {}
    in_sources: Mapping[str, Places] = {}
    left_out: Mapping[str, Places] = {}
    if verdict is not None:
        places, left_out = against(judge, verdict, item, say), places_left_out(verdict)
        in_sources = quoted(judge, verdict, item, say)
    left = [
        _field(field, item, say, {"": left_out.get(field.name, ())}, in_sources)
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
    field: Field, item: Item, say: Words, places: Mapping[str, Places], quotes: Mapping[str, Places] | None = None
) -> Child:
    """A field with marks: at the places of a judged text by candidate, and at what is quoted of each source."""
    title, quotes = field.title or say(field.role), quotes or {}
    if field.type == "answers":
        return [_text(name, text, say, places.get(name, ())) for name, text in item.answers(field.name).items()]
    if field.type in ("sources", "search_results"):
        shown = item.sources(field.name)[:SOURCES_SHOWN]
        return [_text(_source(one, title), one.text, say, (), quotes.get(one.id, ())) for one in shown]
    text = item.text(field.name)
    if field.type == "name":
        return element("p", f"{title}: ", element("b", text), class_="soft small") if text else None
    return _text(title, text, say, places.get("", ()), quotes.get(field.name, ())) if text else None


def _source(source: Source, title: str) -> str:
    return " · ".join(part for part in (f"{title} [{source.id}]", source.title or "", source.url or "") if part)


def _text(title: str, text: str, say: Words, places: Places = (), quotes: Places = ()) -> list[Markup]:
    shown = text[:TEXT_CHARS]
    drawn = [
        element("h3", fit(title, TITLE_COLUMNS)),
        element(
            "div",
            marked(shown, quotes, "quoted") if quotes else marked(shown, places),
            class_="text",
            dir="auto",
            tabindex=0,
        ),
    ]
    if quotes or places:
        swatch = element("span", class_="swatch quoted" if quotes else "swatch")
        told = say("items_marked_quoted") if quotes else say("items_marked_against")
        drawn.append(element("p", swatch, told, class_="legend"))
    if len(text) > TEXT_CHARS:
        counts = {"shown": say.number(TEXT_CHARS, 0), "all": say.number(len(text), 0)}
        drawn.append(element("p", say("cut", **counts), class_="soft small"))
    return drawn
