"""A place in a reply, with a budget of work in proportion to its length: what makes tolerant reading linear."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

#: Deeper than any verdict, and shallow enough that a recursive reader never meets the interpreter's limit.
DEPTH = 64
#: Looking back and ahead may cost this many characters for each one of the text; then the reader gives up.
WORK_PER_CHAR = 12

STRICT, JSON5, REPAIR = 0, 1, 2
STEPS = ("strict", "json5", "repair")

_SPACE = re.compile(r"[\s\u180e\u200b\ufeff]*")


class Tangled(ValueError):
    """Nothing can be read from here on: too deep, too costly, or no value at all."""


class TooDeep(Tangled):
    """Nested deeper than any verdict; another way of reading would not help."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object or array in a text: its value, where it stands, and what it took to read it."""

    value: Any
    start: int
    end: int
    level: int
    guessed: bool = False
    unclosed: bool = False
    elided: bool = False


class Torn(list[Any]):
    """A list that ends without its bracket, has such a part or says that it leaves entries out: no one can count it."""


class Clash(dict[str, Any]):
    """An object that gives a key two different values; `keys_twice` are those keys, `pairs` all that it says."""

    keys_twice: frozenset[str] = frozenset()
    pairs: tuple[tuple[str, Any], ...] = ()


def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dict of the pairs, or a Clash where a key comes back with another value."""
    result: dict[str, Any] = dict(pairs)
    if len(result) == len(pairs):
        return result
    result = {}
    twice: set[str] = set()
    for key, value in pairs:
        if key in result and not same(result[key], value):
            twice.add(key)
        result[key] = value
    if not twice:
        return result
    clash = Clash(result)
    clash.keys_twice, clash.pairs = frozenset(twice), tuple(pairs)
    return clash


def same(one: Any, other: Any) -> bool:
    """Equality that tells True from 1, as JSON does."""
    return type(one) is type(other) and bool(one == other)


def budget(text: str) -> int:
    """How much work reading the text may take."""
    return WORK_PER_CHAR * len(text) + 4096


class Cursor:
    """The text, where we are in it, and how much mending it took so far."""

    def __init__(self, text: str, start: int = 0, end: int | None = None, *, work: int | None = None) -> None:
        self.text, self.i, self.end = text, start, len(text) if end is None else end
        self.level = STRICT
        self.guessed = False
        self.unclosed = False
        #: Whether an object or array of what is being read does not end with its own bracket.
        self.torn = False
        #: Whether it has a comment or dots, which may stand for what is left out.
        self.elided = False
        self.work = budget(text) if work is None else work
        self.trusting = False
        self.depth = 0

    def spend(self, cost: int) -> None:
        self.work -= cost
        if self.work < 0:
            raise Tangled("the text takes too much work to read")

    def mend(self, level: int, *, guessed: bool = False) -> None:
        """Note what it took to go on; while quotes are trusted, there is no guessing."""
        if guessed and self.trusting:
            raise Tangled("quotes do not pair")
        self.level = max(self.level, level)
        self.guessed = self.guessed or guessed

    def at(self, index: int) -> str:
        return self.text[index] if index < self.end else ""

    @property
    def char(self) -> str:
        return self.text[self.i] if self.i < self.end else ""

    def after(self, index: int) -> int:
        """The place of the next character that is neither space nor comment."""
        text, end = self.text, self.end
        while True:
            found = _SPACE.match(text, index, end)
            start, index = index, found.end() if found else index
            self.spend(index - start + 1)
            if self.at(index) != "/" or self.at(index + 1) not in ("/", "*"):
                return index
            close = text.find("*/" if text[index + 1] == "*" else "\n", index + 2, end)
            stop = end if close < 0 else close + (2 if text[index + 1] == "*" else 0)
            self.spend(stop - index)
            index = stop

    def skip(self) -> None:
        """Move past space and comments; a comment is JSON5, and one without end is a repair."""
        start, self.i = self.i, self.after(self.i)
        if "/" in self.text[start : self.i]:
            self.mend(JSON5)
            self.elided = True
