"""Intervals that hold what they promise for any distribution, as long as old and new cases are alike."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable


def half_width(residuals: Iterable[tuple[Hashable, float]], share: float) -> float:
    """Half the width that holds a new case with probability `share` or more; infinite where there are too few groups.

    Cases come in groups (the texts of one source) that may be alike within: each group weighs 1 / (groups + 1) in all,
    spread evenly over its residuals, and the new group the same, at infinity (hierarchical conformal prediction, Lee,
    Barber and Willett 2023). With one case in each group it is the usual quantile of rank ceil((n + 1) share).
    """
    groups: dict[Hashable, list[float]] = {}
    for group, residual in residuals:
        groups.setdefault(group, []).append(abs(residual))
    weighed = sorted((residual, 1.0 / len(found)) for found in groups.values() for residual in found)
    wanted, held = share * (len(groups) + 1), 0.0
    for residual, weight in weighed:
        held += weight
        if held >= wanted - 1e-9:
            return residual
    return math.inf
