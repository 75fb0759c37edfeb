"""What a translation keeps of another text's form: sentences, capitals, quotes, the end; and no more slips."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from adjudge.models.offline.chrf import ALIKE, CHARS, shared
from adjudge.models.offline.findings import weights
from adjudge.models.offline.lexicon import lexicon, load
from adjudge.models.offline.punctuation import end_mark, unpaired
from adjudge.models.offline.text import fold, split, tokens

#: The parts of `kept`.
FORM = ("fresh", "sentences", "abbreviations", "quotes", "capitals", "slips", "end", "denials", "address")
#: Those of them that compare two counts, which say more than their share.
_COUNTED = ("sentences", "capitals", "slips", "denials")
_QUOTES = re.compile(r"[«»“”„‟\"]")
#: A space inside brackets, before a comma or a full stop, or twice; a small letter after a sentence, whose last word
#: is longer than an abbreviation.
_SLIP = re.compile(
    r"[(\[](?<!:.)\s|\s(?:[)\]]|(?<=\w\s)[,.](?=\s|$)|(?<=\S ) +(?=\S))"
    r"|[.!?](?<=[^\W\d_]{5}.)\s(?=[a-zß-öø-ÿа-яё])"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """The form of a text. `repeats`: the share of its pairs of neighbouring words that were there before.

    `address`: how it speaks to its reader, where the language tells: `near` (du, ты), `far` (Sie, вы).
    """

    sentences: int
    abbreviations: Counter[str]
    capitals: int
    quoted: bool
    repeats: float
    slips: int
    end: str
    denials: int
    address: frozenset[str]


@lru_cache(maxsize=64)
def form(raw: str, lang: str) -> Form:
    """The form of a text's first CHARS characters, and the mark the whole ends with."""
    end, raw = end_mark(raw[-CHARS:].translate(ALIKE)), raw[:CHARS]
    folded = fold(raw)
    words = tokens(folded)
    lower = [word.lower() for word in words]
    pairs, denying = list(pairwise(lower)), lexicon(lang).negation
    return Form(
        sentences=sum(map(bool, split(raw, lang))),
        abbreviations=Counter([word for word in words if len(word) > 1 and word.isupper()]),
        capitals=sum([word[0].isupper() for word in words]),
        quoted=bool(_QUOTES.search(raw)),
        repeats=1 - len(set(pairs)) / len(pairs) if pairs else 0.0,
        slips=len(_SLIP.findall(raw)) + len(unpaired(raw)),
        end=end,
        denials=sum([word in denying for word in lower]),
        address=_address(frozenset(words), folded, lang),
    )


@cache
def _ways(lang: str) -> Mapping[str, tuple[frozenset[str], re.Pattern[str]]]:
    """The words of each way to speak to a reader, and what may stand before them."""
    ways: dict[str, Any] = load("marks.yaml")["address"].get(lang, {})
    return {
        kind: (frozenset(way["words"].split()), re.compile(rf"{way['after']}(?:{'|'.join(way['words'].split())})\b"))
        for kind, way in ways.items()
    }


def _address(words: frozenset[str], text: str, lang: str) -> frozenset[str]:
    # Most texts speak to nobody, which their words tell faster than a pattern.
    return frozenset(
        kind for kind, (said, place) in _ways(lang).items() if not said.isdisjoint(words) and place.search(text)
    )


def kept(own: Form, other: Form) -> Mapping[str, float]:
    """Parts between 0 and 1, each 1 for a text like the other.

    `sentences`: as many or more; `abbreviations`: words in capitals shared; `capitals`: as many words that begin with
    one; `quotes`: both or neither; `fresh`: no more said again; `slips`: no more slips of spacing, small first
    letters, marks without a pair; `end`: the same mark; `denials`: as many; `address`: not only the one where the other
    has only the other one.
    """
    rules = weights("form")
    return {
        "sentences": min(1.0, own.sentences / other.sentences) if other.sentences else 1.0,
        "abbreviations": overlap(own.abbreviations, other.abbreviations),
        "capitals": ratio(own.capitals, other.capitals),
        "quotes": float(own.quoted == other.quoted),
        "fresh": 1 - max(0.0, own.repeats - other.repeats),
        "slips": 1 - min(1.0, rules["slip"] * max(0, own.slips - other.slips)),
        "end": float(own.end == other.end),
        "denials": 1 - min(1.0, rules["denial"] * abs(own.denials - other.denials)),
        "address": 1.0 - (len(own.address) == len(other.address) == 1 and own.address != other.address),
    }


def counts(part: str, own: Form, others: Sequence[Form]) -> tuple[str, str]:
    """How many a text has of what a part counts, and the others, "3" or "2–4"; nothing where a part is no count."""
    if part not in _COUNTED:
        return "", ""
    got, *theirs = (getattr(each, part) for each in (own, *others))
    fewest, most = min(theirs), max(theirs)
    return str(got), str(most) if fewest == most else f"{fewest}–{most}"


def overlap(ours: Counter[str], theirs: Counter[str]) -> float:
    """The share that two counts have in common; 1 for two empty ones."""
    count = ours.total() + theirs.total()
    return 2 * shared(ours, theirs) / count if count else 1.0


def ratio(ours: float, theirs: float) -> float:
    """The smaller as a share of the larger; 1 for two zeros."""
    return min(ours, theirs) / max(ours, theirs) if max(ours, theirs) else 1.0
