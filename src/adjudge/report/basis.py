"""Derived values rest on the criteria that were judged, and only those that rest on the same ones have a mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping

from adjudge.core.judge import Derived, Judge
from adjudge.reply.derive import judged_by_all
from adjudge.report.tally import Span, Tally


def rests_on(judge: Judge, derived: Derived, scores: Mapping[str, Mapping[str, float]]) -> frozenset[str]:
    """The criteria that a derived value of one item rests on: those judged there, and for every candidate."""
    complete = judged_by_all(judge, {name: values for name, values in scores.items() if values})
    return frozenset(derived.of).intersection(complete)


def total_of(judge: Judge) -> Derived | None:
    """The derived value that candidates are ranked by: what the winner goes by, else the first that is a number."""
    winner = next((one for one in judge.derived if one.operation == "winner"), None)
    if winner is not None:
        return judge.derived_value(winner.of[0])
    return next(iter(judge.derived), None)


def narrowed(judge: Judge, name: str, basis: frozenset[str]) -> list[str]:
    """The titles of what a derived value rests on, where that is not all that it is made of."""
    own = next((one for one in judge.derived if one.name == name), None)
    return titles(judge, basis) if own is not None and basis and basis < set(own.of) else []


class Pool:
    """One derived value over all items, kept apart by the criteria that it rests on.

    `ends` says between which values it lies where it rests on some criteria; without, there is no histogram.
    """

    def __init__(self, ends: Callable[[frozenset[str]], Span] | None = None) -> None:
        self._ends = ends
        self.items: Counter[frozenset[str]] = Counter()
        self.every: frozenset[str] = frozenset()
        self._tallies: dict[tuple[frozenset[str], str], Tally] = {}

    def add(self, basis: frozenset[str], judged: Collection[str], values: Mapping[str, float]) -> None:
        """One item's values by candidate, kept by name, and their mean; `judged` has a score for some candidate."""
        self.items[basis] += 1
        self.every |= frozenset(judged)
        self._tally(basis, "").add(values.values())
        for name, value in values.items():
            if name:
                self._tally(basis, name).add([value])

    def _tally(self, basis: frozenset[str], name: str) -> Tally:
        if (basis, name) not in self._tallies:
            self._tallies[basis, name] = Tally(self._ends(basis) if self._ends else None)
        return self._tallies[basis, name]

    @property
    def standard(self) -> frozenset[str]:
        """The criteria that the mean is over: all that were judged, or the most that any item has together."""
        if self.every in self.items or not self.items:
            return self.every
        return max(self.items, key=lambda basis: (len(basis), self.items[basis], sorted(basis)))

    @property
    def missed(self) -> dict[str, int]:
        """By criterion, in how many items it was not judged though the mean is over it."""
        standard = self.standard
        counts: Counter[str] = Counter()
        for basis, items in self.items.items():
            counts.update(dict.fromkeys(standard - basis, items))
        return dict(counts)

    def tally(self, name: str = "") -> Tally:
        """What has the standard basis: of one candidate, or over all of them."""
        return self._tallies.get((self.standard, name)) or Tally()


def titles(judge: Judge, names: Collection[str]) -> list[str]:
    """The titles of some criteria, in the judge's order."""
    return [one.title or one.name for one in judge.criteria if one.name in names]
