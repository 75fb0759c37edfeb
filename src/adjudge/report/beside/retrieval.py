"""What was retrieved for the answers, by the row's system or by each candidate, against the relevant texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Source
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.warn import NAME_COLUMNS
from adjudge.report.words import words
from adjudge.stats.interval import Moments, mean_interval
from adjudge.stats.retrieval import RANKS, THRESHOLD, Passage, ranked

#: The measures and their titles.
MEASURES = {
    "recall": "retrieval_recall",
    "precision": "retrieval_precision",
    "mrr": "retrieval_mrr",
    "ndcg": "retrieval_ndcg",
}
#: The rank that tables show; the JSON has all of them.
SHOWN_RANK = 5
#: Whoever retrieved is named by hostile rows, and not counted without end.
SYSTEMS_COUNTED = 50


class _Gathered:
    """The measures of one system over all items, by rank."""

    def __init__(self) -> None:
        self.longest = self.n = 0
        self._sums = {(k, name): Moments() for k in (*RANKS, None) for name in MEASURES}

    def add(self, retrieved: list[Passage], relevant: list[Passage]) -> None:
        self.n += 1
        self.longest = max(self.longest, len(retrieved))
        for k, figures in ranked(retrieved, relevant).items():
            for name, value in asdict(figures).items():
                self._sums[k, name].add(value)

    @property
    def ranks(self) -> list[int | None]:
        """The ranks that some list reaches, and the whole list."""
        return [*(k for k in RANKS if k <= self.longest), None]

    def measure(self, k: int | None, name: str) -> tuple[float | None, tuple[float, float] | None]:
        sums = self._sums[k, name]
        return sums.mean, mean_interval(sums, 0.0, 1.0)


class Retrieval:
    """Items that say what was retrieved."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say, self._of = judge, words(judge.lang), state.run.items
        self._sources = tuple(field.name for field in judge.with_role("source") if field.type != "text")
        self._known = any(field.name == "retrieved" and field.type == "sources" for field in judge.fields)
        self._by: dict[str, _Gathered] = {}

    def add(self, outcome: Outcome, row: Row) -> None:
        if not self._sources or not (row.may_hold("retrieved") or row.may_hold("retrieved_by")) or row.item is None:
            return
        item = row.item
        relevant = [_passage(n, one) for name in self._sources for n, one in enumerate(item.sources(name), start=1)]
        if not relevant:
            return
        # an empty list is no field, and says that nothing was found
        if self._known and ("retrieved" in item.fields or item.extra.get("retrieved") == []):
            own = [_passage(n, one) for n, one in enumerate(item.sources("retrieved"), start=1)]
            self._gathered("").add(own, relevant)
        by = item.extra.get("retrieved_by")
        for name, passages in by.items() if isinstance(by, Mapping) else ():
            found = _passages(passages)
            if found is not None and (name in self._by or len(self._by) < SYSTEMS_COUNTED):
                self._gathered(str(name)).add(found, relevant)

    def _gathered(self, name: str) -> _Gathered:
        return self._by.setdefault(name, _Gathered())

    def section(self) -> Section | None:
        if not self._by:
            return None
        say = self._say
        longest = max(gathered.longest for gathered in self._by.values())
        shown = max((k for k in RANKS if k <= min(longest, SHOWN_RANK)), default=1)
        return Section(
            name="retrieval",
            title=say("retrieval"),
            columns=(
                say("retrieval_by"),
                say("retrieval_measure"),
                say("retrieval_at", k=shown),
                say("retrieval_all"),
                say("coverage"),
            ),
            rows=tuple(self._rows(shown)),
            notes=(say("retrieval_note", share=say.number(100 * THRESHOLD, 0)),),
            data={
                "threshold": THRESHOLD,
                "systems": {name or "retrieved": self._plain(gathered) for name, gathered in sorted(self._by.items())},
            },
        )

    def _rows(self, shown: int) -> Iterator[tuple[str, ...]]:
        say = self._say
        for name, gathered in sorted(self._by.items()):
            who = fit(name, NAME_COLUMNS) or say("retrieval_row")
            for measure, title in MEASURES.items():
                at, over = (gathered.measure(k, measure) for k in (shown, None))
                yield (
                    who,
                    say(title),
                    f"{say.number(at[0])} {say.interval(at[1])}",
                    f"{say.number(over[0])} {say.interval(over[1])}",
                    f"{say.number(gathered.n, 0)}/{say.number(self._of, 0)}",
                )

    def _plain(self, gathered: _Gathered) -> dict[str, Any]:
        found: dict[str, Any] = {"n": gathered.n, "of": self._of}
        for k in gathered.ranks:
            for name in MEASURES:
                mean, ends = gathered.measure(k, name)
                place = "all" if k is None else str(k)
                found.setdefault(name, {})[place] = {"mean": mean, "ci95": None if ends is None else list(ends)}
        return found

    def warnings(self) -> Iterator[str]:
        return iter(())


def _passage(number: int, source: Source) -> Passage:
    """A source under its own id; the number that stands in for one says nothing of what it is."""
    return Passage(text=source.text, id=source.id if source.id != str(number) else "")


def _passages(value: Any) -> list[Passage] | None:
    """What a row says that a candidate retrieved; None where that can't be read."""
    found = []
    for one in value if isinstance(value, list) else [None]:
        known = {"text": one} if isinstance(one, str) else one
        if not isinstance(known, Mapping) or not isinstance(known.get("text"), str):
            return None
        own = known.get("id")
        found.append(Passage(text=known["text"], id=str(own) if isinstance(own, (str, int)) else ""))
    return found
