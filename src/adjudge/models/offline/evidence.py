"""What the sources hold for a sentence: the nearest window, what is nowhere in them, and what they say otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from adjudge.models.offline.fields import Field
from adjudge.models.offline.index import NOWHERE as NOWHERE
from adjudge.models.offline.index import Index
from adjudge.models.offline.index import Match as Match
from adjudge.models.offline.index import pairs as pairs
from adjudge.models.offline.lexicon import load
from adjudge.models.offline.stance import adds, denies, opposites, silent, stems_of
from adjudge.models.offline.text import Number, Sentence

#: A clock of twelve hours may tell of one of twenty-four.
_AFTERNOON = re.compile(r"(\d{1,2})(?:[:.]\d\d)?\s?[pP]\.?\s?[mM]\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Turned:
    """A word that is negated on one side only: in the judged text (`added`) or in the source."""

    word: str
    added: bool
    place: Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Opposed:
    """A word of the judged text where the source has its opposite."""

    word: str
    other: str
    place: Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One sentence against the sources.

    `pairs` is the share of its neighbouring word pairs that a source has too, `together` of its near words that stand
    near one another in a source; `numbers` are nowhere in the sources, `moved` elsewhere than at the match; `doubted`
    is a denial that nothing near it in the sources has; `silent` says that the sources don't tell.
    """

    sentence: Sentence
    match: Match
    weight: float
    pairs: float
    together: float
    unknown: float
    words: tuple[str, ...]
    numbers: tuple[Number, ...]
    moved: tuple[Number, ...]
    names: tuple[str, ...]
    turned: Turned | None
    opposed: Opposed | None
    denied: tuple[int, Field] | None
    doubted: bool
    silent: bool


class Evidence(Index):
    """The sources of a text, and how a sentence stands to them."""

    def check(self, sentence: Sentence) -> Check:
        """Compare one sentence with the sources."""
        told = self._told(sentence)
        cut = [stem for stem, _ in told]
        stems = dict(told)
        whole = self.total(stems)
        match = self.nearest(stems)
        every = list(pairwise(cut))
        numbers, moved = self._numbers(sentence, match)
        # A number may be known though it is written otherwise: 3 p.m. for 15:00.
        met = {n.cut for n in sentence.numbers if not n.spelled} - {n.cut for n in numbers}
        unknown = {stem: word for stem, word in stems.items() if stem not in met and not self.has(stem)}
        quiet = silent(sentence)
        return Check(
            sentence=sentence,
            match=match,
            weight=float(len(cut)),
            pairs=sum(pair in self.pairs for pair in every) / len(every) if every else match.share,
            together=self._together(cut, match.share),
            unknown=self.total(unknown) / whole if whole else 0.0,
            words=tuple(unknown.values()),
            numbers=numbers,
            moved=moved,
            names=tuple(dict.fromkeys(w for w, stem in sentence.names if stem in unknown and not self._short(w))),
            turned=None if quiet else self._turned(sentence, match),
            opposed=self._opposed(sentence, match),
            denied=self._denied(sentence),
            doubted=not quiet and self._doubted(sentence, match),
            silent=quiet,
        )

    def turns(self, sentence: Sentence) -> bool:
        """Whether a sentence denies what the sources say, or the other way round."""
        return (
            bool(sentence.negated or self._negates)
            and not silent(sentence)
            and self._turned(sentence, self.nearest(stem for stem, _ in self._told(sentence))) is not None
        )

    @cached_property
    def _negates(self) -> bool:
        return any(sentence.negated for _, sentence in self.at)

    def _told(self, sentence: Sentence) -> list[tuple[str, str]]:
        """The stems and words of what a sentence tells, without those that only frame it."""
        framing, known = stems_of("framing"), self.postings
        every = list(zip(sentence.stems, sentence.words, strict=True))
        if framing.isdisjoint(sentence.stems):
            return every
        return [pair for pair in every if pair[0] in known or pair[0] not in framing] or every

    def _short(self, name: str) -> bool:
        """Whether a name is the first letters of names in a source ("EU" for "European Union"), or a clock's."""
        return name.isupper() and ((len(name) < 6 and name in self._initials) or name in ("AM", "PM"))

    @cached_property
    def _initials(self) -> str:
        return " ".join("".join(word[0] for word, _ in sentence.names) for _, sentence in self.at)

    def _together(self, stems: Sequence[str], otherwise: float) -> float:
        """The share of near words, each with the next few, that stand near one another in a source too."""
        held = self._held
        places = [held[stem] if stem in held else self._windows(stem) for stem in stems]
        met = [
            not one.isdisjoint(other)
            for step in range(1, load("weights.yaml")["near"]["reach"] + 1)
            for one, other in zip(places, places[step:], strict=False)
        ]
        return sum(met) / len(met) if met else otherwise

    def _windows(self, stem: str) -> frozenset[int]:
        """The windows of the sources that hold a word; each begins in the middle of the one before."""
        if stem not in self._standing:
            return frozenset()
        step, most = load("weights.yaml")["near"]["step"], load("weights.yaml")["limits"]["postings"]
        windows = (place // step + half for place in self._standing[stem][:most] for half in (0, 1))
        found = self._held[stem] = frozenset(windows)
        return found

    @cached_property
    def _held(self) -> dict[str, frozenset[int]]:
        return {}

    @cached_property
    def _standing(self) -> dict[str, list[int]]:
        """Where each content word stands among all of them; no window reaches from one source into the next."""
        found: dict[str, list[int]] = {}
        at, last, gap = 0, 0, 2 * load("weights.yaml")["near"]["step"]
        for number, sentence in self.at:
            at += gap if number != last else 0
            last = number
            for stem in sentence.stems:
                found.setdefault(stem, []).append(at)
                at += 1
        return found

    def _numbers(self, sentence: Sentence, match: Match) -> tuple[tuple[Number, ...], tuple[Number, ...]]:
        """The numbers that no source has, and those that are not where the rest of the sentence is."""
        if not sentence.numbers:
            return (), ()
        near = match.numbers
        hours = {hour.lstrip("0") for hour in _AFTERNOON.findall(sentence.text)} - {""}
        new: list[Number] = []
        moved: list[Number] = []
        for number in sentence.numbers:
            first = re.split(r"\D", number.text)[0].lstrip("0")
            if first in hours and str(int(first) + 12) in self.numbers:
                continue
            # A number in words may be the writer's own count, unless the source counts there too.
            if not number.within(self.numbers):
                if near or not number.spelled:
                    new.append(number)
            elif not number.within(near) and not number.spelled:
                moved.append(number)
        return tuple(new), tuple(moved)

    def _doubted(self, sentence: Sentence, match: Match) -> bool:
        """Whether the sentence denies where no near place does, or denies words that the sources never deny.

        To deny the opposite of what a near place says is to say the same.
        """
        if not sentence.negated:
            return False
        near = {stem for place in match.sentences for stem in place.stems}
        if all(not opposites().get(stem, frozenset()).isdisjoint(near) for stem in sentence.negated):
            return False
        return not any(place.negated for place in match.others) or any(map(self._never, sentence.negated))

    def _never(self, stem: str) -> bool:
        """Whether the sources have a word and nowhere deny it."""
        places = self.postings.get(stem, set())
        return bool(places) and stem not in self._refused and not any(stem in self.at[i][1].negated for i in places)

    def _turned(self, sentence: Sentence, match: Match) -> Turned | None:
        """A word denied on one side only, among the same words on both; a name is never what is denied."""
        if match.share < load("weights.yaml")["thresholds"]["same_statement"] or sentence.asks or adds(sentence):
            return None
        names = {stem for _, stem in sentence.names}
        for place in match.sentences:
            if not (sentence.negated or place.negated) or place.asks or adds(place):
                continue
            for at, stem in enumerate(sentence.stems):
                added = stem in sentence.negated
                if stem not in place.stems or stem in names or added == (stem in place.negated):
                    continue
                alike = _beside(sentence.stems, at) & _beside(place.stems, place.stems.index(stem))
                # Where any place agrees, the source says both.
                if added and alike and self._never(stem) and not denies(match.sentences):
                    return Turned(word=sentence.words[at], added=True, place=place)
                always = all(stem in self.at[index][1].negated for index in self.postings.get(stem, ()))
                if not added and len(alike) > 1 and always and not denies([sentence]):
                    return Turned(word=sentence.words[at], added=False, place=place)
        return None

    def _opposed(self, sentence: Sentence, match: Match) -> Opposed | None:
        """A word that no source has, where the nearest place has its opposite beside the same words."""
        pairs = opposites()
        if pairs.keys().isdisjoint(sentence.stems):
            return None
        for at, stem in enumerate(sentence.stems):
            if stem not in pairs or stem in self.known or not pairs[stem].isdisjoint(sentence.stems):
                continue
            for place in match.sentences:
                for there, other in enumerate(place.stems):
                    # What is denied on one side only is the same in other words: "forbids", "does not allow".
                    agree = (stem in sentence.negated) != (other in place.negated)
                    if agree or other not in pairs[stem]:
                        continue
                    if _beside(sentence.stems, at) & _beside(place.stems, there):
                        return Opposed(word=sentence.words[at], other=place.words[there], place=place)
        return None

    def _denied(self, sentence: Sentence) -> tuple[int, Field] | None:
        """A field of the sources that says no, where the sentence says yes."""
        if sentence.negated or not self.fields:
            return None
        for stem in sentence.stems:
            for number, field in self._refusals.get(stem, ()):
                if field.said_in(sentence):
                    return number, field
        return None

    @cached_property
    def _refused(self) -> frozenset[str]:
        return frozenset(stem for _, field in self.fields if field.denied for stem in (*field.stems, field.whole))

    @cached_property
    def _refusals(self) -> dict[str, list[tuple[int, Field]]]:
        """The fields that always say no, by the stems they may be met by; one word may be told of elsewhere."""
        alike: dict[tuple[str, ...], list[tuple[int, Field]]] = {}
        for number, field in self.fields:
            alike.setdefault(field.stems, []).append((number, field))
        found: dict[str, list[tuple[int, Field]]] = {}
        most = load("weights.yaml")["limits"]["fields"]
        for stems, given in alike.items():
            if all(f.denied for _, f in given) and (len(stems) > 1 or len(self.postings[stems[0]]) <= len(given)):
                for stem in {stems[0], given[0][1].whole}:
                    if len(known := found.setdefault(stem, [])) < most:
                        known.append(given[0])
        return found


def _beside(stems: Sequence[str], at: int) -> frozenset[str]:
    """The content words next to one, two on each side."""
    return frozenset((*stems[max(0, at - 2) : at], *stems[at + 1 : at + 3]))
