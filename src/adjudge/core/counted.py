"""Numbers of things in messages."""

from __future__ import annotations


def counted(n: int, noun: str) -> str:
    """A number with its English noun, which is given in the singular.

    >>> counted(1, "answer"), counted(1200, "call")
    ('1 answer', '1200 calls')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
