"""The noise floor: how far a judge agrees with itself when it is asked again, and the least difference it can see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.interval import CONFIDENCE, Interval, student_quantile, wilson

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class Noise:
    """What repeats tell of one criterion, over the texts that were scored at least twice.

    `items` and `pairs` count those texts and their pairs of repeats, `freedom` is what is left of the scores after one
    mean per text. `sd` is the standard deviation of one call around the text's own mean. `equal` and `near` are the
    shares of pairs that agree exactly and within one point, `steady` counts the texts with one score in all repeats.
    `reliability` is the share of the variance of single scores that is between texts, None where all are equal.
    """

    items: int
    pairs: int
    freedom: int
    repeats: float
    sd: float
    equal: float
    near: float
    steady: int
    reliability: float | None
    reliability95: Interval | None

    @property
    def steady95(self) -> Interval | None:
        """The Wilson interval of the share of texts that had the same score every time."""
        return wilson(self.steady, self.items)

    def sd_of_mean(self, repeats: int) -> float:
        """The standard deviation of the mean of so many repeats of one text."""
        return self.sd / math.sqrt(repeats)

    def smallest(self, n: int, repeats: int) -> float:
        """The least difference of two means over n items that this judge's noise alone would rarely make.

        Each item is scored so many times for either mean; smaller differences come up more often than 5 times in 100
        when nothing but the judge's answers differs.
        """
        return noise_floor([(self, repeats), (self, repeats)], n)


def noise_floor(sides: Sequence[tuple[Noise, int]], n: int) -> float:
    """The least difference of two means over n items that noise alone would rarely make; a judge and repeats a side.

    Degrees of freedom are those of Welch and Satterthwaite (Satterthwaite, "An approximate distribution of estimates
    of variance components", Biometrics Bulletin 2, 1946). Only noise is in it: that the items are a sample is not.
    """
    if n < 1:
        return math.inf
    # sides that rest on one estimate of the noise have its freedom once
    parts = {id(one): (one.freedom, [one.sd**2 / (n * k) for same, k in sides if same is one]) for one, _ in sides}
    variances = [(freedom, math.fsum(own)) for freedom, own in parts.values()]
    variance = math.fsum(own for _, own in variances)
    if variance == 0.0:
        return 0.0
    freedom = variance**2 / math.fsum(own**2 / df for df, own in variances)
    # 99.99999 is 100
    return student_quantile((1.0 + CONFIDENCE) / 2.0, max(1, int(freedom + 1e-9))) * math.sqrt(variance)


def noise(trials: Floats, clusters: Ints | None = None) -> Noise | None:
    """The noise in a table of texts × repeats with gaps; None where no text was scored twice.

    Texts of one cluster (the candidates of an item, say) are kept together in the interval of the reliability.
    """
    counts = (~np.isnan(trials)).sum(axis=1)
    table, k = trials[counts >= 2], counts[counts >= 2]
    if not len(table):
        return None
    known = ~np.isnan(table)
    flat = np.nanmax(table, axis=1) == np.nanmin(table, axis=1)
    # the mean of three equal scores is not always that score to the last bit, and equal ones have no spread at all
    means = np.where(flat, np.nanmax(table, axis=1), np.nansum(table, axis=1) / k)
    within = (np.where(known, table - means[:, None], 0.0) ** 2).sum(axis=1)
    freedom = int(k.sum() - len(k))
    equal = near = 0
    for gap in range(1, table.shape[1]):
        apart = np.abs(table[:, gap:] - table[:, :-gap])
        equal += int((apart == 0.0).sum())
        near += int((apart <= 1.0 + 1e-9).sum())
    pairs = int((k * (k - 1) // 2).sum())
    groups = np.arange(len(table)) if clusters is None else clusters[counts >= 2]
    reliability, ends = _reliability(means, within, k.astype(np.float64), groups)
    return Noise(
        items=len(table),
        pairs=pairs,
        freedom=freedom,
        repeats=float(k.mean()),
        sd=math.sqrt(float(within.sum()) / freedom),
        equal=equal / pairs,
        near=near / pairs,
        steady=int(flat.sum()),
        reliability=reliability,
        reliability95=ends,
    )


def _reliability(means: Floats, within: Floats, k: Floats, groups: Ints) -> tuple[float | None, Interval | None]:
    """The intraclass correlation of single scores, with an interval.

    One-way random effects: ICC(1) of Shrout and Fleiss, "Intraclass correlations", Psychological Bulletin 86, 1979,
    with the mean number of repeats for unequal ones of Searle, Casella and McCulloch, "Variance components", 1992. The
    interval is the jackknife over clusters of the logarithm of the F ratio (Arvesen and Schmitz, "Robust procedures
    for variance component problems using the jackknife", Biometrics 26, 1970): scores on a short scale are not normal.
    """
    silent = not within.any()
    if len(means) < 2 or (silent and means.min() == means.max()):
        return None, None
    if silent:
        return 1.0, None
    centred = means - float(np.average(means, weights=k))
    labels, place = np.unique(groups, return_inverse=True)
    parts = np.stack([np.ones_like(k), k, k * k, k * centred, k * centred * centred, within])
    sums = np.stack([np.bincount(place.reshape(-1), weights=part, minlength=len(labels)) for part in parts])
    whole = sums.sum(axis=1)
    apart, noisy, usual = _variances(whole)
    point = float((apart - noisy) / (apart + (usual - 1) * noisy))
    less, groups_left = whole[:, None] - sums, len(labels)
    if groups_left < 3 or less[0].min() < 2:
        return point, None
    between, inside, _ = _variances(less)
    # where nothing varies without one cluster, what is left of the sums is rounding
    if apart == 0.0 or between.min() <= _ROUNDING * apart or inside.min() <= _ROUNDING * noisy:
        return point, None
    pseudo = groups_left * math.log(apart / noisy) - (groups_left - 1) * np.log(between / inside)
    error = float(pseudo.std(ddof=1)) / math.sqrt(groups_left)
    if error <= _ROUNDING:
        return point, None
    half = student_quantile((1.0 + CONFIDENCE) / 2.0, groups_left - 1) * error
    ends = np.exp(float(pseudo.mean()) + np.array([-half, half]))
    low, high = (ends - 1) / (ends + usual - 1)
    return point, (float(low), float(high))


def _variances(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean squares between and within texts, and the mean number of repeats that belongs to them."""
    items, scores, squares, sum_, square, within = sums
    between = np.maximum(0.0, square - sum_**2 / scores) / (items - 1)
    return between, within / (scores - items), (scores - squares / scores) / (items - 1)
