"""What changed for each item between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from adjudge.api.compare import Comparison, compare
from adjudge.api.kept import Kept
from adjudge.api.sides import Pairing, Side
from adjudge.api.stored import StoredRun
from adjudge.core.errors import ConfigError
from adjudge.core.limits import COMPARISONS_KEPT, STORE_POSITIONS
from adjudge.core.records import canonical
from adjudge.report.compared import Compared
from adjudge.report.sheet import Sheet
from adjudge.stats.board import Axis, Floats, Ints
from adjudge.store.codec import load_object
from adjudge.store.store import open_store

Bools: TypeAlias = NDArray[np.bool_]
#: What became of an item from the first run to the second; `failed`: in one of them, or in both; `unscored`: nothing
#: was judged in both.
State: TypeAlias = Literal["better", "worse", "same", "failed", "only_a", "only_b", "unscored"]
#: Which items are shown: all, those of a state, or those whose texts are not the same in both runs.
Shown: TypeAlias = Literal["all", "better", "worse", "same", "failed", "only_a", "only_b", "unscored", "texts"]
#: The largest change first, whichever way it goes; the worst or the best of them; or the order of the dataset.
Order: TypeAlias = Literal["change", "worse", "better", "number"]
SHOWN: tuple[Shown, ...] = get_args(Shown)
ORDERS: tuple[Order, ...] = get_args(Order)
_STATES: tuple[State, ...] = get_args(State)
#: Sums of scores in another order differ by less.
_NOTHING = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """An item in two runs: its ids, its numbers in their datasets from 1 on, 0 where a run has no outcome of it.

    `change` is how much better it became, from -1 to 1 of a scale, in the mean over what both runs judged. `scores`
    are by criterion; in a comparison they are means over the candidates that both runs judged.
    """

    items: tuple[str, str]
    numbers: tuple[int, int]
    state: State
    failed: tuple[bool, bool]
    change: float | None
    scores: Mapping[str, tuple[float | None, float | None]]
    other_texts: bool


class Changes:
    """All items of two runs as columns, so that a page of them is found without reading the runs again."""

    def __init__(self, runs: Sequence[StoredRun], comparison: Comparison) -> None:
        units = comparison.units
        own = [[at for at, side in enumerate(comparison.sides) if side.run.id == run.id] for run in runs]
        sides = [comparison.sides[each[0]] for each in own]
        self.by: Pairing = units.by
        self.axes: tuple[Axis, ...] = tuple(axis for axis in sides[0].board.axes if not axis.derived)
        self._places = [np.max([units.places[at] for at in each], axis=0) for each in own]
        self._names = [side.board.items for side in sides]
        self._numbers, self._failed = list[Ints](), list[Bools]()
        for side, places in zip(sides, self._places, strict=True):
            numbers, failed = _numbers(side)
            self._numbers.append(_taken(numbers, places))
            self._failed.append(_taken(failed, places) > 0)
        pairs = _shared(comparison.sides, own)
        self._scores = {
            axis.name: _means(*(np.stack([units.columns[at][axis.name] for at in each]) for each in pairs))
            for axis in self.axes
        }
        self._other = self._texts_differ(sides)

    def __len__(self) -> int:
        return len(self._places[0])

    def counts(self, by: str = "") -> dict[Shown, int]:
        """How many items there are of each kind, by all criteria or by one."""
        states = self._states(self._changed(by))
        return {shown: int(self._kept(shown, states).sum()) for shown in SHOWN}

    def page(
        self,
        *,
        show: Shown = "all",
        order: Order = "change",
        by: str = "",
        search: str = "",
        offset: int = 0,
        limit: int = 50,
    ) -> tuple[int, list[Change]]:
        """How many items are meant, and some of them; `by` is a criterion, or "" for all of them together."""
        changed = self._changed(by)
        states = self._states(changed)
        kept = self._kept(show, states)
        if search:
            kept &= self._meant(search.casefold())
        rank = {"change": -np.abs(changed), "worse": changed, "better": -changed, "number": np.zeros(len(self))}[order]
        first = np.where(self._numbers[0] > 0, self._numbers[0], self._numbers[1])
        # gaps are sorted last
        units = np.lexsort((first, rank))
        units = units[kept[units]]
        return len(units), [self._change(unit, states, changed) for unit in units[offset : offset + limit].tolist()]

    def _changed(self, by: str) -> Floats:
        """How much better each item became, as a share of the scale; a gap where nothing was judged in both."""
        axes = [axis for axis in self.axes if by in ("", axis.name)]
        if not axes:
            raise ConfigError(f"there is no criterion `{by[:80]}`", hint=", ".join(axis.name for axis in self.axes))
        each = np.stack([self._difference(axis) for axis in axes])
        known = ~np.isnan(each)
        changed: Floats = _mean(each, known)
        changed[np.abs(changed) < _NOTHING] = 0.0
        return changed

    def _difference(self, axis: Axis) -> Floats:
        before, after = self._scores[axis.name]
        return axis.sign * (after - before) / axis.span

    def _states(self, changed: Floats) -> NDArray[np.int8]:
        before, after = (places >= 0 for places in self._places)
        there = before & after
        cases: list[tuple[State, Bools]] = [
            ("only_a", before & ~after),
            ("only_b", after & ~before),
            ("failed", there & (self._failed[0] | self._failed[1])),
            ("unscored", np.isnan(changed)),
            ("better", changed > 0),
            ("worse", changed < 0),
        ]
        numbers = [_STATES.index(name) for name, _ in cases]
        return np.select([case for _, case in cases], numbers, _STATES.index("same")).astype(np.int8)

    def _kept(self, show: Shown, states: NDArray[np.int8]) -> Bools:
        if show == "all":
            return np.ones(len(self), dtype=bool)
        kept: Bools = self._other.copy() if show == "texts" else states == _STATES.index(show)
        return kept

    def _meant(self, wanted: str) -> Bools:
        """Which items have a text in their ids."""
        found = np.zeros(len(self), dtype=bool)
        for names, places in zip(self._names, self._places, strict=True):
            held = np.fromiter((wanted in name.casefold() for name in names), dtype=np.int64, count=len(names))
            found |= _taken(held, places) > 0
        return found

    def _items(self, unit: int) -> tuple[str, str]:
        places = [int(places[unit]) for places in self._places]
        before, after = (names[at] if at >= 0 else "" for names, at in zip(self._names, places, strict=True))
        return before, after

    def _change(self, unit: int, states: NDArray[np.int8], changed: Floats) -> Change:
        scores = {name: (_known(before[unit]), _known(after[unit])) for name, (before, after) in self._scores.items()}
        return Change(
            items=self._items(unit),
            numbers=(int(self._numbers[0][unit]), int(self._numbers[1][unit])),
            state=_STATES[states[unit]],
            failed=(bool(self._failed[0][unit]), bool(self._failed[1][unit])),
            change=_known(changed[unit]),
            scores=scores,
            other_texts=bool(self._other[unit]),
        )

    def _texts_differ(self, sides: Sequence[Side]) -> Bools:
        runs = [side.state.run for side in sides]
        differ = np.zeros(len(self), dtype=bool)
        # of one dataset only what candidates answered can be other texts
        if runs[0].data_digest == runs[1].data_digest and not any(run.candidates for run in runs):
            return differ
        before, after = map(_texts, sides)
        for unit in np.flatnonzero((self._places[0] >= 0) & (self._places[1] >= 0)).tolist():
            one, other = self._items(unit)
            differ[unit] = before.get(one) != after.get(other)
        return differ


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _taken(values: Ints, places: Ints) -> Ints:
    """The values at some rows, and 0 at those that are not there."""
    return np.append(values, np.int64(0))[places]


def _numbers(side: Side) -> tuple[Ints, Ints]:
    """The numbers of a side's items in its dataset, and those of the items that failed, in the order of its rows."""
    run = side.state.run
    with open_store(side.run.store, create=False) as store:
        positions = {item: position for position, item in store.item_ids(run.data_digest)}
        judged = store.judged(run.id, 0, STORE_POSITIONS)
    places = [positions[item] for item in side.board.items]
    numbers = np.array(places, dtype=np.int64) + 1
    return numbers, np.where(np.array([place in judged for place in places], dtype=bool), 0, numbers)


def _texts(side: Side) -> dict[str, int]:
    """A key of all that the judge read of each item; the name of the system is no text."""
    names = [field.name for field in side.run.judge.fields if field.role != "system"]
    found = {}
    with open_store(side.run.store, create=False) as store:
        for outcome, body in store.outcomes_with_rows(side.run.id):
            row = load_object(body)
            found[outcome.item] = hash(canonical([row.get(name) for name in names]))
    return found


def _shared(sides: Sequence[Side], own: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each run the places of the sides that have a namesake in the other; of all its sides where none has."""
    named = [{sides[at].board.candidate: at for at in each} for each in own]
    both = [name for name in named[0] if name in named[1]]
    return [[each[name] for name in both] or list(each.values()) for each in named]


def _means(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """The means over the candidates that both runs judged; where there are none, over what each of them judged."""
    known = ~np.isnan(before), ~np.isnan(after)
    if before.shape != after.shape:
        return _mean(before, known[0]), _mean(after, known[1])
    both = known[0] & known[1]
    some = both.any(axis=0)
    return _mean(before, np.where(some, both, known[0])), _mean(after, np.where(some, both, known[1]))


def _mean(values: Floats, kept: Bools) -> Floats:
    counts = kept.sum(axis=0)
    total = np.where(kept, values, 0.0).sum(axis=0)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """A comparison as the web page shows it; what changed for each item is there for two runs."""

    sheet: Sheet
    found: Compared
    changes: Changes | None


def _looked(*runs: StoredRun) -> Looked:
    comparison = compare(runs)
    changes = Changes(runs, comparison) if len(runs) == 2 else None
    return Looked(sheet=comparison.sheet, found=comparison.found, changes=changes)


_LOOKED = Kept(_looked, most=COMPARISONS_KEPT)


def look(runs: Sequence[StoredRun]) -> Looked:
    """Compare runs of one store; the last few comparisons are kept while their runs stay as they are."""
    return _LOOKED.of([run.state for run in runs], *runs)
