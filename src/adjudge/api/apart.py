"""The texts on which a judge and others are furthest apart, with what each side said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from adjudge.api.stored import StoredRun
from adjudge.core.labels import Label
from adjudge.core.records import Outcome, Verdict
from adjudge.report.agree_tables import Apart, Said
from adjudge.report.verdicts import by_candidate, reason_of
from adjudge.stats.board import Floats
from adjudge.store.store import Store, open_store

if TYPE_CHECKING:
    from adjudge.api.agree import Place, Sides


def disagreements(
    run: StoredRun,
    places: Sequence[Place],
    sides: Sequence[Sides],
    shown: int,
    *,
    labels: Sequence[Label] = (),
    other: StoredRun | None = None,
) -> tuple[Apart, ...]:
    """The `shown` largest over all criteria, in shares of their scales; those of equal size by their names."""
    ranked = sorted(
        (-size, *places[row], number, row)
        for number, one in enumerate(sides)
        if labels or not one.axis.derived
        for row, size in _largest(one, shown, repeats=not labels and other is None)
    )[: max(shown, 0)]
    said = _by_place(labels, {(*places[row], sides[number].axis.name) for *_, number, row in ranked})
    with open_store(run.store, create=False) as store:
        return tuple(_apart(store, run, sides[number], places[row], row, said, other) for *_, number, row in ranked)


def _by_place(labels: Sequence[Label], wanted: Set[tuple[str, str, str]]) -> dict[tuple[str, str, str], list[Said]]:
    """What people said of some texts, in the order of their names."""
    found: dict[tuple[str, str, str], list[Said]] = {}
    for label in labels:
        place = (label.item, label.candidate, label.criterion)
        if place in wanted and isinstance(label.value, int | float):
            one = Said(who=label.annotator, value=float(label.value), why=label.comment)
            found.setdefault(place, []).append(one)
    return {place: sorted(said, key=lambda one: one.who) for place, said in found.items()}


def _largest(one: Sides, shown: int, *, repeats: bool) -> Iterator[tuple[int, float]]:
    """The rows of one criterion that may be among the largest, ties at the last place included."""
    sizes = np.nan_to_num(_spread(one) if repeats else np.abs(_gaps(one)), nan=0.0) / (one.axis.span or 1.0)
    if not len(sizes) or shown < 1:
        return
    least = np.sort(sizes)[-min(shown, len(sizes))]
    for row in np.flatnonzero((sizes >= least) & (sizes > 0)).tolist():
        yield row, float(sizes[row])


def _gaps(one: Sides) -> Floats:
    given = ~np.isnan(one.others)
    counts = given.sum(axis=1)
    means = np.where(given, one.others, 0.0).sum(axis=1) / np.maximum(counts, 1)
    gaps: Floats = np.where(counts > 0, one.judge - means, np.nan)
    return gaps


def _spread(one: Sides) -> Floats:
    """Between the highest and the lowest of all repeats."""
    every = np.column_stack([one.judge, one.others])
    gap = np.isnan(every)
    spread: Floats = np.where(gap, -np.inf, every).max(axis=1) - np.where(gap, np.inf, every).min(axis=1)
    return np.where(np.isfinite(spread), spread, np.nan)


def _apart(
    store: Store,
    run: StoredRun,
    one: Sides,
    place: Place,
    row: int,
    said: Mapping[tuple[str, str, str], Sequence[Said]],
    other: StoredRun | None,
) -> Apart:
    item, candidate = place
    name = one.axis.name
    outcome = store.outcome(run.id, item)
    why = _why(outcome, name, candidate)
    judge = None if np.isnan(one.judge[row]) else float(one.judge[row])
    others: tuple[Said, ...]
    if said:
        others = tuple(said[item, candidate, name])
    elif other is not None:
        with open_store(other.store, create=False) as theirs:
            reason = _why(theirs.outcome(other.id, item), name, candidate)
        others = (Said(who=other.state.run.name or other.id, value=float(one.others[row, 0]), why=reason),)
    else:
        others = tuple(
            Said(who=str(number), value=float(value), why="")
            for number, value in enumerate([one.judge[row], *one.others[row]], start=1)
            if not np.isnan(value)
        )
        # the reason is that of the verdict, which is made of all repeats
        judge = by_candidate(outcome.scores.get(name)).get(candidate) if isinstance(outcome, Verdict) else None
    repeats = not said and other is None
    return Apart(
        item=item,
        candidate=candidate,
        criterion=name,
        title=one.axis.title,
        gap=float((_spread(one) if repeats else _gaps(one))[row]),
        judge=Said(who="", value=judge, why=why),
        others=others,
    )


def _why(outcome: Outcome | None, criterion: str, candidate: str) -> str:
    return reason_of(outcome, criterion, candidate) if isinstance(outcome, Verdict) else ""
