"""The exact shape of a judge's verdict, laid out once: under each key, what stands there and what it is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from adjudge.core.judge import Criterion, Judge, Leaf, Output
from adjudge.core.scale import Scale
from adjudge.reply.keys import is_alone, names_of, normal

Act = Literal["pair", "score", "reason", "evidence", "text", "stated", "nothing", "list", "checks", "inner"]
#: What may be left out.
OPTIONAL = ("evidence", "stated", "nothing")


class Place(NamedTuple):
    """A key of the verdict and what stands under it; `why` is the key of the reason in a pair.

    A pair has its criterion only where that asks for evidence.
    """

    key: str
    act: Act
    name: str = ""
    criterion: Criterion | None = None
    why: str = ""
    inner: tuple[Place, ...] = ()


class Point(NamedTuple):
    """A scored criterion: its scale, where no reason is needed, and the flag for one that is absent."""

    name: str
    scale: Scale
    low: int
    high: int
    best: int
    flag: str


@dataclass(frozen=True, slots=True)
class Form:
    """All places of the verdict, and what is made of them; `grounded` are the criteria that rest on quotations."""

    places: tuple[Place, ...]
    points: tuple[Point, ...]
    compare: bool
    lists: bool
    grounded: tuple[Criterion, ...]


@lru_cache(maxsize=64)
def form_of(judge: Judge) -> Form | None:
    """The judge's form; None where its verdict has a shape that only the ladder reads."""
    places = _places(judge, judge.output)
    if places is None or not judge.scored:
        return None
    points = tuple(
        Point(one.name, one.scale, one.scale.min, one.scale.max, one.scale.best, f"no_reason:{one.name}")
        for one in judge.scored
        if one.scale is not None
    )
    lists = any(one.kind not in ("rating", "text") or one.checks or one.evidence for one in judge.criteria)
    grounded = tuple(one for one in judge.criteria if one.evidence)
    return Form(places, points, judge.layout == "compare", lists, grounded)


def _places(judge: Judge, output: Mapping[str, Output]) -> tuple[Place, ...] | None:
    places: list[Place] = []
    for key, child in output.items():
        place = _place(judge, key, child)
        if place is None:
            return None
        if place.act in OPTIONAL:
            spellings = set(map(normal, names_of(judge, key, child, alone=is_alone(output, child))))
            if any(normal(other) in spellings for other in output if other != key):
                return None
        places.append(place)
    return tuple(places)


def _place(judge: Judge, key: str, child: Output) -> Place | None:
    if isinstance(child, Mapping):
        inner = _places(judge, child)
        return None if inner is None else Place(key, "inner", inner=inner)
    if isinstance(child, tuple):
        criterion = judge.criterion(child[0].name)
        return _rated(key, "checks" if criterion.checks else "pair", criterion, "why")
    if judge.derived_value(child.name) is not None:
        return Place(key, "nothing" if child.part else "stated", child.name)
    criterion = judge.criterion(child.name)
    act = _act(criterion, child)
    if judge.layout == "compare" and act not in ("pair", "checks", "text"):
        return None
    return _rated(key, act, criterion, "justification")


def _rated(key: str, act: Act, criterion: Criterion, why: str) -> Place:
    return Place(key, act, criterion.name, None if act == "pair" and not criterion.evidence else criterion, why)


def _act(criterion: Criterion, leaf: Leaf) -> Act:
    if criterion.kind == "text":
        return "text"
    if criterion.checks or criterion.kind == "spans":  # their reasons are made by code, and may be there or not
        return "nothing" if leaf.part == "reason" else "checks" if criterion.checks else _listed(leaf)
    if leaf.part == "evidence":
        return "evidence"
    if criterion.kind == "rating" and leaf.part != "reason":
        return "score" if leaf.part else "pair"
    return "reason" if leaf.part == "reason" else _listed(leaf)


def _listed(leaf: Leaf) -> Act:
    return "stated" if leaf.part == "score" else "list"
