"""Numbers of things in messages."""

from __future__ import annotations


def counted(n: int, noun: str) -> str:
    """A number with its English noun, which is given in the singular.

    >>> counted(1, "answer"), counted(1200, "call")
    ('1 answer', '1200 calls')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def duration(seconds: float) -> str:
    """A length of time in its two largest units, such as 3 h 12 min."""
    if seconds >= 366 * 86_400:
        return "more than a year"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    days, hours = divmod(minutes // 60, 24)
    parts = [(days, counted(days, "day")), (hours, f"{hours} h"), (minutes % 60, f"{minutes % 60} min")]
    return " ".join([told for count, told in parts if count][:2])
