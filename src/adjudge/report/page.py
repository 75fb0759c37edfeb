"""One item on the page: the texts side by side, the scores with their reasons, the evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Call, Failure, Item, Reply, Verdict, digest
from adjudge.report.cited import Cited, cited
from adjudge.report.element import Child, Markup, element
from adjudge.report.flags import flag_told
from adjudge.report.found import found_list
from adjudge.report.plain import fit, without_links
from adjudge.report.raw import raw_replies, stage_named
from adjudge.report.texts import sides
from adjudge.report.verdicts import (
    by_candidate,
    candidates_in_order,
    conclusion,
    derived_rows,
    interval_of,
    mappings,
    parts,
    reason_of,
    trial_lines,
)
from adjudge.report.words import Words

ENTRIES_SHOWN = 200
QUOTED_COLUMNS = 240
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


#: Where an item is on a page or a site, by its id; nowhere.
Place = Callable[[str], "str | None"]


def linked(name: str, link: str | None) -> Child:
    """A name that leads somewhere, if there is anywhere to go."""
    return element("a", name, href=link) if link else name


def with_links(text: str, place: Place) -> list[Child]:
    """A summary as people read it: ids in brackets lead to the places of their items, where these have one."""
    drawn: list[Child] = []
    for turn, part in enumerate(_NAMED.split(without_links(text))):
        if turn % 2 == 0:
            drawn += prose(part)
            continue
        for number, name in enumerate(part.split(", ")):
            link = linked(name, place(name))
            drawn += [", ", link] if number else ["[", link]
        drawn.append("]")
    return drawn


def inside(
    judge: Judge,
    verdict: Verdict,
    item: Item | None,
    say: Words,
    replies: Sequence[tuple[Call, Reply]] = (),
    elsewhere: Mapping[str, str] = {},
) -> Markup:
    """All that is known of a judged item; without the item itself, what the verdict holds.

    `elsewhere` has the addresses of replies that are on the page already, by the keys of their calls.
    """
    return element(
        "div",
        sides(judge, verdict, item, say) if item else None,
        _scores(judge, verdict, item, say),
        [element("p", told, class_="soft small") for told in trial_lines(judge, verdict, say)],
        found_list(judge, verdict, say),
        _evidence(judge, verdict, say),
        _cited(judge, verdict, item),
        [
            element("p", element("b", title), ": ", prose(text), class_="verdict")
            for title, text in conclusion(judge, verdict)
        ],
        _flags(verdict.flags, say),
        raw_replies(replies, say, elsewhere),
        class_="inside",
    )


def failed(
    judge: Judge,
    failure: Failure,
    item: Item | None,
    say: Words,
    replies: Sequence[tuple[Call, Reply]] = (),
    elsewhere: Mapping[str, str] = {},
) -> Markup:
    """The same of an item without a verdict: what went wrong, where, after how many attempts."""
    facts = {"stage": stage_named(failure.stage, say), "n": say.number(failure.attempts, 0)}
    return element(
        "div",
        element("p", element("b", failure.kind), ": ", element("span", failure.message, dir="auto"), class_="verdict"),
        element("p", say("items_failed_at", **facts), class_="soft small"),
        sides(judge, None, item, say) if item else None,
        _flags(failure.flags, say),
        raw_replies(replies, say, elsewhere),
        class_="inside",
    )


def _flags(flags: Sequence[str], say: Words) -> list[Markup] | None:
    if not flags:
        return None
    told = [element("li", flag_told(flag, say)) for flag in flags]
    return [element("h3", say("flags"), class_="evidence"), element("ul", told, class_="flags")]


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
    # with one score a line, a narrow screen has it beside the criterion and the reason below both
    table = element("table", element("thead", top), element("tbody", rows), class_="single" if names == [""] else None)
    return [element("div", table, class_="scroll", tabindex=0, role="group", aria_label=say("criteria")), *below]


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
