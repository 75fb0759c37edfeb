"""From the text of a reply to the JSON values it holds, each with where it stands and what it took to read it."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from typing import Any

from adjudge.reply.cursor import JSON5, REPAIR, STEPS, STRICT, Found, Tangled, budget, mapping
from adjudge.reply.jsonish import CONTINUES, Reader
from adjudge.reply.strings import QUOTES, TOP

_REASONING = r"think(?:ing)?|thought|reasoning|reflection|scratch(?:pad)?|analysis|seed:think"
_TAG = re.compile(
    rf"(?P<open><(?:{_REASONING})>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)\b[^<]{{0,40}}<\|message\|>)"
    rf"|(?P<close></(?:{_REASONING})>|\[/THINK\]|◁/think▷|<\|channel\|>final\b[^<]{{0,40}}<\|message\|>)"
    r"|(?P<split></?(?:answer|output|result|final|final_answer|response)>|<\|[\w ]{1,20}\|>)",
    re.IGNORECASE,
)
#: No verdict opens with a long run of brackets; the last ones of a run may belong to one.
_START = re.compile(r"\{(?!\{)(?![{\[]{8})|\[(?![{\[]{8})")
_STRICT_START = re.compile(r"\{\s*[\"}]|\[\s*[\[\]{\"\dtfn-]")
_FENCE = re.compile(r"```[\w-]*")
#: An object without its brackets.
_MEMBERS = re.compile(r"\s*\"[^\"\\\n]{1,120}\"\s*:\s*[\[{\"\d]")
_BRACKETED_FENCE = re.compile(r"\s*\[\s*```[\w-]*")
#: What prose puts in brackets: no quotes, no colon, nothing nested.
_REFERENCE = re.compile(r"\[[\w ,.-]*\]")
_VALUE_START = re.compile(r"\s*(?:```|[{\[\"'“‘`\\/.(\d-])")
_INT_CHARS = 300
#: Behind a whole object, the end of a string that began inside it: a quotation mark in a text was not escaped.
_GOES_ON = re.compile(r"\s*+[\]}]*+\s*+[\"”]\s*+[,}\]]")
_NOTHING = re.compile(r"(?:\s|```)*\Z")


def _integer(digits: str) -> int | float:
    # int() refuses very long numbers with an error of its own; as a float such a number is off any scale
    return int(digits) if len(digits) < _INT_CHARS else float(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=mapping, parse_int=_integer)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be the verdict. `final` is False inside the model's reasoning."""

    value: Any
    raw: str
    start: int
    end: int
    step: str
    final: bool = True
    guessed: bool = False
    unclosed: bool = False
    elided: bool = False


def strict(text: str) -> Any:
    """The value of a text that is JSON and nothing else; ValueError otherwise."""
    try:
        value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(" \t\r\n\ufeff")))
    except RecursionError:
        raise Tangled("nested too deeply") from None
    if text[end:].strip():
        raise Tangled("text follows the value")
    return value


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a reply holds; `final_from` is where the reasoning ends, `reasoning` that the text stops inside it."""

    candidates: list[Candidate]
    final_from: int = 0
    reasoning: bool = False


def extract(text: str) -> Extracted:
    """Every object and array of a reply, outermost before those inside it, in order of place."""
    try:
        value = strict(text)
    except ValueError:
        pass
    else:
        return Extracted([Candidate(value, text, 0, len(text), "strict")])
    return _Scan(text).run()


def usable(extracted: Extracted, finish: str) -> list[Candidate]:
    """The candidates after the reasoning, or inside it when it never ended and yet was not cut off."""
    final = [candidate for candidate in extracted.candidates if candidate.final]
    return final or (extracted.candidates if extracted.reasoning and finish == "stop" else [])


def is_draft(extracted: Extracted, text: str) -> bool:
    """Whether all candidates stand inside reasoning that never ended, and it goes on behind the last of them."""
    if not extracted.reasoning or any(candidate.final for candidate in extracted.candidates):
        return False
    return not _NOTHING.match(text, max((one.end for one in extracted.candidates), default=0))


class _Scan:
    """One pass over the text: strict JSON where it stands, tolerant reading elsewhere, never across a tag."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[Found, bool]] = []
        self.reasoning = False
        self.final_from = 0
        self.budget = 4 * len(text) + 1000
        self.work = budget(text)

    def run(self) -> Extracted:
        text, i, begin = self.text, 0, -1
        tags = list(_TAG.finditer(text))
        next_tag = 0
        while True:
            if begin < i:
                start = _START.search(text, i)
                begin = start.start() if start else len(text)
            while next_tag < len(tags) and tags[next_tag].start() < i:
                next_tag += 1
            if next_tag < len(tags) and tags[next_tag].start() <= begin:
                self._tag(tags[next_tag])
                i = tags[next_tag].end()
                next_tag += 1
            elif begin == len(text):
                break
            else:
                i = self._object(begin, tags[next_tag].start() if next_tag < len(tags) else len(text))
        self.found = [pair for pair in self.found if pair[0].value]  # an empty object or array says nothing
        self.found.sort(key=lambda pair: (pair[0].start, -pair[0].end))
        return Extracted([self._candidate(*pair) for pair in self.found], self.final_from, self.reasoning)

    def _tag(self, tag: re.Match[str]) -> None:
        if tag["close"]:
            # a model may leave out the opening tag: all that stands before the closing one is reasoning
            self.final_from = tag.end()
        if tag["open"] or tag["close"]:
            self.reasoning = bool(tag["open"])

    def _object(self, begin: int, limit: int) -> int:
        """Read what starts here; the place where the search goes on."""
        if self.budget > 0 and _STRICT_START.match(self.text, begin):
            try:
                value, end = _DECODER.raw_decode(self.text, begin)
            except json.JSONDecodeError as error:
                # the error counts the lines before it, so each one costs in proportion to its place
                self.budget -= error.pos - begin + error.pos // 16
            except (RecursionError, ValueError):
                self.budget -= len(self.text)
            else:
                if not CONTINUES.match(self.text, end):
                    torn = self.text[begin - 1 : begin] not in QUOTES and _GOES_ON.match(self.text, end) is not None
                    self.found.append((Found(value, begin, end, STRICT, guessed=torn), self.reasoning))
                    return end
        if self.work <= 0:
            return begin + 1
        reader = self._json5(begin) if limit < len(self.text) else None
        if reader is None:
            reader = Reader(self.text, begin, limit, work=self.work)
            with contextlib.suppress(Tangled):
                reader.read()
        self.work = reader.work
        self.found += [(found, self.reasoning) for found in reader.found]
        return max(reader.i, begin + 1)

    def _json5(self, begin: int) -> Reader | None:
        """What starts here if it is sound JSON5: then a tag inside its strings is text."""
        reader = Reader(self.text, begin, work=self.work)
        reader.trusting = True
        with contextlib.suppress(Tangled):
            reader.value(TOP)
            if reader.level <= JSON5 and not reader.unclosed:
                return reader
        self.work = reader.work
        return None

    def _candidate(self, found: Found, was_reasoning: bool) -> Candidate:
        step = "embedded_object" if found.level == STRICT else STEPS[found.level]
        return Candidate(
            found.value,
            self.text[found.start : found.end],
            found.start,
            found.end,
            step,
            not was_reasoning and found.start >= self.final_from,
            found.guessed,
            found.unclosed,
            found.elided,
        )


def document(text: str) -> Candidate:
    """The one value a whole text means, mended and guessed where it must be; ValueError when there is none.

    >>> document("{a: 1, b: [2, 3").value
    {'a': 1, 'b': [2, 3]}
    """
    try:
        return Candidate(strict(text), text, 0, len(text), "strict")
    except ValueError:
        pass
    if bracketless(text):
        reader = Reader("{" + text[_beginning(text) :].rstrip("`, \t\r\n") + "}")
        reader.level = REPAIR
    else:
        reader = Reader(text, _beginning(text))
    values = _values(reader)
    if not values:
        raise Tangled("no value")
    value = values[0] if len(values) == 1 else values
    return Candidate(
        value, text, 0, len(text), STEPS[reader.level], True, reader.guessed, reader.unclosed, reader.elided
    )


def bracketless(text: str) -> bool:
    """Whether the text lists members of an object without its brackets."""
    return _MEMBERS.match(text, _beginning(text)) is not None


def objectless(text: str) -> bool:
    """Whether no object can be read from the text, however it is mended.

    One begins with its bracket, is an array in which a colon follows a key, or has lost both brackets.
    """
    if "{" in text:
        return False
    if "[" in text and text.find(":", text.index("[")) >= 0 and text.count("[") != len(_REFERENCE.findall(text)):
        return False
    return '"' not in text or not bracketless(text)


def _beginning(text: str) -> int:
    """Where the value begins: at once, or after prose at a fence or the first bracket."""
    fence = _BRACKETED_FENCE.match(text)
    if fence:
        return fence.end()
    if _VALUE_START.match(text) and not re.match(r"\s*\(\d+\) ", text):
        return 0
    fence = _FENCE.search(text)
    bracket = _START.search(text)
    if fence and (not bracket or fence.start() < bracket.start()):
        return fence.end()
    if bracket and re.search(r"[\s:]", text[: bracket.start()].strip()):
        return bracket.start()
    return 0


def _values(reader: Reader) -> list[Any]:
    """The values of a text one after another: lines of JSON, or a list that lost its brackets."""
    values: list[Any] = []
    separated = True
    while True:
        reader.skip()
        if reader.char == "" or (values and reader.text.startswith("```", reader.i)):
            return values
        value = reader.read()
        if not separated and type(value) is type(values[-1]) and isinstance(value, list | dict):
            values.pop()  # written twice with nothing between: the last one counts
        elif values == [[]] or values == [{}]:
            values.clear()
        values.append(value)
        line = reader.i
        reader.skip()
        while reader.char and reader.char in "}])":
            reader.i += 1
            reader.skip()
        comma = reader.char == ","
        reader.i += comma
        separated = comma or "\n" in reader.text[line : reader.i]
        if not separated and reader.char not in (*QUOTES, "{", "["):
            return values
