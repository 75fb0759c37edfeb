"""Cohen's kappa: agreement on the points of a scale beyond what two raters of these habits have by chance."""

from __future__ import annotations

from typing import Literal

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.estimate import Estimate, dot, unknown

Weights = Literal["none", "linear", "quadratic"]


def kappa(a: Ints, b: Ints, counts: Floats, weights: Weights) -> Estimate:
    """Kappa over rows of two points that occur `counts` times.

    Cohen, "Weighted kappa", Psychological Bulletin 70, 1968. The influence function leads to the variance of Fleiss,
    Cohen and Everitt, "Large sample standard errors of kappa and weighted kappa", Psychological Bulletin 72, 1969.
    """
    points, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    if len(points) < 2:
        return unknown("same")
    at_a, at_b = places[: len(a)], places[len(a) :]
    shares = counts / counts.sum()
    of_a, of_b = (np.bincount(at, shares, len(points)).astype(float) for at in (at_a, at_b))
    far = _distance(points, weights)
    cost = far[at_a, at_b]
    seen = dot(shares, cost)
    expected_a, expected_b = far @ of_b, far @ of_a
    expected = dot(of_a, expected_a)
    moved = (cost - seen) / expected - seen / expected**2 * (expected_a[at_a] + expected_b[at_b] - 2 * expected)
    return Estimate(value=1 - seen / expected, influence=-moved)


def _distance(points: Ints, weights: Weights) -> Floats:
    gaps = np.abs(np.subtract.outer(points, points)).astype(float)
    if weights == "none":
        return (gaps > 0).astype(float)
    return gaps if weights == "linear" else gaps**2
