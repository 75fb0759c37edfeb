"""Text as the embedded judge sees it: sentences, content stems, numbers, names, negated words, citations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, compress, islice, pairwise

from adjudge.models.offline.lexicon import lexicon, lexicons
from adjudge.models.offline.otherwise import otherwise
from adjudge.models.offline.reading import Number as Number
from adjudge.models.offline.reading import clauses, composed, negated, reader
from adjudge.models.offline.reading import readings as readings
from adjudge.models.offline.recent import Made, Recent
from adjudge.models.offline.tokens import SAMPLE_CHARS, TOKEN
from adjudge.models.offline.tokens import fold as fold
from adjudge.models.offline.tokens import language as language
from adjudge.models.offline.tokens import script as script
from adjudge.models.offline.tokens import stem as stem
from adjudge.models.offline.tokens import tokens as tokens

#: A text with no full stops is cut here, so that a table or a list is still compared piece by piece.
SENTENCE_TOKENS = 60
_NONE: frozenset[str] = frozenset()
#: Each run of end marks is looked at once (no mark before it), which keeps the scan linear; a citation after the mark
#: goes with its sentence or, where something else than a space follows it, keeps the sentence from ending.
_END = re.compile(
    r"(?<![.!?…。！？])(?P<mark>[.!?…。！？]++)[\"'»”’)\]]*+(?:\s*+\[\d{1,5}(?:\s*[,;–-]\s*\d{1,5}){0,20}\]){0,20}+"
    r"(?:\s++|(?<=[。！？])|(?<=\])(?=[\u3040-\u30ff\u3400-\u9fff]))"
)
_LINE = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•–—]\s|\d{1,3}[.)]\s|[A-ZА-ЯЁ«\"]))")
_BULLET = re.compile(r"^\s*(?:[-*•–—]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)")
_APART = re.compile(r"\s++(?=[.,;!?])")
#: Where an ordinal may have its ending.
_ENDING = re.compile(r"\d(?:[^\W\d]|-)")
_CITATION = re.compile(r"\[(\d{1,5}(?:\s*[,;–-]\s*\d{1,5}){0,20})\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence and where it starts: `stems` and `words` are its content words, cut and as written, in order.

    `tokens` is every word and number of it, lower case; `answers` is the yes or no that it begins with, set apart.
    """

    text: str
    tokens: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    negated: frozenset[str] = frozenset()
    citations: tuple[int, ...] = ()
    asks: bool = False
    answers: bool | None = None
    start: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A text taken apart. `tokens` is every token, lower case; `known` every stem, `stems` those of content words."""

    raw: str
    lang: str
    script: str
    sentences: tuple[Sentence, ...]
    tokens: tuple[str, ...]
    known: frozenset[str]
    numbers: frozenset[str] = frozenset()
    stems: tuple[str, ...] = ()
    made: Made = field(default_factory=dict, compare=False, repr=False)

    @property
    def empty(self) -> bool:
        return not self.tokens

    @property
    def answers(self) -> bool | None:
        """The yes or no that the text begins with, where it does."""
        return self.sentences[0].answers if self.sentences else None


def split(text: str, lang: str) -> Iterator[str]:
    """Sentences as they stand in the text."""
    caps: bool | None = None
    stops = lexicon(lang).abbreviations
    for block in _LINE.split(text):
        start = 0
        for match in _END.finditer(block):
            if match["mark"] == ".":
                following = block[match.end() : match.end() + 1]
                before = block[max(start, match.start() - 12) : match.start()]
                words = before.split()
                last = words[-1].lstrip("(«\"'[") if words else ""
                spaced = before[-1:].isspace()
                listed = last.isdigit() and not block[start : match.start() - len(last)].strip()
                initial = listed or (len(last) == 1 and last.isupper())
                if initial or fold(last.lower()) in stops:
                    continue
                if following.islower() and not spaced:
                    caps = _capitals(text[:SAMPLE_CHARS]) if caps is None else caps
                    if caps:
                        continue
            yield block[start : match.end()].strip()
            start = match.end()
        yield block[start:].strip()


def _capitals(sample: str) -> bool:
    """Whether a text has capitals at all, as sentences begin with."""
    return sum(map(str.isupper, sample)) > 0.01 * len(sample)


def citations(text: str) -> tuple[int, ...]:
    """The numbers of `[1]`, `[1, 3]`, `[2-4]`, in order."""
    found: list[int] = []
    for match in _CITATION.finditer(text):
        for part in re.split(r"[,;]", match[1]):
            ends = [int(end) for end in re.split(r"[–-]", part) if end.strip()]
            found.extend(range(ends[0], min(ends[-1], ends[0] + 50) + 1) if ends else [])
    return tuple(dict.fromkeys(found))


def bare(sentence: str) -> str:
    """A sentence without its bullet and citations."""
    plain = _BULLET.sub("", sentence)
    return _APART.sub("", _CITATION.sub("", plain) if "[" in plain else plain).strip()


def pieces(sentence: str) -> Iterator[str]:
    """A sentence cut where it is too long to be one."""
    starts = [match.start() for match in TOKEN.finditer(sentence)]
    if len(starts) <= SENTENCE_TOKENS:
        yield sentence
        return
    cuts = [0, *starts[SENTENCE_TOKENS::SENTENCE_TOKENS], len(sentence)]
    yield from (sentence[a:b].strip() for a, b in pairwise(cuts))


def after(sentence: Sentence, count: int) -> str:
    """What stands between a sentence's first `count` words and the next one, with its first letter."""
    plain = _cleaned(sentence.text)
    ends = [found.span() for found in islice(TOKEN.finditer(plain), count - 1, count + 1)]
    return plain[ends[0][1] : ends[1][0] + 1] if len(ends) > 1 else ""


def _plain(raw: str) -> list[str]:
    """The tokens of a sentence without its bullet and citations."""
    return tokens(_cleaned(raw))


def _cleaned(raw: str) -> str:
    bare = _BULLET.sub("", raw)
    plain = fold(_CITATION.sub(" ", bare) if "[" in bare else bare)
    return _ordinal().sub("", plain) if _ENDING.search(plain) else plain


@cache
def _ordinal() -> re.Pattern[str]:
    """What is written after the digits of an ordinal, "5th" or "2018-го": no word of its own."""
    every = sorted(ending for words in lexicons().values() for ending in words.suffixes)
    return re.compile(rf"(?<=\d)(?:{'|'.join(map(re.escape, every))})(?!\w)", re.IGNORECASE)


def _sentence(raw: str, lang: str, start: int, plain: list[str]) -> tuple[Sentence, tuple[str, ...]]:
    words, read = lexicon(lang), list(map(reader(lang), plain))
    _, lower, cuts, numbers, negates, content, named, counts = zip(*read, strict=True)
    names = list(compress(zip(plain[1:], cuts[1:], strict=True), named[1:])) if any(named) else []
    if names and sum(map(str.isupper, plain)) > len(plain) / 2:
        names = []
    yes, no = lower[0] in words.affirming, lower[0] in words.refusing
    parts = clauses(_cleaned(raw), len(read)) if yes or no or not words.lacking.isdisjoint(lower) else []
    # "No, it does": an answer, and no word of the clause after it.
    answers = yes if (yes or no) and parts[1:2] != parts[:1] else None
    apart = int(answers is not None)
    known, counted = cuts, tuple(filter(None, numbers))
    if any(counts):
        known = (*known, *(f"#{value}" for value in otherwise(plain, lower, words)))
    said: Sequence[str] = plain
    if counted and (told := composed(read, raw, lang)) is not read:
        # A source that says "25 million" knows 25, too: other texts may multiply it in a way that is not known here.
        bare = [f"#{part}" for number in counted for way in number.readings for part in way]
        said, _, cuts, numbers, _, content, *_ = zip(*told, strict=True)
        known, counted = (*known, *bare, *cuts), tuple(filter(None, numbers))
    sentence = Sentence(
        text=raw,
        tokens=lower,
        stems=tuple(compress(cuts, content)),
        words=tuple(compress(said, content)),
        numbers=counted,
        names=tuple(names),
        negated=frozenset(negated(read[apart:], parts[apart:], words)) if any(negates) else _NONE,
        citations=citations(raw) if "[" in raw else (),
        asks=raw.endswith("?") or not words.asking.isdisjoint(lower),
        answers=answers,
        start=start,
    )
    return sentence, known


def _sentences(raw: str, lang: str) -> Iterator[tuple[Sentence, tuple[str, ...]]]:
    """The sentences that hold words, each with the stems of all its words."""
    at = 0
    for whole in split(raw, lang):
        plain = _plain(whole)
        short = len(plain) <= SENTENCE_TOKENS
        for piece in (whole,) if short else pieces(whole):
            at = raw.index(piece, at)
            if found := plain if short else _plain(piece):
                yield _sentence(piece, lang, at, found)
            at += len(piece)


#: Candidates, references and peers come again for each text they are compared with.
_RECENT = Recent[Text](most=64, chars=100_000)


def analyse(raw: str, lang: str | None = None) -> Text:
    """Take a text apart; any string will do."""
    return _RECENT.get((raw, lang), len(raw), lambda: _analyse(raw, lang))


def _analyse(raw: str, lang: str | None) -> Text:
    kind = script(raw)
    lang = lang or language(raw, kind)
    found = list(_sentences(raw, lang))
    known = frozenset(chain.from_iterable(cuts for _, cuts in found))
    numbers = {part for sentence, _ in found for number in sentence.numbers for way in number.readings for part in way}
    numbers |= {cut[1:] for cut in known if cut[:1] == "#"}
    return Text(
        raw=raw,
        lang=lang,
        script=kind,
        sentences=tuple(sentence for sentence, _ in found),
        tokens=tuple(chain.from_iterable(sentence.tokens for sentence, _ in found)),
        known=known,
        numbers=frozenset(numbers),
        stems=tuple(chain.from_iterable(sentence.stems for sentence, _ in found)),
    )
