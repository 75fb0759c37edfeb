"""One item in two runs: both verdicts side by side, and its texts with what differs in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlencode

from adjudge.api.stored import StoredRun
from adjudge.core.judge import Judge
from adjudge.core.records import Failure, Item, Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.compared import labels
from adjudge.report.element import Child, Markup, element
from adjudge.report.flags import flag_told
from adjudge.report.page import prose
from adjudge.report.plain import fit
from adjudge.report.texts import RIGHT, SOURCES_SHOWN, TEXT_CHARS, TITLE_COLUMNS
from adjudge.report.verdicts import (
    by_candidate,
    candidates_in_order,
    conclusion,
    decided,
    derived_rows,
    interval_of,
    reason_of,
)
from adjudge.report.words import Words, words
from adjudge.store.store import open_store
from adjudge.web.differ import drawn_apart, words_apart
from adjudge.web.message import Refused, Request, Response
from adjudge.web.pages.choose import SHEETS
from adjudge.web.pages.query import counted, run_path
from adjudge.web.shell import fragment, page
from adjudge.web.site import Site

#: What a line or a text is of, by names of the judge: titles may be the same for two, or differ with the language.
_Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Side:
    """An item in one run; no item where the run has none."""

    run: StoredRun
    label: str
    number: int
    item: Item | None
    outcome: Outcome | None


def both(site: Site, request: Request, runs: Sequence[StoredRun]) -> Response:
    """One item in two runs, as a part of the table or as a page."""
    states = [run.state for run in runs]
    say, short = words(runs[0].judge.lang), labels([state.run.name or state.run.id for state in states])
    numbers = _numbers(request)
    sides = [
        _side(run, state, label, number) for run, state, label, number in zip(runs, states, short, numbers, strict=True)
    ]
    there = [side for side in sides if side.item is not None]
    if not there:
        raise Refused(404, "there is no such item in either run", hint="items are counted from 1")
    verdicts, texts, links = _verdicts(sides, say), _texts(sides, say), _links(there, say)
    if request.fragment:
        return fragment([verdicts, texts, links])
    assert there[0].item is not None
    title = say("changes_both_title", item=there[0].item.id)
    back = f"/compare?{urlencode([('run', run.id) for run in runs], errors='replace')}"
    trail, head = [(say("changes_back"), back)], element("h2", say("changes_both_texts"))
    return page(
        site,
        request,
        say,
        title,
        element("h1", title),
        verdicts,
        head,
        texts,
        links,
        trail=trail,
        styles=SHEETS,
    )


def _numbers(request: Request) -> tuple[int, int]:
    """The item's numbers in the two runs; one number stands for both, and 0 is no item."""
    given = [counted("number", text) for text in request.query.get("number", ["0"])]
    return given[0], given[-1]


def _side(run: StoredRun, state: RunState, label: str, number: int) -> _Side:
    found = None
    if number:
        with open_store(run.store, create=False) as store:
            found = next(store.items(state.run.data_digest, number - 1, number - 1), None)
        if found is None:
            raise Refused(404, f"{label} has no item {number}", hint="items are counted from 1")
    return _Side(
        run=run,
        label=label,
        number=number,
        item=run.item(found[1]) if found else None,
        outcome=run.item_record(found[1])[0] if found else None,
    )


def _verdicts(sides: Sequence[_Side], say: Words) -> Markup:
    """Scores and reasons of both, a line for each criterion and candidate; or why a run has none."""
    cells = [{key: drawn for key, _, drawn in _cells(side, say)} for side in sides]
    titles = {key: title for side in reversed(sides) for key, title, _ in _cells(side, say)}
    heads = (say("criterion"), *(side.label for side in sides))
    top = element("thead", element("tr", [element("th", head, scope="col") for head in heads]))
    lines = [
        element(
            "tr",
            element("th", titles[key], scope="row"),
            [
                element("td", own.get(key, "—"), class_="reason", dir="auto", data_title=side.label)
                for own, side in zip(cells, sides, strict=True)
            ],
        )
        for key in dict.fromkeys(key for own in cells for key in own)
    ]
    drawn = element("table", top, element("tbody", lines), class_="both")
    table = element("div", drawn, class_="scroll", tabindex=0, role="group", aria_label=say("changes_open"))
    missing = [
        element("p", element("b", side.label, ": "), _missing(side.outcome, say), class_="verdict")
        for side in sides
        if not isinstance(side.outcome, Verdict)
    ]
    return element("div", missing, table if lines else None)


def _missing(outcome: Outcome | None, say: Words) -> str:
    if isinstance(outcome, Failure):
        return say("changes_failed", kind=outcome.kind, message=outcome.message)
    return say("changes_no_outcome")


def _cells(side: _Side, say: Words) -> Iterator[tuple[_Key, str, list[Child]]]:
    """What a verdict says, as (key and title of the line, content)."""
    verdict, judge = side.outcome, side.run.judge
    if not isinstance(verdict, Verdict):
        return
    names = candidates_in_order(judge, verdict, side.item) if judge.layout == "compare" else [""]
    for criterion in judge.scored:
        values = by_candidate(verdict.scores.get(criterion.name))
        for name in names:
            ends = interval_of(verdict, criterion.name, name)
            score = element("div", element("b", say.judged(values.get(name), ends)))
            title = " · ".join(filter(None, (criterion.title or criterion.name, name)))
            yield (
                (criterion.name, name),
                title,
                [score, element("div", prose(reason_of(verdict, criterion.name, name)))],
            )
    named = {one.title or one.name: one.name for one in judge.criteria}
    named |= {one.title or one.name: one.name for one in judge.derived}
    for title, figures, note in derived_rows(judge, verdict, say):
        for name, value in figures.items():
            told = [element("b", say.score(value)), element("div", note, class_="soft small") if note else None]
            yield ("derived", named[title], name), " · ".join(filter(None, (title, name))), [told]
    if (winner := decided(judge, verdict, say)) is not None:
        yield ("winner",), say("winner"), [element("b", winner)]
    for title, text in conclusion(judge, verdict):
        yield ("conclusion", named.get(title, title)), title, [element("div", prose(text))]
    if verdict.flags:
        yield ("flags",), say("flags"), [element("div", flag_told(flag, say)) for flag in verdict.flags]


def _entries(judge: Judge, item: Item, say: Words) -> Iterator[tuple[_Key, str, str]]:
    """The texts of an item as (key, which tells the side of the page, title, text)."""
    for field in judge.fields:
        if field.type == "name":  # of a system or a language, and no text
            continue
        where = "right" if field.role in RIGHT else "left"
        title = field.title or say(field.role)
        if field.type == "answers":
            yield from (((where, field.name, name), name, text) for name, text in item.answers(field.name).items())
        elif field.type in ("sources", "search_results"):
            shown = item.sources(field.name)[:SOURCES_SHOWN]
            yield from (((where, field.name, one.id), f"{title} [{one.id}]", one.text) for one in shown)
        elif text := item.text(field.name):
            yield (where, field.name), title, text


def _texts(sides: Sequence[_Side], say: Words) -> list[Child]:
    """The texts, once where they are the same, and with what differs in them where they are not."""
    entries = [list(_entries(side.run.judge, side.item, say)) if side.item else [] for side in sides]
    found = [{key: text for key, _, text in each} for each in entries]
    titles = {key: title for each in reversed(entries) for key, title, _ in each}
    columns: dict[str, list[Child]] = {"left": [], "right": []}
    differ = False
    for key in dict.fromkeys((*found[0], *found[1])):
        before, after = (own.get(key) for own in found)
        differ = differ or (before is not None and after is not None and before != after)
        columns[key[0]].append(_text(titles[key], before, after, sides, say))
    drawn = element("div", [element("div", column) for column in columns.values()], class_="sides")
    return [element("p", say("changes_text_legend"), class_="soft small") if differ else None, drawn]


def _text(title: str, before: str | None, after: str | None, sides: Sequence[_Side], say: Words) -> list[Child]:
    if before is None or after is None:
        whose = sides[before is None]
        return [_titled(title, say("changes_text_only", run=whose.label)), _framed(_cut(before or after or ""))]
    if before == after:
        return [_titled(title, say("changes_text_both")), _framed(_cut(after))]
    pieces = words_apart(before, after)
    if pieces is not None:
        changed = say("changes_text_changed", a=sides[0].label, b=sides[1].label)
        return [_titled(title, changed), _framed(drawn_apart(pieces))]
    long = say("changes_text_long")
    return [
        [_titled(title, f"{side.label}; {long}"), _framed(_cut(text))]
        for side, text in zip(sides, (before, after), strict=True)
    ]


def _framed(text: Child) -> Markup:
    return element("div", text, class_="text", dir="auto", tabindex=0)


def _titled(title: str, told: str) -> Markup:
    return element("h3", f"{fit(title, TITLE_COLUMNS)} · {told}")


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}…"


def _links(sides: Sequence[_Side], say: Words) -> Markup:
    links = [
        element("a", say("changes_open_item", run=side.label), href=run_path(side.run.id, "items", side.number))
        for side in sides
    ]
    return element("p", links, class_="links")
