"""Which is better, by how much, how sure: runs, the candidates of a run, or its systems."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.api.sides import By, Side, Units, aligned, sides_of
from adjudge.api.stored import StoredRun, open_run
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.records import Failure
from adjudge.core.runs import Run
from adjudge.report.basis import narrowed, titles, total_of
from adjudge.report.compared import Compared, Contrast, Gap, Lack, LeftOut, Party, labels
from adjudge.report.compared_sheet import compared_sheet
from adjudge.report.sheet import Sheet
from adjudge.stats.board import Axis, Floats, generator
from adjudge.stats.noise import Noise, noise, noise_floor
from adjudge.stats.paired import Paired, compare_pair, settle
from adjudge.stats.together import together
from adjudge.store.store import open_store

#: So many of the items that a side lacks are shown.
GAPS_SHOWN = 10
#: Parts of a signature that do not make two judges of one: what was judged, and how often.
_NO_JUDGE = {"adjudge", "data", "n", "seed", "repeat", "candidates", "max_tokens", "window", "until"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The answer to "which is better?": a sheet to show, its figures, and the sides with their units behind them."""

    sheet: Sheet
    found: Compared
    sides: Sequence[Side]
    units: Units

    def as_json(self) -> dict[str, Any]:
        """What `adjudge compare --json` prints."""
        return dict(self.sheet.data)


def compare(
    runs: Sequence[StoredRun | str],
    *,
    by: By | None = None,
    margin: float | Mapping[str, float] | None = None,
    seed: int = 0,
    store: str | None = None,
) -> Comparison:
    """Which is better on each criterion and overall, by how much, how sure; of runs, or of the sides of a single one.

    The sides of a single run are its candidates, or the systems that its rows name. Within `margin` points (for all
    values, or by their names) two sides count as the same.

    >>> adjudge.compare(["old", "new"]).sheet.answers[0]  # doctest: +SKIP
    'new is better than old: +0.31 [0.12, 0.50] in Average score on 120 items, p = 0.002.'
    """
    opened = [open_run(one, store=store) if isinstance(one, str) else one for one in runs]
    if not opened:
        raise ConfigError("no run is named", hint="adjudge runs lists them")
    by, sides = sides_of(opened, by)
    units = aligned(sides, by)
    found = _Comparer(opened, by, sides, units, margin, seed).compared()
    return Comparison(sheet=compared_sheet(found), found=found, sides=sides, units=units)


class _Comparer:
    def __init__(
        self,
        runs: Sequence[StoredRun],
        by: By,
        sides: Sequence[Side],
        units: Units,
        margin: float | Mapping[str, float] | None,
        seed: int,
    ) -> None:
        self.runs, self.by, self.sides, self.units, self.seed = runs, by, sides, units, seed
        self.judge = runs[0].judge
        self.left_out: list[LeftOut] = []
        self.axes = [axis for axis in sides[0].board.axes if self._comparable(axis)]
        if not self.axes:
            silent = [side.name for side in sides if not any(map(_judged, side.board.columns.values()))]
            what = f"{', '.join(silent)}: nothing was judged" if silent else "no criterion was judged on every side"
            raise DataError(f"there is nothing to compare: {what}", hint="adjudge show RUN tells what failed")
        self.margins = self._margins(margin)

    def compared(self) -> Compared:
        total = total_of(self.judge)
        overall = [axis for axis in self.axes if axis.derived and total is not None and axis.name == total.name]
        # one criterion alone is the overall value
        overall = overall or (self.axes if len(self.axes) == 1 else [])
        criteria = [axis for axis in self.axes if axis not in overall]
        every = {axis.name: self._pairs(axis) for axis in (*overall, *criteria)}
        count = len(self.sides) * (len(self.sides) - 1) // 2
        # the overall value answers the question; the criteria are read together, and so are tested together
        settled = settle([pair for axis in overall for pair in every[axis.name]])
        settled += settle([pair for axis in criteria for pair in every[axis.name]])
        found = [
            self._contrast(axis, settled[place * count : (place + 1) * count])
            for place, axis in enumerate((*overall, *criteria))
        ]
        lacking, lacks, gaps = self._lacking([axis.name for axis in (*overall, *criteria)])
        data = {run.state.run.data_digest for run in self.runs}
        return Compared(
            title=self.judge.title or self.judge.name,
            lang=self.judge.lang,
            by=self.by,
            paired_by=self.units.by,
            units=len(self.units.names),
            seed=self.seed,
            sides=tuple(self._parties(lacks)),
            overall=found[0] if overall else None,
            criteria=tuple(found[len(overall) :]),
            left_out=tuple(self.left_out),
            over={axis.title: names for axis in self.axes if (names := self._over(axis))},
            lacking=lacking,
            gaps=gaps,
            differ=_differ([side.state.run for side in self.sides]),
            same_texts=self.by == "run" and len(data) == 1,
            other_source=self.units.other_source,
            other_reference=self.units.other_reference,
            unnamed=_unnamed(self.sides) if self.by == "system" else 0,
            repeated=tuple(side.state.run.repeat > 1 for side in self.sides),
            store=self.sides[0].state.store,
        )

    def _comparable(self, axis: Axis) -> bool:
        """Whether the sides have the same value there: judged on each of them, and over the same criteria."""
        known = [_judged(side.board.columns[axis.name]) for side in self.sides]
        if not any(known):
            return False
        if not all(known):
            told = tuple(axis.title if one else "" for one in known)
            self.left_out.append(LeftOut(title=axis.title, why="unjudged", told=told))
            return False
        bases = [side.board.bases.get(axis.name, frozenset()) for side in self.sides]
        if len(set(bases)) > 1:
            told = tuple(", ".join(titles(self.judge, basis)) for basis in bases)
            self.left_out.append(LeftOut(title=axis.title, why="basis", told=told))
            return False
        return True

    def _over(self, axis: Axis) -> list[str]:
        return narrowed(self.judge, axis.name, self.sides[0].board.bases.get(axis.name, frozenset()))

    def _margins(self, margin: float | Mapping[str, float] | None) -> dict[str, float]:
        given = margin if isinstance(margin, Mapping) else {} if margin is None else dict.fromkeys(self._names, margin)
        if unknown := [name for name in given if name not in self._names]:
            known = ", ".join(self._names)
            raise ConfigError(f"there is no `{unknown[0]}` to set a margin for", hint=f"compared are: {known}")
        if wrong := [value for value in given.values() if not 0 < value < math.inf]:
            raise ConfigError(f"a margin of {wrong[0]:g} is none", hint="give the points within which two are the same")
        for axis in self.axes:
            if given.get(axis.name, 0.0) >= axis.span:
                raise ConfigError(
                    f"a margin of {given[axis.name]:g} is too wide for {axis.title}, whose scale is {axis.low:g} to "
                    f"{axis.high:g}: any two would be the same",
                    hint=f"give less than {axis.span:g}, or each value its own: --margin NAME=POINTS",
                )
        return dict(given)

    @property
    def _names(self) -> list[str]:
        return [axis.name for axis in self.axes]

    def _pairs(self, axis: Axis) -> list[Paired]:
        """Every pair of sides on an axis; its random numbers are its own, whoever else is compared."""
        columns = [own[axis.name] for own in self.units.columns]
        noises = [
            noise(side.board.trials[axis.name]) if axis.name in side.board.trials else None for side in self.sides
        ]
        found = []
        for one, other in combinations(range(len(self.sides)), 2):
            a, b = columns[one], columns[other]
            n = int((~np.isnan(a) & ~np.isnan(b)).sum())
            found.append(
                compare_pair(
                    a,
                    b,
                    axis=axis,
                    clusters=self.units.clusters,
                    margin=self.margins.get(axis.name),
                    noise=self._floor(noises, one, other, n),
                    rng=generator(self.seed, "compare", axis.name),
                )
            )
        return found

    def _floor(self, noises: Sequence[Noise | None], one: int, other: int, n: int) -> float | None:
        """What noise alone makes of two equal sides; a side that was asked once is taken to be as noisy as the rest."""
        known = max((each for each in noises if each is not None), key=lambda each: each.sd, default=None)
        if known is None or not n:
            return None
        pair = [(noises[at] or known, self.sides[at].state.run.repeat) for at in (one, other)]
        return noise_floor(pair, n)

    def _contrast(self, axis: Axis, pairs: Sequence[Paired]) -> Contrast:
        if len(self.sides) == 2:
            return Contrast(axis=axis, pairs=tuple(pairs))
        columns = [own[axis.name] for own in self.units.columns]
        ranked = together(columns, pairs, clusters=self.units.clusters, seed=f"{self.seed}/{axis.name}")
        return Contrast(axis=axis, pairs=tuple(pairs), together=ranked)

    def _parties(self, lacks: Sequence[Mapping[Lack, int]]) -> Iterator[Party]:
        short = labels([side.name for side in self.sides])
        for side, label, own in zip(self.sides, short, lacks, strict=True):
            judged = np.zeros(len(side.board.items), dtype=bool)
            for column in side.board.columns.values():
                judged |= ~np.isnan(column)
            run = side.state.run
            yield Party(
                name=side.name,
                label=label,
                run=run,
                status=side.state.status,
                items=len(side.board.items) if self.by == "system" else run.items,
                judged=int(judged.sum()),
                lacks=own,
            )

    def _lacking(self, names: Sequence[str]) -> tuple[int, list[Counter[Lack]], tuple[Gap, ...]]:
        """How many units some side judged and another did not; by side, why not; and the first of them."""
        known = np.stack([np.stack([~np.isnan(own[name]) for name in names]) for own in self.units.columns])
        lacks = known.any(axis=0) & ~known
        units = np.flatnonzero(lacks.any(axis=(0, 1)))
        counts: list[Counter[Lack]] = [Counter() for _ in self.sides]
        gaps: list[Gap] = []
        pending = [self._pending(side) for side in self.sides]
        for number, unit in enumerate(units.tolist()):
            for at in np.flatnonzero(lacks[:, :, unit].any(axis=1)).tolist():
                why = self._why(at, unit, known[:, :, unit], pending[at])
                counts[at][why] += 1
                if number < GAPS_SHOWN:
                    missing = [name for name, gone in zip(names, lacks[at, :, unit].tolist(), strict=True) if gone]
                    gaps.append(self._gap(at, unit, why, missing))
        return len(units), counts, tuple(gaps)

    def _pending(self, side: Side) -> frozenset[str]:
        """The ids of a run's dataset that it has not come to."""
        run, state = side.run, side.state
        if state.judged + state.failed >= state.run.items:
            return frozenset()
        with open_store(run.store, create=False) as store:
            return frozenset(item for _, item in store.item_ids(state.run.data_digest)).difference(side.board.items)

    def _why(self, at: int, unit: int, known: np.ndarray[Any, np.dtype[np.bool_]], pending: frozenset[str]) -> Lack:
        if self.units.places[at][unit] < 0:
            if self.units.names[unit] not in pending:
                return "absent"
            state = self.sides[at].state
            return "stopped" if state.run.until and state.status not in ("interrupted", "running") else "pending"
        if known[at].any():
            return "unscored"
        # an item that its run judged for another candidate has none of this name
        same_run = [other for other, side in enumerate(self.sides) if side.run.id == self.sides[at].run.id]
        return "absent" if self.by == "candidate" and known[same_run].any() else "failed"

    def _gap(self, at: int, unit: int, why: Lack, missing: Sequence[str]) -> Gap:
        side, told = self.sides[at], ""
        if why == "unscored":
            shown = {axis.name: axis.title for axis in self.axes if not axis.derived}
            told = ", ".join(shown[name] for name in missing if name in shown)
        elif why == "failed":
            told = self._failure(side, int(self.units.places[at][unit]))
        return Gap(item=self.units.names[unit], side=at, why=why, told=told)

    def _failure(self, side: Side, row: int) -> str:
        """The kind of the failure of an item, or of the first that failed of its source."""
        keys = {"source": side.board.sources, "query": side.board.queries}.get(self.units.by)
        rows = [row] if keys is None else np.flatnonzero(keys == keys[row]).tolist()
        for place in rows:
            outcome, _ = side.run.item_record(side.board.items[place])
            if isinstance(outcome, Failure):
                return outcome.kind
        return ""


def _differ(runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """What decides a verdict beside the texts and is not the same for all runs."""
    parts = [run.parts for run in runs]
    names = dict.fromkeys(name for one in parts for name in one if name not in _NO_JUDGE)
    if any(run.settings.model.startswith("offline") for run in runs):
        names["adjudge"] = None  # the embedded judge is part of the program
    each = {name: tuple(str(one.get(name, "—")) for one in parts) for name in names}
    return {name: values for name, values in each.items() if len(set(values)) > 1}


def _judged(column: Floats) -> bool:
    return not bool(np.isnan(column).all())


def _unnamed(sides: Sequence[Side]) -> int:
    """Rows that name no system, in the runs of the sides."""
    runs = {side.run.id: side for side in sides}
    judged = Counter(side.run.id for side in sides for _ in side.board.items)
    return sum(one.state.judged + one.state.failed - judged[run] for run, one in runs.items())
