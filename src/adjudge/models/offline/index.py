"""Texts indexed by stem: what weighs how much, where it stands, and which window is nearest to some words."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from adjudge.models.offline.fields import fields
from adjudge.models.offline.lexicon import load
from adjudge.models.offline.stance import counted
from adjudge.models.offline.text import Sentence, Text

#: How many of the nearest sentences are tried with their neighbours.
_NEAREST = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """The source window nearest to a sentence: the share of its weight found there, and where."""

    share: float
    source: int
    sentences: tuple[Sentence, ...]
    others: tuple[Sentence, ...] = ()

    @property
    def text(self) -> str:
        return self.sentences[0].text if self.sentences else ""

    @property
    def numbers(self) -> frozenset[str]:
        """What the numbers of the window may be read as."""
        return frozenset(part for s in self.sentences for n in s.numbers for way in n.readings for part in way)


NOWHERE = Match(share=0.0, source=0, sentences=())


class Index:
    """Sources indexed by stem, with the inverse frequency over their sentences as weights."""

    def __init__(self, texts: Sequence[Text], beside: Sequence[Text] = ()) -> None:
        """`beside` are titles and the like: their words are known, but they state nothing."""
        most = load("weights.yaml")["limits"]["postings"]
        self.texts = tuple(texts)
        self.at: list[tuple[int, Sentence]] = [
            (number, sentence) for number, text in enumerate(texts, 1) for sentence in text.sentences
        ]
        self.fields = [(number, field) for number, text in enumerate(texts, 1) for field in fields(text)]
        self.known = frozenset[str]().union(
            *(text.known for text in (*texts, *beside)), *(field.stems for _, field in self.fields)
        )
        self.numbers = frozenset[str]().union(
            *(text.numbers for text in (*texts, *beside)), *(counted(text) for text in texts)
        )
        self.postings: dict[str, set[int]] = {}
        named = self._named()
        for index, (_, sentence) in enumerate(self.at):
            for stem in (*sentence.stems, *named.get(index, ())) if named else sentence.stems:
                places = self.postings.get(stem)
                if places is None:
                    self.postings[stem] = {index}
                elif len(places) < most:
                    places.add(index)
        self._weights: dict[str, float] = {}
        self.pairs = {pair for _, sentence in self.at for pair in pairwise(sentence.stems)}
        self.pairs.update(pair for _, field in self.fields for pair in pairwise(field.stems))

    def _named(self) -> dict[int, set[str]]:
        """The words of the fields' names by the sentence they stand in."""
        found: dict[int, set[str]] = {}
        if self.fields:
            places = {id(sentence): index for index, (_, sentence) in enumerate(self.at)}
            for _, field in self.fields:
                found.setdefault(places[id(field.place)], set()).update(field.stems)
        return found

    @property
    def empty(self) -> bool:
        return not self.at

    @property
    def words(self) -> int:
        return sum(len(text.tokens) for text in self.texts)

    def weight(self, stem: str) -> float:
        """Rare words weigh more; a word no source has weighs as one that a single sentence has."""
        found = self._weights.get(stem)
        if found is None:
            found = self._weights[stem] = math.log(1.0 + len(self.at) / max(1, len(self.postings.get(stem, ()))))
        return found

    def total(self, stems: Iterable[str]) -> float:
        return sum(map(self.weight, stems))

    def nearest(self, stems: Iterable[str], only: frozenset[int] | None = None) -> Match:
        """The sentence, or two neighbouring ones, that hold most of the weight of `stems`.

        A summary fuses sentences that stand apart, so what one more place holds counts too, at a discount.
        """
        wanted = list(dict.fromkeys(stems))
        sizes = list(map(self.weight, wanted))
        found: dict[int, float] = {}
        held: dict[int, int] = {}
        for bit, (stem, size) in enumerate(zip(wanted, sizes, strict=True)):
            for index in self.postings.get(stem, ()):
                found[index] = found.get(index, 0.0) + size
                held[index] = held.get(index, 0) | 1 << bit
        if only is not None:
            found = {index: size for index, size in found.items() if self.at[index][0] in only}
        if not found:
            return NOWHERE

        def weighed(bits: int) -> float:
            return sum(size for bit, size in enumerate(sizes) if bits >> bit & 1)

        top = sorted(found, key=lambda index: (-found[index], index))[:_NEAREST]
        best, window = 0.0, top[:1]
        for index in top:
            if found[index] > best + 1e-9:
                best, window = found[index], [index]
            for other in (index + 1, index - 1):
                if other in found and self.at[other][0] == self.at[index][0]:
                    both = found[index] + found[other] - weighed(held[index] & held[other])
                    if both > best + 1e-9:
                        best, window = both, [index, other]
        left = ~(held[window[0]] | held[window[-1]])
        fused = max(weighed(held[index] & left) for index in top)
        share = (best + load("weights.yaml")["thresholds"]["fused"] * fused) / sum(sizes)
        found_at, others = (tuple(self.at[i][1] for i in places) for places in (window, top))
        return Match(share=share, source=self.at[window[0]][0], sentences=found_at, others=others)

    def has(self, stem: str) -> bool:
        """Whether a source has the word, or one with the same beginning: endings are cut by rule, not by dictionary."""
        if stem in self.known:
            return True
        if len(stem) < 5 or stem[0] == "#":
            return False
        start = stem[: max(4, len(stem) - 2)]
        at = bisect_left(self._ordered, start)
        return at < len(self._ordered) and self._ordered[at].startswith(start)

    @cached_property
    def _ordered(self) -> list[str]:
        return sorted(self.known)

    @cached_property
    def _sets(self) -> list[frozenset[str]]:
        return [frozenset(sentence.stems) for _, sentence in self.at]

    @cached_property
    def salience(self) -> tuple[float, ...]:
        """How central each sentence is: the mean frequency of its content words over all the sources."""
        counts = Counter(stem for _, sentence in self.at for stem in sentence.stems)
        whole = math.log(1 + max(counts.values(), default=1))
        return tuple(
            sum(math.log(1 + counts[stem]) for stem in sorted(stems)) / whole / max(4, len(stems)) if stems else 0.0
            for stems in self._sets
        )

    def keys(self, share: float, least: int, most: int, only: int | None = None) -> list[int]:
        """Places of the most central sentences, in the order of the text, near-repeats left out."""
        places = [i for i in range(len(self.at)) if only is None or self.at[i][0] == only]
        places.sort(key=lambda i: (-self.salience[i], i))
        wanted = min(most, max(least, round(share * len(places))))
        chosen: list[int] = []
        for place in places:
            if len(chosen) == wanted:
                break
            mine = self._sets[place]
            if len(mine) >= 2 and all(2 * len(mine & self._sets[c]) < len(mine | self._sets[c]) for c in chosen):
                chosen.append(place)
        return sorted(chosen)


def pairs(stems: Sequence[str]) -> list[tuple[str, str]]:
    """Neighbouring content words."""
    return list(pairwise(stems))
