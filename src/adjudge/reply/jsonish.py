"""A tolerant reader of JSON: JSON5, and the damage that models do, in linear time.

What it mends is recorded as a level (strict, json5, repair); where it could only guess, the value says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from adjudge.reply.cursor import DEPTH, JSON5, REPAIR, STRICT, Cursor, Found, Tangled, TooDeep, Torn, mapping
from adjudge.reply.scalars import WORDS, numeral, word
from adjudge.reply.strings import ARGUMENT, ELEMENT, KEY, MEMBER, QUOTES, TOP, string

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_KEYWORD = re.compile(r"true|false|null")
_CALL = re.compile(r"[A-Za-z_$][\w$]*\s*\(")
_BARE = {
    KEY: re.compile(r"[^,\[\]{}\n:\"“”]*"),
    MEMBER: re.compile(r"[^,\]}\n{\[\"“”]*"),
    ELEMENT: re.compile(r"[^,\[\]{}\n\"“”]*"),
    ARGUMENT: re.compile(r"[^,\[\]{}()\n\"“”]*"),
    TOP: re.compile(r"[^,\[\]{}\n\"“”]*"),
}
_URL = re.compile(r"https?://[^\s,\"'\]}]*")
_NEXT_MEMBER = re.compile(r"\s*+(?:[\"'“]?[\w$ -]{1,80}+[\"'”]?\s*:|[}\]]|$)")
_ENDS = re.compile(r"[\s,\]}:){\[]|/[/*]|$")
_REGEX = re.compile(r"/(?:[^/\\\n]|\\.)+/")
#: A quoted key after a closing bracket and a comma.
CONTINUES = re.compile(r"\s*,\s*\"[^\"\\\n]{1,120}\"\s*:")
_OPEN_FENCE = re.compile(r"```[\w-]*")


class Reader(Cursor):
    """Reads values one after another; every object it completes, at any depth, is kept in `found`."""

    def __init__(self, text: str, start: int = 0, end: int | None = None, *, work: int | None = None) -> None:
        super().__init__(text, start, end, work=work)
        self.found: list[Found] = []

    def read(self) -> Any:
        """The value that starts here: as its quotes say, else with guesses at what they meant."""
        start, kept = self.i, len(self.found)
        before = (self.level, self.guessed, self.unclosed, self.torn, self.elided)
        self.trusting = True
        try:
            return self.value(TOP)
        except TooDeep:
            raise
        except Tangled:
            if self.work < 0:
                raise
        del self.found[kept:]
        self.i, self.depth, self.trusting = start, 0, False
        self.level, self.guessed, self.unclosed, self.torn, self.elided = before
        return self.value(TOP)

    def value(self, context: str) -> Any:
        """The value that starts here; Tangled where there is none."""
        self.skip()
        while fence := _OPEN_FENCE.match(self.text, self.i, self.end):
            self.mend(REPAIR)
            self.i = fence.end()
            self.skip()
        char = self.char
        if char == "{":
            return self._container(self._members)
        if char == "[":
            return self._container(self._elements)
        if char == "(":
            return self._tuple()
        if char == "\\" and self.at(self.i + 1) in QUOTES:
            return self._escaped()
        if char in QUOTES:
            return self._joined(context)
        return self._bare(context)

    def _container(self, read: Callable[[], Any]) -> Any:
        """Read an object or array, noting what mending it took of its own."""
        outer, start = (self.level, self.guessed, self.unclosed, self.torn, self.elided), self.i
        self.level, self.guessed, self.unclosed, self.torn, self.elided = STRICT, False, False, False, False
        self.depth += 1
        if self.depth > DEPTH:
            raise TooDeep("nested too deeply")
        self.i += 1
        value = read()
        self.depth -= 1
        self.found.append(Found(value, start, self.i, self.level, self.guessed, self.unclosed, self.elided))
        self.level = max(outer[0], self.level)
        self.guessed, self.unclosed = outer[1] or self.guessed, outer[2] or self.unclosed
        self.torn, self.elided = outer[3] or self.torn, outer[4] or self.elided
        return value

    def _members(self) -> dict[str, Any]:
        pairs: list[tuple[str, Any]] = []
        while True:
            comma = self._separator()
            if self._closed("}", comma and bool(pairs)):
                return mapping(pairs)
            if self.char in "{[":  # a new element begins where a key was due: this object was never closed
                self.mend(REPAIR)
                self.torn = True
                return mapping(pairs)
            if pairs and not comma:
                self.mend(REPAIR)
            before = self.i
            key = self._key()
            if self._stray(before):
                continue
            value = self._member()
            if self.i < self.end or value is not None or (key and all(key != known for known, _ in pairs)):
                pairs.append((key, value))
            if self.i == before:
                raise Tangled("no key")

    def _stray(self, before: int) -> bool:
        """A bare word where a key was due, without a colon: a remark that is no member."""
        self.skip()
        if self.text[before] in QUOTES or self.text[before] == "\\" or self.i == before or self.char not in (",", "}"):
            return False
        self.mend(REPAIR, guessed=True)
        return True

    def _key(self) -> str:
        if self.char == "\\" and self.at(self.i + 1) in QUOTES:
            return str(self._escaped())
        if self.char in QUOTES:
            return string(self, KEY)
        run = _BARE[KEY].match(self.text, self.i, self.end)
        assert run is not None
        self.spend(run.end() - self.i + 1)
        self.i = run.end()
        name = run.group().strip()
        if self.char == '"' and ":" not in name:
            quoted = self.after(self.i + 1)
            if self.at(quoted) == ":" or not name:
                self.i += 1
            else:  # words before a quoted key are a stray remark
                self.mend(REPAIR)
                return string(self, KEY)
        self.mend(JSON5 if re.fullmatch(r"[\w$]+", name) and not name[0].isdigit() else REPAIR)
        return name

    def _member(self) -> Any:
        self.skip()
        colon = self.char == ":"
        if colon:
            self.i += 1
            self.skip()
            while self.char == ":":
                self.i += 1
                self.mend(REPAIR)
                self.skip()
        else:
            self.mend(REPAIR, guessed=True)
        if self.char == "" or self.char in ",}]":
            self.mend(REPAIR, guessed=self.char == "")
            self.torn = True
            return None
        return self.value(MEMBER)

    def _elements(self) -> Any:
        items: list[Any] = []
        while True:
            comma = self._separator()
            if self._closed("]", comma and bool(items)):
                return Torn(items) if self.torn or self.elided else items
            if self.char == ":":  # ["key": "value"] meant an object
                return self._as_object(items)
            if items and not comma:
                self.mend(REPAIR)
            before = self.i
            items.append(self.value(ELEMENT))
            if self.i == before:
                raise Tangled("no element")

    def _as_object(self, items: list[Any]) -> list[Any]:
        self.mend(REPAIR, guessed=True)
        key = items.pop() if items else ""
        pairs = [(str(key), self._member())]
        rest = self._members()
        return [*items, mapping(pairs + list(rest.items()))]

    def _separator(self) -> bool:
        """Skip commas and ellipses; True when there was a comma."""
        comma = False
        while True:
            self.skip()
            if self.char == ",":
                self.mend(REPAIR if comma else self.level)
                comma = True
                self.i += 1
            elif self.text.startswith("...", self.i) and self.i < self.end:
                self.mend(REPAIR)
                self.elided = True
                self.i += 3
            else:
                return comma

    def _closed(self, closer: str, trailing: bool) -> bool:
        """Whether the container ends here, with its own bracket, another's, or the end of the text."""
        char = self.char
        if char == "":
            self.mend(REPAIR)
            self.unclosed = self.torn = True
            return True
        if char not in "}])" and not self.text.startswith("```", self.i):
            return False
        if trailing:
            self.mend(JSON5)
        if char == closer:
            self.i += 1
            # an object closed one bracket too early goes on with its next member
            if char == "}" and self.depth == 1 and CONTINUES.match(self.text, self.i, self.end):
                self.mend(REPAIR)
                self.i = self.text.index(",", self.i) + 1
                self.skip()
                return False
            return True
        self.mend(REPAIR)
        self.torn = True
        if char in "}]" and (self.depth == 1 or self._instead(char)):
            self.i += 1
        return True

    def _instead(self, char: str) -> bool:
        """A wrong bracket stands for the right one when the members of this very level go on behind it."""
        behind = self.after(self.i + 1)
        return (
            char == "}"
            and self.at(behind) == ","
            and bool(_NEXT_MEMBER.match(self.text, behind + 1, self.end))
            and self.depth <= 2
        )

    def _escaped(self) -> Any:
        """A string whose quotes are all escaped, as in JSON that was quoted once too often."""
        self.mend(REPAIR, guessed=True)
        quote = self.text[self.i + 1]
        start = self.i + 2
        stop = self.text.find("\\" + quote, start, self.end)
        if stop < 0:
            stop = self.end
        self.spend(stop - start)
        self.i = min(stop + 2, self.end)
        return self.text[start:stop].rstrip("\\")

    def _joined(self, context: str) -> Any:
        """A string, and those added to it with a plus sign."""
        value = string(self, context)
        while self.at(self.after(self.i)) == "+":
            self.i = self.after(self.i) + 1
            self.mend(REPAIR, guessed=True)
            self.skip()
            if self.char not in QUOTES:
                break
            value += string(self, context)
        return value

    def _tuple(self) -> Any:
        self.mend(REPAIR)
        self.i += 1
        items: list[Any] = []
        self.depth += 1
        if self.depth > DEPTH:
            raise TooDeep("nested too deeply")
        commas = 0
        while True:
            commas += self._separator()
            if self.char in ("", ")", "]", "}"):
                break
            items.append(self.value(ARGUMENT))
        self.depth -= 1
        self.i += self.char == ")"
        return items[0] if len(items) == 1 and not commas else items

    def _bare(self, context: str) -> Any:
        """A number, a word of JSON, a call around a value, or text without quotes."""
        start = self.i
        keyword = _KEYWORD.match(self.text, start, self.end)
        if keyword and _ENDS.match(self.text, keyword.end(), self.end):
            self.i = keyword.end()
            return WORDS[keyword.group()]
        number = _NUMBER.match(self.text, start, self.end)
        if number and number.group() and _ENDS.match(self.text, number.end(), self.end):
            shown = _BARE[context].match(self.text, start, self.after(number.end()) + 1)
            if context != MEMBER or shown is None or shown.group().strip()[len(number.group()) :][:1] in ("", "/"):
                self.i = number.end()
                if self.i >= self.end:
                    self.guessed = self.guessed or self.depth > 0
                return numeral(number.group())
        call = _CALL.match(self.text, start, self.end)
        if call:
            return self._call(call.end(), context)
        literal = (_REGEX if self.char == "/" else _URL).match(self.text, start, self.end)
        run = _BARE[context].match(self.text, literal.end() if literal else start, self.end)
        assert run is not None
        self.spend(run.end() - start + 1)
        self.i = run.end()
        if context == MEMBER:
            self._go_on(start)
        raw = self.text[start : self.i].rstrip()
        if not raw:
            raise Tangled("no value")
        self.mend(REPAIR, guessed=self.i >= self.end and self.depth > 0)
        if self.char == '"':
            behind = self.after(self.i + 1)
            if self.at(behind) in ("", *",]}:\n"):
                self.i += 1  # the start quote was missing
        return word(self, raw)

    def _go_on(self, start: int) -> None:
        """Bare text in an object runs on over commas, brackets and quotes that begin no new member."""
        while self.i < self.end:
            char, behind = self.char, self.after(self.i + 1)
            if char == "," and not self.trusting and not _NEXT_MEMBER.match(self.text, behind, self.end):
                self.mend(REPAIR, guessed=True)
            elif char in "{[" and self.i > start:
                close = self.text.find("}" if char == "{" else "]", self.i, self.end)
                self.spend((self.end if close < 0 else close) - self.i)
                if close < 0:
                    return
                self.mend(REPAIR, guessed=True)
                self.i = close
            else:
                return
            run = _BARE[MEMBER].match(self.text, self.i + 1, self.end)
            assert run is not None
            self.spend(run.end() - self.i)
            self.i = run.end()

    def _call(self, inside: int, context: str) -> Any:
        self.mend(REPAIR)
        self.i = inside
        self.depth += 1
        if self.depth > DEPTH:
            raise TooDeep("nested too deeply")
        value = self.value(ARGUMENT)
        self.depth -= 1
        self.skip()
        self.i += self.char == ")"
        self.i += self.char == ";"
        return value
