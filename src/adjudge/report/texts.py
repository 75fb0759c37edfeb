"""The texts of one item side by side: what it was judged against, and the judged text, with marks in both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Marks:
    """What is marked in a text: what speaks against it, what was quoted of it, what the judged text lacks of it.

    `some`: there are several judged texts, and some of them lack it.
    """

    against: Places = ()
    quoted: Places = ()
    missing: Places = ()
    some: bool = False


def sides(judge: Judge, verdict: Verdict | None, item: Item, say: Words) -> Markup:
    """What is judged and what it is judged against; without a verdict nothing is marked."""
    held: Mapping[str, Places] = {}
    quotes: Mapping[str, Places] = {}
    lacks: Mapping[str, Places] = {}
    if verdict is not None:
        held, lacks = against(judge, verdict, item, say), places_left_out(verdict)
        quotes = quoted(judge, verdict, item, say)
        if [field.type for field in judge.with_role("source")] == ["text"]:
            # the embedded judge calls a source by its number, and others call it by its field
            lacks = {judge.with_role("source")[0].name: lacks.get("1", ()), **lacks}

    def marks(role: Role, name: str) -> _Marks:
        if role in ("source", "reference"):
            missing = lacks.get("reference" if role == "reference" else name, ())
            return _Marks(quoted=quotes.get(name, ()), missing=missing, some=judge.layout == "compare")
        return _Marks(against=held.get(name, ())) if role == "output" else _Marks()

    columns = [
        [_field(field, item, say, marks) for field in judge.fields if field.role in side] for side in (LEFT, RIGHT)
    ]
    return element("div", [element("div", column) for column in columns], class_="sides")


def _field(field: Field, item: Item, say: Words, marks: Callable[[Role, str], _Marks]) -> Child:
    """A field with marks, which are by candidate in a judged text, and by the id or the field of a source."""
    title, role = field.title or say(field.role), field.role
    if field.type == "answers":
        return [_text(name, text, say, marks(role, name)) for name, text in item.answers(field.name).items()]
    if field.type in ("sources", "search_results"):
        shown = item.sources(field.name)[:SOURCES_SHOWN]
        return [_text(_source(one, title), one.text, say, marks(role, one.id)) for one in shown]
    text = item.text(field.name)
    if field.type == "name":
        return element("p", f"{title}: ", element("b", text), class_="soft small") if text else None
    return _text(title, text, say, marks(role, "" if role == "output" else field.name)) if text else None


def _source(source: Source, title: str) -> str:
    return " · ".join(part for part in (f"{title} [{source.id}]", source.title or "", source.url or "") if part)


def _text(title: str, text: str, say: Words, marks: _Marks) -> list[Markup]:
    kinds = [
        (marks.against, None, say("items_marked_against")),
        (marks.quoted, "quoted", say("items_marked_quoted")),
        (marks.missing, "missing", say("items_marked_missing_some" if marks.some else "items_marked_missing")),
    ]
    shown = marked(text, *((places, class_) for places, class_, _ in kinds), upto=TEXT_CHARS)
    drawn = [
        element("h3", fit(title, TITLE_COLUMNS)),
        element("div", shown, class_="text", dir="auto", tabindex=0),
    ]
    for places, class_, told in kinds:
        if any(start < min(len(text), TEXT_CHARS) for start, *_ in places):
            swatch = element("span", class_=" ".join(filter(None, ("swatch", class_))))
            drawn.append(element("p", swatch, told, class_="legend"))
    if len(text) > TEXT_CHARS:
        counts = {"shown": say.number(TEXT_CHARS, 0), "all": say.number(len(text), 0)}
        drawn.append(element("p", say("cut", **counts), class_="soft small"))
    return drawn
