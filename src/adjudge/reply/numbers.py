"""Numbers as models write them: 4, "4", "4/5", "4 out of 5", "80%", full-width digits, decimal commas."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

from adjudge.core.errors import Malformed, Missing, OutOfScale
from adjudge.core.scale import Scale

_SPELLED = re.compile(
    r"""[*_`"'\s]*+(?P<number>[+-]?\d{1,30}(?:[.,]\d{1,30})?)[*_`]*+\s*+
        (?:(?P<percent>%)|(?:/|out\s+of|из|of)\s*(?P<whole>\d{1,6}(?:[.,]0+)?)|(?P<label>[(:—–][^\d]*+|-\s[^\d]*+))?[*_`"'.\s]*""",
    re.VERBOSE | re.IGNORECASE,
)


def number(value: Any, scale: Scale, *, where: str, fractions: bool = False) -> float:
    """The value as a number of the scale; it is refused, never rounded, clamped or filled in."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise Missing(f"{where}: no score")
    result = _spelled(value, scale, where) if isinstance(value, str) else value
    if isinstance(result, bool) or not isinstance(result, int | float):
        raise Malformed(f"{where}: {_shown(value)} is not a number")
    if isinstance(result, float) and not math.isfinite(result):  # an int may be too large to ask
        raise Malformed(f"{where}: {_shown(value)} is not a finite number")
    if scale.whole and not fractions and result != int(result):
        raise Malformed(f"{where}: {_shown(value)} is not one of the whole points {scale.min} to {scale.max}")
    if not scale.holds(result):
        raise OutOfScale(f"{where}: {_shown(value)} is outside the scale {scale.min} to {scale.max}")
    return float(result) + 0.0  # no negative zero


def _spelled(text: str, scale: Scale, where: str) -> float:
    found = _SPELLED.fullmatch(unicodedata.normalize("NFKC", text)) if len(text) <= 200 else None
    if found is None:
        raise Malformed(f"{where}: {_shown(text)} is not a number")
    digits = found["number"]
    if "," in digits and len(digits.rpartition(",")[2]) == 3:
        raise Malformed(f"{where}: the comma in {_shown(text)} may mark thousands or decimals")
    if found["percent"] and (scale.min, scale.max) != (0, 100):
        raise Malformed(f"{where}: {_shown(text)} is a percentage, and the scale is {scale.min} to {scale.max}")
    if found["whole"] and float(found["whole"].replace(",", ".")) != scale.max:
        raise Malformed(f"{where}: {_shown(text)} counts to another maximum than {scale.max}")
    return float(digits.replace(",", "."))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
