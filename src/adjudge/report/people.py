"""What people said of a run beside what its judge said, point by point."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.core.judge import Judge
from adjudge.core.labels import Label
from adjudge.core.records import Outcome, Verdict
from adjudge.report.verdicts import by_candidate, number


@dataclass(frozen=True, kw_only=True, slots=True)
class Against:
    """The judge against people on one criterion, over texts that both scored; of several people it is their mean.

    `counts` has how often (people's point, judge's point) was given, both rounded, halves up, as `adjudge agree` does;
    `same` is how often both are one; `bias` is the mean of the judge's scores minus people's.
    """

    title: str
    min: float
    max: float
    counts: Mapping[tuple[int, int], int]
    bias: float | None

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    @property
    def same(self) -> int:
        return sum(count for (people, judge), count in self.counts.items() if people == judge)


def against_people(
    judge: Judge, labels: Iterable[Label], outcomes: Callable[[Sequence[str]], Mapping[str, Outcome]]
) -> tuple[Against, ...]:
    """Every criterion that has labels of judged texts, in the judge's order; `outcomes` finds those of items by id."""
    given: dict[str, dict[tuple[str, str], list[float]]] = {}
    for label in labels:
        if (value := number(label.value)) is not None:
            given.setdefault(label.criterion, {}).setdefault((label.item, label.candidate), []).append(value)
    items = sorted({item for places in given.values() for item, _ in places})
    verdicts = {item: found for item, found in outcomes(items).items() if isinstance(found, Verdict)}
    drawn = []
    for criterion in judge.scored:
        assert criterion.scale is not None
        counts, gaps = Counter[tuple[int, int]](), []
        for (item, candidate), values in sorted(given.get(criterion.name, {}).items()):
            scores = by_candidate(verdicts[item].scores.get(criterion.name)) if item in verdicts else {}
            if candidate in scores:
                people = math.fsum(values) / len(values)
                counts[_point(people), _point(scores[candidate])] += 1
                gaps.append(scores[candidate] - people)
        if gaps:
            drawn.append(
                Against(
                    title=criterion.title or criterion.name,
                    min=criterion.scale.min,
                    max=criterion.scale.max,
                    counts=counts,
                    bias=math.fsum(gaps) / len(gaps),
                )
            )
    return tuple(drawn)


def _point(value: float) -> int:
    return math.floor(value + 0.5)
