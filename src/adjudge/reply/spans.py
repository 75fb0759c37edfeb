"""Errors that a reply lists, with their words: found in the text by code, and the score the sum of their penalties."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from adjudge.core.errors import Malformed, Missing, Truncated
from adjudge.core.judge import Criterion
from adjudge.core.limits import ERRORS_LISTED
from adjudge.core.records import ErrorSpan, Finding, Source
from adjudge.reply.evidence import locate
from adjudge.reply.keys import ABSENT, ALIASES, look_up, normal

#: The words of an entry that is none, unless the text has them.
_LEFT_OUT = ("...", "…", "[...]", "[…]")
_SLASH = re.compile(r"\s*/\s*")


class _Place(NamedTuple):
    at: tuple[int, int] | None = None
    source: str = ""
    source_at: tuple[int, int] | None = None


def read_spans(
    criterion: Criterion, entries: Sequence[Any], where: str, *, judged: str | None, sources: Sequence[Source]
) -> tuple[ErrorSpan, ...]:
    """The errors of a list. A severity or category that the judge does not name is refused, never guessed.

    Without the judged text, as where only a reply is read, nothing is looked up.
    """
    if len(entries) > ERRORS_LISTED:  # each is looked for in the texts
        raise Malformed(f"{where}: {len(entries)} errors are listed, and {ERRORS_LISTED} is the most")
    severities, categories = _spellings(criterion.severities), _spellings(criterion.categories)
    places: dict[str, _Place] = {}
    found: list[ErrorSpan] = []
    for number, entry in enumerate(entries):
        at = f"{where}[{number}]"
        if not isinstance(entry, dict):
            raise Malformed(f"{at}: an object was due")
        words = look_up(entry, ALIASES["span"], at)[0]
        if not isinstance(words, str):
            raise (Missing if words is ABSENT or words is None else Malformed)(f"{at}: no span")
        if words.strip() in _LEFT_OUT and words.strip() not in (judged or ""):
            raise Truncated(f"{at}: the entry stands for errors that are left out")
        explanation = look_up(entry, ALIASES["explanation"], at)[0]
        span = ErrorSpan(
            text=words.strip(),
            category=_one_of(entry, "category", categories, criterion.categories, at),
            severity=_one_of(entry, "severity", severities, criterion.severities, at),
            explanation=explanation.strip() if isinstance(explanation, str) else "",
        )
        if judged is not None and span.text not in places:
            places[span.text] = _place(span.text, judged, sources)
        found.append(replace(span, **places.get(span.text, _Place())._asdict()))
    return tuple(found)


def _place(span: str, judged: str, sources: Sequence[Source]) -> _Place:
    """The first place of the words in the judged text, else in the sources: the words of an omission stand there.

    Whole words are looked for first. Part of a word or a mark alone counts where it stands in the text only once.
    """
    place = locate(span, [Source(id="", text=judged)])
    if place is not None and place.found:
        return _Place(at=place.at)
    if span and judged.count(span) == 1:
        start = judged.index(span)
        return _Place(at=(start, start + len(span)))
    place = locate(span, sources)
    return _Place(source=place.source, source_at=place.at) if place is not None else _Place()


def _one_of(entry: Mapping[str, Any], key: str, spellings: Mapping[str, str], names: Mapping[str, str], at: str) -> str:
    word = look_up(entry, ALIASES[key], at)[0]
    if word is ABSENT or word is None or word == "":
        raise Missing(f"{at}: no {key}")
    found = spellings.get(_plain(word)) if isinstance(word, str) else None
    if found is None:
        raise Malformed(f"{at}: the {key} {str(word)[:60]!r} is none of {', '.join(names)}")
    return found


def _spellings(titles: Mapping[str, str]) -> dict[str, str]:
    """Every name by its spellings: as it is, by its title, and without its group, where that names no other too."""
    others: dict[str, set[str]] = {}
    for name, title in titles.items():
        for spelling in (title, name.rpartition("/")[2]):
            others.setdefault(_plain(spelling), set()).add(name)
    certain = {spelling: min(names) for spelling, names in others.items() if len(names) == 1}
    return certain | {_plain(name): name for name in titles}


def _plain(word: str) -> str:
    return "/".join(map(normal, _SLASH.split(word)))


def total(criterion: Criterion, spans: Sequence[ErrorSpan]) -> tuple[float, bool]:
    """The sum of the penalties, exactly, and whether it was more than the scale holds and counts as its end."""
    assert criterion.scale is not None
    penalties = (Decimal(repr(criterion.penalty(span.severity, span.category))) for span in spans)
    found = sum(penalties, Decimal(0))
    return min(float(found), float(criterion.scale.max)), found > criterion.scale.max


def told(criterion: Criterion, spans: Sequence[ErrorSpan]) -> str:
    """Why the score is what it is: the errors, one after another."""
    return " ".join(f"{criterion.severities[span.severity]}, {_said(criterion, span)}" for span in spans)


def _said(criterion: Criterion, span: ErrorSpan) -> str:
    said = f'{criterion.categories[span.category]} "{span.text}": {span.explanation}'.rstrip(": ")
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def findings(criterion: Criterion, spans: Sequence[ErrorSpan]) -> tuple[Finding, ...]:
    """The errors as everything that is found in a text is shown."""
    return tuple(
        Finding(
            kind=f"span_{span.severity}",
            reason=_said(criterion, span),
            at=span.at,
            source=span.source,
            source_at=span.source_at,
        )
        for span in spans
    )


def not_found(spans: Sequence[ErrorSpan]) -> bool:
    """Whether the words of any error stand neither in the judged text nor in a source."""
    return any(span.at is None and span.source_at is None for span in spans)
