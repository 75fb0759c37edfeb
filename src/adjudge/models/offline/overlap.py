"""How much two texts have in common, beyond single words: words in order, pairs of words, whole statements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise

from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.findings import ramp, weights
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Text, analyse


def common(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence, a whole row of the table per step (Hyyrö's bit vectors).

    >>> common("a b c d".split(), "b x d".split())
    2
    """
    places: dict[str, int] = {}
    for at, word in enumerate(a):
        places[word] = places.get(word, 0) | (1 << at)
    row = whole = (1 << len(a)) - 1
    # A word that the other has not leaves the row as it is.
    for place in filter(None, map(places.get, b)):
        met = row & place
        row = ((row + met) | (row - met)) & whole
    return len(a) - row.bit_count()


#: Two measures ask for the same two texts.
@lru_cache(maxsize=4)
def in_order(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """How many words of two texts stand in the same order in both."""
    return common(a, b)


def sequence(a: Text, b: Text) -> float:
    """The share of both texts' words that stand in the same order in both."""
    limit = weights("limits")["tokens"]
    ours, theirs = a.tokens[:limit], b.tokens[:limit]
    return 2 * in_order(ours, theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


def phrases(a: Text, b: Text) -> float:
    """The share of both texts' pairs of near content words that both have."""
    reach, limit = weights("overlap")["reach"], weights("limits")["tokens"]
    ours, theirs = (
        set(chain.from_iterable(zip(stems, stems[step:], strict=False) for step in range(1, reach + 1)))
        for stems in (a.stems[:limit], b.stems[:limit])
    )
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


@once
def pieces(text: Text) -> list[tuple[str, ...]]:
    """A text's content words in runs of a few, none across a sentence's end; longer runs where there are too many."""
    rules, limit = weights("overlap"), weights("limits")["sentences"]
    size = max(rules["piece"], len(text.stems) / limit)
    found: list[tuple[str, ...]] = []
    for sentence in text.sentences[:limit]:
        stems = sentence.stems
        count = max(1, round(len(stems) / size))
        cuts = [len(stems) * at // count for at in range(count + 1)]
        found += [tuple(dict.fromkeys(stems[a:b])) for a, b in pairwise(cuts) if b > a]
    return found


def said(text: Text, holder: Evidence) -> float:
    """How much of each piece of a text stands together in one place of another, averaged over the pieces."""
    shares = [holder.share(piece) for piece in pieces(text)]
    return sum(shares) / len(shares) if shares else 0.0


def alike(a: str, b: str) -> float:
    """The share of both texts' content words that both have."""
    ours, theirs = _known(a), _known(b)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


#: Each candidate is compared with every other, one after the other.
@lru_cache(maxsize=64)
def _known(text: str) -> frozenset[str]:
    return frozenset(analyse(text).stems)


def agreement(text: Text, golden: Text, own: Evidence) -> dict[str, float]:
    """How much of a golden answer a text says, in which order, in which phrases; `own` is the text by itself.

    A few golden words say nothing of how long an answer ought to be, so for them only what is said counts.
    """
    known = said(golden, own)
    size = ramp(len(golden.stems), 2, weights("overlap")["whole"])
    shapes = {"order": sequence(text, golden), "phrases": phrases(text, golden)}
    return {"said": known, **{name: size * value + (1 - size) * known for name, value in shapes.items()}}
