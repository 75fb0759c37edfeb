"""What the judged texts say themselves: a verdict that a reply only repeats from them is a quotation."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from adjudge.core.errors import NoVerdict
from adjudge.core.records import Opinion

#: Words of a row that must stand together in a judged text; with the marks of JSON, enough to tell a quotation.
_RUN = 8
#: The same within a reason, which a quotation may shorten.
_PHRASE = 3
#: Commas, quotes and closing brackets are what quoting and mending change.
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d]+|[{\[:]")
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d]+")
_ESCAPE = re.compile(r"\\[nrt]")
#: How much of each reason of a reply that is a verdict and nothing else must be from a judged text.
_REPEATED = 0.9
#: The same where words stand around the verdict, as around a quotation.
_HALF = 0.5
#: What a member of an object is made of, however a copy writes its quotation marks and whatever it sets around words.
_PART = re.compile(
    r"(?P<mark>\\*(?:[\"'“”„‟‘’‚`´«»‹›＂＇]|&(?:quot|apos|[lr][sd]?a?quo|#0*3[49]|#x0*2[27]);))"
    r"|(?P<word>\d+(?:\.\d+)?|[^\W_]+)|(?P<sets>[:=：])|(?P<other>[{}\[\](),;])"
)
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")
#: Parts between the end of a string and the value of a member behind it, at most: brackets, keys of several levels.
_MEMBER_PARTS = 40
_KEY_WORDS = 6
_STRING_PARTS = 200
_Parts: TypeAlias = Sequence[tuple[str, str, int]]
_CUT = re.compile(r"(?:\.\.\.?|…)[\s\"'”»)\].]*\Z")


class Quoted(Exception):
    """A value is a quotation from a judged text; where nothing else is left, the reply is without a verdict."""


def only_quoted() -> NoVerdict:
    """The failure of a reply that states nothing but a quotation."""
    return NoVerdict("the only verdict is quoted from a judged text")


class Quotes:
    """The verdicts and the words of the judged texts of one call; a look-up takes time in proportion to its text."""

    def __init__(self, judged: Iterable[str]) -> None:
        self._texts = texts = tuple(judged)
        self._said = _Runs(texts, _TOKEN)
        self._braced = any("{" in text for text in texts)
        self._planted: dict[Hashable, set[str | None]] = {}
        self._strings: list[str] = []
        self._reasons: _Runs | None = None

    @cached_property
    def _members(self) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        found = [(member, lead) for text in self._texts for _, member, lead in members(text, bare=True)]
        return frozenset(member for member, _ in found), frozenset((lead, member) for member, lead in found if lead)

    def repeated(self, text: str) -> list[int]:
        """Where a reply has a member of an object as a judged text has it too."""
        known, _ = self._members
        return [place for place, member, _ in members(text) if member in known] if known else []

    def copied(self, text: str) -> list[int]:
        """Where even the word before such a member is the same: the judged text goes on there."""
        _, known = self._members
        return [place for place, member, lead in members(text) if (lead, member) in known] if known else []

    def have(self, text: str) -> bool:
        """Whether a judged text holds these very characters."""
        return any(text in judged for judged in self._texts)

    def plant(self, value: Any, found: Opinion, item: str | None = None) -> None:
        """Note a verdict that a judged text holds: for one item of a batch, or for any."""
        self._planted.setdefault(_vector(found), set()).add(item)
        self._strings += (entry for entry in everything([value]) if isinstance(entry, str))
        self._strings += _reasons(found)
        self._reasons = None

    def says(self, value: Any) -> bool:
        """Whether a judged text holds the value, laid out in whatever way; a string is taken as it stands."""
        if isinstance(value, str):
            return self._said.hold(value, _RUN) == 1
        if isinstance(value, dict) and not self._braced:
            return False  # its first word is a bracket that no text holds
        written = _written(value)
        if "{" in written[1:]:
            written = written[1:]  # a text may hold its members alone
        return self._said.hold(written, _RUN) == 1

    def hold(self, value: Any, found: Opinion, item: str, *, whole: bool = False) -> bool:
        """Whether the opinion is one that a judged text states: with its scores, and no reason that is not from it.

        A `whole` reply is nothing but its verdict: it quotes only where every reason is from a judged text. Else a text
        that gives itself the lowest scores could make the honest verdict on it look like a quotation.
        """
        items = self._planted.get(_vector(found))
        if items is None:
            return self.says(value)
        if items.isdisjoint((None, item)):
            return False
        if self._reasons is None:
            self._reasons = _Runs(self._strings, _WORD)
        known, reasons = self._reasons, _reasons(found)
        if not reasons:
            return self.says(value) or all(known.hold(text, _PHRASE) >= 0.5 for text in _listed(found))
        from_text = [known.hold(reason, _PHRASE) for reason in reasons]
        return min(from_text) >= (_REPEATED if whole else _HALF)


class _Runs:
    """The runs of words in some texts, by their length; each length is collected when it is first asked for."""

    def __init__(self, texts: Iterable[str], pattern: re.Pattern[str]) -> None:
        self._texts, self._pattern = tuple(texts), pattern
        self._tokens: list[list[str]] | None = None
        self._runs: dict[int, set[tuple[str, ...]]] = {}
        self._words: list[str] = []

    def hold(self, text: str, longest: int) -> float:
        """The share of the text's runs of words that stand in the texts."""
        tokens = _tokens(text, self._pattern)
        last = tokens.pop() if tokens and _CUT.search(text[-16:]) else None
        if not tokens:
            return float(last is not None and self._begins(last))
        known = self._of_length(min(longest, len(tokens)))
        hits = [run in known for run in _windows(tokens, longest)]
        return sum(hits) / len(hits)

    def _split(self) -> list[list[str]]:
        if self._tokens is None:
            self._tokens = [_tokens(text, self._pattern) for text in self._texts]
        return self._tokens

    def _of_length(self, length: int) -> set[tuple[str, ...]]:
        if length not in self._runs:
            texts = (tokens for tokens in self._split() if len(tokens) >= length)
            self._runs[length] = {run for tokens in texts for run in _windows(tokens, length)}
        return self._runs[length]

    def _begins(self, start: str) -> bool:
        """Whether a word begins so: the rest was cut off."""
        self._words = self._words or sorted({token for tokens in self._split() for token in tokens})
        place = bisect_left(self._words, start)
        return place < len(self._words) and self._words[place].startswith(start)


def _tokens(text: str, pattern: re.Pattern[str]) -> list[str]:
    """The words of a text without case and layout; 5.0 is 5."""
    found = pattern.findall(_ESCAPE.sub(" ", text).casefold())
    return [token.rstrip("0").rstrip(".") if "." in token else token for token in found]


def _windows(tokens: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    length = min(length, len(tokens))
    return zip(*(tokens[first:] for first in range(length)), strict=False)


def members(text: str, *, bare: bool = False) -> Iterator[tuple[int, str, str]]:
    """What looks like the end of one member of an object and the whole of the next: its place, it, the word before.

    Quotation marks of all kinds are alike, and what is set around words does not count: a judge that copies a text may
    change them, or set some where a `bare` text has none.
    """
    if not any(sign in text for sign in ":=："):
        return
    text = _UNICODE.sub(lambda found: chr(int(found[1], 16)).ljust(6, "\0"), text) if "\\u" in text else text
    parts = [(found.lastgroup or "", found[0], found.start()) for found in _PART.finditer(text)]
    for n, (kind, _, place) in enumerate(parts):
        if (kind == "mark" or (bare and kind == "other")) and (member := _member(parts[n + 1 : n + _MEMBER_PARTS])):
            yield place, member, "" if bare and _is_closed(parts, n) else _word_before(parts, n)


def _word_before(parts: _Parts, at: int) -> str:
    return parts[at - 1][1].casefold() if at and parts[at - 1][0] == "word" else ""


def _is_closed(parts: _Parts, at: int) -> bool:
    """Whether a mark ends a string that began as the value of a member: then nothing was left open to write into."""
    for n in range(at - 1, max(at - _STRING_PARTS, 0), -1):
        if parts[n][0] == "mark":
            return parts[n - 1][0] == "sets"
    return False


def _member(parts: _Parts) -> str:
    """The keys and the value of a member that begins here, or nothing."""
    keys: list[str] = []
    words: list[str] = []
    for kind, said, _ in parts:
        if kind == "word":
            if len(words) >= (1 if keys else _KEY_WORDS):
                break
            words.append(said)
        elif kind == "sets":
            if not words and not keys:
                return ""  # the mark before it ends a key
            if keys and words and words[0][0].isdigit():
                break  # a number is a value, whatever follows
            keys += ["".join(words)] if words else []
            words = []
        elif kind == "other" and words:
            break
    if not (keys and words):
        return ""
    value = words[0].rstrip("0").rstrip(".") if "." in words[0] else words[0]
    return ":".join([*keys, value]).casefold()


def _written(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""


def _vector(found: Opinion) -> Hashable:
    return frozenset((name, who, score.value) for name, by in found.scores.items() for who, score in by.items())


def _reasons(found: Opinion) -> list[str]:
    """What the opinion says in words."""
    reasons = [score.reason for by_name in found.scores.values() for score in by_name.values()]
    return [text for text in (*reasons, *found.texts.values()) if _WORD.search(text)]


def _listed(found: Opinion) -> Iterator[str]:
    """The words of the lists of an opinion."""
    for lists in (found.claims, found.questions, found.spans):
        yield from (entry.text for each in lists.values() for entry in each)


def everything(values: Iterable[Any]) -> Iterator[Any]:
    """The values and all that stands in them, each once."""
    waiting = list(values)
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            if id(value) in seen:
                continue
            seen.add(id(value))
            waiting += value.values() if isinstance(value, dict) else value
        yield value
