"""From a sentence of the final summary to the items behind it: ids for numbers of batches, and a line of counts."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from adjudge.core import limits
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.reply.summary import cited
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import Words, words

#: More points than these would be no line any more.
POINTS_SHOWN = 10


def traced(
    judge: Judge,
    texts: Mapping[str, str],
    outcomes: Iterable[tuple[int, Outcome]],
    *,
    batches: Sequence[int] = (),
    size: int = 1,
) -> dict[str, str]:
    """The summary of a run: the prose, with items in the place of batches, and after it what code has counted.

    `batches` are the numbers that the prose may name, in order; batch n holds `size` positions from (n - 1) · size on.
    """
    found = {criterion.name: _Counted(criterion, texts.get(criterion.name, ""), batches) for criterion in judge.scored}
    for position, outcome in outcomes:
        if isinstance(outcome, Verdict):
            for name, counted in found.items():
                if (value := by_candidate(outcome.scores.get(name)).get("")) is not None:
                    counted.add(position, position // size + 1, outcome.item, value)
    said = {name: counted.text(words(judge.lang)) for name, counted in found.items()}
    return {name: text for name, text in said.items() if text}


class _Lowest:
    """The few items with the worst scores; of equal ones the first in the dataset."""

    def __init__(self, few: int) -> None:
        self._few = few
        self.entries: list[tuple[float, int, str, float]] = []

    def add(self, entry: tuple[float, int, str, float]) -> None:
        if len(self.entries) < self._few or entry < self.entries[-1]:
            insort(self.entries, entry)
            del self.entries[self._few :]


class _Counted:
    """One criterion: its prose, and what the items say."""

    def __init__(self, criterion: Criterion, prose: str, batches: Sequence[int]) -> None:
        assert criterion.scale is not None
        self._scale, self._prose, self._batches = criterion.scale, prose, batches
        self._points: Counter[float] = Counter()
        self._worst = _Lowest(limits.WORST_NAMED)
        self._behind: dict[tuple[int, ...], _Lowest] = {}
        self._by_batch: dict[int, list[_Lowest]] = {}
        cited(prose, batches, self._mention)

    def _mention(self, numbers: Sequence[int]) -> str:
        if tuple(numbers) not in self._behind:
            self._behind[tuple(numbers)] = lowest = _Lowest(limits.CITED_ITEMS)
            for number in numbers:
                self._by_batch.setdefault(number, []).append(lowest)
        return ""

    def add(self, position: int, batch: int, item: str, value: float) -> None:
        point, entry = self._scale.point(value), (self._scale.normalised(value), position, item, value)
        self._points[point] += 1
        for lowest in self._by_batch.get(batch, ()):
            lowest.add(entry)
        if point != self._scale.best:
            self._worst.add(entry)

    def text(self, say: Words) -> str:
        prose = cited(self._prose, self._batches, self._items)
        return " ".join(part for part in (prose, self._line(say)) if part)

    def _items(self, numbers: Sequence[int]) -> str:
        ids = ", ".join(item for _, _, item, _ in self._behind[tuple(numbers)].entries)
        return f"[{ids}]" if ids else ""

    def _line(self, say: Words) -> str:
        of = self._points.total()
        if not of:
            return ""
        worse = {point: n for point, n in self._points.items() if point != self._scale.best}
        best, n = say.score(self._scale.best), sum(worse.values())
        line = say("traced_worse", best=best, n=say.number(n, 0), of=say.number(of, 0))
        if 0 < len(worse) <= POINTS_SHOWN:
            order = sorted(worse, key=self._scale.normalised)
            points = (say("traced_point", point=say.score(one), n=say.number(worse[one], 0)) for one in order)
            line += f" ({', '.join(points)})"
        if self._worst.entries:
            named = ", ".join(f"[{item}] {say.score(value)}" for _, _, item, value in self._worst.entries)
            line += f". {say('traced_worst', items=named)}"
        return f"{line}."
