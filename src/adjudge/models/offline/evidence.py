"""What the sources hold for a sentence: the nearest window, and what of the sentence is nowhere in them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from adjudge.models.offline.lexicon import load
from adjudge.models.offline.text import Number, Sentence, Text

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


NOWHERE = Match(share=0.0, source=0, sentences=())


@dataclass(frozen=True, kw_only=True, slots=True)
class Turned:
    """A word that is negated on one side only: in the judged text (`added`) or in the source."""

    word: str
    added: bool
    place: Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One sentence against the sources. `pairs` is the share of its neighbouring word pairs that a source has too."""

    sentence: Sentence
    match: Match
    weight: float
    pairs: float
    unknown: float
    words: tuple[str, ...]
    numbers: tuple[Number, ...]
    names: tuple[str, ...]
    turned: Turned | None


class Evidence:
    """Sources indexed by stem, with the inverse frequency over their sentences as weights."""

    def __init__(self, texts: Sequence[Text], beside: Sequence[Text] = ()) -> None:
        """`beside` are titles and the like: their words are known, but they state nothing."""
        limits = load("weights.yaml")["limits"]
        self.texts = tuple(texts)
        self.at: list[tuple[int, Sentence]] = [
            (number, sentence) for number, text in enumerate(texts, 1) for sentence in text.sentences
        ]
        self.known = frozenset[str]().union(*(text.known for text in (*texts, *beside)))
        self.numbers = frozenset[str]().union(*(text.numbers for text in (*texts, *beside)))
        self._sets = [frozenset(sentence.stems) for _, sentence in self.at]
        self._postings: dict[str, list[int]] = {}
        self._df: Counter[str] = Counter()
        for index, stems in enumerate(self._sets):
            for stem in stems:
                self._df[stem] += 1
                places = self._postings.setdefault(stem, [])
                if len(places) < limits["postings"]:
                    places.append(index)
        self._pairs = {pair for _, sentence in self.at for pair in pairs(sentence.stems)}

    @property
    def empty(self) -> bool:
        return not self.at

    @property
    def words(self) -> int:
        return sum(len(text.tokens) for text in self.texts)

    def weight(self, stem: str) -> float:
        """Rare words weigh more; a word no source has weighs as one that a single sentence has."""
        return math.log(1.0 + len(self.at) / max(1, self._df[stem]))

    def total(self, stems: Iterable[str]) -> float:
        return sum(self.weight(stem) for stem in stems)

    def nearest(self, stems: Iterable[str], only: frozenset[int] | None = None) -> Match:
        """The sentence, or two neighbouring ones, that hold most of the weight of `stems`.

        A summary fuses sentences that stand apart, so what one more place holds counts too, at a discount.
        """
        wanted = frozenset(stems)
        whole = self.total(sorted(wanted))
        if not whole:
            return NOWHERE
        found: dict[int, float] = {}
        for stem in sorted(wanted):
            for index in self._postings.get(stem, ()):
                if only is None or self.at[index][0] in only:
                    found[index] = found.get(index, 0.0) + self.weight(stem)
        top = sorted(found, key=lambda index: (-found[index], index))[:_NEAREST]
        best = 0.0
        window: tuple[int, ...] = ()
        for index in top:
            for span in ((index,), (index, index + 1), (index, index - 1)):
                other = span[-1]
                if not 0 <= other < len(self.at) or self.at[other][0] != self.at[index][0]:
                    continue
                held = self._sets[index] | self._sets[other]
                share = sum(self.weight(stem) for stem in sorted(wanted & held)) / whole
                if share > best + 1e-9:
                    best, window = share, span
        if not window:
            return NOWHERE
        left = wanted.difference(*(self._sets[i] for i in window))
        fused = max((sum(self.weight(s) for s in sorted(left & self._sets[i])) / whole for i in top), default=0.0)
        share = best + load("weights.yaml")["thresholds"]["fused"] * fused
        found_at, others = (tuple(self.at[i][1] for i in places) for places in (window, top))
        return Match(share=share, source=self.at[window[0]][0], sentences=found_at, others=others)

    def check(self, sentence: Sentence) -> Check:
        """Compare one sentence with the sources."""
        stems = dict(zip(sentence.stems, sentence.words, strict=True))
        whole = self.total(stems)
        unknown = {stem: word for stem, word in stems.items() if not self.has(stem)}
        match = self.nearest(stems)
        every = pairs(sentence.stems)
        counted = any(found.numbers for found in match.sentences)
        return Check(
            sentence=sentence,
            match=match,
            weight=whole,
            pairs=sum(pair in self._pairs for pair in every) / len(every) if every else match.share,
            unknown=self.total(unknown) / whole if whole else 0.0,
            words=tuple(unknown.values()),
            # A number in words may be the writer's own count, unless the source counts there too.
            numbers=tuple(n for n in sentence.numbers if not n.within(self.numbers) and (counted or not n.spelled)),
            names=tuple(dict.fromkeys(word for word, stem in sentence.names if stem in unknown)),
            turned=_turned(sentence, match),
        )

    def has(self, stem: str) -> bool:
        """Whether a source has the word, or one with the same beginning: endings are cut by rule, not by dictionary."""
        if stem in self.known:
            return True
        size = max(4, len(stem) - 2)
        return not stem.startswith("#") and len(stem) >= 5 and stem[:size] in self._beginnings

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(stem[:size] for stem in self.known if len(stem) < 40 for size in range(4, len(stem) + 1))

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


def _turned(sentence: Sentence, match: Match) -> Turned | None:
    if match.share < load("weights.yaml")["thresholds"]["same_statement"]:
        return None
    for stem, word in zip(sentence.stems, sentence.words, strict=True):
        denied = stem in sentence.negated
        place = next((found for found in match.sentences if stem in found.stems), None)
        # Where any of the nearest places agrees, the source says both.
        every = {stem in found.negated for found in (*match.sentences, *match.others) if stem in found.stems}
        if place and not place.asks and not sentence.asks and every == {not denied}:
            return Turned(word=word, added=denied, place=place)
    return None


def pairs(stems: Sequence[str]) -> list[tuple[str, str]]:
    """Neighbouring content words."""
    return list(pairwise(stems))
