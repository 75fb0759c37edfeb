"""Whether the score depends on the place in the batch: known of every item, and worth no call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import words
from adjudge.stats.interval import CONFIDENCE, Interval, Moments, student_quantile

#: Below this many items a slope says nothing.
ENOUGH_ITEMS = 30
#: A change matters from this share of the scale on.
SHARE = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """How a score changes from the first place to the last; `certain` where it is so beyond chance."""

    n: int
    change: float
    ci95: Interval
    certain: bool


def changed(by_place: Mapping[int, Moments], places: int, *, tests: int = 1) -> Change | None:
    """The slope over places, by least squares; certain at the level that `tests` such questions at once need."""
    n = sum(one.n for one in by_place.values())
    if n < 3:
        return None
    means = [(place, one.n, one.mean or 0.0, one.variance or 0.0) for place, one in by_place.items() if one.n]
    x_mean = math.fsum(place * m for place, m, _, _ in means) / n
    y_mean = math.fsum(mean * m for _, m, mean, _ in means) / n
    sxx = math.fsum(m * (place - x_mean) ** 2 for place, m, _, _ in means)
    sxy = math.fsum(m * (place - x_mean) * (mean - y_mean) for place, m, mean, _ in means)
    if len(means) == 1 or (len({mean for _, _, mean, _ in means}) == 1 and not any(one[3] for one in means)):
        return None  # one place, or one score: nothing can be told
    slope, way = sxy / sxx, places - 1
    left = math.fsum(
        m * (mean - y_mean - slope * (place - x_mean)) ** 2 + (m - 1) * variance for place, m, mean, variance in means
    )
    change, error = way * slope, way * math.sqrt(left / (n - 2) / sxx)
    half = error * student_quantile((1.0 + CONFIDENCE) / 2.0, n - 2)
    strict = error * student_quantile(1.0 - (1.0 - CONFIDENCE) / (2.0 * tests), n - 2)
    return Change(n=n, change=change, ci95=(change - half, change + half), certain=abs(change) > strict)


class Places:
    """The table of places; in memory are sums for each place."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say, self._size = judge, words(judge.lang), state.run.batch_size or 1
        self._by_place: dict[str, dict[int, Moments]] = {criterion.name: {} for criterion in judge.scored}

    def add(self, outcome: Outcome, row: Row) -> None:
        if isinstance(outcome, Verdict) and outcome.place:
            for name, by_place in self._by_place.items():
                if (value := by_candidate(outcome.scores.get(name)).get("")) is not None:
                    by_place.setdefault(outcome.place, Moments()).add(value)

    def _changes(self) -> list[tuple[Criterion, Change]]:
        scored = self._judge.scored
        found = [(one, changed(self._by_place[one.name], self._size, tests=len(scored))) for one in scored]
        return [(criterion, one) for criterion, one in found if one is not None and one.n >= ENOUGH_ITEMS]

    def section(self) -> Section | None:
        say, found = self._say, self._changes()
        if not found:
            return None
        rows = [
            (criterion.title or criterion.name, f"{say.signed(one.change)} {say.interval(one.ci95)}")
            for criterion, one in found
        ]
        most = max(one.n for _, one in found)
        return Section(
            name="places",
            title=say("places"),
            columns=(say("criterion"), say("places_change")),
            rows=tuple(rows),
            notes=(say("places_note", size=self._size, n=say.number(most, 0)),),
            data={
                criterion.name: {
                    "n": one.n,
                    "change": one.change,
                    "ci95": list(one.ci95),
                    "warned": self._warned(*pair),
                }
                for pair in found
                for criterion, one in [pair]
            },
        )

    def _warned(self, criterion: Criterion, one: Change) -> bool:
        assert criterion.scale is not None
        return one.certain and abs(one.change) >= SHARE * (criterion.scale.max - criterion.scale.min)

    def warnings(self) -> Iterator[str]:
        say = self._say
        for criterion, one in self._changes():
            if self._warned(criterion, one):
                told = {"change": say.signed(one.change), "interval": say.interval(one.ci95), "n": say.number(one.n, 0)}
                yield say("warn_places", title=criterion.title or criterion.name, **told)
