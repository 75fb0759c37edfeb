"""Errors with their words over a run: how many of each category and severity, and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import fsum
from typing import Any

from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.verdicts import mappings, parts
from adjudge.report.words import words


class Errors:
    """A table for judges that list errors; the errors of all texts by category, the costliest first."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge = judge
        self._counts: dict[str, Counter[tuple[str, str]]] = {
            one.name: Counter() for one in judge.criteria if one.kind == "spans"
        }
        self._texts = self._flawed = self._unplaced = 0

    def add(self, outcome: Outcome, row: Row) -> None:
        if not self._counts or not isinstance(outcome, Verdict):
            return
        listed = dict(parts(self._judge, outcome, "spans"))
        for name, counts in self._counts.items():
            known = self._judge.criterion(name)
            for one in mappings(listed.get(name)):
                category, severity = str(one.get("category")), str(one.get("severity"))
                if category in known.categories and severity in known.severities:
                    counts[category, severity] += 1
        self._texts += any(name in outcome.scores for name in self._counts)
        self._flawed += bool(listed)
        self._unplaced += sum(
            one.get("at") is None and one.get("source_at") is None
            for one in mappings(outcome.findings)
            if one.get("criterion") in self._counts and str(one.get("kind")).startswith("span_")
        )

    def section(self) -> Section | None:
        seen = [(self._judge.criterion(name), counts) for name, counts in self._counts.items() if counts]
        if not seen:
            return None
        say = words(self._judge.lang)
        titles = {severity: title for one, _ in seen for severity, title in one.severities.items()}
        rows: list[tuple[str, ...]] = []
        data: dict[str, Any] = {}
        for criterion, counts in seen:
            costs = _costs(criterion, counts)
            for category, cost in sorted(costs.items(), key=lambda pair: -pair[1]):
                numbers = [say.number(counts[category, severity], 0) for severity in titles]
                rows.append((criterion.categories[category], *numbers, say.score(cost)))
            data[criterion.name] = {
                category: {**{one: counts[category, one] for one in criterion.severities}, "penalty": cost}
                for category, cost in costs.items()
            }
        total = sum(counts.total() for _, counts in seen)
        figures = {"errors": total, "flawed": self._flawed, "texts": self._texts, "unplaced": self._unplaced}
        return Section(
            name="errors",
            title=say("errors_title"),
            columns=(say("errors_category"), *titles.values(), say("errors_penalty")),
            rows=tuple(rows),
            notes=(say("errors_note", **{name: say.number(n, 0) for name, n in figures.items()}),),
            data={**figures, "criteria": data},
        )

    def warnings(self) -> Iterable[str]:
        return ()


def _costs(criterion: Criterion, counts: Counter[tuple[str, str]]) -> dict[str, float]:
    """What the errors of each category that occurs cost, in the judge's order."""
    found: dict[str, float] = {}
    for category in criterion.categories:
        own = [n * criterion.penalty(how, what) for (what, how), n in counts.items() if what == category]
        if own:
            found[category] = round(fsum(own), 6)
    return found
