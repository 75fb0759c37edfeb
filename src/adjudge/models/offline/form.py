"""What a translation keeps of another text's form: its sentences, capitals and quotation marks, and no more repeats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from adjudge.models.offline.chrf import CHARS, shared
from adjudge.models.offline.text import fold, split, tokens

#: The parts of `kept`.
FORM = ("fresh", "sentences", "abbreviations", "quotes", "capitals")
_QUOTES = re.compile(r"[«»“”„‟\"]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """The form of a text. `repeats`: the share of its pairs of neighbouring words that were there before."""

    sentences: int
    abbreviations: Counter[str]
    capitals: int
    quoted: bool
    repeats: float


@lru_cache(maxsize=64)
def form(raw: str, lang: str) -> Form:
    """The form of a text's first CHARS characters."""
    raw = raw[:CHARS]
    words = tokens(fold(raw))
    pairs = list(pairwise([word.lower() for word in words]))
    return Form(
        sentences=sum(map(bool, split(raw, lang))),
        abbreviations=Counter([word for word in words if len(word) > 1 and word.isupper()]),
        capitals=sum([word[0].isupper() for word in words]),
        quoted=bool(_QUOTES.search(raw)),
        repeats=1 - len(set(pairs)) / len(pairs) if pairs else 0.0,
    )


def kept(own: Form, other: Form) -> Mapping[str, float]:
    """Parts between 0 and 1, each 1 for a text like the other.

    `sentences`: as many or more; `abbreviations`: words in capitals shared; `capitals`: as many words that begin with
    one; `quotes`: both or neither; `fresh`: no more said again.
    """
    return {
        "sentences": min(1.0, own.sentences / other.sentences) if other.sentences else 1.0,
        "abbreviations": overlap(own.abbreviations, other.abbreviations),
        "capitals": ratio(own.capitals, other.capitals),
        "quotes": float(own.quoted == other.quoted),
        "fresh": 1 - max(0.0, own.repeats - other.repeats),
    }


def overlap(ours: Counter[str], theirs: Counter[str]) -> float:
    """The share that two counts have in common; 1 for two empty ones."""
    count = ours.total() + theirs.total()
    return 2 * shared(ours, theirs) / count if count else 1.0


def ratio(ours: float, theirs: float) -> float:
    """The smaller as a share of the larger; 1 for two zeros."""
    return min(ours, theirs) / max(ours, theirs) if max(ours, theirs) else 1.0
