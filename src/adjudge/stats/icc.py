"""The intraclass correlation ICC(A,1): absolute agreement of single ratings, raters and units both drawn at random."""

from __future__ import annotations

import numpy as np

from adjudge.stats.board import Floats
from adjudge.stats.estimate import Estimate, dot, unknown


def icc(table: Floats, counts: Floats) -> Estimate:
    """ICC(A,1) over units × raters where each row occurs `counts` times; rows with a gap are left out.

    McGraw and Wong, "Forming inferences about some intraclass correlation coefficients", Psychological Methods 1, 1996
    (the ICC(2,1) of Shrout and Fleiss, 1979), written with the mean variance of the raters, the mean covariance of two
    of them and the variance of their means instead of mean squares.
    """
    whole = ~np.isnan(table).any(axis=1)
    rows, weight = table[whole], counts[whole]
    n, k = float(weight.sum()), table.shape[1]
    if n < 2 or k < 2:
        return unknown("few" if n else "none")
    means = (weight[:, None] * rows).sum(axis=0) / n
    off = rows - means
    sums = off.sum(axis=1)
    own = (off**2).mean(axis=1)
    shared = (sums**2 - k * own) / (k * (k - 1))
    variance, covariance = dot(weight, own) / (n - 1), dot(weight, shared) / (n - 1)
    apart = float(means.var(ddof=1))
    below = variance + apart - (variance - covariance) / n
    if variance + apart <= 0.0:
        return unknown("same")
    if below <= 0.0:
        # Two units in opposite orders: what is taken off for chance is all there is.
        return unknown("few")
    value = covariance / below
    of_means = (off * (means - means.mean())).sum(axis=1) * 2 / (k - 1)
    plain = (n - 1) / n
    moved = (shared - covariance * plain - value * (own - variance * plain + of_means)) / below
    influence = np.zeros(len(table))
    influence[whole] = moved * float(counts.sum()) / n
    return Estimate(value=value, influence=influence)
