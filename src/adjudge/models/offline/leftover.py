"""Text left untranslated: words of the source that stand in the translation as they were."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from adjudge.models.offline.findings import Finding, quote, weights
from adjudge.models.offline.lexicon import lexicon
from adjudge.models.offline.peers import voices
from adjudge.models.offline.punctuation import uncoded
from adjudge.models.offline.text import Text
from adjudge.models.offline.tokens import SAMPLE_CHARS, fold
from adjudge.models.offline.view import View

_LETTERS = {
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f]+"),
    "cyrillic": re.compile(r"[\u0400-\u052f]+"),
    "wide": re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+"),
    "other": re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f\u0400-\u052f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"),
}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ROMAN = re.compile(r"[IVXLC]+", re.IGNORECASE)
#: Addresses, codes and formulas (COVID-19, IL-6, 25(OH)D) are the same in every language.
_CODE = re.compile(r"[\d@_=]|://|www\.|\w\(\w|\w/\w")
#: Words stand in one run when no more than this is between them.
_GAP = 3
#: This share of letters of another script shows what the translation was to be written in.
_FOREIGN = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """A run of words left as they were. `sure`: it holds a plain word, or others have translated it."""

    at: tuple[int, int]
    words: tuple[str, ...]
    sure: bool


def left(view: View) -> list[Left]:
    """Every run of source words that stands in the translation, names and abbreviations that others keep left out."""
    source = view.case.evidence.texts[0] if view.case.evidence.texts else None
    if source is None or source.empty or view.out.empty or source.raw == view.case.reference.raw:
        return []
    return list(_other_script(view, source) if _foreign(view, source) else _same_script(view, source))


def _foreign(view: View, source: Text) -> bool:
    """Whether the translation is in another script, were it mostly of words left in the source's."""
    if source.script != view.out.script:
        return True
    sample = view.raw[:SAMPLE_CHARS]
    letters = sum(map(str.isalpha, sample))
    own = sum(map(len, _LETTERS[source.script or "other"].findall(sample)))
    return letters - own > _FOREIGN * letters


def translated(view: View, runs: list[Left]) -> float:
    """1 where nothing was left, less by the weight of each word left."""
    costs = weights("adequacy")["left"]
    return max(0.0, 1 - sum(float(costs[_kind(word)]) for run in runs for word in run.words))


def rendered(view: View) -> float:
    """1 where no single word of a source of the same script is left that most others leave behind; less for each.

    Such a word is no finding: languages of one script share words. But several of them are a sign.
    """
    texts, heard = view.case.evidence.texts, [_words(text) for text in voices(view)]
    if not texts or not heard or texts[0].script != view.out.script or texts[0].raw == view.case.reference.raw:
        return 1.0
    few, cost = float(weights("form")["few"]), float(weights("form")["left"])
    both = frozenset(view.out.tokens).intersection(texts[0].tokens) - lexicon(view.out.lang).stop
    words = [word for word in both if len(word) > 2 and word.isalpha()]
    alone = sum(sum(word in said for said in heard) < few * len(heard) for word in words)
    return max(0.0, 1 - cost * alone)


def told(view: View, runs: list[Left]) -> list[Finding]:
    """A finding per run; a name or an abbreviation that nobody is known to have translated is told, not blamed."""
    return [
        view.find(
            "untranslated" if run.sure else "kept_as_is", at=run.at, against=run.sure, quote=quote(_at(view, run))
        )
        for run in runs
    ]


def _at(view: View, run: Left) -> str:
    return view.raw[run.at[0] : run.at[1]]


def _kind(word: str) -> str:
    return "word" if word.islower() else "short" if word.isupper() else "name"


def _heard(view: View) -> tuple[list[frozenset[str]], bool]:
    """The words of the reference and of the other translations, and whether there is enough of them to tell."""
    heard = [_words(text) for text in voices(view)]
    return heard, bool(heard)


@lru_cache(maxsize=64)
def _words(raw: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(raw).lower()))


def _common(word: str, heard: list[frozenset[str]]) -> bool:
    return bool(heard) and 2 * sum(word in words for words in heard) >= len(heard)


def _other_script(view: View, source: Text) -> Iterator[Left]:
    letters, raw = _LETTERS[source.script or "other"], uncoded(view.raw)
    if not letters.search(raw):
        return
    known, (heard, enough) = _words(source.raw), _heard(view)
    stop = lexicon(source.lang).stop
    kept: list[re.Match[str]] = []
    for found in letters.finditer(raw):
        word = found[0]
        wide = source.script == "wide"
        if (len(word) < 2 and not wide) or _ROMAN.fullmatch(word) or _CODE.search(_chain(raw, found)):
            continue
        low = fold(word).lower()
        if (low in source.raw if wide else low in known) and not _common(low, heard):
            kept.append(found)
    for run in _runs(kept):
        words = tuple(found[0] for found in run)
        plain = any((word.islower() and word not in stop) or source.script == "wide" for word in words)
        yield Left(at=(run[0].start(), run[-1].end()), words=words, sure=plain or enough)


def _chain(raw: str, found: re.Match[str]) -> str:
    """What stands around a word without a space, a little of it on each side."""
    before, after = raw[max(0, found.start() - 30) : found.start()], raw[found.end() : found.end() + 30]
    return (before.split(" ")[-1] + found[0] + after.split(" ")[0]).strip("(),.;:[]«»\"'")


def _runs(words: list[re.Match[str]]) -> list[list[re.Match[str]]]:
    runs: list[list[re.Match[str]]] = []
    for found in words:
        if runs and found.start() - runs[-1][-1].end() <= _GAP:
            runs[-1].append(found)
        else:
            runs.append([found])
    return runs


def _same_script(view: View, source: Text) -> Iterator[Left]:
    """Only a run of source words tells: single words are often the same in two languages of one script."""
    heard, enough = _heard(view)
    own = lexicon(view.out.lang).stop if source.lang != view.out.lang else frozenset[str]()
    known = set(source.tokens)
    words = list(_WORD.finditer(uncoded(view.raw)))
    whole = len(words) > 2
    flagged: list[tuple[bool, re.Match[str]]] = []
    for found in words:
        low = fold(found[0]).lower()
        stays = low in known and low not in own and not _common(low, heard)
        whole = whole and low in known
        flagged.append((stays, found))
    least = 2 if enough else 3
    for stays, group in groupby(flagged, key=lambda pair: pair[0]):
        run = [found for _, found in group]
        plain = len({found[0] for found in run if found[0].islower()})
        if stays and (plain >= least or (whole and len({found[0].lower() for found in run}) > 2)):
            yield Left(at=(run[0].start(), run[-1].end()), words=tuple(found[0] for found in run), sure=True)
