"""Means and rates with 95 % intervals.

Sums are kept as exact integers, so a figure has the same bits whatever order the items came in.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, TypeAlias

Interval: TypeAlias = tuple[float, float]
#: What an interval of a mean rests on; docs/intervals.md says which is taken when, and how well each covers.
Way = Literal["bootstrap", "student", "rule of three", "wilson"]

CONFIDENCE = 0.95
#: Below so many items a resample knows too little of the tails, and Student's interval is taken.
LEAST = 10
#: From so many on the mean is as good as normal, and Student's interval is taken where resampling would be slow:
MOST = 2_000
#: with more different values than this.
FEW_VALUES = 100
#: Scores are far above 2**-8, where a double times 2**60 is a whole number and nothing is rounded.
_UNIT = 2**60
#: From here on the asymptotic quantile is closer than the continued fraction, whose log-gamma loses digits.
_LARGE_DF = 1000


class Moments:
    """Count, sum and sum of squares of a stream, exact, in constant memory."""

    __slots__ = ("_squares", "_sum", "n")

    def __init__(self) -> None:
        self.n, self._sum, self._squares = 0, 0, 0

    def add(self, value: float) -> None:
        whole = round(value * _UNIT)
        self.n += 1
        self._sum += whole
        self._squares += whole * whole

    @property
    def mean(self) -> float | None:
        return self._sum / (self.n * _UNIT) if self.n else None

    @property
    def variance(self) -> float | None:
        """The sample variance (n - 1); unknown below two values."""
        if self.n < 2:
            return None
        return (self.n * self._squares - self._sum**2) / (self.n * (self.n - 1) * _UNIT**2)

    @property
    def sd(self) -> float | None:
        variance = self.variance
        return None if variance is None else math.sqrt(variance)


def mean_interval(moments: Moments, low: float, high: float) -> Interval | None:
    """The 95 % interval of a mean of values between `low` and `high`; unknown below two values.

    Student's t over items, clipped to the scale; of equal values, that of `equal_interval`.
    """
    mean, sd = moments.mean, moments.sd
    if mean is None or sd is None:
        return None
    if sd == 0.0:
        return equal_interval(mean, moments.n, low, high)
    half = student_quantile((1.0 + CONFIDENCE) / 2.0, moments.n - 1) * sd / math.sqrt(moments.n)
    return float(max(low, mean - half)), float(min(high, mean + half))


def equal_interval(mean: float, n: int, low: float, high: float) -> Interval:
    """The 95 % interval of a mean of n values that are all equal.

    Theirs would be one of no width, which claims a certainty that two or ten items cannot give. Here the rule of three
    speaks, in its exact form: with 95 % confidence fewer than p = 1 - 0.05 ** (1 / n) of all items differ, and those
    that do lie at most at an end of the scale, so the mean is within p times the way to either end.
    """
    share = 1.0 - (1.0 - CONFIDENCE) ** (1.0 / n)
    return mean - share * (mean - low), mean + share * (high - mean)


def way_of(n: int, values: int | None, *, at_ends: bool) -> Way | None:
    """How the interval of a mean of n items is found, which have so many different values; None: more than counted.

    `at_ends`: every value is one of the two ends of the scale, and so the mean is a rate, one of 0 or 1 too: there the
    rule of three looks one way only, and rates near an end would be covered in 92.5 % where it says 95 %.
    """
    if n < 2:
        return None
    if at_ends:
        return "wilson"
    if values == 1:
        return "rule of three"
    slow = values is None or (n >= MOST and values > FEW_VALUES)
    return "student" if n < LEAST or slow else "bootstrap"


def rate_interval(mean: float, n: int, low: float, high: float) -> Interval:
    """The Wilson interval of a mean of values that are all either `low` or `high`."""
    ends = wilson(round(n * (mean - low) / (high - low)), n)
    assert ends is not None
    return low + ends[0] * (high - low), low + ends[1] * (high - low)


def wilson(successes: int, n: int) -> Interval | None:
    """The 95 % Wilson score interval of a rate; unknown when nothing was counted."""
    if n == 0:
        return None
    z = _normal_quantile((1.0 + CONFIDENCE) / 2.0)
    rate, z2 = successes / n, z * z
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


@lru_cache(maxsize=4096)
def student_quantile(p: float, df: int) -> float:
    """The value that a Student t variable of `df` degrees of freedom stays below with probability `p`."""
    if not 0.0 < p < 1.0 or df < 1:
        raise ValueError(f"a quantile needs 0 < p < 1 and df >= 1, not p = {p} and df = {df}")
    if p < 0.5:
        return -student_quantile(1.0 - p, df)
    if p == 0.5:
        return 0.0
    if df == 1:
        return math.tan(math.pi * (p - 0.5))
    if df == 2:
        return (2 * p - 1) * math.sqrt(2.0 / (4 * p * (1 - p)))
    if df >= _LARGE_DF:
        return _expanded(p, df)
    return _solved(1.0 - p, df)


def _expanded(p: float, df: int) -> float:
    """The expansion in 1/df of Abramowitz and Stegun, 26.7.5."""
    z = _normal_quantile(p)
    z2 = z * z
    terms = (
        z * (z2 + 1) / 4,
        z * ((5 * z2 + 16) * z2 + 3) / 96,
        z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
        z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
    )
    return z + math.fsum(term / df**power for power, term in enumerate(terms, start=1))


def _solved(tail: float, df: int) -> float:
    """Newton steps on the upper tail, kept inside a bracket so that small df cannot throw them out."""
    low, high = 0.0, 1.0
    while _upper_tail(high, df) > tail:
        low, high = high, high * 2
    log_peak = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    t = (low + high) / 2
    for _ in range(200):
        excess = _upper_tail(t, df) - tail
        low, high = (t, high) if excess > 0 else (low, t)
        density = math.exp(log_peak - (df + 1) / 2 * math.log1p(t * t / df))
        step = t + excess / density
        step = step if low < step < high else (low + high) / 2
        if abs(step - t) <= 1e-14 * t:
            return step
        t = step
    return t


def _upper_tail(t: float, df: int) -> float:
    return _incomplete_beta(df / 2, 0.5, df / (df + t * t)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function."""
    if x >= 1.0:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _beta_fraction(a, b, x) / a
    return 1.0 - math.exp(log_front) * _beta_fraction(b, a, 1.0 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Lentz's evaluation of the continued fraction; it meets in O(sqrt(max(a, b))) steps."""
    c, d = 1.0, 1.0 / (1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for factor in (even, odd):
            d = 1.0 / (1.0 + factor * d)
            c = 1.0 + factor / c
            value *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return value


@lru_cache(maxsize=64)
def _normal_quantile(p: float) -> float:
    return NormalDist().inv_cdf(p)
