"""The citations of a text, as [2], [1, 3], [2-4] or ²: which sources they name, and where they stand."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_DASH = r"\-‐‑‒–—"
#: One to three digits: what has four is a year. A raised number after a digit is a power.
_CITED = re.compile(
    rf"\[\s*(\d{{1,3}}(?:\s*[,;{_DASH}]\s*\d{{1,3}})*)\s*\]"
    r"|(?<=[^\W\d]|[.,;:!?»”\")])([⁰¹²³⁴-⁹]{1,3})(?![\w⁺⁻])"
)
_RANGE = re.compile(rf"(\d+)\s*[{_DASH}]\s*(\d+)|(\d+)")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
#: What stands after a unit of measure is a power, not a citation.
_UNIT = re.compile(r"(?<![^\W\d])(?:[mkcdnμ]?m|км|см|дм|мм|м|in|ft|cm|km|mm|s|с)\Z", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…]+[\"'»”’)]*(?=\s|\Z)|\n")
_BETWEEN = re.compile(r"[ \t.,;:!?…\"'»”’)]*")
#: No sentence is longer.
_SENTENCE_CHARS = 2_000
#: A range that is longer names no sources.
_LONGEST = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """One citation: the numbers it names, and its place."""

    numbers: tuple[int, ...]
    at: tuple[int, int]


def citations(text: str) -> list[Citation]:
    """Every citation of a text, in order.

    >>> [found.numbers for found in citations("It rains [1, 3-5]. In 1999 [1999] it did not.²")]
    [(1, 3, 4, 5), (2,)]
    """
    found = []
    for match in _CITED.finditer(text):
        if match.group(2) and _UNIT.search(text, max(match.start() - 3, 0), match.start()):
            continue
        numbers = tuple(dict.fromkeys(_numbers((match.group(1) or match.group(2)).translate(_LOWERED))))
        if numbers:
            found.append(Citation(numbers=numbers, at=match.span()))
    return found


def _numbers(given: str) -> Iterator[int]:
    for first, last, single in _RANGE.findall(given):
        if single:
            yield int(single)
        elif 0 <= int(last) - int(first) < _LONGEST:
            yield from range(int(first), int(last) + 1)


def cited_by(text: str, found: Sequence[Citation], at: tuple[int, int]) -> tuple[int, ...]:
    """What a passage cites: the citations in it, else the first ones after it, up to the end of its sentence."""
    end = at[1]
    first, last = (bisect_left(found, place, key=_start) for place in at)
    if first == last:
        if last == len(found) or not _reached(text, found[last].at[0], end):
            return ()
        last += 1
    # those that follow one another are one citation: [1][2], [1] [2]
    while last < len(found) and not text[found[last - 1].at[1] : found[last].at[0]].strip(" ,;"):
        last += 1
    return tuple(dict.fromkeys(number for one in found[first:last] for number in one.numbers))


def _start(citation: Citation) -> int:
    return citation.at[0]


def _reached(text: str, place: int, end: int) -> bool:
    """Whether a place belongs to the sentence that goes on at `end`: it stands in it, or right after its end."""
    if place - end > _SENTENCE_CHARS:
        return False
    closes = _SENTENCE_END.search(text, max(end - 1, 0), place)
    return closes is None or ("\n" not in closes.group() and bool(_BETWEEN.fullmatch(text[closes.end() : place])))
