"""Words one after another: what each is, numbers of several words, and what a negation turns around."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from adjudge.models.offline.lexicon import Lexicon, lexicon
from adjudge.models.offline.otherwise import may_count, month
from adjudge.models.offline.tokens import TOKEN, fold, script, stem

#: A negation turns the next content word around, over this many words without content.
_REACH = 5
#: Longer numbers are no amounts that anyone puts in words.
_LONG = 20
_APART = re.compile(r"\W{1,3}")
#: Thousands by one mark and the fraction by the other, "1,234.5" or "1.234,5".
_GROUPED = re.compile(r"([1-9]\d{0,2}(?:(?:,\d{3})+(?=\.)|(?:\.\d{3})+(?=,)))[.,](\d+)")
_TIME = re.compile(r"([01]?\d|2[0-3])[.:]([0-5]\d)")
_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_CLAUSE = re.compile(r"[,;:.!?…—–()]|\s-|-\s")


@dataclass(frozen=True, kw_only=True, slots=True)
class Number:
    """A number as written, and the ways it may be read: "1,500" is 1500 or 1.5.

    `shown` is the number with the word that multiplies it, "1.5 million", where there is one.
    """

    text: str
    readings: tuple[frozenset[str], ...]
    spelled: bool = False
    shown: str = ""

    @property
    def cut(self) -> str:
        """The stem that the number has among the content words."""
        first, *more = self.readings[0]
        # "0/0" is no 0.
        apart = more or (not self.spelled and re.search(r"[:/]", self.text))
        return "#" + (re.sub(r"\D", "", self.text) if apart else first)

    def within(self, known: frozenset[str]) -> bool:
        return any(reading <= known for reading in self.readings)


def readings(token: str) -> tuple[frozenset[str], ...]:
    """What a written number may mean; a date or a time is all of its parts, and a time is one with a point, too.

    A separator groups thousands only after a number of its own: "0.003" is not 3.
    """
    plain = re.sub(r"\s", "", token)
    found: list[frozenset[str]] = []
    if grouped := _GROUPED.fullmatch(plain):
        whole, part = re.sub(r"[.,]", "", grouped[1]), grouped[2]
        found.append(frozenset({f"{whole}.{part}".rstrip("0").rstrip(".")}))
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", plain):
        found.append(frozenset({re.sub(r"[.,]", "", plain)}))
    if re.fullmatch(r"(?:0|[1-9]\d*)?[.,]\d+", plain):
        whole, part = re.split(r"[.,]", plain)
        fraction = part.rstrip("0")
        found.append(frozenset({(whole or "0") + (f".{fraction}" if fraction else "")}))
    parts = re.split(r"[.,:/]", plain)
    if len(parts) == 1 or not found:
        found.append(frozenset(part.lstrip("0") or "0" for part in parts))
    if time := _TIME.fullmatch(plain):
        found.append(frozenset({f"{int(time[1])}:{time[2]}"}))
    if date := _DATE.fullmatch(plain):
        one, two, year = (str(int(part)) for part in date.groups())
        found += [frozenset({one, month(two), year}), frozenset({two, month(one), year})]
    return tuple(found)


class Word(NamedTuple):
    """A token by itself: lower case, stem, the number it is, and whether it negates, has content, may be a name,
    may count without digits."""

    token: str
    low: str
    cut: str
    number: Number | None
    negates: bool
    content: bool
    name: bool
    counts: bool


@cache
def reader(lang: str) -> Callable[[str], Word]:
    """What a token of a language is, each looked up once."""
    words = lexicon(lang)

    @lru_cache(maxsize=65536)
    def read(token: str) -> Word:
        low, number = token.lower(), None
        if token[-1].isdecimal():
            number = Number(text=token, readings=readings(token))
            cut = number.cut
        elif low in words.numbers:
            cut = f"#{words.numbers[low]}"
            number = Number(text=token, readings=(frozenset({cut[1:]}),), spelled=True)
        else:
            cut = stem(words.forms.get(low, low.removesuffix("'s")), lang)
        negates = low in words.negation or low.endswith("n't")
        content = not negates and low not in words.stop and (len(cut) > 1 or script(cut) == "wide")
        capital = token[0].isupper() and len(token) > 1
        name = content and words.names and capital and low not in words.abbreviations
        return Word(token, low, cut, number, negates, content, name, may_count(token, low, words))

    return read


@cache
def _going_on(lang: str) -> frozenset[str]:
    """The words that may make one with a number before them."""
    words = lexicon(lang)
    return words.ones.union(words.magnitudes, words.numbers, words.units)


def composed(read: list[Word], raw: str, lang: str) -> list[Word]:
    """The words with each number and what multiplies or goes on with it as one, units after a number in full."""
    words, found = lexicon(lang), list[Word]()
    if not any(one.number and other.low in _going_on(lang) for one, other in pairwise(read)):
        return read
    for word in read:
        last = found[-1] if found else None
        if last is None or last.number is None:
            found.append(word)
        elif ways := _joined(last.number, word, words):
            shown = _written(fold(raw), last.number.shown or last.token, word.token)
            text = shown if last.number.spelled else last.number.text
            number = replace(last.number, text=text, readings=ways, shown=shown)
            found[-1] = last._replace(token=shown, cut=number.cut, number=number)
        elif unit := words.units.get(word.low):
            found.append(word._replace(cut=stem(unit, lang), content=True))
        else:
            found.append(word)
    return found


def _written(plain: str, number: str, word: str) -> str:
    """A number and the word after it as a text has them, with what little stands between."""
    at = plain.find(number)
    while at >= 0:
        end = at + len(number)
        found = _APART.match(plain, end)
        if found and plain.startswith(word, found.end()):
            return plain[at : found.end() + len(word)]
        at = plain.find(number, at + 1)
    return f"{number} {word}"


def _joined(number: Number, word: Word, words: Lexicon) -> tuple[frozenset[str], ...]:
    """What a number and the word after it mean together; nothing where they are apart."""
    single = (next(iter(way)) for way in number.readings if len(way) == 1)
    parts = [part for part in single if ":" not in part]
    if not parts or any(len(part) > _LONG for part in parts):
        return ()
    if times := words.magnitudes.get(word.low):
        return tuple(frozenset({f"{(Decimal(part) * times).normalize():f}"}) for part in parts)
    more = 1 if word.low in words.ones else words.numbers.get(word.low, 0)
    if not (number.spelled and more):
        return ()
    so_far = int(parts[0])
    if more == 100 and so_far < 10:
        return (frozenset({str(so_far * more)}),)
    tens = more < 10 and so_far % 10 == 0 and so_far % 100 >= 20
    below = any(so_far % step == 0 and more < step for step in (100, 1000))
    return (frozenset({str(so_far + more)}),) if tens or below else ()


def negated(read: Sequence[Word], clauses: Sequence[int], words: Lexicon) -> Iterator[str]:
    """The content words that a negation just before them turns around, and those of which there is none."""
    reach = 0
    for at, word in enumerate(read):
        if word.low in words.lacking:
            yield from _lacked(read, at, clauses, words)
            reach = 0
            continue
        if word.content and reach:
            yield word.cut
        reach = _REACH if word.negates else 0 if word.content else reach - 1 if reach else 0


def clauses(plain: str, count: int) -> list[int]:
    """The clause that each of a sentence's words stands in; one clause where words are not what is counted."""
    ends = [found.span() for found in TOKEN.finditer(plain)]
    marks = (bool(_CLAUSE.search(plain, one[1], other[0])) for one, other in pairwise(ends))
    return list(accumulate(marks, initial=0)) if len(ends) == count else [0] * count


def _lacked(read: Sequence[Word], at: int, clauses: Sequence[int], words: Lexicon) -> Iterator[str]:
    """What there is none of: after the word that says so or, in a language that allows it, before it in its clause."""
    here = [i for i, clause in enumerate(clauses) if clause == clauses[at]]
    likely: list[int] = []
    led = False
    for i in here:
        word = read[i]
        if word.content and not led and not word.number and not word.low.endswith(tuple(words.oblique)):
            likely.append(i)
        led = word.low in words.prepositions or (led and not word.content)
    later = [i for i in likely if i > at]
    if later:
        chosen = [i for place, i in enumerate(later) if i - later[0] == place]
    elif at > here[0] and read[at - 1].low in words.joining:
        chosen = []
    else:
        chosen = [i for place, i in enumerate(reversed(likely)) if likely[-1] - i == place]
    yield from (read[i].cut for i in chosen or [i for i in here if i > at and read[i].content][:1])
