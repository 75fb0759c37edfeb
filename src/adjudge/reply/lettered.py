"""A rating given as a letter: the points of the scale as options A, B, C, … from the lowest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.core.scale import Scale
from adjudge.reply.prose import Conclusion, Prose, Statement, conclude
from adjudge.reply.stated import check_scale

_NAMED = re.compile(
    r"\b(?:answer|option|choice|verdict|rating|score|grade|ответ|вариант|выбор|вердикт|оценка)\b[\"'*_`]{0,8}+"
    r"\s*+(?P<sign>[:=—–-]|\bis\b)?[\s\"'*_`(\[]*+(?P<letter>[A-Z])(?![\w'’])",
    re.IGNORECASE,
)
#: What goes on with a letter: a sign, another option, or the phrase that it is a word of.
_CONTINUED = re.compile(
    r"\s?\+|[−–-]|[\s*_`\"')\]]{0,8}(?:[/&|\\]\s{0,2}[A-Za-z(]"
    r"|,?\s?(?:or|and|to|или|и|либо)\s+(?:\w+\s+){0,2}?[(\[\"']?[A-Z](?![\w'’])|,\s?[A-Z](?![\w'’])"
    r"|[ \t]{1,4}(?!(?:because|as|since|for|due|and|but|so|with|overall|is\s+(?:the|my|correct|right)|fits|applies"
    r"|best|потому|так|и|но|поскольку)\b)[a-zа-яё])"
)
#: Said before an option that no sign announces, these choose it.
_CHOOSES = re.compile(
    r"(?:\b(?:choose|chose|pick|select|go\s+(?:with|for)|opt\s+for|settle\s+(?:on|for)|favou?r|prefer|take|is|be"
    r"|answer|выбираю|выберу|ставлю|это)"
    r"|(?:\A|[,;:—])\s*(?:so|therefore|thus|hence|итак|значит)?,?)\s*(?:the|my|an?)?\s*(?:final|best|right"
    r"|correct)?\W*\Z",
    re.IGNORECASE,
)
_ALONE = re.compile(r"^[ \t\r\xa0>*_`\"'(\[]*+(?P<letter>[A-Za-z])[ \t\r\xa0*_`\"')\].:]*+$", re.MULTILINE)


def letters(scale: Scale) -> dict[str, int]:
    """The option of every point."""
    return {chr(ord("A") + place): point for place, point in enumerate(scale.points)}


def one_letter(prose: Prose, scale: Scale, finish: str) -> Conclusion[int]:
    """The point whose letter the prose chooses."""
    check_scale(prose, scale)
    return conclude(prose, list(_choices(prose, letters(scale))), finish, _CONTINUED)


def _choices(prose: Prose, options: dict[str, int]) -> Iterator[Statement[int]]:
    lines = [found for found in _ALONE.finditer(prose.text) if found["letter"].upper() in options]
    for found in lines:
        yield Statement(value=options[found["letter"].upper()], start=found.start(), end=found.end(), bare=True)
    for found in _NAMED.finditer(prose.text):
        if found["letter"] not in options:
            continue
        # "option E" within a sentence only speaks of it; "A" before a word with a capital letter may be the article
        said = found["sign"] or _CHOOSES.search(prose.sentence(found.start()))
        article = found["letter"] == "A" and re.match(r"[ \t]+[^\W\d_]", prose.text[found.end() : found.end() + 8])
        if said and not article:
            yield Statement(value=options[found["letter"]], start=found.start(), end=found.end())
