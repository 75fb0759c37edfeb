"""A figure as prose writes it, and what it amounts to on a scale: a point of it, or the reason why it is none."""

from __future__ import annotations

import re
from typing import TypeAlias

from adjudge.core.errors import ReplyError
from adjudge.core.scale import Scale
from adjudge.reply.numbers import number

_SPELLED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_N = rf"(?:[+-]?\d{{1,30}}(?:[.,]\d{{1,30}})?|\b(?:{'|'.join(_SPELLED)})\b)"
#: One figure, with what it is counted out of. A range is taken whole, so that neither end passes for the score.
FIGURE = (
    rf"(?P<n>(?<![\w.,/$€£#-]){_N})[*_`]{{0,8}}"
    rf"(?:\s*/\s*(?P<of>{_N})|\s+(?:out\s+of|из)\s+(?:a\s+(?:possible|maximum)\s+)?(?P<out_of>{_N})"
    rf"|(?P<percent>\s?%)|(?P<range>(?:[-–]|\s+(?:to|or|до|или)\s+){_N})|(?P<stars>[\s-]stars?\b))?"
    r"(?![\w%]|[.,:]\d|\s*/\s*\d|\s*[=+^×])"
)
#: A number of the scale, or why what is written is none.
Figure: TypeAlias = "float | tuple[type[ReplyError], str]"


def counted_out_of(found: re.Match[str]) -> str:
    """The maximum that a figure names, in digits."""
    return _digits(found["of"] or found["out_of"] or "")


def figure(found: re.Match[str], scale: Scale) -> Figure:
    """What a match of FIGURE amounts to."""
    spelled, whole = _digits(found["n"]) + (found["range"] or "") + (found["percent"] or ""), counted_out_of(found)
    try:
        return number(f"{spelled}/{whole}" if whole else spelled, scale, where="the reply")
    except ReplyError as error:
        return type(error), str(error)


def valid(stated: Figure) -> float:
    """The number, or its error raised."""
    if isinstance(stated, tuple):
        kind, message = stated
        raise kind(message)
    return stated


def _digits(spelled: str) -> str:
    return str(_SPELLED.index(spelled.casefold())) if spelled.casefold() in _SPELLED else spelled
