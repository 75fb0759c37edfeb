"""The quotations that a model gave as its grounds: how many of them stand in the sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.verdicts import mappings
from adjudge.report.words import Words, words
from adjudge.stats.interval import wilson

#: What can come of a quotation, and the word for it.
STATES = {
    "verified": "evidence_verified",
    "repaired": "evidence_repaired",
    "misattributed": "evidence_misattributed",
    "not_found": "evidence_not_found",
}
#: A model that copies letter for letter loses hardly a quotation; below this its reasons are not to be relied on.
FOUND_LEAST = 0.9
#: Of fewer quotations nothing is said of the model.
QUOTES_LEAST = 5


class Evidence:
    """A table for runs whose judge asks for quotations."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge = judge
        self._by_criterion: dict[str, Counter[str]] = {one.name: Counter() for one in judge.criteria}

    def add(self, outcome: Outcome, row: Row) -> None:
        if not isinstance(outcome, Verdict):
            return
        for criterion, kind, count in _quotes(outcome):
            state, counts = state_of(kind), self._by_criterion.get(criterion)
            if state and counts is not None:
                counts[state] += count

    def section(self) -> Section | None:
        seen = {name: counts for name, counts in self._by_criterion.items() if counts}
        if not seen:
            return None
        say = words(self._judge.lang)
        lines = [(self._judge.criterion(name).title or name, counts) for name, counts in seen.items()]
        if len(seen) > 1:
            lines.append((say("evidence_together"), self._together))
        return Section(
            name="evidence",
            title=say("evidence_title"),
            columns=(
                say("criterion"),
                say("evidence_quotes"),
                *map(say, STATES.values()),
                say("evidence_found"),
            ),
            rows=tuple(
                (
                    title,
                    say.number(counts.total(), 0),
                    *(say.number(counts[state], 0) for state in STATES),
                    found_share(_figures(counts), say),
                )
                for title, counts in lines
            ),
            notes=(say("evidence_note"),),
            data={
                "criteria": {name: _figures(counts) for name, counts in seen.items()},
                "together": _figures(self._together),
            },
        )

    def warnings(self) -> Iterable[str]:
        figures, say = _figures(self._together), words(self._judge.lang)
        if figures["quotes"] >= QUOTES_LEAST and figures["ci95"][1] < FOUND_LEAST:
            lost = figures["quotes"] - figures["verified"] - figures["repaired"]
            yield say("warn_evidence", n=say.number(lost, 0), of=say.number(figures["quotes"], 0))

    @property
    def _together(self) -> Counter[str]:
        return sum(self._by_criterion.values(), Counter())


def _quotes(verdict: Verdict) -> Iterator[tuple[str, Any, int]]:
    """Criterion, kind and number: of all opinions where they were counted, else of the one whose findings are kept."""
    if not verdict.quotes:
        for finding in mappings(verdict.findings):
            yield str(finding.get("criterion")), finding.get("kind"), 1
    for criterion, kinds in verdict.quotes.items():
        for kind, count in kinds.items() if isinstance(kinds, Mapping) else ():
            if type(count) is int and count > 0:
                yield criterion, kind, count


def state_of(kind: Any) -> str:
    """What came of a quotation, by the kind of its finding; "" where it is none."""
    state = kind.removeprefix("quote_") if isinstance(kind, str) and kind.startswith("quote_") else ""
    return state if state in STATES else ""


def found_share(figures: Mapping[str, Any], say: Words) -> str:
    """The share of quotations found, with its interval, as people read it."""
    if figures["found"] is None:
        return "—"
    low, high = figures["ci95"]
    return f"{say.number(100 * figures['found'], 0)} % {say.interval((100 * low, 100 * high), 0)}"


def _figures(counts: Counter[str]) -> dict[str, Any]:
    n, found = counts.total(), counts["verified"] + counts["repaired"]
    ends = wilson(found, n)
    return {
        "quotes": n,
        **{state: counts[state] for state in STATES},
        "found": found / n if n else None,
        "ci95": None if ends is None else list(ends),
    }
