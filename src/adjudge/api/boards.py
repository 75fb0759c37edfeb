"""The verdicts of a run as columns of numbers."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from adjudge.api.stored import StoredRun
from adjudge.core.judge import Derived, Judge
from adjudge.core.records import Item, Outcome, Verdict
from adjudge.report.basis import rests_on
from adjudge.report.beside.failing import language_of
from adjudge.report.beside.noise import repeats_of
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import source_key, texts_key
from adjudge.report.tally import criterion_span, derived_span
from adjudge.report.verdicts import by_candidate, candidates_of
from adjudge.stats.board import Axis, Board, Floats
from adjudge.store.store import open_store

_NAN = float("nan")


def boards(run: StoredRun, *, rows: bool = False, languages: bool = True) -> list[Board]:
    """A board for each candidate of a run, or the only one; with `rows`, sources, languages and systems are read."""
    book = _Book(run.judge, run.state.run.repeat, rows, languages)
    with open_store(run.store, create=False) as store:
        if rows:
            for outcome, body in store.outcomes_with_rows(run.id):
                book.add(outcome, Row(run.judge, body).item)
        else:
            for outcome in store.outcomes(run.id):
                book.add(outcome, None)
    return list(book.boards(run.id))


class _Column:
    """The values of one name of one candidate; items in which it had none are gaps."""

    def __init__(self, width: int = 1) -> None:
        self._width, self._values = width, array("d")

    def put(self, place: int, value: float) -> None:
        if len(self._values) != place:
            self._fill(place)
        self._values.append(value)

    def put_all(self, place: int, values: list[float]) -> None:
        self._fill(place)
        self._values.extend(values)

    def _fill(self, places: int) -> None:
        if (missing := places * self._width - len(self._values)) > 0:
            self._values.extend([_NAN] * missing)

    def values(self, items: int) -> Floats:
        self._fill(items)
        found = np.frombuffer(self._values, dtype=np.float64) if items else np.empty(0)
        return found.reshape(items, self._width) if self._width > 1 else found


class _Book:
    """Gathers the columns in one pass."""

    def __init__(self, judge: Judge, repeats: int, rows: bool, languages: bool) -> None:
        self._judge, self._repeats, self._rows, self._speaks = judge, repeats, rows, languages
        self._scored = [one.name for one in judge.scored]
        self._system = next((field.name for field in judge.with_role("system")), "")
        self._derived = tuple(one for one in judge.derived if one.operation != "winner")
        self._items: list[str] = []
        self._candidates: dict[str, None] = {} if judge.layout == "compare" else {"": None}
        self._columns: dict[tuple[str, str], _Column] = {}
        self._trials: dict[tuple[str, str], _Column] = {}
        #: By derived value, the bases in the order they were met, and the number of each item's.
        self._bases: dict[str, dict[frozenset[str], int]] = {one.name: {} for one in self._derived}
        self._known: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}
        self._rests: dict[str, array[int]] = {one.name: array("q") for one in self._derived}
        self._clusters, self._asked, self._texts, self._golden = (array("Q") for _ in range(4))
        self._languages, self._systems = list[str](), list[str]()
        self._queries = [field.name for field in judge.with_role("query")]
        self._given = [field.name for field in judge.with_role("source")]
        self._references = [field.name for field in judge.with_role("reference")]
        self._sources = [*self._given, *self._queries]

    def add(self, outcome: Outcome, item: Item | None) -> None:
        """One outcome, with its item where rows are wanted."""
        place = len(self._items)
        self._items.append(outcome.item)
        if item is not None:
            self._clusters.append(source_key(item, self._sources) if self._sources else place)
            self._texts.append(texts_key(item, self._given, self._queries))
            if self._queries:
                self._asked.append(source_key(item, self._queries))
            if self._references:
                self._golden.append(source_key(item, self._references))
            if self._speaks:
                self._languages.append(language_of(self._judge, item))
            self._systems.append(item.text(self._system).strip() if self._system else "")
        if not isinstance(outcome, Verdict):
            for one in self._derived:
                self._rests[one.name].append(-1)
            return
        if self._judge.layout == "compare":
            self._candidates |= dict.fromkeys(candidates_of(outcome))
        scores = {name: by_candidate(outcome.scores.get(name)) for name in self._scored}
        for name, values in scores.items():
            self._put(place, name, values)
        judged = tuple(name for name, values in scores.items() if values)
        for one in self._derived:
            self._put(place, one.name, by_candidate(outcome.derived.get(one.name)))
            bases, basis = self._bases[one.name], self._basis(one, judged, scores)
            self._rests[one.name].append(bases.setdefault(basis, len(bases)))
        if self._repeats > 1:
            self._tried(place, outcome)

    def _basis(
        self, derived: Derived, judged: tuple[str, ...], scores: Mapping[str, Mapping[str, float]]
    ) -> frozenset[str]:
        """What a derived value rests on; outside comparisons it is the same wherever the same criteria were judged."""
        if self._judge.layout == "compare":
            return rests_on(self._judge, derived, scores)
        if (derived.name, judged) not in self._known:
            self._known[derived.name, judged] = rests_on(self._judge, derived, scores)
        return self._known[derived.name, judged]

    def _put(self, place: int, name: str, values: Mapping[str, float]) -> None:
        for who, value in values.items():
            column = self._columns.get((who, name))
            if column is None:
                column = self._columns[who, name] = _Column()
            column.put(place, value)

    def _tried(self, place: int, verdict: Verdict) -> None:
        """The mean of each repeat over the orders shown in it."""
        for key, repeats in repeats_of(verdict, self._repeats).items():
            self._trials.setdefault(key, _Column(self._repeats)).put_all(place, repeats)

    def boards(self, run: str) -> Iterator[Board]:
        items = len(self._items)
        standard = {one.name: self._standard(one) for one in self._derived}
        axes = tuple(self._axes({name: basis for name, (basis, _) in standard.items()}))
        keys, asked, texts, golden = (
            np.frombuffer(found, dtype=np.uint64) if found else np.empty(0, dtype=np.uint64)
            for found in (self._clusters, self._asked, self._texts, self._golden)
        )
        clusters = np.unique(keys, return_inverse=True)[1].reshape(len(keys)).astype(np.int64) if self._rows else None
        for who in self._candidates:
            columns = {
                axis.name: self._columns.get((who, axis.name), _Column()).values(items).reshape(items) for axis in axes
            }
            for name, (_, whole) in standard.items():
                columns[name] = np.where(whole, columns[name], np.nan)
            trials = {name: column.values(items) for (own, name), column in self._trials.items() if own == who}
            trials |= {
                one.name: self._combined(one, basis, trials)
                for one in self._derived
                if (basis := standard[one.name][0]) and basis <= trials.keys()
            }
            yield Board(
                run=run,
                candidate=who,
                items=self._items,
                axes=axes,
                columns=columns,
                trials=trials,
                bases={name: basis for name, (basis, _) in standard.items()},
                sources=keys if self._rows and self._sources else None,
                queries=asked if self._rows and self._queries else None,
                texts=texts if self._rows else None,
                references=golden if self._rows and self._references else None,
                clusters=clusters,
                languages=self._languages,
                systems=self._systems,
            )

    def _standard(self, derived: Derived) -> tuple[frozenset[str], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """The criteria that a derived value is taken over, and the items in which it rests on just these.

        All that were judged anywhere, or the most that any item has together: as in the report of a run.
        """
        rests = np.frombuffer(self._rests[derived.name], dtype=np.int64) if self._items else np.empty(0, dtype=np.int64)
        bases = self._bases[derived.name]
        if not bases:
            return frozenset(), np.zeros(len(self._items), dtype=bool)
        every = frozenset[str]().union(*bases)
        counts = Counter(rests.tolist())
        chosen = every if every in bases else max(bases, key=lambda one: (len(one), counts[bases[one]], sorted(one)))
        return chosen, rests == bases[chosen]

    def _axes(self, bases: Mapping[str, frozenset[str]]) -> Iterator[Axis]:
        for criterion in self._judge.scored:
            span, title = criterion_span(criterion), criterion.title or criterion.name
            yield Axis(name=criterion.name, title=title, low=span.min, high=span.max, better=span.better)
        for one in self._derived:
            span, title = derived_span(self._judge, one, bases[one.name]), one.title or one.name
            yield Axis(name=one.name, title=title, low=span.min, high=span.max, better=span.better, derived=True)

    def _combined(self, derived: Derived, basis: frozenset[str], trials: Mapping[str, Floats]) -> Floats:
        """A derived value of each repeat, over the criteria that its means are over."""
        parts = [trials[name] for name in sorted(basis)]
        if derived.operation == "percent":
            for place, name in enumerate(sorted(basis)):
                span = criterion_span(self._judge.criterion(name))
                worst, best = (span.min, span.max) if span.better == "higher" else (span.max, span.min)
                parts[place] = 100.0 * (parts[place] - worst) / (best - worst)
        total: Floats = np.sum(parts, axis=0)
        return total if derived.operation == "sum" else total / len(parts)
