"""Text as the embedded judge sees it: sentences, content stems, numbers, names, negated words, citations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from adjudge.models.offline.lexicon import lexicon, lexicons

#: A text with no full stops is cut here, so that a table or a list is still compared piece by piece.
SENTENCE_TOKENS = 60
#: Enough to tell the language and the script of any text.
SAMPLE_CHARS = 4000

_FOLD = {
    ord("ё"): "е",
    ord("Ё"): "Е",
    ord("’"): "'",
    ord("‘"): "'",
    ord("ʼ"): "'",
    ord("`"): "'",
    0x301: None,
    0xAD: None,
}
_TOKEN = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.,]\d)|\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*", re.UNICODE
)
#: Each run of end marks is looked at once (no mark before it), which keeps the scan linear.
_END = re.compile(
    r"(?<![.!?…。！？])(?P<mark>[.!?…。！？]++)[\"'»”’)\]]*+(?:\s*+\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3}){0,20}\]){0,20}(?:\s++|(?<=[。！？]))"
)
_LINE = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•–—]\s|\d{1,3}[.)]\s|[A-ZА-ЯЁ«\"]))")
_BULLET = re.compile(r"^\s*(?:[-*•–—]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)")
_CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3}){0,20})\]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Number:
    """A number as written, and the ways it may be read: "1,500" is 1500 or 1.5."""

    text: str
    readings: tuple[frozenset[str], ...]
    spelled: bool = False

    def within(self, known: frozenset[str]) -> bool:
        return any(reading <= known for reading in self.readings)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence and where it starts: `stems` and `words` are its content words, cut and as written, in order."""

    text: str
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


def fold(text: str) -> str:
    """One spelling for what readers take as the same: ё/е, apostrophes, stress marks."""
    return unicodedata.normalize("NFC", text).translate(_FOLD)


@lru_cache(maxsize=65536)
def stem(word: str, lang: str) -> str:
    """The word without its ending: small, fixed rules, the same for both sides of a comparison."""
    words = lexicon(lang)
    if lang == "ru" and len(word) > 5 and word.endswith(("ся", "сь")):
        word = word[:-2]
    for size in range(min(7, len(word) - words.keep), 0, -1):
        if word[-size:] in words.endings:
            word = word[:-size]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word


def script(text: str) -> str:
    """The script most letters are of: latin, cyrillic, wide, other, or "" when there are no letters."""
    counts: dict[str, int] = {}
    for char in text[:SAMPLE_CHARS]:
        if char.isalpha():
            code = ord(char)
            if code < 0x250:
                kind = "latin"
            elif 0x400 <= code < 0x530:
                kind = "cyrillic"
            else:
                kind = "wide" if _WIDE.match(char) else "other"
            counts[kind] = counts.get(kind, 0) + 1
    return max(counts, key=lambda kind: (counts[kind], kind)) if counts else ""


def language(text: str) -> str:
    """A guess good enough to choose stop words and endings: by script, then by stop words."""
    kind = script(text)
    if kind == "cyrillic":
        return "ru"
    if kind != "latin":
        return "other"
    tokens = [token.lower() for token in _TOKEN.findall(fold(text[:SAMPLE_CHARS]))]
    hits = {lang: sum(token in lexicons()[lang].stop for token in tokens) for lang in ("en", "es", "de", "fr")}
    best = max(hits, key=lambda lang: hits[lang])
    return best if hits[best] > hits["en"] else "en"


def split(text: str, lang: str) -> Iterator[str]:
    """Sentences as they stand in the text."""
    caps = sum(char.isupper() for char in text[:SAMPLE_CHARS]) > 0.01 * len(text[:SAMPLE_CHARS])
    stops = lexicon(lang).abbreviations
    for block in _LINE.split(text):
        start = 0
        for match in _END.finditer(block):
            if match["mark"] == ".":
                following = block[match.end() : match.end() + 1]
                before = block[max(start, match.start() - 12) : match.start()]
                last = before.split()[-1].lstrip("(«\"'[") if before.split() else ""
                spaced = before[-1:].isspace()
                listed = last.isdigit() and not block[start : match.start() - len(last)].strip()
                initial = listed or (len(last) == 1 and last.isupper())
                if initial or fold(last.lower()) in stops or (caps and following.islower() and not spaced):
                    continue
            yield block[start : match.end()].strip()
            start = match.end()
        yield block[start:].strip()


def readings(token: str) -> tuple[frozenset[str], ...]:
    """What a written number may mean; a date or a time is all of its parts."""
    plain = re.sub(r"\s", "", token)
    found: list[frozenset[str]] = []
    if grouped := re.fullmatch(r"(\d{1,3}(?:,\d{3})+)\.(\d+)", plain):
        found.append(frozenset({f"{grouped[1].replace(',', '')}.{grouped[2]}".rstrip("0").rstrip(".")}))
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain):
        found.append(frozenset({re.sub(r"[.,]", "", plain).lstrip("0") or "0"}))
    if re.fullmatch(r"\d+[.,]\d+", plain):
        whole, part = re.split(r"[.,]", plain)
        fraction = part.rstrip("0")
        found.append(frozenset({(whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")}))
    parts = re.split(r"[.,:/]", plain)
    if len(parts) == 1 or not found:
        found.append(frozenset(part.lstrip("0") or "0" for part in parts))
    return tuple(found)


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
    starts = [match.start() for match in _TOKEN.finditer(sentence)]
    if len(starts) <= SENTENCE_TOKENS:
        yield sentence
        return
    cuts = [0, *starts[SENTENCE_TOKENS::SENTENCE_TOKENS], len(sentence)]
    yield from (sentence[a:b].strip() for a, b in pairwise(cuts))


def tokens(text: str) -> list[str]:
    """Every word and number as written; scripts without spaces give pairs of characters."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if len(token) > 2 and _WIDE.match(token):
            found.extend(token[at : at + 2] for at in range(len(token) - 1))
        else:
            found.append(token)
    return found


def _sentence(raw: str, lang: str, start: int) -> tuple[Sentence, list[str], set[str]]:
    words = lexicon(lang)
    plain = tokens(fold(_CITATION.sub(" ", _BULLET.sub("", raw))))
    shout = sum(token.isupper() for token in plain) > len(plain) / 2
    stems: list[str] = []
    surface: list[str] = []
    numbers: list[Number] = []
    names: list[tuple[str, str]] = []
    negated: set[str] = set()
    known: set[str] = set()
    reach = 0
    for at, token in enumerate(plain):
        low = token.lower()
        if token[0].isdigit():
            cut = "#" + re.sub(r"\D", "", token)
            numbers.append(Number(text=token, readings=readings(token)))
        elif low in words.numbers:
            cut = f"#{words.numbers[low]}"
            numbers.append(Number(text=token, readings=(frozenset({cut[1:]}),), spelled=True))
        else:
            cut = stem(low.removesuffix("'s"), lang)
        known.add(cut)
        if low in words.negation or low.endswith("n't"):
            reach = 6
        elif low not in words.stop and (len(cut) > 1 or not cut.isascii()):
            stems.append(cut)
            surface.append(token)
            if reach:
                negated.add(cut)
            reach = 0
            capital = token[0].isupper() and len(token) > 1 and at > 0 and not shout
            if words.names and capital and low not in words.abbreviations:
                names.append((token, cut))
        reach = max(0, reach - 1)
    sentence = Sentence(
        text=raw,
        stems=tuple(stems),
        words=tuple(surface),
        numbers=tuple(numbers),
        names=tuple(names),
        negated=frozenset(negated),
        citations=citations(raw),
        asks=raw.endswith("?") or any(token.lower() in words.asking for token in plain),
        start=start,
    )
    return sentence, [token.lower() for token in plain], known


def analyse(raw: str, lang: str | None = None) -> Text:
    """Take a text apart; any string will do."""
    lang = lang or language(raw)
    sentences: list[Sentence] = []
    every: list[str] = []
    known: set[str] = set()
    at = 0
    for whole in split(raw, lang):
        for piece in pieces(whole):
            at = raw.index(piece, at)
            sentence, lower, cuts = _sentence(piece, lang, at)
            at += len(piece)
            if lower:
                sentences.append(sentence)
                every.extend(lower)
                known |= cuts
    numbers = {part for sentence in sentences for number in sentence.numbers for way in number.readings for part in way}
    numbers |= {cut[1:] for cut in known if cut.startswith("#")}
    return Text(
        raw=raw,
        lang=lang,
        script=script(raw),
        sentences=tuple(sentences),
        tokens=tuple(every),
        known=frozenset(known),
        numbers=frozenset(numbers),
    )
