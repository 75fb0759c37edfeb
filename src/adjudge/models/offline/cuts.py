"""Sentences copied from the source that stop where the source goes on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from adjudge.models.offline.evidence import Evidence
from adjudge.models.offline.recent import once
from adjudge.models.offline.text import Sentence, after

#: A copy shorter than this is a turn of phrase.
_RUN = 3
#: How many places of a common ending are looked at.
_TRIES = 20
_STOPS = ".!?…;:"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """A sentence whose last words are a source's, which goes on there: after a comma or the like, or in mid-phrase.

    It is a `plain` cut when the source goes on in lower case: after a caption or a heading it may begin anew.
    """

    sentence: Sentence
    source: int
    place: Sentence
    run: int
    at_mark: bool
    plain: bool


def cuts(evidence: Evidence, sentences: Iterable[Sentence]) -> list[Cut]:
    """The sentences that copy the source and stop before it does."""
    whole, starts = _joined(evidence)
    found = (_cut(evidence, whole, starts, sentence) for sentence in sentences if len(sentence.tokens) > _RUN)
    return [cut for cut in found if cut]


@once
def _joined(evidence: Evidence) -> tuple[str, list[int]]:
    """The words of all sources, a line for each sentence, and where each line starts."""
    lines = [f" {' '.join(sentence.tokens)} " for _, sentence in evidence.at]
    return "\n".join(lines), [0, *accumulate(len(line) + 1 for line in lines)]


def _cut(evidence: Evidence, whole: str, starts: list[int], sentence: Sentence) -> Cut | None:
    """The longest copy decides; of equally long ones the one that stops best."""
    best: tuple[int, int] = (0, -1)
    found: Cut | None = None
    for at in _finds(whole, f" {' '.join(sentence.tokens[-_RUN:])} "):
        index = bisect_right(starts, at) - 1
        number, place = evidence.at[index]
        end = whole.count(" ", starts[index], at) + _RUN
        run = _run(sentence.tokens, place.tokens[:end])
        rest = after(place, end) if end < len(place.tokens) else "."
        good = 2 if any(mark in _STOPS for mark in rest) else int(not rest[:-1].isspace())
        if (run, good) > best:
            best = (run, good)
            plain = good == 0 and rest[-1:].islower()
            cut = Cut(sentence=sentence, source=number, place=place, run=run, at_mark=good == 1, plain=plain)
            found = cut if good < 2 else None
    return found


def _finds(whole: str, piece: str) -> Iterator[int]:
    at = whole.find(piece)
    for _ in range(_TRIES):
        if at < 0:
            return
        yield at
        at = whole.find(piece, at + 1)


def _run(ours: tuple[str, ...], theirs: tuple[str, ...]) -> int:
    """How many last words two texts have in common."""
    size = 0
    for one, other in zip(reversed(ours), reversed(theirs), strict=False):
        if one != other:
            break
        size += 1
    return size
