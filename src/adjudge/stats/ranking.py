"""Which candidate is best, and how surely: means of totals over the same items, compared pair by pair."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from operator import mul

from adjudge.stats.interval import Interval
from adjudge.stats.joint import Joint, around, half_width

DRAWS = 10_000
_EQUAL = 1e-9


def rounding(steps: Sequence[float]) -> float:
    """The variance that rounding gives to a sum of scores, each to a multiple of its step.

    A figure rounded to a multiple of h is off by an error of variance h²/12: Sheppard, "On the calculation of the most
    probable values of frequency-constants", Proc. London Math. Soc. 29 (1898).
    """
    return math.fsum(step * step for step in steps) / 12


def leader(joint: Joint, *, lowest: bool = False) -> int:
    """The place with the best mean; of equal ones, but for the dust of sums, the first."""
    means = [round(joint.mean(place), 9) for place in range(joint.size)]
    return means.index(min(means) if lowest else max(means))


def difference(
    joint: Joint, one: int, other: int, *, grain: float = 0.0, most: float = math.inf
) -> tuple[float, Interval | None]:
    """How far `one` is above `other` on the same items, with the 95 % interval of paired differences (Student, 1908).

    The interval is cut at `most`, the width of the scale, and unknown below two items. Where differences vary less than
    rounding alone makes them (see `rounding`), as where they are all equal, they count as varying so much: else three
    items would give an interval of no width.
    """
    mean = joint.mean(one) - joint.mean(other)
    if joint.n < 2:
        return mean, None
    low, high = around(mean, half_width(_between(joint, one, other) + 2 * _missing(joint, grain), joint.n))
    return mean, (max(-most, low), min(most, high))


def best(joint: Joint, *, seed: str, lowest: bool = False, grain: float = 0.0) -> list[float] | None:
    """For each place the probability that its mean is the best; unknown below two items.

    Given the items, the means are drawn from a multivariate t around those seen (Kotz and Nadarajah, Multivariate t
    Distributions and Their Applications, 2004) with the covariance of the items over n and n - 1 degrees of freedom:
    then each difference of two has the distribution that `difference` takes its interval from. The probability is the
    share of 10,000 seeded draws in which a place has the best mean.
    """
    if joint.n < 2:
        return None
    # numpy takes a tenth of a second to import, which no command pays at its start
    import numpy as np

    sign = -1.0 if lowest else 1.0
    means = [sign * joint.mean(place) for place in range(joint.size)]
    lower, df = _root(joint, _missing(joint, grain)), joint.n - 1
    draw = random.Random(seed)  # noqa: S311
    stretches, steps = np.empty((DRAWS, 1)), np.empty((DRAWS, joint.size))
    for at in range(DRAWS):
        stretches[at] = math.sqrt(df / (joint.n * draw.gammavariate(df / 2, 2.0)))
        steps[at] = [draw.gauss() for _ in means]
    root = np.zeros((joint.size, joint.size))
    for place, row in enumerate(lower):
        root[place, : place + 1] = row
    values = np.array(means) + (stretches * steps) @ root.T
    first = values >= values.max(axis=1, keepdims=True) - _EQUAL
    wins = (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    return [float(won) / DRAWS for won in wins]


def _between(joint: Joint, one: int, other: int) -> float:
    """The variance of the differences of two places."""
    spread = joint.covariance(one, one) + joint.covariance(other, other) - 2 * joint.covariance(one, other)
    return max(0.0, spread)


def _missing(joint: Joint, grain: float) -> float:
    """What each place must vary more by, on its own, so that no two of them differ more steadily than rounding lets."""
    pairs = [_between(joint, one, other) for one in range(joint.size) for other in range(one)]
    return max(0.0, grain - min(pairs) / 2) if pairs else 0.0


def _root(joint: Joint, more: float) -> list[list[float]]:
    """The lower Cholesky factor of the covariance; a direction in which nothing varies gets a column of zeros."""
    rows: list[list[float]] = []
    for i in range(joint.size):
        row: list[float] = []
        for j in range(i + 1):
            rest = joint.covariance(i, j) + (more if i == j else 0.0)
            known = rest - math.fsum(map(mul, row, rows[j] if j < i else row))
            if i == j:
                # what is left of a variance after rounding of floats is none
                row.append(math.sqrt(known) if known > 1e-12 * rest else 0.0)
            else:
                row.append(known / rows[j][j] if rows[j][j] else 0.0)
        rows.append(row)
    return rows
