"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the results; `missed` says what fell short of what is wanted."""

    title: str
    body: str
    missed: tuple[str, ...] = ()


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """A table whose first columns are words and whose others are numbers."""
    rule = ["---"] * words + ["--:"] * (len(head) - words)
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])
