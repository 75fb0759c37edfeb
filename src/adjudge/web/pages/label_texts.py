"""The texts of an item to be labelled: what to judge by on the left, what to judge on the right, and no names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from string import ascii_uppercase

from adjudge.api.labelling import Task
from adjudge.core.judge import Field, Judge
from adjudge.core.limits import LABEL_SOURCES, LABEL_TEXT_CHARS
from adjudge.core.records import Item, Source
from adjudge.report.element import Child, Markup, element
from adjudge.report.plain import fit
from adjudge.report.words import Words

_TITLE_COLUMNS = 240


def letters(task: Task) -> dict[str, str]:
    """What each candidate is called on the page, by its code."""
    return dict(zip(task.candidates, ascii_uppercase, strict=False))


def texts(judge: Judge, task: Task, say: Words) -> Iterator[Markup]:
    """The query, if there is one, then what the judge judges by, then what it judges."""
    item = task.item
    for field in judge.with_role("query"):
        if text := item.text(field.name):
            yield element("div", element("h2", field.title or say("query")), text, class_="l-query", dir="auto")
    left = [_field(field, item, say) for field in judge.fields if field.role not in ("query", "output")]
    yield element("div", left, class_="l-against")
    yield element("div", _judged(judge, task, say), class_="l-judged")


def asks_first(judge: Judge, item: Item) -> bool:
    """Whether the texts begin with a query."""
    return any(item.text(field.name) for field in judge.with_role("query"))


def _judged(judge: Judge, task: Task, say: Words) -> Iterator[Child]:
    for field in judge.with_role("output"):
        if field.type != "answers":
            yield _field(field, task.item, say)
            continue
        answers, called = task.item.answers(field.name), letters(task)
        yield element(
            "div",
            [
                element("section", _text(_letter(called[code], say), called[code], answers[code], say))
                for code in task.candidates
            ],
            class_="l-candidates",
        )


def _letter(letter: str, say: Words) -> Markup:
    name = say("label_page_candidate", letter=letter)
    return element("h2", element("span", letter, class_="l-letter", role="img", aria_label=name))


def _field(field: Field, item: Item, say: Words) -> Child:
    title = field.title or say(field.role)
    if field.type in ("sources", "search_results"):
        every = item.sources(field.name)
        shown = [_named(_source(one, title), one.text, say) for one in every[:LABEL_SOURCES]]
        left = len(every) - len(shown)
        return [*shown, element("p", say("label_page_more", n=left), class_="soft small") if left else None]
    value = item.fields.get(field.name)
    text = value if isinstance(value, str) or value is None else json.dumps(value, ensure_ascii=False, indent=1)
    if not text:
        return None
    if field.type == "name":
        return element("p", f"{title}: ", element("b", text), class_="soft small")
    return _named(title, text, say)


def _source(source: Source, title: str) -> str:
    return " · ".join(part for part in (f"{title} [{source.id}]", source.title or "", source.url or "") if part)


def _named(title: str, text: str, say: Words) -> list[Markup]:
    name = fit(title, _TITLE_COLUMNS)
    return _text(element("h2", name), name, text, say)


def _text(head: Markup, name: str, text: str, say: Words) -> list[Markup]:
    shown = text[:LABEL_TEXT_CHARS]
    box = element("div", shown, class_="text", dir="auto", tabindex=0, role="group", aria_label=name, data_scrolls=True)
    drawn = [head, box]
    if len(text) > LABEL_TEXT_CHARS:
        counts = {"shown": say.number(LABEL_TEXT_CHARS, 0), "all": say.number(len(text), 0)}
        drawn.append(element("p", say("cut", **counts), class_="soft small"))
    return drawn
