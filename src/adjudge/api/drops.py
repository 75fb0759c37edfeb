"""A run against its baseline, item by item: how much worse it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from adjudge.api.boards import boards
from adjudge.api.figures import Figures, within
from adjudge.api.stored import StoredRun
from adjudge.core.errors import ConfigError, DataError
from adjudge.report.gated import Held
from adjudge.stats.board import Axis, Board, Floats, generator, numbered
from adjudge.stats.paired import Paired, compare_pair

#: In the place of a name: every criterion that the baseline judged.
EVERY = "*"


class Drops:
    """Finds how much worse a run is than its baseline on the items that both judged."""

    def __init__(self, figures: Figures, base: StoredRun) -> None:
        self._figures, self._base = figures, base

    def held(self, limits: Mapping[str, float]) -> Iterator[Held]:
        """Each named figure against the baseline; the bare bound is for the criteria that have none of their own."""
        if self._figures.run.judge.layout != self._base.judge.layout:
            raise self._other_judge("the baseline")
        named = {name: limit for name, limit in limits.items() if name != EVERY}
        if EVERY in limits:
            named = dict.fromkeys(self._judged(), limits[EVERY]) | named
        for name, limit in named.items():
            yield self._dropped(name, limit)

    @property
    def apart(self) -> int:
        """How many items only one of the two runs has."""
        return len(set(_items(self._boards)) ^ set(_items(self._base_boards)))

    @property
    def other_reference(self) -> int:
        """How many items that both runs have were judged against other golden answers."""
        ours, theirs = (one[0].references if one else None for one in (self._boards, self._base_boards))
        if ours is None or theirs is None:
            return 0
        here, there = self._pairs
        return int((ours[here] != theirs[there]).sum())

    @property
    def _boards(self) -> list[Board]:
        return self._figures.boards

    @cached_property
    def _base_boards(self) -> list[Board]:
        return boards(self._base, rows=True, languages=False)

    @cached_property
    def _pairs(self) -> tuple[list[int], list[int]]:
        """The places in both runs of the items that both have, in the order of their ids."""
        ours, theirs = (
            {item: place for place, item in enumerate(_items(one))} for one in (self._boards, self._base_boards)
        )
        both = sorted(ours.keys() & theirs.keys())
        if not both:
            raise DataError(
                "the run and its baseline have no item in common",
                hint="a drop is measured item by item: both runs must judge items of the same ids",
            )
        return [ours[item] for item in both], [theirs[item] for item in both]

    def _judged(self) -> list[str]:
        """The criteria that the baseline judged."""
        known = [axis.name for axis in self._base_boards[0].axes if not axis.derived] if self._base_boards else []
        judged = [name for name in known if any(not np.isnan(one.columns[name]).all() for one in self._base_boards)]
        if not judged:
            raise DataError("the baseline judged nothing", hint="take another --baseline")
        if lacking := [name for name in judged if name not in self._figures.by_name]:
            raise self._other_judge(f"the baseline has `{lacking[0]}`, which the run has not: it")
        return judged

    def _other_judge(self, what: str) -> DataError:
        ours, theirs = (one.state.run.parts["judge"] for one in (self._figures.run, self._base))
        return DataError(
            f"{what} was judged by another judge, {theirs}, and not by {ours}",
            hint="take a baseline of the same judge: adjudge runs lists them",
        )

    def _dropped(self, name: str, limit: float) -> Held:
        measure, candidate = self._figures.figure(name)
        if not self._figures.per_item(measure):
            raise ConfigError(f"`{name}` is no figure of single items: it has no drop", hint="bound it with --min")
        within(limit, 0, measure.max - measure.min, "max-drop", name)
        seen = self._paired(measure.name, candidate) if self._boards else None
        down = -1.0 if measure.better == "higher" else 1.0
        change, ends = (None, None) if seen is None else (seen.difference, seen.interval)
        return self._figures.make(
            kind="max-drop",
            figure=name,
            limit=limit,
            title=measure.title,
            candidate=candidate,
            value=None if change is None else down * change + 0.0,  # no minus before a zero
            ci95=None if ends is None else _ordered(down * ends[0], down * ends[1]),
            n=0 if seen is None else seen.n,
            # what the baseline has and the run lacks is a gap: a run of the easy items alone must not pass
            of=measure.of if seen is None else len(_items(self._base_boards)),
            better="lower",
            fine=measure.digits > 1,
        )

    def _paired(self, name: str, candidate: str) -> Paired:
        """The run against its baseline on the items that both have."""
        axis, ours, theirs = self._axis(name), *self._pairs
        if not candidate and {one.candidate for one in self._boards} != {one.candidate for one in self._base_boards}:
            raise DataError(
                f"the runs have other candidates: the means of `{name}` over them do not compare",
                hint=f"name a candidate that both have: {name}:{self._boards[0].candidate}",
            )
        texts = self._boards[0].texts
        return compare_pair(
            _column(self._base_boards, name, candidate)[theirs],
            _column(self._boards, name, candidate)[ours],
            axis=axis,
            clusters=None if texts is None else numbered(texts[ours]),
            # neither names nor ids are in the key: the same scores give the same bounds under whatever name
            rng=generator(self._figures.run.state.run.seed, "compare", name),
        )

    def _axis(self, name: str) -> Axis:
        """What is measured, which must be the same in both runs."""
        ours = self._boards[0].axis(name)
        theirs = {one.name: one for one in self._base_boards[0].axes}.get(name) if self._base_boards else None
        if theirs is None or (theirs.low, theirs.high, theirs.better) != (ours.low, ours.high, ours.better):
            raise self._other_judge(f"the baseline has no `{name}` on the same scale: it")
        if self._boards[0].bases.get(name) != self._base_boards[0].bases.get(name):
            raise DataError(
                f"`{name}` rests on other criteria in the baseline: not the same ones were judged",
                hint="bound the criteria that both runs judged",
            )
        return ours


def _items(found: Sequence[Board]) -> Sequence[str]:
    return found[0].items if found else ()


def _ordered(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)


def _column(found: Sequence[Board], name: str, candidate: str) -> Floats:
    """The values of one candidate, or of each item the mean over all of them."""
    columns = [board.columns[name] for board in found if not candidate or board.candidate == candidate]
    if not columns:
        raise DataError(f"the baseline has no candidate `{candidate}`", hint="name one that both runs have")
    means: Floats = np.mean(columns, axis=0)
    return means
