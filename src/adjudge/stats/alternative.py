"""The alternative-annotator test: may the judge stand in for a person?

Calderon, Reichart and Dror, "The alternative annotator test for LLM-as-a-judge: how to statistically justify replacing
human annotators with LLMs", ACL 2025 (arXiv 2501.10970).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from adjudge.stats.board import Axis, Floats, Ints
from adjudge.stats.estimate import dot
from adjudge.stats.power import student_tail

#: With two annotators each is the other's only measure, and there is no majority to stand in for.
ANNOTATORS_MIN = 3
#: Below so many clusters Student's test can't be relied on.
UNITS_MIN = 30
LEVEL = 0.05

#: Why the test was not made: fewer than three annotators, or fewer than three with enough units that others have too.
Untested = Literal["annotators", "units"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Against:
    """The judge against one annotator, over `n` units that others labelled too.

    `judge` is how often the judge is at least as near to the others as the annotator is, `person` how often the
    annotator is as near as the judge; in ties both are.
    """

    annotator: int
    n: int
    judge: float
    person: float
    p: float
    won: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Alternative:
    """The answer: `rate` is the share of annotators the judge won against, `advantage` the mean of `judge`.

    The judge may stand in where it won against half of them or more. `stands_in` is None where the test was not made,
    and `reason` says why. `annotator` in `against` is the column of the labels.
    """

    epsilon: float
    against: tuple[Against, ...] = ()
    rate: float | None = None
    advantage: float | None = None
    stands_in: bool | None = None
    reason: Untested | None = None


def alternative(judge: Floats, people: Floats, clusters: Ints, *, axis: Axis, epsilon: float) -> Alternative:
    """Test for each annotator whether the judge is as near to the other annotators as that one, less `epsilon`.

    Nearness is the negative root mean square distance to the others, on the scale's points unless the value is a
    derived one; on scales of two points this is the same as accuracy. Student's test is over clusters, and the p-values
    of the annotators go through Benjamini and Yekutieli.
    """
    shared = (~np.isnan(people)).sum(axis=1) >= 2
    shared &= ~np.isnan(judge)
    judge, people, clusters = judge[shared], people[shared], clusters[shared]
    if not axis.derived:
        judge, people = np.floor(judge + 0.5), np.floor(people + 0.5)
    columns = np.flatnonzero(~np.isnan(people).all(axis=0))
    if len(columns) < ANNOTATORS_MIN:
        return Alternative(epsilon=epsilon, reason="annotators")
    given = ~np.isnan(people)
    tried = [one for one in columns if len(np.unique(clusters[given[:, one]])) >= UNITS_MIN]
    if len(tried) < ANNOTATORS_MIN:
        return Alternative(epsilon=epsilon, reason="units")
    sums = np.where(given, people, 0.0).sum(axis=1), np.where(given, people**2, 0.0).sum(axis=1)
    found = [_against(judge, people[:, one], sums, given.sum(axis=1), clusters, epsilon) for one in tried]
    won = benjamini_yekutieli([one[3] for one in found])
    against = tuple(
        Against(annotator=int(column), n=n, judge=own, person=person, p=p, won=better)
        for column, (n, own, person, p), better in zip(tried, found, won, strict=True)
    )
    rate = sum(won) / len(won)
    advantage = math.fsum(one.judge for one in against) / len(against)
    return Alternative(epsilon=epsilon, against=against, rate=rate, advantage=advantage, stands_in=rate >= 0.5)


def _against(
    judge: Floats, person: Floats, sums: tuple[Floats, Floats], sizes: Ints, clusters: Ints, epsilon: float
) -> tuple[int, float, float, float]:
    """Units, how often the judge is as near, how often the person is, and the p of the null that the judge is worse."""
    rows = ~np.isnan(person)
    judge, own, others = judge[rows], person[rows], sizes[rows] - 1
    total, squares = sums[0][rows] - own, sums[1][rows] - own**2
    far_judge, far_own = (others * value**2 - 2 * value * total + squares for value in (judge, own))
    # Squares of points are whole numbers; those of derived values are rounded.
    same = np.isclose(far_judge, far_own, rtol=0.0, atol=1e-9)
    as_near, as_near_own = same | (far_judge < far_own), same | (far_own < far_judge)
    n, lead = len(judge), as_near_own.astype(float) - as_near
    mean = float(lead.mean())
    moves = np.bincount(np.unique(clusters[rows], return_inverse=True)[1], lead - mean) / n
    error = math.sqrt(dot(moves, moves) * len(moves) / (len(moves) - 1))
    p = student_tail((epsilon - mean) / error, len(moves) - 1) if error > 0.0 else float(mean >= epsilon)
    return n, float(as_near.mean()), float(as_near_own.mean()), p


def benjamini_yekutieli(ps: Sequence[float], level: float = LEVEL) -> list[bool]:
    """Which nulls are rejected, so that of the rejections `level` are false at most, however they hang together.

    Benjamini and Yekutieli, "The control of the false discovery rate in multiple testing under dependency", Annals of
    Statistics 29, 2001.
    """
    m = len(ps)
    step = level / (m * math.fsum(1 / place for place in range(1, m + 1)))
    passed = [p for place, p in enumerate(sorted(ps), 1) if p <= place * step]
    return [bool(passed) and p <= passed[-1] for p in ps]
