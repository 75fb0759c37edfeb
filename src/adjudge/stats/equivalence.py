"""Are two sides the same? Not to see a difference shows nothing; to see that it can't be large does."""

from __future__ import annotations

import math

from adjudge.stats.board import Floats
from adjudge.stats.power import student_tail


def equivalence(differences: Floats, margin: float, span: float) -> float | None:
    """The p of the null that the mean difference is `margin` or more, in either direction; unknown below two.

    Two one-sided tests, of which the larger p counts: Schuirmann, "A comparison of the two one-sided tests procedure
    and the power approach for assessing the equivalence of average bioavailability", Journal of Pharmacokinetics and
    Biopharmaceutics 15 (1987). Differences that are all equal leave Student's test without a spread. There at least
    (margin - d) / (span - d) of all items would have to be otherwise for a mean beyond the margin, and that none of n
    is has the probability below: the rule of three, as in the interval of such a mean.
    """
    n = len(differences)
    if n < 2:
        return None
    mean = abs(math.fsum(differences.tolist()) / n)
    sd = float(differences.std(ddof=1)) if differences.min() < differences.max() else 0.0
    if sd > 0.0:
        return student_tail((margin - mean) / (sd / math.sqrt(n)), n - 1)
    if mean >= margin:
        return 1.0
    return float((1.0 - min(1.0, (margin - mean) / (span - mean))) ** n)
