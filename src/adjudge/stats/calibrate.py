"""Fitting a score to human labels, tried on sources it was not fitted to, and refused where it is of no use."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from adjudge.stats.conformal import half_width
from adjudge.stats.monotone import non_negative, predicted
from adjudge.stats.ranks import ranks, spearman

#: What an interval promises to hold.
SHARE = 0.8
FOLDS = 10
RESAMPLES = 2000
#: Of the resamples, so many must agree that calibration is better.
SURE = 0.975
#: The order by the plain composite may be kept, give or take what folds with slightly different fits mix up.
SAME_ORDER = 0.02
#: Scores are told apart to a hundredth of their scale; finer differences come from the folds.
DIGITS = 2
LENGTH, PLAIN, CALIBRATED = "length", "plain", "calibrated"


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A labelled text: what people gave and the plain composite, both from worst (0) to best (1), parts and length."""

    group: str
    target: float
    parts: tuple[float, ...]
    plain: float
    length: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """How well one way of scoring meets the labels of sources it has not seen."""

    spearman: float | None
    mae: float


#: In what a fit did not do: its order is not surely better, or worse than before; its error not surely smaller.
Lack: TypeAlias = Literal["order", "order lost", "error"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fit:
    """The fit to all cases, and how it did on sources left out. `refused` has what it did not beat, and in what."""

    base: float
    weights: tuple[float, ...]
    half: float
    figures: Mapping[str, Figures]
    coverage: float
    refused: Mapping[str, tuple[Lack, ...]]


def calibrate(cases: Sequence[Case], *, seed: int = 0) -> Fit:
    """Fit parts to labels; folds are whole groups, so that no source is on both sides."""
    folds = _folds(cases, seed)
    own = [case.parts for case in cases]
    # length may count either way: nobody says that short is good
    length = [(case.length, -case.length) for case in cases]
    targets = [case.target for case in cases]
    plain = [case.plain for case in cases]
    found = {
        LENGTH: _out_of_fold(length, targets, folds),
        PLAIN: _Scored(values=plain, order=plain),
        CALIBRATED: _out_of_fold(own, targets, folds),
    }
    figures = {
        name: Figures(spearman=spearman(each.order, targets), mae=_mae(each.values, targets))
        for name, each in found.items()
    }
    base, weights = non_negative(own, targets)
    return Fit(
        base=base,
        weights=tuple(weights),
        half=_half(cases, found[CALIBRATED].values),
        figures=figures,
        coverage=_coverage(cases, folds),
        refused=_refused(cases, found, figures, seed),
    )


def _folds(cases: Sequence[Case], seed: int) -> list[int]:
    """The fold of each case: groups in a random order, the largest first, each to the fold that has the fewest."""
    sizes: dict[str, int] = {}
    for case in cases:
        sizes[case.group] = sizes.get(case.group, 0) + 1
    groups = sorted(sizes)
    random.Random(seed).shuffle(groups)  # noqa: S311
    counts = [0] * min(FOLDS, len(groups))
    place: dict[str, int] = {}
    for group in sorted(groups, key=lambda group: -sizes[group]):
        place[group] = counts.index(min(counts))
        counts[place[group]] += sizes[group]
    return [place[case.group] for case in cases]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scored:
    """Scores of cases: `values` to be compared with labels, `order` with one another only."""

    values: Sequence[float]
    order: Sequence[float]


def _out_of_fold(rows: Sequence[Sequence[float]], targets: Sequence[float], folds: Sequence[int]) -> _Scored:
    """What each case gets from a fit without its fold.

    A fold with low labels leaves high ones behind, so that levels fitted without it turn the order of the folds round:
    the order takes the weights alone, counted from one place for all cases. No label of the fold is in either.
    """
    values, order = [0.0] * len(rows), [0.0] * len(rows)
    place = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    for fold in set(folds):
        seen = [at for at, other in enumerate(folds) if other != fold]
        base, weights = non_negative([rows[at] for at in seen], [targets[at] for at in seen])
        for at, other in enumerate(folds):
            if other == fold:
                values[at] = round(predicted(base, weights, rows[at]), DIGITS)
                apart = (weight * (x - at_0) for weight, x, at_0 in zip(weights, rows[at], place, strict=True))
                order[at] = round(math.fsum(apart), DIGITS)
    return _Scored(values=values, order=order)


def _mae(found: Sequence[float], targets: Sequence[float]) -> float:
    return math.fsum(abs(a - b) for a, b in zip(found, targets, strict=True)) / len(found)


def _half(cases: Sequence[Case], values: Sequence[float]) -> float:
    residuals = [(case.group, value - case.target) for case, value in zip(cases, values, strict=True)]
    return min(1.0, half_width(residuals, SHARE))


def _coverage(cases: Sequence[Case], folds: Sequence[int]) -> float:
    """The share of labels within intervals for which everything, the width too, comes from the other folds."""
    held = 0
    for fold in set(folds):
        seen = [case for case, other in zip(cases, folds, strict=True) if other != fold]
        rows, targets = [case.parts for case in seen], [case.target for case in seen]
        half = _half(seen, _out_of_fold(rows, targets, [other for other in folds if other != fold]).values)
        base, weights = non_negative(rows, targets)
        held += sum(
            abs(predicted(base, weights, case.parts) - case.target) <= half
            for case, other in zip(cases, folds, strict=True)
            if other == fold
        )
    return held / len(cases)


def _refused(
    cases: Sequence[Case], found: Mapping[str, _Scored], figures: Mapping[str, Figures], seed: int
) -> dict[str, tuple[Lack, ...]]:
    """What calibration did not beat by more than chance. Against the plain composite a better level is enough, if the
    order is not lost; against length both must be better."""
    sums = _Sums(cases, found)
    draws = random.Random(f"resample {seed}")  # noqa: S311
    groups = len(sums.groups)
    wins = dict.fromkeys(("order", "length order", "length error", "plain error"), 0)
    for _ in range(RESAMPLES):
        chosen = draws.choices(range(groups), k=groups)
        order = {name: sums.correlation(name, chosen) for name in found}
        error = {name: sums.error(name, chosen) for name in found}
        wins["order"] += order[CALIBRATED] > 0
        wins["length order"] += order[CALIBRATED] > order[LENGTH]
        wins["length error"] += error[CALIBRATED] < error[LENGTH]
        wins["plain error"] += error[CALIBRATED] < error[PLAIN]
    sure = {name: count >= SURE * RESAMPLES for name, count in wins.items()}
    mine, plain = figures[CALIBRATED].spearman, figures[PLAIN].spearman
    kept_order = mine is not None and mine >= (plain or 0.0) - SAME_ORDER
    lacks: dict[str, dict[Lack, bool]] = {
        LENGTH: {"order": not (sure["order"] and sure["length order"]), "error": not sure["length error"]},
        PLAIN: {"order lost": not kept_order, "error": not sure["plain error"]},
    }
    found_lacking = {name: tuple(lack for lack, lacking in own.items() if lacking) for name, own in lacks.items()}
    return {name: own for name, own in found_lacking.items() if own}


class _Sums:
    """Sums by group of ranks and errors: a resample of groups then costs a sum over groups, not over cases."""

    def __init__(self, cases: Sequence[Case], found: Mapping[str, _Scored]) -> None:
        places: dict[str, list[int]] = {}
        for at, case in enumerate(cases):
            places.setdefault(case.group, []).append(at)
        self.groups = list(places.values())
        targets = [case.target for case in cases]
        middle = (len(cases) + 1) / 2
        truth = [rank - middle for rank in ranks(targets)]
        self._moments: dict[str, list[tuple[float, ...]]] = {}
        self._errors: dict[str, list[float]] = {}
        for name, each in found.items():
            own = [rank - middle for rank in ranks(each.order)]
            self._moments[name] = [
                (
                    float(len(group)),
                    sum(own[at] for at in group),
                    sum(truth[at] for at in group),
                    sum(own[at] * truth[at] for at in group),
                    sum(own[at] ** 2 for at in group),
                    sum(truth[at] ** 2 for at in group),
                )
                for group in self.groups
            ]
            self._errors[name] = [sum(abs(each.values[at] - targets[at]) for at in group) for group in self.groups]

    def correlation(self, name: str, chosen: Sequence[int]) -> float:
        """The correlation of the ranks that all cases have together, over some of the groups."""
        rows = self._moments[name]
        n, x, y, xy, xx, yy = map(sum, zip(*map(rows.__getitem__, chosen), strict=True))
        size = (xx - x * x / n) * (yy - y * y / n)
        return (xy - x * y / n) / math.sqrt(size) if size > 0 else 0.0

    def error(self, name: str, chosen: Sequence[int]) -> float:
        return sum(map(self._errors[name].__getitem__, chosen))
