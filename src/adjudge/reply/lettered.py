"""A rating given as a letter: the points of the scale as options A, B, C, … from the lowest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.core.scale import Scale
from adjudge.reply.prose import Conclusion, Prose, Statement, conclude

_NAMED = re.compile(
    r"\b(?:answer|option|choice|verdict|rating|score|grade|ответ|вариант|выбор|вердикт|оценка)\b[\"'*_`]{0,8}+"
    r"\s*+(?:[:=—–-]|\bis\b)?[\s\"'*_`(\[]*+(?P<letter>[A-Z])(?![\w'’])",
    re.IGNORECASE,
)
_ALONE = re.compile(r"^[ \t\r\xa0>*_`\"'(\[]*+(?P<letter>[A-Za-z])[ \t\r\xa0*_`\"')\].:]*+$", re.MULTILINE)


def letters(scale: Scale) -> dict[str, int]:
    """The option of every point."""
    return {chr(ord("A") + place): point for place, point in enumerate(scale.points)}


def one_letter(prose: Prose, scale: Scale, finish: str) -> Conclusion[int]:
    """The point whose letter the prose chooses."""
    return conclude(prose, list(_choices(prose.text, letters(scale))), finish)


def _choices(text: str, options: dict[str, int]) -> Iterator[Statement[int]]:
    lines = [found for found in _ALONE.finditer(text) if found["letter"].upper() in options]
    for found in lines:
        yield Statement(value=options[found["letter"].upper()], start=found.start(), end=found.end(), bare=True)
    for found in _NAMED.finditer(text):
        if found["letter"] in options:
            yield Statement(value=options[found["letter"]], start=found.start(), end=found.end())
