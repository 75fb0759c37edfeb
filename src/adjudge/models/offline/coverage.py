"""How much of what matters in the source a text takes up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain

from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.findings import Measured, ramp, stretched, weights
from adjudge.models.offline.peers import told_beside
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Sentence
from adjudge.models.offline.view import View


def coverage(view: View) -> Measured:
    """How much of the source's central sentences, opening and frequent words the text takes up, and how soon."""
    if view.comparable:
        return view.none(view.comparable)
    evidence, rules = view.case.evidence, weights("coverage")
    source = central_words(evidence)
    if not source.keys:
        return view.none("no_statement")
    central, held = source.centrality, source.held(view.own)
    lead = [share for share, place in zip(held, source.places, strict=True) if place < rules["lead"]]
    parts = {
        "sentences": _mean(held, central),
        "words": _had(source.frequent, view.own),
        "lead": sum(lead) / len(lead),
        "opening": source.opening(view.out.sentences),
        # A source without numbers neither helps nor harms.
        "numbers": _had(source.figures, view.own) if source.figures else float(rules["no_numbers"]),
    }
    raw = sum(rules["mix"][name] * value for name, value in parts.items())
    keys = source.keys
    missed = [place for place in keys if held[place] < rules["missed"]]
    missed.sort(key=lambda place: (-central[place] * len(source.sentences[place]), place))
    findings = [view.find("covered", n=len(keys) - len(missed), total=len(keys), against=False)]
    findings += [view.find("uncovered", near=evidence.at[place]) for place in missed[:3]]
    return Measured(quality=stretched("coverage", raw), findings=(*findings, *told_beside(view)), parts=parts)


def recall(weigher: Evidence, stems: Sequence[str], holder: Evidence) -> float:
    """The share of the weight of some words that another text has."""
    every = sorted(set(stems))
    sizes, had = weigher.sizes(every), holder.held(every)
    whole = sum(sizes)
    return sum([size for stem, size in zip(every, sizes, strict=True) if stem in had]) / whole if whole else 0.0


class _Source:
    """The sources' sentences as sets of words, with the words' weights and counts."""

    def __init__(self, evidence: Evidence) -> None:
        self.numbers = [number for number, _ in evidence.at]
        # Dicts, not sets: sums of floats must not hang on the order of a set.
        self.sentences = [dict.fromkeys(sentence.stems) for _, sentence in evidence.at]
        self.counts = Counter(chain.from_iterable(sentence.stems for _, sentence in evidence.at))

    @cached_property
    def spread(self) -> Counter[str]:
        return Counter(chain.from_iterable(self.sentences))

    @cached_property
    def weight(self) -> dict[str, float]:
        rarity = {n: math.log(1 + len(self.sentences) / n) for n in set(self.spread.values())}
        return {stem: rarity[n] for stem, n in self.spread.items()}

    @cached_property
    def wholes(self) -> list[float]:
        return [sum(map(self.weight.__getitem__, stems)) for stems in self.sentences]

    @cached_property
    def places(self) -> list[int]:
        """The place of each sentence in its own source."""
        seen: Counter[int] = Counter()
        found: list[int] = []
        for number in self.numbers:
            found.append(seen[number])
            seen[number] += 1
        return found

    @cached_property
    def topics(self) -> list[str]:
        return sorted(self.counts, key=self.counts.__getitem__, reverse=True)[: weights("coverage")["topics"]]

    @cached_property
    def frequent(self) -> dict[str, int]:
        """The most frequent words, all of them where none comes twice, with how often they come."""
        again = [stem for stem, n in self.counts.items() if n > 1]
        chosen = sorted(again, key=self.counts.__getitem__, reverse=True)[: weights("coverage")["words"]]
        return {stem: self.counts[stem] for stem in chosen or self.counts}

    @cached_property
    def figures(self) -> dict[str, int]:
        """The numbers, with how often they come."""
        return {stem: n for stem, n in self.counts.items() if stem[:1] == "#"}

    def opening(self, sentences: Sequence[Sentence]) -> float:
        """Whether the first sentence says what the source is about: full marks for half of its most frequent words."""
        if not self.topics or not sentences:
            return 0.0
        first = set(sentences[0].stems)
        return ramp(sum(stem in first for stem in self.topics), 0, math.ceil(len(self.topics) / 2))

    def held(self, own: Evidence) -> list[float]:
        """The share of the weight of each sentence's words that the text has."""
        weight, had = self.weight, own.held(self.weight)
        gots = [sum([weight[stem] for stem in stems if stem in had]) for stems in self.sentences]
        return [part / whole if whole else 0.0 for part, whole in zip(gots, self.wholes, strict=True)]

    @cached_property
    def centrality(self) -> list[float]:
        """How much each sentence has in common with the others, more at the beginning of its source.

        The sum over all other sentences of the squared weights of the words they share, which needs no pairs.
        """
        rules, others = weights("coverage")["centrality"], max(1, len(self.sentences) - 1)
        square = {stem: weight**2 for stem, weight in self.weight.items()}
        shared = {stem: square[stem] * (n - 1) for stem, n in self.spread.items()}
        found = []
        for stems, place in zip(self.sentences, self.places, strict=True):
            norm = math.sqrt(sum(map(square.__getitem__, stems)))
            degree = sum(map(shared.__getitem__, stems)) / norm / others if norm else 0.0
            early = rules["late"] + rules["fade"] ** min(place, 500)
            found.append((degree + rules["alone"]) * early if stems else 0.0)
        return found

    @cached_property
    def keys(self) -> list[int]:
        """Places of the most central sentences, near-repeats left out."""
        rules, central = weights("coverage"), self.centrality
        wanted = min(rules["key_most"], max(rules["key_least"], round(rules["key_share"] * len(central))))
        chosen: list[int] = []
        for place in sorted(range(len(central)), key=lambda p: (-central[p], p)):
            if len(chosen) == wanted:
                break
            mine = self.sentences[place].keys()
            others = (self.sentences[p].keys() for p in chosen)
            if len(mine) > 1 and all(2 * len(mine & other) < len(mine | other) for other in others):
                chosen.append(place)
        return sorted(chosen)


@once
def central_words(evidence: Evidence) -> _Source:
    """What matters in the sources, for all the texts that are made of them."""
    return _Source(evidence)


def _had(counts: Mapping[str, int], own: Evidence) -> float:
    """The share of some words, counted as often as the source has them, that the text has."""
    whole = sum(counts.values())
    return sum(map(counts.__getitem__, own.held(counts))) / whole if whole else 0.0


def _mean(values: Sequence[float], sizes: Sequence[float]) -> float:
    whole = sum(sizes)
    return sum(value * size for value, size in zip(values, sizes, strict=True)) / whole if whole else 0.0
