"""Cases drawn from numbers: thousands of them cost little, and one that fails is made again from its number."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import TypeVar

Case = TypeVar("Case")
#: What is promised. Fewer, for a quick look while working: ADJUDGE_EXAMPLES=500
EXAMPLES = int(os.environ.get("ADJUDGE_EXAMPLES", "10000"))
#: Where letters come from: plain ones mostly, then any that a text can hold; surrogates are no text.
_LETTERS = [(0x20, 0x7E)] * 3 + [(0, 0xFF), (0x0, 0xD7FF), (0xE000, 0x10FFFF)]


def each(make: Callable[[Random], Case], check: Callable[[Case], None]) -> None:
    """Check as many cases as are promised; a failure tells its number and its case."""
    for number in range(EXAMPLES):
        case = make(Random(number))
        try:
            check(case)
        except BaseException as error:
            error.add_note(f"number {number}: {case!r}")
            raise


def text(draw: Random, most: int) -> str:
    """Any text of up to so many letters."""
    return "".join(chr(draw.randint(*draw.choice(_LETTERS))) for _ in range(draw.randint(0, most)))


def mixed(draw: Random, pieces: list[str], *, most: int, letters: int, joint: str = "") -> str:
    """Up to so many of the pieces, any texts among them."""
    count = draw.randint(0, most)
    return joint.join(draw.choice(pieces) if draw.random() < 0.5 else text(draw, letters) for _ in range(count))
