"""Sides compared, as plain data: what `adjudge compare` tells in text, Markdown, HTML and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil
from typing import Any, Literal, TypeAlias

from adjudge.core.runs import Run
from adjudge.report.plain import fit, width
from adjudge.stats.board import Axis
from adjudge.stats.paired import Paired, Tested
from adjudge.stats.power import items_needed
from adjudge.stats.together import Together

#: Why a side has no value at an item: its run failed there, has not come there yet, ended before because its question
#: was answered, or has no such item; or the item was judged, and not on everything.
Lack: TypeAlias = Literal["failed", "pending", "stopped", "absent", "unscored"]
LACKS: tuple[Lack, ...] = ("failed", "pending", "stopped", "absent", "unscored")
#: Labels of sides are at most so wide: they stand over columns of figures.
LABEL_COLUMNS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Party:
    """One side: its name and a short one, the run that judged it, and how many of its items were judged.

    `lacks` counts the items that another side has judged and this one has not, by why.
    """

    name: str
    label: str
    run: Run
    status: str
    items: int
    judged: int
    lacks: Mapping[Lack, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """An item that a side, by its number, has not judged and another has; `told` is the kind of failure, or titles."""

    item: str
    side: int
    why: Lack
    told: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contrast:
    """Every pair of sides on one axis, in the order (0, 1), (0, 2), ..., (1, 2), ...; more than two are ranked."""

    axis: Axis
    pairs: tuple[Paired, ...]
    together: Together | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A value that is not compared, and what each side has: the criteria that it rests on, "" where it has none."""

    title: str
    why: Literal["basis", "unjudged"]
    told: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What there is to say of the sides; a `Sheet` is made of it.

    `differ` has what decides a verdict and is not the same on all sides: a setting and its value on each. `same_texts`:
    the sides are judges of one dataset. `other_source` counts the items that go by one id with other source texts,
    `other_reference` those with other golden answers. `over` has what a value rests on, by its title, where that is not
    all that it is made of. `repeated` has whether each side's judge was asked more than once, `store` is where
    the runs are.
    """

    title: str
    lang: str
    by: Literal["run", "candidate", "system"]
    paired_by: Literal["id", "source", "query"]
    units: int
    seed: int
    sides: tuple[Party, ...]
    overall: Contrast | None
    criteria: tuple[Contrast, ...]
    left_out: tuple[LeftOut, ...] = ()
    over: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lacking: int = 0
    gaps: tuple[Gap, ...] = ()
    differ: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    same_texts: bool = False
    other_source: int = 0
    other_reference: int = 0
    unnamed: int = 0
    repeated: tuple[bool, ...] = ()
    store: str = ""

    @property
    def heads(self) -> tuple[Contrast, ...]:
        """What the answer is about: the overall value or, where there is none, every criterion."""
        return (self.overall,) if self.overall is not None else self.criteria

    @property
    def contrasts(self) -> tuple[Contrast, ...]:
        return (*((self.overall,) if self.overall else ()), *self.criteria)

    @property
    def sources(self) -> int | None:
        """How many sources the items of the answer have, at most; None where each item has its own."""
        pairs = [pair for one in self.heads for pair in one.pairs if pair.seen.units < pair.n]
        return max((pair.seen.units for pair in pairs), default=None)

    def as_json(self) -> dict[str, Any]:
        """All figures; names are those of the sides."""
        names = [side.name for side in self.sides]
        return {
            "by": self.by,
            "paired_by": self.paired_by,
            "items": self.units,
            "seed": self.seed,
            "sides": [_side(side) for side in self.sides],
            "overall": None if self.overall is None else {"name": self.overall.axis.name, **_axis(self.overall, names)},
            "criteria": {one.axis.name: _axis(one, names) for one in self.criteria},
            "left_out": [
                {"title": one.title, "why": one.why, "told": dict(zip(names, one.told, strict=True))}
                for one in self.left_out
            ],
            "judged_on_one_side": {
                "items": self.lacking,
                "first": [
                    {"item": gap.item, "side": names[gap.side], "why": gap.why, "told": gap.told or None}
                    for gap in self.gaps
                ],
            },
            "differ": {name: dict(zip(names, values, strict=True)) for name, values in self.differ.items()},
            "same_texts": self.same_texts,
            "other_source": self.other_source,
            "other_reference": self.other_reference,
        }


def labels(names: Sequence[str]) -> list[str]:
    """A short name for each side, no two alike: its own where it is short enough, else with a number before it."""
    short = [fit(name, LABEL_COLUMNS) for name in names]
    if len(set(short)) == len(short) and all(short):
        return short
    return [
        f"{place} {fit(name, LABEL_COLUMNS - width(str(place)) - 1)}".rstrip() for place, name in enumerate(names, 1)
    ]


def needed_for_margin(pair: Paired) -> int | None:
    """How many items would show a difference as large as the margin four times in five."""
    seen = pair.seen
    units = None if seen.spread is None else items_needed(pair.margin, seen.spread)
    return None if units is None else ceil(units * seen.n / seen.units)


def _side(side: Party) -> dict[str, Any]:
    return {
        "name": side.name,
        "run": side.run.id,
        "judge": side.run.judge,
        "model": side.run.settings.model,
        "status": side.status,
        "items": side.items,
        "judged": side.judged,
        "lacks": dict(side.lacks),
        "signature": side.run.signature,
    }


def _axis(one: Contrast, names: Sequence[str]) -> dict[str, Any]:
    axis = one.axis
    shape: dict[str, Any] = {"title": axis.title, "min": axis.low, "max": axis.high, "better": axis.better}
    shape["pairs"] = [
        {"a": a, "b": b, **_pair(pair)} for (a, b), pair in zip(combinations(names, 2), one.pairs, strict=True)
    ]
    if (found := one.together) is not None:
        shape["ranking"] = [
            {
                "name": names[side.index],
                "rank": side.rank,
                "mean": side.mean,
                "n": found.n,
                "judged": side.judged,
                "probably_best": side.best,
                "groups": side.letters,
            }
            for side in found.sides
        ]
        shape["groups"] = [[names[index] for index in group] for group in found.groups]
    return shape


def _pair(pair: Paired) -> dict[str, Any]:
    return {
        "verdict": pair.word,
        "why": pair.why,
        "difference": pair.difference,
        "ci95": _ends(pair.seen),
        "p": pair.seen.p,
        "p_mid": pair.seen.mid,
        "p_adjusted": pair.p,
        "p_not_same": pair.seen.same,
        "margin": pair.margin,
        "noise": pair.noise,
        "n": pair.n,
        "sources": pair.seen.units,
        "only_a": pair.only_a,
        "only_b": pair.only_b,
        "neither": pair.neither,
        "mean_a": pair.mean_a,
        "mean_b": pair.mean_b,
        "b_ahead": pair.wins,
        "tied": pair.ties,
        "b_behind": pair.losses,
        "filled_best": None if pair.best is None else {"difference": pair.best.difference, "ci95": _ends(pair.best)},
        "filled_worst": None
        if pair.worst is None
        else {"difference": pair.worst.difference, "ci95": _ends(pair.worst)},
        "smallest_shown": pair.smallest,
        "items_to_show_this": pair.needed,
        "items_to_show_margin": needed_for_margin(pair),
    }


def _ends(tested: Tested) -> list[float] | None:
    return None if tested.interval is None else list(tested.interval)
