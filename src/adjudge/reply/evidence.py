"""Whether a quotation stands in its source, whatever the typesetting."""

from __future__ import annotations

import re
import unicodedata

_SAME = str.maketrans(
    dict.fromkeys("«»„“”‟″‹›‘’‚‛`´′'", '"') | dict.fromkeys("‐‑‒–—―−", "-") | {"ё": "е", "…": "...", "\u00ad": ""}
)
_SPACE = re.compile(r"\s+")
_EDGES = " \"'.,;:!?()[]-"


def normal(text: str) -> str:
    """The text without what typesetting changes: case, spaces, kinds of quotes and dashes, ё and the ellipsis."""
    folded = unicodedata.normalize("NFC", text).casefold().translate(_SAME)
    return _SPACE.sub(" ", folded).strip()


def find(quote: str, text: str) -> bool:
    """True when every part of the quote, as split by its ellipses, stands in the text in this order.

    >>> find("«Ещё раз» … домой", 'Он сказал: "Еще  раз" и ушёл домой.')
    True
    """
    parts = [part.strip(_EDGES) for part in re.split(r"\.{3,}|\[\.{3}\]", normal(quote))]
    parts = [part for part in parts if part]
    body, place = normal(text), 0
    for part in parts:
        place = body.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return bool(parts)


def quote_found(quote: str, texts: list[str]) -> bool | None:
    """`find` in any of the texts; None when there is no quote or nothing to look in."""
    known = [text for text in texts if text.strip()]
    if not quote.strip() or not known:
        return None
    return any(find(quote, text) for text in known)
