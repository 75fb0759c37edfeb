"""What the embedded judge found in a text: a list with reasons, and marks at the places in the text itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from adjudge.core.judge import Judge
from adjudge.core.records import Verdict
from adjudge.report.element import Child, Markup, element
from adjudge.report.verdicts import mappings
from adjudge.report.words import Words

#: Stretches of a text and what is said against them.
Places: TypeAlias = Sequence[tuple[int, int, str]]
#: Beyond these the page says how many more there are.
SHOWN = 40


def found_list(judge: Judge, verdict: Verdict, say: Words) -> Iterator[Markup]:
    """The findings by criterion, those against the text first."""
    titles = {one.name: one.title or one.name for one in judge.criteria}
    by_criterion: dict[str, list[Mapping[str, Any]]] = {}
    for finding in mappings(verdict.findings):
        if isinstance(name := finding.get("criterion"), str) and name in titles:
            by_criterion.setdefault(name, []).append(finding)
    for name, found in by_criterion.items():
        found.sort(key=lambda one: one.get("against") is not True)
        yield element("h3", f"{say('findings')}: {titles[name]}", class_="evidence")
        yield element("ul", [_entry(one, say) for one in found[:SHOWN]], class_="claims")
        if len(found) > SHOWN:
            yield element("p", say("more", n=len(found) - SHOWN), class_="soft small")


def _entry(finding: Mapping[str, Any], say: Words) -> Markup:
    against, who = finding.get("against") is True, finding.get("candidate")
    where = [say("found_at", start=at[0], end=at[1])] if (at := _place(finding.get("at"))) else []
    if isinstance(name := finding.get("source"), str) and name:
        near = say("found_in_reference") if name == "reference" else say("found_near", name=name)
        there = _place(finding.get("source_at"))
        where.append(f"{near}, {say('found_at', start=there[0], end=there[1])}" if there else near)
    return element(
        "li",
        element("b", f"{'✗' if against else '·'} "),
        element("b", f"{who}: ") if isinstance(who, str) and who else None,
        str(finding.get("reason", "")),
        element("div", "; ".join(where), class_="soft small") if where else None,
        class_="no" if against else None,
    )


def places_against(verdict: Verdict) -> dict[str, Places]:
    """The places of what speaks against each candidate's text ("" when there is one text)."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for finding in mappings(verdict.findings):
        at, who = _place(finding.get("at")), finding.get("candidate", "")
        if finding.get("against") is True and at and isinstance(who, str):
            found.setdefault(who, []).append((*at, str(finding.get("reason", ""))))
    return {who: sorted(places) for who, places in found.items()}


def marked(text: str, places: Places) -> list[Child]:
    """The text with a mark around each place; of those that overlap the first is marked."""
    drawn: list[Child] = []
    done = 0
    for start, end, reason in places:
        if done <= start < end <= len(text):
            drawn += [text[done:start], element("mark", text[start:end], title=reason)]
            done = end
    return [*drawn, text[done:]]


def _place(at: Any) -> tuple[int, int] | None:
    if not isinstance(at, list | tuple) or len(at) != 2 or not all(type(end) is int and end >= 0 for end in at):
        return None
    return at[0], at[1]
