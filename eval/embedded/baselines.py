"""Plain metrics, in their usual definitions: what any measure has to beat."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"[^\W_]+")
#: One letter is a word in scripts written without spaces.
_HAN = re.compile(r"([\u3040-\u30ff\u3400-\u9fff])")


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Lower-case runs of letters and digits."""
    return tuple(_WORD.findall(_HAN.sub(r" \1 ", unicodedata.normalize("NFC", text).lower())))


@lru_cache(maxsize=4096)
def _grams(text: str, size: int) -> Counter[tuple[str, ...]]:
    tokens = words(text)
    return Counter(tokens[at : at + size] for at in range(len(tokens) - size + 1))


def _shared(a: Mapping[Any, int], b: Mapping[Any, int]) -> int:
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    return sum(min(count, large[gram]) for gram, count in small.items() if gram in large)


def _f1(shared: float, mine: float, theirs: float) -> float:
    return 2 * shared / (mine + theirs) if mine + theirs else 0.0


def rouge_n(text: str, other: str, size: int) -> float:
    """ROUGE-N as F1."""
    a, b = _grams(text, size), _grams(other, size)
    return _f1(_shared(a, b), a.total(), b.total())


def lcs(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence, by bits of one long integer."""
    if len(a) > len(b):
        a, b = b, a
    places: dict[str, int] = {}
    for at, word in enumerate(a):
        places[word] = places.get(word, 0) | (1 << at)
    row = 0
    for word in b:
        met = row | places.get(word, 0)
        row = met & ~(met - ((row << 1) | 1))
    return row.bit_count()


def rouge_l(text: str, other: str) -> float:
    """ROUGE-L as F1."""
    a, b = words(text), words(other)
    return _f1(lcs(a, b), len(a), len(b))


def lcs_precision(text: str, other: str) -> float:
    """The share of the text's words that lie on the longest common subsequence with the other."""
    mine = words(text)
    return lcs(mine, words(other)) / len(mine) if mine else 0.0


@lru_cache(maxsize=8192)
def _letters(text: str, size: int) -> Counter[str]:
    joined = "".join(text.split())
    return Counter(joined[at : at + size] for at in range(len(joined) - size + 1))


def chrf(text: str, other: str, order: int = 6, beta: float = 2.0) -> float:
    """chrF2 of one segment, as sacrebleu counts it (orders that either side lacks are left out)."""
    precision = recall = 0.0
    used = 0
    for size in range(1, order + 1):
        mine, theirs = _letters(text, size), _letters(other, size)
        if not mine or not theirs:
            continue
        shared = _shared(mine, theirs)
        precision += shared / mine.total()
        recall += shared / theirs.total()
        used += 1
    if not used or not precision + recall:
        return 0.0
    precision, recall = precision / used, recall / used
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def bleu(text: str, other: str) -> float:
    """BLEU-4 of one segment, as sacrebleu counts it: exponential smoothing, effective order."""
    mine, theirs = _marks(text), _marks(other)
    if not mine or not theirs:
        return 0.0
    logs, smooth, used = 0.0, 1.0, 0
    for size in range(1, 5):
        a = Counter(mine[at : at + size] for at in range(len(mine) - size + 1))
        b = Counter(theirs[at : at + size] for at in range(len(theirs) - size + 1))
        if not a.total():
            break
        shared = float(_shared(a, b))
        if not shared:
            smooth *= 2
            shared = 1 / smooth
        logs += math.log(shared / a.total())
        used += 1
    brevity = min(0.0, 1 - len(theirs) / len(mine))
    return math.exp(logs / used + brevity)


_13A = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


@lru_cache(maxsize=4096)
def _marks(text: str) -> tuple[str, ...]:
    """Words and marks as BLEU's usual tokeniser, 13a, takes them apart."""
    line = f" {text} "
    for pattern, apart in _13A:
        line = pattern.sub(apart, line)
    return tuple(line.split())


def plain(text: str, other: str) -> dict[str, float]:
    """Every plain metric of a text against another, and its length alone."""
    return {
        "length": float(len(words(text))),
        "ROUGE-1": rouge_n(text, other, 1),
        "ROUGE-2": rouge_n(text, other, 2),
        "ROUGE-L": rouge_l(text, other),
        "LCS precision": lcs_precision(text, other),
        "chrF": chrf(text, other),
        "BLEU": bleu(text, other),
    }
