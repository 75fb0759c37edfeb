"""chrF: how many character n-grams two texts share."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import accumulate
from operator import add

from adjudge.models.offline.tokens import fold

_ORDER, _BETA = 6, 2.0
#: A translation longer than this is compared with its reference by its beginning.
CHARS = 20_000
#: Marks of one meaning in different scripts and keyboards.
ALIKE = str.maketrans(
    dict(zip("«»“”„‟‚‘’—–−‑‐，。？！：；（）、", '""""""\'\'\'-----,.?!:;(),', strict=True), **{"…": "..."})
)


def grams(text: str) -> tuple[Counter[str], ...]:
    """The character n-grams of a text, by length, without spaces; what readers take as the same counts as the same."""
    # Letters may come with their marks apart, two for one.
    solid = fold("".join(text.split())[: 2 * CHARS]).translate(ALIKE)[:CHARS]
    # Each longer n-gram is a shorter one with the next character.
    every = accumulate((solid[at:] for at in range(_ORDER)), lambda shorter, rest: list(map(add, shorter, rest)))
    return tuple(map(Counter, every))


#: The reference comes again for each translation of its source; a few are enough, and long ones are large.
_reference = lru_cache(maxsize=4)(grams)


def shared(ours: Counter[str], theirs: Counter[str]) -> int:
    """How many n-grams two texts have in common, each as often as both have it."""
    if len(ours) > len(theirs):
        ours, theirs = theirs, ours
    # A call of `min` would take longer than all the rest.
    return sum([count if count < (there := theirs[gram]) else there for gram, count in ours.items() if gram in theirs])


def chrf(hypothesis: str, reference: str) -> float:
    """The F-score (beta 2) of character n-grams up to 6, averaged over n.

    >>> chrf("Ёжик — «кот»", 'Ежик - "кот"')
    1.0
    """
    scores: list[float] = []
    for ours, theirs in zip(grams(hypothesis), _reference(reference), strict=True):
        if ours and theirs:
            both = shared(ours, theirs)
            precision, recall = both / ours.total(), both / theirs.total()
            whole = _BETA**2 * precision + recall
            scores.append((1 + _BETA**2) * precision * recall / whole if whole else 0.0)
    return sum(scores) / len(scores) if scores else 0.0
