"""Text as the embedded judge sees it: sentences, content stems, numbers, names, negated words, citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, pairwise

from adjudge.models.offline.lexicon import lexicon, lexicons
from adjudge.models.offline.reading import Number as Number
from adjudge.models.offline.reading import clauses, composed, negated, reader
from adjudge.models.offline.reading import readings as readings
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
_CITATION = re.compile(r"\[(\d{1,5}(?:\s*[,;–-]\s*\d{1,5}){0,20})\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence and where it starts: `stems` and `words` are its content words, cut and as written, in order.

    `tokens` is every word and number of it, lower case.
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
    start: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A text taken apart. `tokens` is every token, lower case; `known` every stem, content or not."""

    raw: str
    lang: str
    script: str
    sentences: tuple[Sentence, ...]
    tokens: tuple[str, ...]
    known: frozenset[str]
    numbers: frozenset[str] = frozenset()

    @property
    def empty(self) -> bool:
        return not self.tokens

    @property
    def stems(self) -> tuple[str, ...]:
        return tuple(stem for sentence in self.sentences for stem in sentence.stems)


def split(text: str, lang: str) -> Iterator[str]:
    """Sentences as they stand in the text."""
    sample = text[:SAMPLE_CHARS]
    caps = sum(map(str.isupper, sample)) > 0.01 * len(sample)
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
                if initial or fold(last.lower()) in stops or (caps and following.islower() and not spaced):
                    continue
            yield block[start : match.end()].strip()
            start = match.end()
        yield block[start:].strip()


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
    return re.sub(r"\s+([.,;!?])", r"\1", _CITATION.sub("", _BULLET.sub("", sentence))).strip()


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
    return _ordinal().sub("", fold(_CITATION.sub(" ", bare) if "[" in bare else bare))


@cache
def _ordinal() -> re.Pattern[str]:
    """What is written after the digits of an ordinal, "5th" or "2018-го": no word of its own."""
    every = sorted(ending for words in lexicons().values() for ending in words.suffixes)
    return re.compile(rf"(?<=\d)(?:{'|'.join(map(re.escape, every))})(?!\w)", re.IGNORECASE)


def _sentence(raw: str, lang: str, start: int, plain: list[str]) -> tuple[Sentence, tuple[str, ...]]:
    words, read = lexicon(lang), list(map(reader(lang), plain))
    _, lower, cuts, numbers, negates, _, named = zip(*read, strict=True)
    names = [(word.token, word.cut) for word in read[1:] if word.name] if any(named) else []
    if names and sum(map(str.isupper, plain)) > len(plain) / 2:
        names = []
    parts = () if words.lacking.isdisjoint(lower) else clauses(_cleaned(raw), len(read))
    told = read
    if any(numbers) and (told := composed(read, raw, lang)) != read:
        # A source that says "25 million" knows 25, too: other texts may multiply it in a way that is not known here.
        bare = [f"#{part}" for number in numbers if number for way in number.readings for part in way]
        cuts = (*cuts, *bare, *(word.cut for word in told))
    sentence = Sentence(
        text=raw,
        tokens=lower,
        stems=tuple(word.cut for word in told if word.content),
        words=tuple(word.token for word in told if word.content),
        numbers=tuple(word.number for word in told if word.number),
        names=tuple(names),
        negated=frozenset(negated(read, parts, words)) if any(negates) else _NONE,
        citations=citations(raw) if "[" in raw else (),
        asks=raw.endswith("?") or not words.asking.isdisjoint(lower),
        start=start,
    )
    return sentence, cuts


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


def analyse(raw: str, lang: str | None = None) -> Text:
    """Take a text apart; any string will do."""
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
    )
