"""Two raters on the same units: their figures of agreement, by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from adjudge.stats.alpha import alpha
from adjudge.stats.association import kendall, pearson, spearman
from adjudge.stats.board import Axis, Floats, Ints
from adjudge.stats.dominance import concordant
from adjudge.stats.estimate import Estimate, Figure, Kind, Reason, dot, interval, unknown, unseen
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
#: The coefficients of points.
ON_POINTS = frozenset({"kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal"})
#: Units are counted in such parts where some are added that were not seen.
_PARTS = 1_000


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
        ordered = concordant(self.places_a, self.places_b, self.counts)
        ordinal, metric = alpha(measured, counts, "ordinal", "interval")
        return found | {
            "alpha_ordinal": ordinal,
            "alpha_interval": metric,
            "icc": icc(measured, counts),
            "pearson": pearson(a, b, counts),
            "spearman": spearman(self.places_a, self.places_b, counts),
            "kendall": kendall(self.places_a, self.places_b, self.counts, ordered),
            "pairwise": pairwise(self.places_a, self.places_b, self.counts, ordered=ordered),
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

    def figures(self) -> dict[str, Figure]:
        """The figures of any two raters with their intervals."""
        found = {name: self.figure(name, one) for name, one in self.estimates().items()}
        ends = self.ends(one for one in found.items() if one[1].reason == "perfect")
        return found | {name: bounded(found[name], end) for name, end in ends.items()}

    def ends(self, still: Iterable[tuple[str, Figure | Estimate]]) -> dict[str, float]:
        """How near to 0, or beyond it, coefficients may be that nothing moves, as where both sides always agree.

        By the rule of three some clusters may have gone unseen. Half their units have the lowest value of the one side
        and the highest of the other, half the reverse; where a coefficient is 0 or less, both sides have the same.
        """
        signs = {name: one.value > 0 for name, one in still if one.value is not None}
        found: dict[str, float] = {}
        for sign in {*signs.values()}:
            other = self._with_unseen(opposed=sign).estimates()
            found |= {name: end for name in signs if signs[name] is sign and (end := other[name].value) is not None}
        return found

    def _with_unseen(self, *, opposed: bool) -> Raters:
        share = unseen(self.groups)
        each = round(_PARTS * self.n * share / (1 - share) / 2)
        ends = [int(end) for side in (self.a, self.b) for end in (side.min(), side.max())]
        extra = (ends[:2], ends[:1:-1]) if opposed else ([min(ends), max(ends)],) * 2
        a, b = np.append(self.a, extra[0]), np.append(self.b, extra[1])
        places_a, places_b = (np.unique(side, return_inverse=True)[1] for side in (a, b))
        counts = np.append(_PARTS * self.counts, [each, each])
        return replace(self, a=a, b=b, places_a=places_a, places_b=places_b, counts=counts)

    def figure(self, name: str, found: Estimate) -> Figure:
        """An estimate with its interval."""
        if found.value is None or found.influence is None:
            return Figure(value=None, ci95=None, n=self.n, reason=found.reason)
        units = self.n if name in SINGLE else None
        return shown(name, found.value, self.moves(found.influence), self.n, self.axis, units, self._still(name))

    def _still(self, name: str) -> Reason:
        """Why a coefficient has no spread: a side that gives one value only, or no disagreement at all."""
        flat = [side.min() == side.max() for side in (self.points() if name in ON_POINTS else (self.a, self.b))]
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


def bounded(figure: Figure, end: float) -> Figure:
    """A figure that nothing moves, with an interval from where it is to `end`."""
    assert figure.value is not None
    return replace(figure, ci95=(min(figure.value, end), max(figure.value, end)), reason=None)


def fineness(axis: Axis) -> int:
    """How many parts a point has: so many that the whole scale has about 10 ** 12."""
    return int(10 ** max(0, 12 - math.ceil(math.log10(max(axis.span, 1.0)))))


def _point(values: Ints, unit: int) -> Ints:
    found: Ints = (2 * values + unit) // (2 * unit)
    return found


def _mean(values: Floats, counts: Floats) -> Estimate:
    value = dot(counts, values) / float(counts.sum())
    return Estimate(value=value, influence=values - value)
