"""What a server's rate-limit headers say: how long it wants to be left alone once a quota is used up."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from adjudge.core import limits

_UNIT_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_STEP = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)(ms|us|µs|ns|d|h|m|s)")
_STEPS = re.compile(rf"(?:{_STEP.pattern})+")
_VALUE_CHARS = 64
#: Nobody waits 30 years: a number of this size is a moment, counted from 1970 in seconds or in milliseconds.
_EPOCH_S, _EPOCH_MS = 1e9, 1e11


def rest_s(headers: Mapping[str, str], now: float) -> float | None:
    """The longest wait for a quota that is used up, at most `limits.RETRY_AFTER_CAP_S`; None where none is.

    All providers name the pair alike: `x-ratelimit-remaining-tokens` and `x-ratelimit-reset-tokens`,
    `anthropic-ratelimit-requests-remaining` and `-reset`, `ratelimit-remaining` and `ratelimit-reset`.
    """
    told = {name.lower(): value for name, value in headers.items()}
    waits = [
        _until(told.get(name.replace("remaining", "reset"), ""), now)
        for name, value in told.items()
        if "ratelimit" in name and "remaining" in name and _used_up(value)
    ]
    known = [min(wait_s, limits.RETRY_AFTER_CAP_S) for wait_s in waits if wait_s is not None]
    return max(known, default=None)


def _used_up(remaining: str) -> bool:
    number = _number(remaining)
    return number is not None and number <= 0


def _until(reset: str, now: float) -> float | None:
    """Seconds from now until a moment that is told as a number, a length of time ("1h2m3.5s") or a date."""
    reset = reset.strip()[:_VALUE_CHARS]
    number = _number(reset)
    if number is not None:
        if number >= _EPOCH_S:
            return max(0.0, number / (1000 if number >= _EPOCH_MS else 1) - now)
        return number if number >= 0 else None
    if _STEPS.fullmatch(reset):
        return sum(float(amount) * _UNIT_S[unit] for amount, unit in _STEP.findall(reset))
    try:
        moment = datetime.fromisoformat(reset)
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
