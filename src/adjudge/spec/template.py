"""Slots: `{{name}}` in a judge's text, filled once. What is filled in is never scanned again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_SLOT = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}")
_PARAGRAPH = re.compile(r"\n[ \t]*\n+")


def slots(text: str) -> tuple[str, ...]:
    """The names of the slots in a text, in order, with repeats."""
    return tuple(_SLOT.findall(text))


def stray(text: str) -> str | None:
    """What stands at the first `{{` that opens no slot."""
    rest = _SLOT.sub(lambda match: " " * len(match.group()), text)
    at = rest.find("{{")
    return None if at < 0 else text[at : at + 30].splitlines()[0]


def paragraphs(text: str) -> list[str]:
    """The parts of a text between blank lines."""
    return _PARAGRAPH.split(text.strip("\n"))


def split(text: str) -> list[str]:
    """The text around the slots and the names of the slots, by turns: it begins and ends with text."""
    return _SLOT.split(text)


def fill(text: str, value: Callable[[str], str]) -> str:
    """The text with every slot replaced, in one pass."""
    parts = split(text)
    parts[1::2] = [value(name) for name in parts[1::2]]
    return "".join(parts)


def without(text: str, absent: Iterable[str]) -> str:
    """The text less the paragraphs that have a slot for something absent."""
    gone = set(absent)
    return "\n\n".join(part for part in paragraphs(text) if gone.isdisjoint(slots(part)))
