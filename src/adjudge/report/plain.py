"""Hostile text made harmless, and text measured in terminal columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: What can move the cursor, reorder or hide what follows, or cannot be encoded: controls, bidirectional marks,
#: invisible format characters, tags, lone surrogates. The joiners U+200C and U+200D spell words and stay.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BREAK = re.compile("\r\n|[\r\x0c\x85\u2028\u2029]")
#: A link as models write it to cite a source.
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(https?://[^\s()<>]{1,2000}\)")
_ENTRIES, _ENDS = ("- ", "* ", "• "), tuple(".:;!?…)»”")
#: A command as messages give it, from its name to the last option.
_COMMAND = re.compile(
    r"(?<!\S)adjudge [a-z]+(?: --[a-z-]+ (?:'[^']{0,500}'|\S+)| (?:latest|(?=[\w-]*[0-9A-Z])[\w-]++))+(?!\S)"
)
_BLANKS = re.compile(r"\s+")
#: A letter needs two or three marks at most; more is a way to paint over other lines.
_MARKS_MAX = 3
#: No line of a terminal is longer; the rest of a huge text need not be read to cut it.
_SHOWN_MAX = 10_000


def block(text: str) -> str:
    """The text with its lines kept and every control, invisible or reordering character shown as U+FFFD."""
    return _UNSAFE.sub("\ufffd", _BREAK.sub("\n", text))


def plain(text: str) -> str:
    """The text on one line, harmless."""
    return _BLANKS.sub(" ", block(text)).strip()


def unwrapped(text: str) -> str:
    """Running text from a file whose lines were broken to fit: a break stays where it was meant.

    That is before an empty line or an entry of a list, and behind a sentence on whose line there was room for more.
    """
    lines = [line.strip() for line in text.strip().split("\n")]
    wide = max(map(len, lines))
    joined = ""
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        room = len(line) + len(after.partition(" ")[0]) < wide
        meant = not line or not after or after.startswith(_ENTRIES) or (room and line.endswith(_ENDS))
        joined += line + ("\n" if meant else " ")
    return joined.rstrip("\n")


def without_links(text: str) -> str:
    """The text with links by their titles alone."""
    return _LINK.sub(r"\1", text)


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """How many terminal columns the text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def fit(text: str, columns: int) -> str:
    """The text on one harmless line of at most so many columns, with an ellipsis when it was longer."""
    line = plain(text[:_SHOWN_MAX])
    kept: list[str] = []
    used = marks = 0
    for char in line:
        step = _columns(char)
        marks = 0 if step else marks + 1
        if marks > _MARKS_MAX:
            continue
        if used + step > columns:
            while kept and used + 1 > columns:
                used -= _columns(kept.pop())
            return "".join(kept).rstrip() + ("…" if columns else "")
        kept.append(char)
        used += step
    return "".join(kept)


def fit_name(text: str, columns: int) -> str:
    """A name on one harmless line, cut in the middle when it was longer: names that begin alike differ at the end."""
    if width(plain(text[:_SHOWN_MAX])) <= columns:
        return fit(text, columns)
    head = fit(text, columns * 2 // 3)
    room, tail = columns - width(head), ""
    for char in reversed(plain(text[-_SHOWN_MAX:])):
        # a mark would sit on the ellipsis, and a stack of them is a way to paint over other lines
        if _columns(char) == 0 or width(tail) + _columns(char) > room:
            break
        tail = char + tail
    return head + tail


def fill(line: str, columns: int, *, right: bool = False) -> str:
    """A harmless line filled with blanks to so many columns."""
    blank = " " * (columns - width(line))
    return blank + line if right else line + blank


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text cut and filled to exactly so many columns."""
    return fill(fit(text, columns), columns, right=right)


def wrap(text: str, columns: int, *, indent: str = "") -> Iterator[str]:
    """The text as harmless lines of at most so many columns; later lines start with the indent.

    A command of adjudge that fits into one line is never broken, so that it can be pasted.
    """
    line, empty = "", True
    for word in _words(plain(text), columns - width(indent)):
        for piece in _pieces(word, columns - width(indent)):
            if not empty and width(line) + 1 + width(piece) > columns:
                yield line
                line, empty = indent, True
            line = f"{line}{piece}" if empty else f"{line} {piece}"
            empty = False
    if not empty:
        yield line


def _words(text: str, columns: int) -> Iterator[str]:
    place = 0
    for found in _COMMAND.finditer(text):
        if width(found[0]) <= columns:
            yield from text[place : found.start()].split(" ")[:-1]
            yield found[0]
            place = found.end() + 1
    if place <= len(text):
        yield from text[place:].split(" ")


def _pieces(word: str, columns: int) -> Iterator[str]:
    """A word cut where it is wider than a line; marks beyond what a letter needs are dropped."""
    piece, used, marks = "", 0, 0
    for char in word:
        step = _columns(char)
        marks = 0 if step else marks + 1
        if marks > _MARKS_MAX:
            continue
        if used + step > columns:
            yield piece
            piece, used = "", 0
        piece, used = piece + char, used + step
    if piece:
        yield piece
