"""What people would have given on average for all items, from the labels of some and the verdicts of all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.estimate import dot
from adjudge.stats.interval import CONFIDENCE, Interval, student_quantile

#: With fewer labelled items, or from fewer sources, neither the judge's bias nor its spread is known well enough.
LEAST_ITEMS = 20
LEAST_SOURCES = 10
_Z = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A mean with its interval for items of this kind, and for these very items; `df` are the degrees of freedom.

    `of_labels` and `of_items` are the two parts of the mean's variance: that some items are labelled and not others,
    and that these items are in the set and not others. `spread` is the standard deviation of people's scores.
    """

    mean: float
    ci95: Interval
    ci95_set: Interval
    slope: float
    df: int
    of_labels: float
    of_items: float
    spread: float

    @property
    def worth(self) -> float | None:
        """How many random labels without any verdict would tell as much; None where nothing is left to be told."""
        total = self.of_labels + self.of_items
        return self.spread**2 / total if total > 0 else None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Slice:
    """All items that were judged: the judge's number, people's (a gap where there is none), source and stratum of each.

    `strata` numbers the groups within which the labelled items are a random choice: all 0 where it was one draw.
    """

    judge: Floats
    people: Floats
    clusters: Ints
    strata: Ints

    @property
    def labelled(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return ~np.isnan(self.people)

    @property
    def n(self) -> int:
        return int(self.labelled.sum())

    @property
    def sources(self) -> int:
        """From how many sources the labelled items are."""
        return len(np.unique(self.clusters[self.labelled]))


def estimate(data: Slice, low: float, high: float, *, use_judge: bool = True) -> Estimate:
    """The mean of people's scores over all items; without the judge, from the labels alone.

    Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference",
    Science 382, 2023): the mean of λ times the verdicts of all items, plus the mean of what people's scores differ from
    that where they are known. λ is the slope that leaves least variance (power tuning: Angelopoulos, Duchi and Zrnic,
    "PPI++", 2023), which makes it the combined regression estimator of Cochran, "Sampling techniques", 1977, 7.10. It
    is a weighted sum of the labels, and its variance is that of least squares with the leverage of each label taken out
    of its residual (MacKinnon and White's HC2, Journal of Econometrics 29, 1985), summed within sources (Liang and
    Zeger, Biometrika 73, 1986), with Student's quantile, moved towards the side where the few large residuals are: see
    `_moved`. For one stratum without the judge it is Student's interval, so moved.
    """
    has, n, every = data.labelled, data.n, len(data.judge)
    judge = data.judge if use_judge else np.zeros(every)
    stratum = np.unique(data.strata, return_inverse=True)[1]
    line = _line(data.people[has], judge[has], stratum[has], np.bincount(stratum) / every, float(judge.mean()))
    group = np.unique(data.clusters, return_inverse=True)[1]
    held = len(np.unique(group[has]))
    moves = line.moves * math.sqrt(held / (held - 1)) if 1 < held < n else line.moves
    of_labels = float((_sums(group[has], moves) ** 2).sum())
    left = 1.0 - (np.bincount(stratum[has]) / np.bincount(stratum))[stratum[has]]
    of_set = _sums(group[has], moves * np.sqrt(left))
    both = (line.slope * judge + line.heights[stratum] - line.mean) / every
    both[has] += moves
    of_all = _sums(group, both)
    total = max(float((of_all**2).sum()), of_labels)
    df = max(1, held - len(line.heights) - line.used)
    reach = student_quantile((1.0 + CONFIDENCE) / 2.0, df)
    mean = line.mean
    least = (mean, mean) if line.moves.any() else _unseen(mean, n, low, high)
    return Estimate(
        mean=min(high, max(low, mean)),
        ci95=_around(mean + _moved(of_all), reach * math.sqrt(total), least, low, high),
        ci95_set=_around(
            mean + _moved(of_set),
            reach * math.sqrt(float((of_set**2).sum())),
            least if n < every else (mean, mean),
            low,
            high,
        ),
        slope=line.slope,
        df=df,
        of_labels=of_labels,
        of_items=total - of_labels,
        spread=line.spread,
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Line:
    """One slope, a height for each stratum, the mean there; `moves` is how far each label moves it by its residual."""

    mean: float
    slope: float
    used: bool
    heights: Floats
    moves: Floats
    spread: float


def _line(y: Floats, f: Floats, own: Ints, share: Floats, at: float) -> _Line:
    """Least squares of labels on verdicts within strata of these shares, at the mean verdict of all items."""
    counts = np.bincount(own)
    y_mean, f_mean = (np.bincount(own, values) / counts for values in (y, f))
    y_off, f_off = y - y_mean[own], f - f_mean[own]
    tuning = (share**2 / (counts * np.maximum(counts - 1, 1)))[own]
    spread = dot(tuning, f_off**2)
    used = spread > 1e-12 * dot(tuning, f**2 + 1.0)
    slope = dot(tuning, f_off * y_off) / spread if used else 0.0
    level, distance = dot(share, y_mean), at - dot(share, f_mean)
    plain, leverage = (share / counts)[own], 1.0 / counts[own]
    weight = plain
    if used:
        weight = plain + distance * tuning * f_off / spread
        leverage = leverage + tuning * f_off**2 / spread
    rest = y_off - slope * f_off
    # what only rounding left is nothing: judge and people never differed
    rest = np.where(np.abs(rest).max() <= 1e-9 * (1.0 + np.abs(y).max()), 0.0, rest)
    # a label that alone decides its own fit leaves no residual: nothing is divided by nothing
    free = np.where(1.0 - leverage > 1e-9, 1.0 - leverage, 1.0)
    return _Line(
        mean=level + slope * distance,
        slope=slope,
        used=used,
        heights=y_mean - slope * f_mean,
        moves=weight * rest / np.sqrt(free),
        spread=math.sqrt(len(y) / max(1, len(y) - 1) * dot(plain, (y - level) ** 2)),
    )


def _sums(groups: Ints, values: Floats) -> Floats:
    return np.bincount(groups, values).astype(np.float64)


def _moved(parts: Floats) -> float:
    """By how much the skew of the parts that an error sums up moves its interval, which stays as wide as it is.

    The term in the skew of the Edgeworth expansion of a studentized mean (Hall, "The bootstrap and Edgeworth
    expansion", 1992, 2.6). Where the judge is right on most items and far off on a few, labels with few of these have
    both a mean too near the judge's and too little spread: Student's interval alone holds the truth too seldom.
    """
    squares = float((parts**2).sum())
    return float((parts**3).sum()) / squares * (1.0 + 2.0 * _Z**2) / 6.0 if squares > 0 else 0.0


def _unseen(mean: float, n: int, low: float, high: float) -> Interval:
    """Where judge and people never differed, the rule of three says how much may differ unseen: see `mean_interval`."""
    share = 1.0 - (1.0 - CONFIDENCE) ** (1.0 / n)
    return mean - share * (mean - low), mean + share * (high - mean)


def _around(middle: float, half: float, least: Interval, low: float, high: float) -> Interval:
    ends = min(middle - half, least[0]), max(middle + half, least[1])
    return min(high, max(low, ends[0])), max(low, min(high, ends[1]))


def joined(strata: Ints, labelled: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Ints:
    """The strata, those with fewer than two labels joined to one beside them: alone their spread would be unknown."""
    found, group, held = np.zeros_like(strata), 0, 0
    for number in np.unique(strata).tolist():
        here = strata == number
        found[here] = group
        held += int(labelled[here].sum())
        if held >= 2:
            group, held = group + 1, 0
    found[found == group] = max(0, group - 1)
    return found


def labels_needed(found: Estimate, n: int, every: int, half: float) -> int | None:
    """How many labels bring half the interval to `half`; None where these items are too few for it, however labelled.

    The part of the variance that labels decide falls with their number; that of the items stays.
    """
    wanted = 2
    for _ in range(50):
        reach = student_quantile((1.0 + CONFIDENCE) / 2.0, max(1, wanted - 2))
        room = (half / reach) ** 2 - found.of_items
        if room <= 0:
            if wanted > 100:
                return None
            wanted *= 2
            continue
        nearer = math.ceil(found.of_labels * n / room)
        if nearer == wanted:
            break
        wanted = max(2, nearer)
    return wanted if wanted <= every else None


def alike(data: Slice, rng: np.random.Generator, draws: int = 2_000) -> float:
    """How often a random choice of as many items has a mean verdict as far from that of all as the labelled ones have.

    A permutation test (Fisher, "The design of experiments", 1935): small where the labelled items are unlike the rest.
    """
    judge, n = np.sort(data.judge), data.n
    centre = float(judge.mean())
    seen = abs(float(data.judge[data.labelled].mean()) - centre)
    far = sum(
        abs(float(judge[rng.choice(len(judge), n, replace=False, shuffle=False)].mean()) - centre) >= seen - 1e-12
        for _ in range(draws)
    )
    return (1 + far) / (1 + draws)
