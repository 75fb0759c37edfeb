"""Words and numbers without quotes, in the spellings of JSON, JSON5, Python and haste."""

from __future__ import annotations

import re
from typing import Any

from adjudge.reply.cursor import JSON5, Cursor

_LOOSE_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:0|[1-9][\d_]*)(?:\.[\d_]*)?(?:[eE][+-]?\d*)?|(?:\.[\d_]*)?)")
_NOT_FINITE = re.compile(r"[+-]?(?:infinity|nan)")
#: Longer numbers are off any scale, and as an int they would be too large for arithmetic with floats.
_INT_CHARS = 300
WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}


def numeral(text: str) -> int | float:
    """A number; one too long for an int is as good as infinite."""
    if re.fullmatch(r"[+-]?[\d_]+", text) and len(text) < _INT_CHARS:
        return int(text)
    return float(text)


def word(reader: Cursor, raw: str) -> Any:
    """What text without quotes says: a word of JSON, a number spelled loosely, or just text."""
    lower = raw.lower()
    if lower in WORDS:
        return WORDS[lower]
    if _NOT_FINITE.fullmatch(lower):
        return float(lower)
    if (
        reader.i >= reader.end
        and reader.depth == 0
        and lower in ("t", "tr", "tru", "f", "fa", "fal", "fals", "n", "nu", "nul")
    ):
        reader.guessed = True
        return {"t": True, "f": False, "n": None}[lower[0]]
    if not _LOOSE_NUMBER.fullmatch(raw):
        return raw
    if re.match(r"[+-]?0[xX]", raw):
        reader.level = max(JSON5, reader.level)
        return int(raw, 16) if len(raw) < _INT_CHARS // 2 else float("-inf" if raw[0] == "-" else "inf")
    digits = re.sub(r"[eE][+-]?$", "", raw).replace("_", "")
    if not any(char.isdigit() for char in digits):
        reader.guessed = True
        return 0.0 if "." in digits else 0
    return numeral(digits)
