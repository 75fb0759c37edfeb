"""Numbers that a translation lost or added, with those left out that a language writes in its own way."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from adjudge.models.offline.lexicon import load
from adjudge.models.offline.peers import voices
from adjudge.models.offline.text import Number, Sentence, Text
from adjudge.models.offline.view import View

Found = tuple[Sentence, Number]
_DIGITS = re.compile(r"\d+(?:[.,:/ \u00a0\u202f]\d+)*")
#: Up to this a number is as often put in words, as a month, an ordinal or "twice".
_SMALL = 12


def lost(view: View) -> list[Found]:
    """Numbers of the source that the translation has in no form."""
    source = view.case.evidence.texts[0] if view.case.evidence.texts else None
    if source is None:
        return []
    heard = [_digits(text) for text in voices(view)]
    return [
        (sentence, number)
        for sentence, number in _written(source)
        if not _has(view.out, number)
        and (_most(number, heard) if heard else _large(number) and not _own_way(sentence, number))
    ]


def added(view: View) -> list[Found]:
    """Numbers of the translation that neither the source nor anyone else has."""
    source = view.case.evidence.texts[0] if view.case.evidence.texts else None
    if source is None:
        return []
    heard = [_digits(text) for text in voices(view)]
    told = heard or (source.script != "wide" and not any(_own_way(*found) for found in _written(source)))
    return [
        (sentence, number)
        for sentence, number in _written(view.out)
        if told
        and not _has(source, number)
        and not any(_plain(number.text) in digits for digits in heard)
        and not (not view.case.reference.empty and _has(view.case.reference, number))
        and (heard or _large(number))
    ]


def by_sentence(found: list[Found]) -> list[tuple[Sentence, list[str]]]:
    """The numbers as written, sentence by sentence."""
    groups: dict[int, tuple[Sentence, list[str]]] = {}
    for sentence, number in found:
        groups.setdefault(sentence.start, (sentence, []))[1].append(number.text)
    return list(groups.values())


def _written(text: Text) -> list[Found]:
    return [(s, number) for s in text.sentences for number in s.numbers if not number.spelled]


def _plain(number: str) -> str:
    return re.sub(r"\D", "", number).lstrip("0") or "0"


@lru_cache(maxsize=64)
def _digits(raw: str) -> frozenset[str]:
    """Every number of a text by its digits alone, whole and piece by piece."""
    return frozenset(_plain(piece) for found in _DIGITS.findall(raw) for piece in (found, *re.findall(r"\d+", found)))


def _has(text: Text, number: Number) -> bool:
    return number.within(text.numbers) or _plain(number.text) in _digits(text.raw)


def _most(number: Number, heard: list[frozenset[str]]) -> bool:
    return 2 * sum(_plain(number.text) in digits for digits in heard) > len(heard)


def _large(number: Number) -> bool:
    return "/" not in number.text and (not number.text.isdigit() or int(number.text[:9]) > _SMALL)


@cache
def _converted() -> re.Pattern[str]:
    return re.compile(load("marks.yaml")["converted"], re.IGNORECASE)


def _own_way(sentence: Sentence, number: Number) -> bool:
    """Whether a measure, a time of day, an ordinal or a counting word follows, which other languages put otherwise."""
    at = sentence.text.find(number.text)
    return at >= 0 and bool(_converted().match(sentence.text, at + len(number.text)))
