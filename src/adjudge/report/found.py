"""What was found in the texts, by the embedded judge or by code: a list with reasons, and marks at the places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from adjudge.core import limits
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Item, Source, Verdict
from adjudge.reply.evidence import locate
from adjudge.report.beside.evidence import state_of
from adjudge.report.claimed import place_of
from adjudge.report.element import Child, Markup, element
from adjudge.report.verdicts import mappings, parts
from adjudge.report.words import Words

#: Stretches of a text and what is said against them.
Places: TypeAlias = Sequence[tuple[int, int, str]]
#: Beyond these the page says how many more there are.
SHOWN = 40
#: What came of a quotation, in words.
_QUOTED = {
    "verified": "found_quote_verified",
    "repaired": "found_quote_repaired",
    "misattributed": "found_quote_misattributed",
    "not_found": "found_quote_not_found",
}
#: A quotation that stands where it is said to.
_STANDS = ("verified", "repaired")
_SUPPORTED = "claim_supported"
#: These stand with their question in the list of questions.
_WITH_QUESTIONS = ("question_unanswered", "question_partly")


def found_list(judge: Judge, verdict: Verdict, say: Words) -> Iterator[Markup]:
    """The findings by criterion, those against the text first."""
    for title, found in _by_title(judge, verdict, say):
        yield element("h3", f"{say('findings')}: {title}", class_="evidence")
        yield element("ul", [_entry(one, said, say) for one, said in found[:SHOWN]], class_="claims")
        if len(found) > SHOWN:
            yield element("p", say("more", n=len(found) - SHOWN), class_="soft small")


def found_lines(judge: Judge, verdict: Verdict, say: Words) -> Iterator[str]:
    """The same for a terminal, a line each."""
    for title, found in _by_title(judge, verdict, say):
        yield f"{say('findings')}: {title}"
        for one, said in found:
            where = f" ({told})" if (told := "; ".join(_where(one, say))) else ""
            yield f"  {_sign(one)} {_of(one)}{said}{where}"


def _by_title(judge: Judge, verdict: Verdict, say: Words) -> Iterator[tuple[str, list[tuple[Mapping[str, Any], str]]]]:
    """The findings of each criterion with their wording."""
    by_criterion: dict[str, list[Mapping[str, Any]]] = {}
    criteria = {one.name: one for one in judge.criteria}
    for finding in mappings(verdict.findings):
        if finding.get("kind") in _WITH_QUESTIONS:
            continue
        if isinstance(name := finding.get("criterion"), str) and name in criteria:
            by_criterion.setdefault(name, []).append(finding)
    for name, found in by_criterion.items():
        if any(one.get("kind") == _SUPPORTED for one in found):
            # a claim that is supported has the place of its quotation with it
            found = [one for one in found if state_of(one.get("kind")) not in _STANDS]
        found = sorted(found, key=lambda one: one.get("against") is not True)
        yield criteria[name].title or name, [(one, _said(one, criteria[name], say)) for one in found]


def _entry(finding: Mapping[str, Any], said: str, say: Words) -> Markup:
    where = _where(finding, say)
    return element(
        "li",
        element("b", f"{_sign(finding)} "),
        element("b", who) if (who := _of(finding)) else None,
        said,
        element("div", "; ".join(where), class_="soft small") if where else None,
        class_="no" if finding.get("against") is True else None,
    )


def _of(finding: Mapping[str, Any]) -> str:
    who = finding.get("candidate")
    return f"{who}: " if isinstance(who, str) and who else ""


def _where(finding: Mapping[str, Any], say: Words) -> list[str]:
    where = [say("found_at", start=at[0], end=at[1])] if (at := _place(finding.get("at"))) else []
    if isinstance(name := finding.get("source"), str) and name:
        near = say("found_in_reference") if name == "reference" else say("found_near", name=name)
        there = _place(finding.get("source_at"))
        where.append(f"{near}, {say('found_at', start=there[0], end=there[1])}" if there else near)
    return where


def _sign(finding: Mapping[str, Any]) -> str:
    if finding.get("against") is True:
        return "✗"
    return "✓" if state_of(finding.get("kind")) or finding.get("kind") == _SUPPORTED else "·"


def _said(finding: Mapping[str, Any], criterion: Criterion, say: Words) -> str:
    """The wording of a finding: that of a quotation is the quotation with what came of it; an error has its gravity."""
    reason = str(finding.get("reason", ""))
    if state := state_of(finding.get("kind")):
        return f"{say('quote')}: {reason} ({say(_QUOTED[state])})"
    severity = criterion.severities.get(str(finding.get("kind")).removeprefix("span_"))
    return f"{severity}, {reason}" if severity else reason


def quoted(judge: Judge, verdict: Verdict, item: Item, say: Words) -> dict[str, Places]:
    """What is marked in each source, by its id: quotations with their places, and those of claims that stand there."""
    found = places_quoted(verdict, say)
    if any(state_of(one.get("kind")) for one in mappings(verdict.findings)):
        return found  # every quotation was looked up when the reply was read
    fields = judge.with_role("source")
    sources = [one for field in fields for one in item.sources(field.name)]
    sources += [Source(id=field.name, text=text) for field in fields if (text := item.text(field.name))]
    places: dict[str, set[tuple[int, int, str]]] = {}
    for quote in [claim.get("quote") for claim in _claims(judge, verdict)][: limits.QUOTES_LOOKED_UP]:
        located = locate(quote, sources) if isinstance(quote, str) else None
        if located and located.at:
            places.setdefault(located.source, set()).add((*located.at, say(_QUOTED[located.state])))
    return {source: sorted(each) for source, each in places.items()}


def _claims(judge: Judge, verdict: Verdict) -> list[Mapping[str, Any]]:
    return [claim for _, value in parts(judge, verdict, "claims") for claim in mappings(value)]


def places_quoted(verdict: Verdict, say: Words) -> dict[str, Places]:
    """The places of quotations in each source, by its id."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for finding in mappings(verdict.findings):
        at, source = _place(finding.get("source_at")), finding.get("source")
        if at and isinstance(source, str) and (state := state_of(finding.get("kind"))):
            found.setdefault(source, []).append((*at, say(_QUOTED[state])))
    return {source: sorted(places) for source, places in found.items()}


def places_left_out(verdict: Verdict) -> dict[str, Places]:
    """The places in each source, by its id, of what the judged text should have and has not."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for finding in mappings(verdict.findings):
        at, source = _place(finding.get("source_at")), finding.get("source")
        if finding.get("against") is not True or _place(finding.get("at")) or state_of(finding.get("kind")):
            continue
        if at and isinstance(source, str):
            found.setdefault(source, []).append((*at, f"{_of(finding)}{finding.get('reason', '')}"))
    return {source: sorted(places) for source, places in found.items()}


def against(judge: Judge, verdict: Verdict, item: Item, say: Words) -> dict[str, Places]:
    """What is marked in each candidate's text ("" when there is one): what speaks against it, with its place.

    A claim that is not supported and has no place of its own is marked where the text makes it.
    """
    fields = judge.with_role("output")
    if len(fields) != 1:
        return {}  # offsets are those of the judged text, which is one field's
    found = places_against(verdict)
    if text := item.text(fields[0].name):
        places = list(found.get("", ()))
        for claim in unsupported(judge, verdict)[: limits.QUOTES_LOOKED_UP]:
            at = place_of(claim[: limits.CLAIM_CHARS], text[: limits.ANSWER_CHARS])
            if at and not any(start < at[1] and at[0] < end for start, end, _ in places):
                places.append((*at, f"{say('unsupported')}: {claim}"))
        found[""] = sorted(places)
    return found


def unsupported(judge: Judge, verdict: Verdict) -> list[str]:
    """The claims of a verdict that no source supports."""
    texts = [claim.get("text") for claim in _claims(judge, verdict) if claim.get("supported") is False]
    return [text for text in texts if isinstance(text, str)]


def places_against(verdict: Verdict) -> dict[str, Places]:
    """The places of what speaks against each candidate's text ("" when there is one text)."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for finding in mappings(verdict.findings):
        at, who = _place(finding.get("at")), finding.get("candidate", "")
        if finding.get("against") is True and at and isinstance(who, str):
            found.setdefault(who, []).append((*at, str(finding.get("reason", ""))))
    return {who: sorted(places) for who, places in found.items()}


def marked(text: str, *kinds: tuple[Places, str | None], upto: int | None = None) -> list[Child]:
    """The text, or its beginning, with a mark around each place; a kind of them has a class.

    Places of one kind that overlap become one mark, which says what is said of each; of two kinds, the one that begins
    first is marked as far as it goes.
    """
    places = [(*one, class_) for each, class_ in kinds for one in _joined(each, len(text))]
    shown = text[:upto]
    drawn: list[Child] = []
    done = 0
    for start, end, reason, class_ in sorted(places, key=lambda one: one[:2]):
        start, end = max(start, done), min(end, len(shown))
        if start < end:
            drawn += [shown[done:start], element("mark", shown[start:end], title=reason, class_=class_)]
            done = end
    return [*drawn, shown[done:]]


def _joined(places: Places, length: int) -> Iterator[tuple[int, int, str]]:
    """The places within a text of this length, those that overlap as one."""
    begin = close = 0
    said: dict[str, None] = {}
    for start, end, reason in sorted(places):
        if not start < end <= length:
            continue
        if said and start >= close:
            yield begin, close, "; ".join(said)
            said = {}
        begin, close = (begin, max(close, end)) if said else (start, end)
        said[reason] = None
    if said:
        yield begin, close, "; ".join(said)


def _place(at: Any) -> tuple[int, int] | None:
    if not isinstance(at, list | tuple) or len(at) != 2 or not all(type(end) is int and end >= 0 for end in at):
        return None
    return at[0], at[1]
