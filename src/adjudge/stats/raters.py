"""Two raters on the same units: their figures of agreement, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from adjudge.stats.alpha import alpha
from adjudge.stats.association import kendall, pearson, spearman
from adjudge.stats.board import Axis, Floats, Ints
from adjudge.stats.estimate import Estimate, Figure, Kind, Reason, dot, interval, unknown
from adjudge.stats.icc import icc
from adjudge.stats.kappa import kappa
from adjudge.stats.pairwise import pairwise

#: What kind of figure each is, in the order they are shown; the calibrated and the within-source ones are the judge's.
KINDS: Mapping[str, Kind] = {
    "exact": "share",
    "within_one": "share",
    "kappa": "coefficient",
    "kappa_linear": "coefficient",
    "kappa_quadratic": "coefficient",
    "alpha_nominal": "coefficient",
    "alpha_ordinal": "coefficient",
    "alpha_interval": "coefficient",
    "icc": "coefficient",
    "pearson": "coefficient",
    "spearman": "coefficient",
    "kendall": "coefficient",
    "pairwise": "share",
    "pairwise_calibrated": "share",
    "pairwise_within": "share",
    "pairwise_within_calibrated": "share",
    "bias": "mean",
    "mae": "mean",
}

#: The figures of any two raters.
EVERY = tuple(name for name in KINDS if not name.endswith(("_calibrated", "_within")))
#: The ends of means, in spans of the scale.
ENDS: Mapping[str, tuple[float, float]] = {"bias": (-1.0, 1.0), "mae": (0.0, 1.0)}
#: Shares of units.
SINGLE = frozenset({"exact", "within_one"})


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Raters:
    """The units that both rated, as rows of different pairs of values that occur `counts` times each.

    `a` is the judge, or the person in its place; `b` people. Both are in whole parts of a point, `unit` to each, so
    that differences are exact and values that only rounding tells apart are equal; `places_a` and `places_b` are their
    places in order, from 0. `rows` has the row of each unit, `clusters` its cluster, of which there are `groups`.
    """

    a: Ints
    b: Ints
    places_a: Ints
    places_b: Ints
    counts: Ints
    rows: Ints
    clusters: Ints
    unit: int
    axis: Axis
    groups: int

    @property
    def n(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, a: Floats, b: Floats, clusters: Ints, axis: Axis, groups: int) -> Raters:
        """From two columns without gaps."""
        unit = fineness(axis)
        values_a, at_a = np.unique(np.rint(a * unit).astype(np.int64), return_inverse=True)
        values_b, at_b = np.unique(np.rint(b * unit).astype(np.int64), return_inverse=True)
        width = max(1, len(values_b))
        cells, rows, counts = np.unique(at_a * width + at_b, return_inverse=True, return_counts=True)
        return cls(
            a=values_a[cells // width],
            b=values_b[cells % width],
            places_a=cells // width,
            places_b=cells % width,
            counts=counts,
            rows=rows,
            clusters=clusters,
            unit=unit,
            axis=axis,
            groups=groups,
        )

    def points(self) -> tuple[Ints, Ints]:
        """Both sides rounded to points of the scale, halves up."""
        return _point(self.a, self.unit), _point(self.b, self.unit)

    def estimates(self) -> dict[str, Estimate]:
        """The figures of any two raters; those that need two units are unknown of one."""
        if self.n == 0:
            return dict.fromkeys(EVERY, unknown("none"))
        a, b, counts = self.a / self.unit, self.b / self.unit, self.counts.astype(float)
        found = self._on_points() | {"bias": _mean(a - b, counts), "mae": _mean(np.abs(a - b), counts)}
        if self.n < 2:
            return {name: found[name] if name in SINGLE or name in ENDS else unknown("few") for name in EVERY}
        measured = np.column_stack([a, b])
        ordinal, metric = alpha(measured, counts, "ordinal", "interval")
        return found | {
            "alpha_ordinal": ordinal,
            "alpha_interval": metric,
            "icc": icc(measured, counts),
            "pearson": pearson(a, b, counts),
            "spearman": spearman(self.places_a, self.places_b, counts),
            "kendall": kendall(self.places_a, self.places_b, self.counts),
            "pairwise": pairwise(self.places_a, self.places_b, self.counts),
        }

    def _on_points(self) -> dict[str, Estimate]:
        """The figures that know the scale's points only, from the table of those."""
        every_a, every_b = self.points()
        low, width = int(every_b.min()), int(np.ptp(every_b)) + 1
        cells, at = np.unique(every_a * width + every_b - low, return_inverse=True)
        a, b, counts = cells // width, cells % width + low, np.bincount(at, self.counts).astype(float)
        found = {
            "exact": _mean((a == b).astype(float), counts),
            "within_one": _mean((np.abs(a - b) <= 1).astype(float), counts),
            "kappa": kappa(a, b, counts, "none"),
            "kappa_linear": kappa(a, b, counts, "linear"),
            "kappa_quadratic": kappa(a, b, counts, "quadratic"),
            "alpha_nominal": alpha(np.column_stack([a, b]).astype(float), counts, "nominal")[0],
        }
        return {
            name: one if one.influence is None else replace(one, influence=one.influence[at])
            for name, one in found.items()
        }

    def moves(self, influence: Floats) -> Floats:
        """How far each cluster moves a figure."""
        found: Floats = np.bincount(self.clusters, influence[self.rows], self.groups) / self.n
        return found

    def figure(self, name: str, found: Estimate) -> Figure:
        """An estimate with its interval."""
        if found.value is None or found.influence is None:
            return Figure(value=None, ci95=None, n=self.n, reason=found.reason)
        units = self.n if name in SINGLE else None
        return shown(name, found.value, self.moves(found.influence), self.n, self.axis, units, self._still())

    def _still(self) -> Reason:
        """Why a coefficient has no spread: a side that gives one value only, or no disagreement at all."""
        flat = [side.min() == side.max() for side in (self.a, self.b)]
        return "same" if all(flat) else "judge" if flat[0] else "people" if flat[1] else "perfect"


def shown(
    name: str, value: float, moves: Floats, n: int, axis: Axis, units: int | None = None, still: Reason = "perfect"
) -> Figure:
    """A value that clusters move so far, with its interval; `still` says why where nothing moves it."""
    low, high = ENDS.get(name, (0.0, 1.0))
    ends = interval(value, moves, KINDS[name], low=low * axis.span, high=high * axis.span, units=units)
    if not isinstance(ends, str):
        return Figure(value=value, ci95=ends, n=n)
    return Figure(value=value, ci95=None, n=n, reason=still if ends == "perfect" and abs(value) < 1 else ends)


def fineness(axis: Axis) -> int:
    """How many parts a point has: so many that the whole scale has about 10 ** 12."""
    return int(10 ** max(0, 12 - math.ceil(math.log10(max(axis.span, 1.0)))))


def _point(values: Ints, unit: int) -> Ints:
    found: Ints = (2 * values + unit) // (2 * unit)
    return found


def _mean(values: Floats, counts: Floats) -> Estimate:
    value = dot(counts, values) / float(counts.sum())
    return Estimate(value=value, influence=values - value)
