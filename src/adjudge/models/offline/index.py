"""Texts indexed by stem: what weighs how much, where it stands, and which window is nearest to some words."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from adjudge.models.offline.fields import Field, fields
from adjudge.models.offline.lexicon import load
from adjudge.models.offline.recent import Made
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
        self.texts, self._beside = tuple(texts), tuple(beside)
        self.made: Made = {}
        self.at: list[tuple[int, Sentence]] = [
            (number, sentence) for number, text in enumerate(texts, 1) for sentence in text.sentences
        ]

    @cached_property
    def fields(self) -> list[tuple[int, Field]]:
        return [(number, field) for number, text in enumerate(self.texts, 1) for field in fields(text)]

    @cached_property
    def known(self) -> frozenset[str]:
        every = (text.known for text in (*self.texts, *self._beside))
        return frozenset[str]().union(*every, *(field.stems for _, field in self.fields))

    @cached_property
    def numbers(self) -> frozenset[str]:
        every = (text.numbers for text in (*self.texts, *self._beside))
        return frozenset[str]().union(*every, *map(counted, self.texts))

    @cached_property
    def postings(self) -> dict[str, set[int]]:
        """The sentences that a stem stands in."""
        most, found, named = load("weights.yaml")["limits"]["postings"], dict[str, set[int]](), self._named()
        for index, (_, sentence) in enumerate(self.at):
            for stem in (*sentence.stems, *named.get(index, ())) if named else sentence.stems:
                places = found.get(stem)
                if places is None:
                    found[stem] = {index}
                elif len(places) < most:
                    places.add(index)
        return found

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """The neighbouring stems."""
        found = {pair for _, sentence in self.at for pair in pairwise(sentence.stems)}
        found.update(pair for _, field in self.fields for pair in pairwise(field.stems))
        return found

    def place(self, source: int, sentence: Sentence) -> int:
        """Where a sentence of a source stands among those of all; a text may be a source twice."""
        return self._places[source, id(sentence)]

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {(number, id(sentence)): index for index, (number, sentence) in enumerate(self.at)}

    def _named(self) -> dict[int, set[str]]:
        """The words of the fields' names by the sentence they stand in."""
        found: dict[int, set[str]] = {}
        for number, field in self.fields:
            found.setdefault(self.place(number, field.place), set()).update(field.stems)
        return found

    @property
    def empty(self) -> bool:
        return not self.at

    @property
    def words(self) -> int:
        return sum(len(text.tokens) for text in self.texts)

    def weight(self, stem: str) -> float:
        """Rare words weigh more; a word no source has weighs as one that a single sentence has."""
        return self._weights.get(stem, self._rare)

    @cached_property
    def _rare(self) -> float:
        return math.log(1.0 + len(self.at))

    @cached_property
    def _weights(self) -> dict[str, float]:
        sizes = {count: math.log(1.0 + len(self.at) / count) for count in set(map(len, self.postings.values()))}
        return {stem: sizes[len(places)] for stem, places in self.postings.items()}

    def total(self, stems: Iterable[str]) -> float:
        return sum(self.sizes(stems))

    def sizes(self, stems: Iterable[str]) -> list[float]:
        """The weights of some stems."""
        known, rare = self._weights, self._rare
        return [known.get(stem, rare) for stem in stems]

    def nearest(self, stems: Iterable[str], only: frozenset[int] | None = None) -> Match:
        """The sentence, or two neighbouring ones, that hold most of the weight of `stems`.

        A summary fuses sentences that stand apart, so what one more place holds counts too, at a discount.
        """
        share, window, top = self._window(stems, only)
        if not window:
            return NOWHERE
        found_at, others = (tuple([self.at[i][1] for i in places]) for places in (window, top))
        return Match(share=share, source=self.at[window[0]][0], sentences=found_at, others=others)

    def share(self, stems: Iterable[str]) -> float:
        """The share of the weight of `stems` that the nearest window holds."""
        return self._window(stems, None)[0]

    def _window(self, stems: Iterable[str], only: frozenset[int] | None) -> tuple[float, list[int], list[int]]:
        """The share of the weight that is found, the places of the window, and the nearest places at all."""
        wanted = list(dict.fromkeys(stems))
        sizes = self.sizes(wanted)
        found: dict[int, float] = {}
        held: dict[int, int] = {}
        bit, postings = 1, self.postings
        for stem, size in zip(wanted, sizes, strict=True):
            for index in postings.get(stem, ()):
                if index in held:
                    found[index] += size
                    held[index] |= bit
                else:
                    found[index], held[index] = size, bit
            bit <<= 1
        if only is not None:
            found = {index: size for index, size in found.items() if self.at[index][0] in only}
        if not found:
            return 0.0, [], []

        def weighed(bits: int) -> float:
            return sum([size for bit, size in enumerate(sizes) if bits >> bit & 1]) if bits else 0.0

        top = [index for _, index in sorted([(-size, index) for index, size in found.items()])[:_NEAREST]]
        best, window = 0.0, top[:1]
        for index in top:
            mine = found[index]
            if mine > best + 1e-9:
                best, window = mine, [index]
            for other in (index + 1, index - 1):
                # What both hold is taken away only where they could be the best without that.
                if other in found and mine + found[other] > best + 1e-9 and self.at[other][0] == self.at[index][0]:
                    both = mine + found[other] - weighed(held[index] & held[other])
                    if both > best + 1e-9:
                        best, window = both, [index, other]
        left = ~(held[window[0]] | held[window[-1]])
        fused = max(map(weighed, {held[index] & left for index in top}))
        share = (best + load("weights.yaml")["thresholds"]["fused"] * fused) / sum(sizes)
        return share, window, top

    def has(self, stem: str) -> bool:
        """Whether a source has the word, or one with the same beginning: endings are cut by rule, not by dictionary."""
        if stem in self.known:
            return True
        if len(stem) < 5 or stem[0] == "#":
            return False
        if stem[:4] not in self._beginnings:
            return False
        start = stem[: max(4, len(stem) - 2)]
        at = bisect_left(self._ordered, start)
        return at < len(self._ordered) and self._ordered[at].startswith(start)

    def held(self, stems: Iterable[str]) -> set[str]:
        """Those of some words that a source has."""
        known, begun = self.known, self._beginnings
        return {stem for stem in stems if stem in known or (stem[:4] in begun and self.has(stem))}

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset([stem[:4] for stem in self.known])

    @cached_property
    def _ordered(self) -> list[str]:
        return sorted(self.known)

    @cached_property
    def sets(self) -> list[frozenset[str]]:
        return [frozenset(sentence.stems) for _, sentence in self.at]

    @cached_property
    def salience(self) -> tuple[float, ...]:
        """How central each sentence is: the mean frequency of its content words over all the sources."""
        counts = Counter(stem for _, sentence in self.at for stem in sentence.stems)
        whole = math.log(1 + max(counts.values(), default=1))
        return tuple(
            sum(math.log(1 + counts[stem]) for stem in sorted(stems)) / whole / max(4, len(stems)) if stems else 0.0
            for stems in self.sets
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
            mine = self.sets[place]
            if len(mine) >= 2 and all(2 * len(mine & self.sets[c]) < len(mine | self.sets[c]) for c in chosen):
                chosen.append(place)
        return sorted(chosen)


def pairs(stems: Sequence[str]) -> list[tuple[str, str]]:
    """Neighbouring content words."""
    return list(pairwise(stems))
