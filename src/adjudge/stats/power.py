"""What so many items can show, and how many items it takes to show so much."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from adjudge.stats.board import Floats
from adjudge.stats.interval import student_quantile

#: How often a difference is to be shown where there is one, and how often one may be where there is none.
POWER, LEVEL = 0.8, 0.05
_NODES = 128
_MOST_UNITS = 10**12


def student_tail(t: float, df: int, shift: float = 0.0) -> float:
    """The probability that a Student t variable of `df` degrees of freedom, moved by `shift`, is above t.

    (Z + shift) / S > t, where Z is normal and S² a chi-square over its `df`, is integrated over S by Gauss-Legendre
    nodes (Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 2, 2nd ed., 1995, chapter 31).
    """
    nodes, weights = _spread(df)
    below = [math.erfc((t * s - shift) / math.sqrt(2.0)) / 2.0 for s in nodes]
    return min(1.0, math.fsum(map(float.__mul__, below, weights)))


def smallest_shown(sd: float, n: int, *, power: float = POWER, level: float = LEVEL) -> float | None:
    """The least difference that n pairs, whose differences vary by `sd`, show so often; unknown below two of them.

    Pairs that all differ by the same give no `sd`, and then it is unknown too.
    """
    return _least_shift(n - 1, power, level) / math.sqrt(n) * sd if n > 1 and sd > 0.0 else None


def items_needed(difference: float, sd: float, *, power: float = POWER, level: float = LEVEL) -> int | None:
    """The least number of pairs that show this difference so often; no number shows a difference of 0.

    Where all pairs differ by the same, `sd` is 0 and the number is unknown.
    """
    effect = abs(difference) / sd if sd > 0.0 else 0.0
    if effect == 0.0:
        return None
    normal = ((NormalDist().inv_cdf(1.0 - level / 2) + NormalDist().inv_cdf(power)) / effect) ** 2
    if normal > _MOST_UNITS:
        return None
    # Student's test takes a few more than the normal one, and never fewer
    n = max(2, math.ceil(normal))
    while _power(effect * math.sqrt(n), n - 1, level) < power:
        n += 1
    return n


@lru_cache(maxsize=512)
def _least_shift(df: int, power: float, level: float) -> float:
    """How many standard errors a difference must have for this power, by halving."""
    low, high = 0.0, 4.0
    while _power(high, df, level) < power:
        low, high = high, high * 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, df, level) < power else (low, middle)
    return high


def _power(shift: float, df: int, level: float) -> float:
    """How often Student's two-sided test shows a difference of so many standard errors.

    Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd ed. (1988), chapter 2.
    """
    bound = student_quantile(1.0 - level / 2, df)
    return student_tail(bound, df, shift) + student_tail(bound, df, -shift)


@lru_cache(maxsize=512)
def _spread(df: int) -> tuple[list[float], list[float]]:
    """Nodes and weights for S: its density in logarithms, so that many degrees of freedom don't overflow."""
    nodes, weights = _legendre()
    reach = 10.0 / math.sqrt(2.0 * df)
    low, high = max(0.0, 1.0 - reach), 1.0 + reach
    s = low + (high - low) * (nodes + 1.0) / 2.0
    density = np.exp((df - 1) * np.log(s) - df * (s - 1.0) * (s + 1.0) / 2.0)
    parts = weights * density
    return s.tolist(), (parts / parts.sum()).tolist()


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
