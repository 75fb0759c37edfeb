"""What one metric says of many segments, and how far the judge goes along with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from adjudge.report.beside import sacre
from adjudge.stats.correlation import Correlation, by_rank, linear

#: So many segments have a TER: its time depends on how much was moved, and is several times that of all the others.
TER_SEGMENTS = 200
#: The systems with the most segments; the JSON has all.
SYSTEMS_SHOWN = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A text with its reference and what the judge says of it; `basis` are the criteria that this rests on."""

    source: int
    system: str
    cut: str
    output: str
    reference: str
    judged: float | None
    basis: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One metric over all segments that are cut alike, or over those of one system."""

    metric: str
    cut: str
    system: str | None
    corpus: float | None
    signature: str
    mean: float | None
    n: int
    of: int
    pearson: Correlation
    spearman: Correlation
    shown: bool

    def as_json(self) -> dict[str, Any]:
        correlations = {
            name: {"value": one.value, "ci95": None if one.ci95 is None else list(one.ci95), "n": one.n}
            for name, one in (("pearson", self.pearson), ("spearman", self.spearman))
        }
        return {
            "metric": self.metric,
            "system": self.system,
            "corpus": self.corpus,
            "signature": self.signature,
            "mean": self.mean,
            "n": self.n,
            "of": self.of,
            **correlations,
        }


def figures_of(segments: Sequence[Segment], cut: str) -> Iterator[Figure]:
    """Each metric over all segments that are cut so, then over those of each system."""
    own = [one for one in segments if one.cut == cut]
    systems = Counter(one.system for one in own if one.system)
    shown = {name for name, _ in sorted(systems.items(), key=lambda pair: (-pair[1], pair[0]))[:SYSTEMS_SHOWN]}
    scores = _scores(own, cut)
    for system in (None, *sorted(systems)) if len(systems) > 1 else (None,):
        known = [(one, score) for one, score in zip(own, scores, strict=True) if system in (None, one.system)]
        for metric in sacre.METRICS:
            pairs = [(one, score[metric]) for one, score in known]
            yield _figure(metric, cut, system, pairs, shown=system is None or system in shown)


def _scores(segments: Sequence[Segment], cut: str) -> list[dict[str, sacre.Scored | None]]:
    """The scores of each segment; TER of the first ones only, which are any, since their keys are."""
    own, found, left = sacre.scorer(cut), list[dict[str, sacre.Scored | None]](), TER_SEGMENTS
    for one in segments:
        scores = own.segment(one.output, one.reference, ter=left > 0)
        left -= scores["TER"] is not None
        found.append(scores)
    return found


def _figure(
    metric: str, cut: str, system: str | None, pairs: Sequence[tuple[Segment, sacre.Scored | None]], *, shown: bool
) -> Figure:
    known = [(one, score) for one, score in pairs if score is not None]
    corpus, signature = None, ""
    if known:
        corpus, signature = sacre.scorer(cut).corpus(metric, [score for _, score in known])
    both = [(one.judged, score.value) for one, score in known if one.judged is not None]
    judged, scores = [value for value, _ in both], [score for _, score in both]
    return Figure(
        metric=metric,
        cut=cut,
        system=system,
        corpus=corpus,
        signature=signature,
        mean=fsum(score.value for _, score in known) / len(known) if known else None,
        n=len(known),
        of=len(pairs),
        pearson=linear(judged, scores),
        spearman=by_rank(judged, scores),
        shown=shown,
    )
