"""Words: their spelling, script, language and stems."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from adjudge.models.offline.lexicon import lexicon

#: Enough to tell the language and the script of any text.
SAMPLE_CHARS = 1000
#: Languages of the Latin script that are told from English.
_OTHERS = ("es", "de", "fr")

_FOLD = {"ё": "е", "Ё": "Е", "’": "'", "‘": "'", "ʼ": "'", "`": "'", "\u0301": "", "\u00ad": ""}
_FOLDED = re.compile(f"[{''.join(_FOLD)}]")


def _token(letter: str, digit: str) -> re.Pattern[str]:
    """A word or a number made of some letters and digits; ".05" is a number where no word or number ends before it."""
    return re.compile(
        rf"{letter}++(?:'{letter}++)*+"
        rf"|{digit}{{1,3}}(?:[ \u00a0\u202f]{digit}{{3}})+(?:[.,]{digit}+)?(?!{digit}|[.,]{digit})"
        rf"|{digit}+(?:[.,:/]{digit}+)*|(?<![^\s(\[=<>≤≥~$£€-])\.{digit}++(?![.,:/]{digit})"
    )


TOKEN = _token(r"[^\W\d_]", r"\d")
#: The same for texts with no letter or digit but these, which are found twice as fast by their ranges.
_USUAL_LETTERS = "A-Za-zÀ-ÖØ-öø-ÿА-яЁё"
_USUAL_MARKS = "\u00a0\u202f«»“”„‘’—–−…•№°§€£¿¡"
_PLAIN = _token("[A-Za-z]", "[0-9]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
#: Addresses of pages and of mail, which are the same in every language.
ADDRESS = re.compile(r"https?://[^\s<>\"')\]]{1,200}(?<![.,;:!?])|[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,10}")
_SCRIPTS = {
    "latin": re.compile(r"[A-Za-z\u0080-\u024f]+"),
    "cyrillic": re.compile(r"[\u0400-\u052f]+"),
    "wide": re.compile(_WIDE.pattern + "+"),
}


def fold(text: str) -> str:
    """One spelling for what readers take as the same: ё/е, apostrophes, stress marks."""
    if text.isascii() and "`" not in text:
        return text
    return _FOLDED.sub(lambda found: _FOLD[found[0]], unicodedata.normalize("NFC", text))


@lru_cache(maxsize=65536)
def stem(word: str, lang: str) -> str:
    """The word without its ending: small, fixed rules, the same for both sides of a comparison."""
    words = lexicon(lang)
    if lang == "ru" and len(word) > 5 and word.endswith(("ся", "сь")):
        word = word[:-2]
    ending = ""
    for size in range(min(8, len(word) - words.keep), 0, -1):
        if word[-size:] in words.endings:
            ending = word[-size:]
            if word[-size - 1 : 1 - size] in words.closing and ending[1:] in words.cases:
                ending = ending[1:]
            word = word[: -len(ending)]
            break
    # Verbs keep it: распространить meets распространение.
    if word[-2:] in words.closing and len(word) > words.keep + 1 and (not ending or ending in words.cases):
        word = word[:-2]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word


def script(text: str) -> str:
    """The script most letters are of: latin, cyrillic, wide, other, or "" when there are no letters."""
    sample = text[:SAMPLE_CHARS]
    if sample.isascii():
        return "latin" if any(map(str.isalpha, sample)) else ""
    letters = "".join(filter(str.isalpha, sample))
    counts = {kind: sum(map(len, runs.findall(letters))) for kind, runs in _SCRIPTS.items()}
    counts["other"] = len(letters) - sum(counts.values())
    best = max(counts, key=lambda kind: (counts[kind], kind))
    return best if counts[best] > 0 else ""


def language(text: str, kind: str | None = None) -> str:
    """A guess good enough to choose stop words and endings: by script (`kind`, if known), then by stop words."""
    kind = script(text) if kind is None else kind
    if kind == "cyrillic":
        return "ru"
    if kind != "latin":
        return "other"
    found = fold(text[:SAMPLE_CHARS]).lower().split()
    english = sum(map(lexicon("en").stop.__contains__, found))
    if sum(map(_other_stops().__contains__, found)) <= english:
        return "en"
    hits = {lang: sum(map(lexicon(lang).stop.__contains__, found)) for lang in _OTHERS}
    best = max(hits, key=lambda lang: hits[lang])
    return best if hits[best] > english else "en"


@cache
def _other_stops() -> frozenset[str]:
    return frozenset().union(*(lexicon(lang).stop for lang in _OTHERS))


@cache
def _usual() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A word or a number of the usual letters, and what is none of them; English texts never need it."""
    return _token(f"[{_USUAL_LETTERS}]", "[0-9]"), re.compile(rf"[^\x00-\x7f{_USUAL_LETTERS}{_USUAL_MARKS}]")


def tokens(text: str) -> list[str]:
    """Every word and number as written; scripts without spaces give pairs of characters."""
    if text.isascii():
        return _PLAIN.findall(text)
    usual, unusual = _usual()
    if not unusual.search(text):
        return usual.findall(text)
    found: list[str] = TOKEN.findall(text)
    if not _WIDE.search(text):
        return found
    apart: list[str] = []
    for token in found:
        if len(token) > 2 and _WIDE.match(token):
            apart.extend(token[at : at + 2] for at in range(len(token) - 1))
        else:
            apart.append(token)
    return apart
