"""Two texts and what differs between them, in bounded time."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, TypeAlias

from adjudge.core.limits import COMPARED_LINES, COMPARED_WORDS
from adjudge.report.element import Markup, element

#: A stretch of text that both have, that only the first has, or only the second.
Piece: TypeAlias = tuple[Literal["both", "gone", "new"], str]
_WORD = re.compile(r"\w+\s*|[^\w\s]+\s*|\s+")
_DRAWN = {"gone": "del", "new": "ins"}


def words_apart(before: str, after: str) -> list[Piece] | None:
    """Both texts as one, word by word; None where they are too long to be compared."""
    one, other = _WORD.findall(before), _WORD.findall(after)
    if max(len(one), len(other)) > COMPARED_WORDS:
        return None
    pieces: list[Piece] = []
    for name, a, b, c, d in difflib.SequenceMatcher(None, one, other).get_opcodes():
        if name == "equal":
            pieces.append(("both", "".join(one[a:b])))
            continue
        if a < b:
            pieces.append(("gone", "".join(one[a:b])))
        if c < d:
            pieces.append(("new", "".join(other[c:d])))
    return pieces


def drawn_apart(pieces: list[Piece]) -> list[Markup | str]:
    """The pieces of two texts; what only one of them has is marked as deleted or inserted."""
    return [text if kind == "both" else element(_DRAWN[kind], text) for kind, text in pieces]


def lines_apart(name: str, before: str, after: str) -> Iterator[str] | None:
    """The lines of two files that differ, with those around them; None where they are too long to be compared."""
    one, other = before.splitlines(), after.splitlines()
    if max(len(one), len(other)) > COMPARED_LINES:
        return None
    return islice(difflib.unified_diff(one, other, name, name, lineterm=""), 2, None)
