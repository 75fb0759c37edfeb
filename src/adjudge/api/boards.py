"""The verdicts of a run as columns of numbers."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from adjudge.api.stored import StoredRun
from adjudge.core.judge import Derived, Judge
from adjudge.core.records import Item, Outcome, Verdict
from adjudge.models.offline.tokens import language
from adjudge.report.basis import rests_on
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import source_key
from adjudge.report.tally import criterion_span, derived_span
from adjudge.report.verdicts import by_candidate, candidates_of
from adjudge.stats.board import Axis, Board, Floats, Ints
from adjudge.store.store import open_store

_NAN = float("nan")


def boards(run: StoredRun, *, rows: bool = False) -> list[Board]:
    """A board for each candidate of a run, or the only one; with `rows`, sources, languages and systems are read."""
    book = _Book(run.judge, run.state.run.repeat, rows)
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

    def put(self, place: int, values: list[float]) -> None:
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

    def __init__(self, judge: Judge, repeats: int, rows: bool) -> None:
        self._judge, self._repeats, self._rows = judge, repeats, rows
        self._derived = tuple(one for one in judge.derived if one.operation != "winner")
        self._items: list[str] = []
        self._candidates: dict[str, None] = {} if judge.layout == "compare" else {"": None}
        self._columns: dict[tuple[str, str], _Column] = {}
        self._trials: dict[tuple[str, str], _Column] = {}
        #: By derived value, the bases in the order they were met, and the number of each item's.
        self._bases: dict[str, dict[frozenset[str], int]] = {one.name: {} for one in self._derived}
        self._rests: dict[str, array[int]] = {one.name: array("q") for one in self._derived}
        self._clusters, self._languages, self._systems = array("Q"), list[str](), list[str]()
        self._sources = [field.name for role in ("source", "query") for field in judge.with_role(role)]

    def add(self, outcome: Outcome, item: Item | None) -> None:
        """One outcome, with its item where rows are wanted."""
        place = len(self._items)
        self._items.append(outcome.item)
        if item is not None:
            self._clusters.append(source_key(item, self._sources) if self._sources else place)
            self._languages.append(_language(self._judge, item))
            named = self._judge.with_role("system")
            self._systems.append(item.text(named[0].name).strip() if named else "")
        if not isinstance(outcome, Verdict):
            for one in self._derived:
                self._rests[one.name].append(-1)
            return
        if self._judge.layout == "compare":
            self._candidates |= dict.fromkeys(candidates_of(outcome))
        scores = {one.name: by_candidate(outcome.scores.get(one.name)) for one in self._judge.scored}
        for name, values in scores.items():
            self._put(self._columns, place, name, values)
        for one in self._derived:
            self._put(self._columns, place, one.name, by_candidate(outcome.derived.get(one.name)))
            bases, basis = self._bases[one.name], rests_on(self._judge, one, scores)
            self._rests[one.name].append(bases.setdefault(basis, len(bases)))
        if self._repeats > 1:
            self._tried(place, outcome)

    def _put(self, columns: dict[tuple[str, str], _Column], place: int, name: str, values: Mapping[str, float]) -> None:
        for who, value in values.items():
            columns.setdefault((who, name), _Column()).put(place, [value])

    def _tried(self, place: int, verdict: Verdict) -> None:
        """The mean of each repeat over the orders shown in it."""
        sums: dict[tuple[str, str], list[list[float]]] = {}
        for trial in verdict.trials:
            repeat = trial.get("repeat")
            if not isinstance(repeat, int) or not 0 <= repeat < self._repeats:
                continue
            for name, value in trial.get("scores", {}).items():
                for who, score in by_candidate(value).items():
                    sums.setdefault((who, name), [[] for _ in range(self._repeats)])[repeat].append(score)
        for key, repeats in sums.items():
            column = self._trials.setdefault(key, _Column(self._repeats))
            column.put(place, [sum(one) / len(one) if one else _NAN for one in repeats])

    def boards(self, run: str) -> Iterator[Board]:
        items = len(self._items)
        standard = {one.name: self._standard(one) for one in self._derived}
        axes = tuple(self._axes({name: basis for name, (basis, _) in standard.items()}))
        clusters = self._numbered() if self._rows else None
        for who in self._candidates:
            columns = {
                axis.name: self._columns.get((who, axis.name), _Column()).values(items).reshape(items) for axis in axes
            }
            for name, (_, whole) in standard.items():
                columns[name] = np.where(whole, columns[name], np.nan)
            trials = {name: column.values(items) for (own, name), column in self._trials.items() if own == who}
            yield Board(
                run=run,
                candidate=who,
                items=self._items,
                axes=axes,
                columns=columns,
                trials=trials,
                bases={name: basis for name, (basis, _) in standard.items()},
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

    def _numbered(self) -> Ints:
        found = np.frombuffer(self._clusters, dtype=np.uint64) if self._clusters else np.empty(0, dtype=np.uint64)
        return np.unique(found, return_inverse=True)[1].reshape(len(found)).astype(np.int64)


def _language(judge: Judge, item: Item) -> str:
    """The language of the judged text: as a column says, or as its letters look."""
    for name in ("trg_lang", "lang", "language"):
        told = item.fields.get(name) or item.extra.get(name)
        if isinstance(told, str) and told.strip():
            return told.strip().lower()
    for field in judge.with_role("output"):
        texts = [item.text(field.name), *item.answers(field.name).values()]
        if text := next((one for one in texts if one.strip()), ""):
            return language(text)
    return ""
