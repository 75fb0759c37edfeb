"""Whether a quotation stands in its source, whatever the typesetting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_SAME = str.maketrans(
    dict.fromkeys("«»„“”‟″‹›‘’‚‛`´′'", '"') | dict.fromkeys("‐‑‒–—―−", "-") | {"ё": "е", "…": "...", "\u00ad": ""}
)
_EDGES = " \"'.,;:!?()[]-"


def normal(text: str) -> str:
    """The text without what typesetting changes: case, spaces, kinds of quotes and dashes, ё and the ellipsis."""
    folded = unicodedata.normalize("NFC", text).casefold().translate(_SAME)
    return " ".join(folded.split())


@lru_cache(maxsize=8)
def bodies(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts as `quote_found` wants them; every claim of a reply asks for those of the same sources."""
    return tuple(map(normal, texts))


def find(quote: str, body: str) -> bool:
    """True when every part of the quote, as split by its ellipses, stands in the normal text in this order.

    >>> find("«Ещё раз» … домой", normal('Он сказал: "Еще  раз" и ушёл домой.'))
    True
    """
    return _in_order(_parts(quote), body)


def _parts(quote: str) -> list[str]:
    parts = [part.strip(_EDGES) for part in re.split(r"\.{3,}|\[\.{3}\]", normal(quote))]
    return [part for part in parts if part]


def _in_order(parts: list[str], body: str) -> bool:
    place = 0
    for part in parts:
        place = body.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return bool(parts)


def quote_found(quote: str, texts: Iterable[str]) -> bool | None:
    """`find` in any of the normal texts; None when there is no quote or nothing to look in."""
    known = [body for body in texts if body]
    if not quote.strip() or not known:
        return None
    parts = _parts(quote)
    return any(_in_order(parts, body) for body in known)
