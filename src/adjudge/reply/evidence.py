"""Where a quotation stands in its sources: letter for letter, in other typesetting, in another source, or nowhere.

A text is cut into words and numbers. Those of a quotation must stand side by side in the source, each exactly the same
but for case, ё and е, Unicode composition, invisible characters and kinds of apostrophes and dashes; what stands
between them (white space, quotation marks, punctuation) may differ. So half a word is never found, nor half a number.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from adjudge.core.records import Source

State = Literal["verified", "repaired", "misattributed", "not_found"]

_DASHES = "-‐‑‒–—―−"
_APOSTROPHES = "'’ʼ‘′`´"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_SPACES = " \u00a0\u2009\u202f"
_SAME = str.maketrans(
    dict.fromkeys(_DASHES, "-")
    | dict.fromkeys(_APOSTROPHES, "'")
    | dict.fromkeys(_INVISIBLE + _SPACES, "")
    | {"ё": "е"}
)
#: Letters as `_Words.letters` has them, but for the one that is an apostrophe too.
_LETTERS = re.compile(r"[^\W\d_ʼ]+")
#: Those of European alphabets, which are found twice as fast.
_USUAL_LETTERS = re.compile("[a-zß-öø-ɏα-ωа-ҁ]+")
#: What is no letter by itself and changes how letters are compared; the last one is folded to a letter.
_HIDING = re.compile(f"[{_INVISIBLE}\u0345]")
#: What makes a dash in front of a number its sign: nothing, a blank or an opening mark before it.
_SIGN = r"(?<![^\s(\[{<>=~«„“‘\"'])[-−–]"
_ELLIPSIS = re.compile(r"(?:\.{3,}|…|\. \. \.)+")
#: How many characters may be left out at one ellipsis: fewer beside a part of so few words that it stands anywhere.
_GAP, _SHORT_GAP, _SHORT_WORDS = 1_000, 100, 4
#: White space that is within no number, and how far from a quotation it is looked for.
_BREAK = re.compile(r"(?<!\d)\s|\s(?!\d)")
_NEAR = 100
#: How many parts a quotation may have.
_PARTS = 12
#: No word is longer; composing more marks than this would take a hostile text's time, not a reader's.
_COMPOSED = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Located:
    """Where a quotation was found: the id of the source and the place in its text, as it was given."""

    state: State
    source: str = ""
    at: tuple[int, int] | None = None

    @property
    def found(self) -> bool:
        """Whether it stands in a source that it may be taken from."""
        return self.state in ("verified", "repaired")


def locate(quote: str, sources: Sequence[Source], named: Collection[str] = ()) -> Located | None:
    """Look a quotation up in the sources named, or in all where none is; None where there is no quote or no text.

    >>> locate("«Ещё раз» … домой", [Source(id="1", text='Он сказал: "Еще  раз" и ушёл домой.')])
    Located(state='repaired', source='1', at=(12, 36))
    """
    raw = quote.strip()
    wanted = _Words(raw)
    texts = tuple([source.text for source in sources])
    if not any(texts):
        return None
    letters = _USUAL_LETTERS.findall(wanted.letters) or _LETTERS.findall(wanted.letters)
    prepared = [both for both in zip(sources, _prepared(texts), strict=True) if both[1].may_hold(letters)]
    if letters and not prepared:
        return _NOWHERE
    if not wanted.body.strip():
        return None
    own = [(source, text) for source, text in prepared if not named or source.id in named]
    others = [(source, text) for source, text in prepared if named and source.id not in named]
    for exact in (True, False):
        for source, text in own:
            if at := _place(raw, wanted, text, exact=exact):
                return Located(state="verified" if exact else "repaired", source=source.id, at=at)
    for exact in (True, False):
        for source, text in others:
            if at := _place(raw, wanted, text, exact=exact):
                return Located(state="misattributed", source=source.id, at=at)
    return _NOWHERE


_NOWHERE = Located(state="not_found")


class _Words:
    """A text as its words: ` one two three `, and where each stands in the text."""

    __slots__ = ("_body", "_ends", "_letters", "_places", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._body: str | None = None
        self._letters: str | None = None
        self._starts: array[int] | None = None

    @property
    def letters(self) -> str:
        """The text with its letters as they are compared; empty where marks or what is invisible stand among them."""
        if self._letters is None:
            text = self.text
            if text.isascii():
                self._letters = text.lower()
            elif unicodedata.is_normalized("NFC", text) and not _HIDING.search(text):
                self._letters = text.casefold().replace("ё", "е")
            else:
                self._letters = ""
        return self._letters

    def may_hold(self, letters: Sequence[str]) -> bool:
        """Whether each of these runs of letters stands in the text: most quotations that do not are told by that,
        and cutting a text into words takes ten times as long."""
        own = self.letters
        if own:
            for run in letters:
                if run not in own:
                    return False
        return True

    @property
    def body(self) -> str:
        """Made when it is first looked into: most quotations stand in the source that they name."""
        if self._body is None:
            self._body = f" {' '.join(filter(None, map(_folded, _word().findall(self.text))))} "
        return self._body

    @property
    def cut(self) -> bool:
        """Whether it was looked into before."""
        return self._body is not None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the text of what stands from one blank of the body to another."""
        starts = self._place()
        first, last = bisect_left(self._places, start), bisect_left(self._places, end) - 1
        return starts[first], self._ends[last]

    def holds(self, words: _Words, start: int) -> bool:
        """Whether these words begin at this place of the text."""
        starts = self._place()
        first = bisect_left(starts, start)
        if first == len(starts) or starts[first] != start:
            return False
        return self.body.startswith(words.body, self._places[first])

    @property
    def lead(self) -> int:
        """How many characters stand before the first word."""
        return next(match.start() for match in _word().finditer(self.text) if _folded(match[0]))

    def _place(self) -> array[int]:
        """Note where each word begins: only of a text in which something was found, since it takes longest."""
        if self._starts is None:
            self._places, self._starts, self._ends = array("q"), array("q"), array("q")
            place, words = 0, []
            for match in _word().finditer(self.text):
                if word := _folded(match[0]):
                    words.append(word)
                    self._places.append(place)
                    self._starts.append(match.start())
                    self._ends.append(match.end())
                    place += len(word) + 1
            self._body = f" {' '.join(words)} "
        return self._starts


@lru_cache(maxsize=4)
def _prepared(texts: tuple[str, ...]) -> tuple[_Words, ...]:
    """Every quotation of a reply is looked up in the same texts."""
    return tuple(map(_Words, texts))


def _place(raw: str, wanted: _Words, text: _Words, *, exact: bool) -> tuple[int, int] | None:
    if exact:
        return _letter_for_letter(raw, wanted, text)
    return _in_one_piece(wanted, text) or _with_gaps(raw, text)


def _in_one_piece(wanted: _Words, text: _Words) -> tuple[int, int] | None:
    start = text.body.find(wanted.body)
    return None if start < 0 else text.span(start, start + len(wanted.body) - 1)


def _letter_for_letter(raw: str, wanted: _Words, text: _Words) -> tuple[int, int] | None:
    """The first place where the very characters of the quotation are whole words."""
    first = text.text.find(raw)
    if first < 0:
        return None
    if not text.cut and (around := _around(text.text, first, first + len(raw))) is not None:
        start, words = around
        if words.text == raw or words.holds(wanted, first - start + wanted.lead):
            return first, first + len(raw)
    if wanted.body not in text.body:
        return None
    # only what repeats itself stands in more places than this, and comparing it at all of them would not be linear
    tries = 8 * (len(text.text) // len(raw) + 1)
    start = first
    while start >= 0 and tries:
        if text.holds(wanted, start + wanted.lead):
            return start, start + len(raw)
        start, tries = text.text.find(raw, start + 1), tries - 1
    return None


def _around(text: str, start: int, end: int) -> tuple[int, _Words] | None:
    """The words around a place, and where they begin; None where no break is near.

    They are the same as in the whole text, and cutting all of a long text into words takes a hundred times as long.
    """
    low, high = max(start - _NEAR, 0), min(end + _NEAR, len(text))
    before = [found.end() for found in _BREAK.finditer(text, low, start + 1)]
    after = _BREAK.search(text, end, high)
    begin = before[-1] if before else 0 if low == 0 else None
    close = after.start() if after and after.end() < high else high if high == len(text) else None
    return None if begin is None or close is None else (begin, _Words(text[begin:close]))


def _with_gaps(raw: str, text: _Words) -> tuple[int, int] | None:
    """Where the parts between a quotation's ellipses stand in their order, none far from the one before.

    Parts only ever move forward: one that lies too far behind is looked for again, nearer to the next one.
    """
    pieces = _ELLIPSIS.split(raw, _PARTS + 2)  # an ellipsis at either end leaves an empty one
    if len(pieces) == 1:
        return None
    parts = [part for piece in pieces if (part := _Words(piece).body).strip()]
    if not 1 < len(parts) <= _PARTS or not any(part.count(" ") > 2 for part in parts):
        return None
    short = [part.count(" ") - 1 < _SHORT_WORDS for part in parts]
    gaps = [_SHORT_GAP if one or other else _GAP for one, other in pairwise(short)]
    at, n = [0] * len(parts), 0
    while n < len(parts):
        low = at[n - 1] + len(parts[n - 1]) - 1 if n else 0
        at[n] = text.body.find(parts[n], max(low, at[n]))
        if at[n] < 0:
            return None
        if n and at[n] - low > gaps[n - 1]:
            n -= 1
            at[n] = at[n + 1] - gaps[n] - len(parts[n]) + 1
        else:
            n += 1
    return text.span(at[0], at[-1] + len(parts[-1]) - 1)


@lru_cache(maxsize=1 << 14)
def _folded(word: str) -> str:
    """A word or number as it is compared; "" for what is none."""
    if word.isascii():
        return word.lower().translate(_SAME).strip("_'")
    if not word[0].isalnum() and len(word) == 1 and word not in "‰§":
        kind = unicodedata.category(word)
        return word if kind[0] == "S" and kind != "Sk" and word not in _DASHES else ""
    composed = unicodedata.normalize("NFC", word) if len(word) <= _COMPOSED else word
    return composed.casefold().translate(_SAME).strip("_'")


@cache
def _word() -> re.Pattern[str]:
    """What is compared: numbers with their sign, groups, separators and ranges; words; signs that change a meaning."""
    inside = rf"[\w{_marks()}{_INVISIBLE}]"
    digits = rf"(?:\d{{1,3}}(?:[{_SPACES}]\d{{3}}(?!\d))+|\d+)"
    number = rf"(?:{_SIGN})?(?:(?<![\w.])\.)?{digits}(?:[.,:/'’{re.escape(_DASHES)}]\d+)*{inside}*"
    words = rf"{inside}+(?:[{_APOSTROPHES}]{inside}+)*(?:(?:\+\+|#)(?!\w))?"
    return re.compile(rf"{number}|{words}|!=|[%$&@+<>=~]|[^\x00-\x7f\s]")


def _marks() -> str:
    """The characters that go with the letter before them, as ranges of a pattern."""
    ranges: list[list[int]] = []
    for code in range(0x300, 0x10000):
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)
