"""The items of a run as lists show them: sorted, filtered, searched and paged without reading the run again."""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from adjudge.api.columns import Bools, Places, read_columns
from adjudge.api.kept import Kept
from adjudge.api.stored import StoredRun
from adjudge.core.errors import ConfigError
from adjudge.core.labels import Label
from adjudge.core.limits import WEB_FAILURES, WEB_INDEXES, WEB_QUERIES, WEB_REPORTS, WEB_SEARCH_CHARS
from adjudge.core.records import Failure
from adjudge.core.runs import RunState
from adjudge.report.tables import Measure, Report
from adjudge.report.tally import bar_of
from adjudge.spec.strict import suggestion
from adjudge.store.codec import load_object
from adjudge.store.store import open_store

Status = Literal["judged", "failed"]
#: What items are sorted by beside measures, which have names without a point. Without it they are understood too, as
#: far as no measure is called so.
NUMBER, QUALITY = ".number", ".quality"


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemRow:
    """One item in short. `number` is its place in the dataset, from 1; `quality` goes from worst (0) to best (1).

    `scores` has criteria and derived values, in a comparison the mean over candidates; `kind` is that of a failure;
    `flags` are without their details.
    """

    number: int
    id: str
    status: Status
    quality: float | None
    scores: Mapping[str, float]
    flags: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """Which items: with a score in a `bar` of the histogram of a `measure`, with a flag, of a status; "" is any."""

    measure: str = ""
    bar: str = ""
    flag: str = ""
    status: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemPage:
    """Some of the `total` items that were asked for. `searched` is in how many items' texts was looked."""

    rows: tuple[ItemRow, ...]
    total: int
    searched: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Around:
    """An item's place among those asked for, from 1, or 0 where it is not among them, and its neighbours' numbers."""

    place: int
    total: int
    previous: int | None
    next: int | None


class ItemIndex:
    """A row for each item of a run that has an outcome; nothing in it changes, and any thread may ask.

    `measures` are the criteria with a scale and the derived values, by name.
    """

    def __init__(self, run: StoredRun) -> None:
        self._run, self._columns = run, read_columns(run)
        columns = self._columns
        self.measures = {name: scores.measure for name, scores in columns.scores.items()}
        self.flags = Counter(flag for flags in columns.flags for flag in flags)
        self._failed: Bools = np.array([bool(kind) for kind in columns.kinds], dtype=np.bool_)
        self._keys = {name: scores.means(len(columns.ids)) for name, scores in columns.scores.items()}
        self._keys[QUALITY] = columns.quality
        self._lock, self._searching = threading.Lock(), threading.Lock()
        self._orders: OrderedDict[tuple[str, bool, Where, str], tuple[Places, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._columns.ids)

    @property
    def sorts(self) -> tuple[str, ...]:
        """What items can be sorted by."""
        return (NUMBER, QUALITY, *self.measures)

    @property
    def judged(self) -> list[Measure]:
        """The measures of which some item has a value."""
        return [one for name, one in self.measures.items() if len(self._columns.scores[name].values)]

    @property
    def failed(self) -> int:
        """How many items have no verdict."""
        return int(self._failed.sum())

    def page(
        self,
        *,
        sort: str = NUMBER,
        descending: bool = False,
        where: Where | None = None,
        search: str = "",
        offset: int = 0,
        limit: int = 50,
    ) -> ItemPage:
        """Some items in order; those without the value that is sorted by come last.

        `search` is looked for in ids and in the texts of items, whatever the case of its letters.
        """
        order, searched = self._order(sort, descending, where or Where(), search)
        rows = tuple(self._row(int(place)) for place in order[offset : offset + limit])
        return ItemPage(rows=rows, total=len(order), searched=searched)

    def around(
        self,
        number: int,
        *,
        sort: str = NUMBER,
        descending: bool = False,
        where: Where | None = None,
        search: str = "",
    ) -> Around:
        """The neighbours of an item among those asked for."""
        order, _ = self._order(sort, descending, where or Where(), search)
        found = np.flatnonzero(self._columns.numbers[order] == number)
        if not len(found):
            return Around(place=0, total=len(order), previous=None, next=None)
        at = int(found[0])
        before = int(self._columns.numbers[order[at - 1]]) if at else None
        after = int(self._columns.numbers[order[at + 1]]) if at + 1 < len(order) else None
        return Around(place=at + 1, total=len(order), previous=before, next=after)

    def row(self, number: int) -> ItemRow | None:
        """The item of a number; none where it has no outcome yet, or where there is no such item."""
        place = int(np.searchsorted(self._columns.numbers, number)) if 0 < number < 1 << 62 else len(self)
        return self._row(place) if place < len(self) and self._columns.numbers[place] == number else None

    def number_of(self, item_id: str) -> int | None:
        """The number of an item by its id."""
        return self._numbers.get(item_id)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self._columns.ids, self._columns.numbers.tolist(), strict=True))

    def _row(self, place: int) -> ItemRow:
        values = {name: float(self._keys[name][place]) for name in self.measures}
        good, kind = float(self._keys[QUALITY][place]), self._columns.kinds[place]
        return ItemRow(
            number=int(self._columns.numbers[place]),
            id=self._columns.ids[place],
            status="failed" if kind else "judged",
            quality=None if np.isnan(good) else good,
            scores={name: value for name, value in values.items() if not np.isnan(value)},
            flags=self._columns.flags[place],
            kind=kind,
        )

    def _order(self, sort: str, descending: bool, where: Where, search: str) -> tuple[Places, int]:
        """The places of the items asked for, in order, and in how many texts was searched; kept for the next page."""
        asked = (sort, descending, where, search.strip().casefold())
        with self._lock:
            if asked in self._orders:
                self._orders.move_to_end(asked)
                return self._orders[asked]
        made = self._sorted(*asked)
        with self._lock:
            self._orders[asked] = made
            while len(self._orders) > WEB_QUERIES:
                self._orders.popitem(last=False)
        return made

    def _sorted(self, sort: str, descending: bool, where: Where, search: str) -> tuple[Places, int]:
        sort = sort if sort in self.measures or sort.startswith(".") else f".{sort}"
        if sort not in self.sorts:
            raise ConfigError(f"items cannot be sorted by `{sort[:80]}`", hint=suggestion(sort[:80], self.sorts))
        chosen, searched = self._chosen(where), 0
        if search:
            found, searched = self._found(search)
            chosen &= found
        places = np.flatnonzero(chosen)
        if sort == NUMBER:
            return (places[::-1] if descending else places), searched
        keys = self._keys[sort][places]
        return places[np.argsort(-keys if descending else keys, kind="stable")], searched

    def _chosen(self, where: Where) -> Bools:
        chosen: Bools = np.ones(len(self), dtype=np.bool_)
        if where.status not in ("", "judged", "failed"):
            raise ConfigError(f"no item is `{where.status[:80]}`", hint="items are judged or failed")
        if where.status:
            chosen &= self._failed if where.status == "failed" else ~self._failed
        if where.flag:
            chosen &= np.array([where.flag in flags for flags in self._columns.flags], dtype=np.bool_)
        if where.measure or where.bar:
            chosen &= self._in_bar(where.measure, where.bar)
        return chosen

    def _in_bar(self, name: str, bar: str) -> Bools:
        """Items with a score in the bar; in a comparison it may be that of any candidate."""
        if name not in self.measures:
            raise ConfigError(f"there is no criterion `{name[:80]}`", hint=suggestion(name[:80], self.measures))
        scores = self._columns.scores[name]
        points, at = np.unique(scores.values, return_inverse=True)
        inside = np.array([bar_of(self.measures[name], float(point)) == bar for point in points], dtype=np.bool_)
        chosen: Bools = np.zeros(len(self), dtype=np.bool_)
        chosen[scores.places[inside[at] & scores.counted]] = True
        return chosen

    def _found(self, needle: str) -> tuple[Bools, int]:
        """The items whose id or texts hold the words, and in how many texts was looked: not in all of huge datasets."""
        named: Bools = np.array([needle in one.casefold() for one in self._columns.ids], dtype=np.bool_)
        written, left, searched = json.dumps(needle, ensure_ascii=False)[1:-1], WEB_SEARCH_CHARS, 0
        found: list[int] = []
        # one at a time: who types a word must not keep every processor busy
        with self._searching, open_store(self._run.store, create=False) as store:
            for position, body in store.judged_bodies(self._run.id):
                if (left := left - len(body)) < 0:
                    break
                searched += 1
                if (written in body.casefold() or "\\u" in body) and _holds(load_object(body), needle):
                    found.append(position + 1)
        return named | np.isin(self._columns.numbers, found), searched


def _holds(value: Any, needle: str) -> bool:
    """Whether a text somewhere in the value holds the words."""
    if isinstance(value, str):
        return needle in value.casefold()
    inner: Sequence[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_holds(one, needle) for one in inner)


def last_failures(run: StoredRun) -> list[Failure]:
    """A few failures of a run, those that stand last in the dataset."""
    with open_store(run.store, create=False) as store:
        return [one for one in store.last_failures(run.id, WEB_FAILURES) if isinstance(one, Failure)]


def item_labels(run: StoredRun, item_id: str) -> list[Label]:
    """What people said of one item, the newest word of each, in the order it was said."""
    with open_store(run.store, create=False) as store:
        return list(store.labels(run.id, item_id))


_INDEXES = Kept(ItemIndex, most=WEB_INDEXES)


def item_index(run: StoredRun, state: RunState | None = None) -> ItemIndex:
    """The index of a run's items, kept while the run stays as it is."""
    return _INDEXES.of([state or run.state], run)


_REPORTS = Kept(StoredRun.report, most=WEB_REPORTS)


def kept_report(run: StoredRun, state: RunState | None = None) -> Report:
    """The report of a run, kept while the run stays as it is."""
    return _REPORTS.of([state or run.state], run)


def known_report(run: StoredRun, state: RunState) -> Report | None:
    """The report of a run, where it is kept."""
    return _REPORTS.known([state], run)
