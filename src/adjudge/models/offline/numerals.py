"""Numbers that a translation lost or added, with those left out that a language writes in its own way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from adjudge.models.offline.lexicon import lexicon, load
from adjudge.models.offline.peers import voices
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Number, Sentence, Text, readings, tokens
from adjudge.models.offline.tokens import ADDRESS
from adjudge.models.offline.view import View

Found = tuple[Sentence, Number]
_DIGITS = re.compile(r"(?:(?<![\w.,)])\.)?\d+(?:[.,:/ \u00a0\u202f]\d+)*")
#: Up to this a number is as often put in words, as a month, an ordinal or "twice".
_SMALL = 12
_TEN, _HUNDRED, _THOUSAND = 10, 100, 1000


def lost(view: View) -> list[Found]:
    """Numbers of the source that the translation has in no form."""
    source = view.case.evidence.texts[0] if view.case.evidence.texts else None
    if source is None:
        return []
    heard, known = [_digits(text) for text in voices(view)], _known(view.out)
    return [
        (sentence, number)
        for sentence, number in _written(source)
        if not _has(number, known)
        and (_most(number, heard) if heard else _sure(view, source, number) and not _own_way(sentence, number))
    ]


def added(view: View) -> list[Found]:
    """Numbers of the translation that neither the source nor anyone else has."""
    source = view.case.evidence.texts[0] if view.case.evidence.texts else None
    if source is None:
        return []
    heard = [_digits(text) for text in voices(view)]
    known, due = _known(source), _known(view.case.reference)
    told = heard or (source.script != "wide" and not any(_own_way(*found) for found in _written(source)))
    return [
        (sentence, number)
        for sentence, number in _written(view.out)
        if told
        and not _has(number, known)
        and not any(_has(number, digits) for digits in heard)
        and not (not view.case.reference.empty and _has(number, due))
        and (heard or _sure(view, source, number))
    ]


def _sure(view: View, source: Text, number: Number) -> bool:
    """Whether a number is large, or small with one in its place: then it was not merely put in words."""
    if _large(number):
        return True
    ours, theirs = _known(view.out), _known(source)
    missing = any(not _has(one, ours) for _, one in _written(source))
    return missing and any(not _has(one, theirs) for _, one in _written(view.out))


def by_sentence(found: list[Found]) -> list[tuple[Sentence, list[str]]]:
    """The numbers as written, sentence by sentence."""
    groups: dict[int, tuple[Sentence, list[str]]] = {}
    for sentence, number in found:
        groups.setdefault(sentence.start, (sentence, []))[1].append(number.text)
    return list(groups.values())


@once
def _written(text: Text) -> list[Found]:
    """The numbers in digits, without those inside an address, which is kept or lost as one."""
    found: list[Found] = []
    for sentence in text.sentences:
        numbers = [number for number in sentence.numbers if not number.spelled]
        if numbers and ADDRESS.search(sentence.text):
            outside = frozenset(tokens(ADDRESS.sub(" ", sentence.text)))
            numbers = [number for number in numbers if number.text in outside]
        found += [(sentence, number) for number in numbers]
    return found


def _joined(written: str) -> str:
    """A number without what a decimal mark is never: "02:00" is 0200, "1 234,5" is 1234,5."""
    return re.sub(r"[\s:/]", "", written)


@lru_cache(maxsize=64)
def _digits(raw: str) -> frozenset[str]:
    """What every number of a text may be read as, joined and piece by piece."""
    runs = ((run, _joined(run), *re.split(r"[\s:/]", run)) for run in _DIGITS.findall(raw))
    return frozenset(part for pieces in runs for piece in pieces for way in readings(piece) for part in way)


def _has(number: Number, known: frozenset[str]) -> bool:
    return number.within(known) or any(way <= known for way in readings(_joined(number.text)))


def spelled(text: Text) -> frozenset[str]:
    """The numbers that words of a text make together: "twenty-five", "two hundred and six", "nineteen forty"."""
    words, values = lexicon(text.lang), _values(text.lang)
    found: set[int] = set()
    for sentence in text.sentences if not values.keys().isdisjoint(text.tokens) else ():
        before = whole = part = 0
        for token in (*sentence.tokens, ""):
            value = values.get(token, 0)
            if value >= _THOUSAND:
                whole, part = whole + (part or 1) * value, 0
            elif value == _HUNDRED and 0 < part < _HUNDRED:
                part *= _HUNDRED
            elif 0 < value < _room(part):
                part += value
            elif value or token not in words.joining:
                found.add(whole + part)
                # A year by its halves.
                if _TEN <= before < _HUNDRED and _TEN <= part < _HUNDRED and not whole:
                    found.add(before * _HUNDRED + part)
                before, whole, part = (part if value and not whole else 0), 0, value
    return frozenset(map(str, found - {0}))


@cache
def _values(lang: str) -> Mapping[str, int]:
    words = lexicon(lang)
    return {**words.ordinals, **words.months, **words.magnitudes, **words.numbers}


def _room(part: int) -> int:
    """What has to be more than the next word of a number: units come after tens, both after hundreds."""
    if not part:
        return _THOUSAND
    return 0 if part % _TEN or part == _TEN else _TEN if part % _HUNDRED else _HUNDRED


@once
def _known(text: Text) -> frozenset[str]:
    return text.numbers | _digits(text.raw) | spelled(text)


def _most(number: Number, heard: list[frozenset[str]]) -> bool:
    return 2 * sum(_has(number, digits) for digits in heard) > len(heard)


def _large(number: Number) -> bool:
    return "/" not in number.text and (not number.text.isdigit() or int(number.text[:9]) > _SMALL)


@cache
def _converted() -> re.Pattern[str]:
    return re.compile(load("marks.yaml")["converted"], re.IGNORECASE)


def _own_way(sentence: Sentence, number: Number) -> bool:
    """Whether a measure, a time of day, an ordinal or a counting word follows, which other languages put otherwise."""
    at = sentence.text.find(number.text)
    return at >= 0 and bool(_converted().match(sentence.text, at + len(number.text)))
