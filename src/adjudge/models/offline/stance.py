"""How a sentence stands to what it tells: whether it denies, says that the sources are silent, or only frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise

from adjudge.models.offline.lexicon import Lexicon, lexicon, lexicons
from adjudge.models.offline.text import Sentence, Text, stem


@cache
def stems_of(kind: str) -> frozenset[str]:
    """One list of the lexicon as stems of every language: a word of one is hardly ever a word of another."""
    return frozenset(stem(word, lang) for lang, words in lexicons().items() for word in _list(words, kind))


@cache
def opposites() -> Mapping[str, frozenset[str]]:
    """The stems that can't be meant where a stem is."""
    found: dict[str, set[str]] = {}
    for lang, words in lexicons().items():
        for pair in words.opposites:
            one, other = (stem(word, lang) for word in pair.split("/"))
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {one: frozenset(others - {one}) for one, others in found.items()}


def counted(text: Text) -> frozenset[str]:
    """The numbers that a text may mean by other words than the names of numbers."""
    words = lexicon(text.lang)
    values = {**words.ordinals, **words.months}
    return frozenset(str(values[word]) for word in values.keys() & set(text.tokens)) if values else frozenset()


def silent(sentence: Sentence) -> bool:
    """Whether a sentence says only that the sources don't tell something: nothing in them can hold or deny that."""
    if stems_of("sources").isdisjoint(sentence.stems):
        return False
    if sentence.negated and not stems_of("telling").isdisjoint(sentence.stems):
        return True
    # A word that says little elsewhere ("say") tells beside a negation only: "do not say", "say nothing".
    return any(
        not _telling().isdisjoint(sentence.tokens[max(0, at - 1) : at + 4])
        for at, token in enumerate(sentence.tokens)
        if token in _negations() and (at or sentence.answers is None)
    )


@cache
def _negations() -> frozenset[str]:
    return frozenset().union(*(words.negation for words in lexicons().values()))


@cache
def _telling() -> frozenset[str]:
    return frozenset().union(*(words.telling & words.stop for words in lexicons().values()))


def adds(sentence: Sentence) -> bool:
    """Whether a negation only adds: "not only a way to …", "не только"."""
    if not sentence.negated:
        return False
    words = lexicons().values()
    return any(one in lang.negation and two in lang.adding for one, two in pairwise(sentence.tokens) for lang in words)


def denies(places: Iterable[Sentence]) -> bool:
    """Whether any of some sentences denies anything, with a negation or without."""
    return any(place.negated or not stems_of("denying").isdisjoint(place.stems) for place in places)


def _list(words: Lexicon, kind: str) -> frozenset[str]:
    found: frozenset[str] = getattr(words, kind)
    return found
