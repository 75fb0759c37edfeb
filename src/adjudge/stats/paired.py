"""Is B better than A? Two columns of scores on the same items, and the one word that they allow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adjudge.stats.board import Axis, Floats, Ints
from adjudge.stats.bootstrap import moments, resampled_interval
from adjudge.stats.equivalence import equivalence
from adjudge.stats.interval import Interval, mean_interval
from adjudge.stats.power import LEVEL, items_needed, smallest_shown
from adjudge.stats.signs import Way, sign_flips

Bools: TypeAlias = NDArray[np.bool_]
Word: TypeAlias = Literal["better", "worse", "same", "not_separable", "blocked"]
#: Why the word is what it is: a difference was shown; it was, and also to be within the margin; sameness was shown; the
#: test did not show a difference; all items rate the same, and are too few to speak of others; the test showed one, and
#: the interval has 0 in it; the difference is below what the judge can see; there are fewer than two items, or sources;
#: items that only one side judged would decide.
Why: TypeAlias = Literal["shown", "small", "within", "test", "equal", "interval", "noise", "few", "gaps"]

_DIGITS = 12
_WINNERS: frozenset[Word] = frozenset({"better", "worse"})
#: Two sides count as the same within this share of the scale where nobody stated another margin: 0.2 on a scale of 1-5.
MARGIN_SHARE = 0.05
#: Where fewer items differ from the rest, their resamples know as little of the tails as those of a few items do.
_LEAST_OFF = 8
#: The permutation test shows nothing of fewer units, and their spread is not known well enough to reckon with.
UNITS_MIN = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Tested:
    """What one set of differences shows.

    `n` items in `units` independent groups; `difference` is the mean of B minus A, `sd` the spread of one unit (of one
    item where every unit has one). `p` is that of no difference, `mid` its mid-p, `same` that of a difference beyond
    the margin; the adjusted ones (of mid-p and of sameness) are what decides, and are plain until `settle` has seen the
    whole family.
    """

    n: int
    units: int
    difference: float | None = None
    interval: Interval | None = None
    sd: float | None = None
    p: float | None = None
    mid: float | None = None
    way: Way | None = None
    same: float | None = None
    p_adjusted: float | None = None
    same_adjusted: float | None = None

    @property
    def spread(self) -> float | None:
        """The spread of one unit where there are enough of them to reckon how many it takes."""
        return self.sd if self.units >= UNITS_MIN else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Paired:
    """B against A on one axis: what the items that both judged show, and whether the others could turn it.

    `best` and `worst` are what the differences would show if every gap of one side were filled with the end of the
    scale that favours B most, and A most; without such gaps there are none. `smallest` is the difference that these
    data would have shown four times in five; `needed` the number of items that would show the difference seen so often.
    Both are unknown below `UNITS_MIN` units, and so is `smallest` where no difference on the scale would be enough.
    """

    axis: Axis
    n: int
    only_a: int
    only_b: int
    neither: int
    mean_a: float | None
    mean_b: float | None
    wins: int
    losses: int
    ties: int
    seen: Tested
    best: Tested | None
    worst: Tested | None
    margin: float
    noise: float | None
    smallest: float | None
    needed: int | None

    @property
    def difference(self) -> float | None:
        """The mean of B minus that of A over the items that both judged."""
        return self.seen.difference

    @property
    def interval(self) -> Interval | None:
        return self.seen.interval

    @property
    def p(self) -> float | None:
        """The mid-p of the permutation test, adjusted for its family by `settle`: the one that decides."""
        return self.seen.p_adjusted

    @property
    def word(self) -> Word:
        """What may be said of B against A; `better` always means that B is."""
        return self.verdict[0]

    @property
    def why(self) -> Why:
        return self.verdict[1]

    @property
    def verdict(self) -> tuple[Word, Why]:
        """The one place where tests, interval, gaps and noise become a word; they can't contradict each other in it.

        A winner needs its test and the interval to agree, and so does sameness. A difference that the judge's noise
        could have made has no winner. Where items were judged on one side only, what is said must hold as they are seen
        and with the gaps filled in favour of either side. A winner goes before sameness: a small difference is one.
        """
        tests = [tested for tested in (self.seen, self.best, self.worst) if tested is not None]
        claims = [self._claims(tested) for tested in tests]
        held = set.intersection(*claims)
        for word in _WINNERS & held:
            return word, "small" if "same" in held else "shown"
        if "same" in held:
            return "same", "within"
        if any(claims):
            return "blocked", "gaps"
        return "not_separable", self._open()

    def _claims(self, tested: Tested) -> set[Word]:
        """What these differences show."""
        claims: set[Word] = set()
        if tested.difference is None or tested.interval is None:
            return claims
        low, high = tested.interval
        if _shows(tested.same_adjusted) and -self.margin <= low and high <= self.margin:
            claims.add("same")
        loud = self.noise is None or abs(tested.difference) >= self.noise
        if _shows(tested.p_adjusted) and loud and (low > 0.0 or high < 0.0):
            claims.add("better" if tested.difference * self.axis.sign > 0.0 else "worse")
        return claims

    def _open(self) -> Why:
        """What stood in the way of a winner."""
        if self.seen.interval is None:
            return "few"
        if self.ties == self.n:
            return "equal"
        if not _shows(self.seen.p_adjusted):
            return "test"
        low, high = self.seen.interval
        return "interval" if low <= 0.0 <= high else "noise"


def compare_pair(
    a: Floats,
    b: Floats,
    *,
    axis: Axis,
    clusters: Ints | None = None,
    margin: float | None = None,
    noise: float | None = None,
    rng: np.random.Generator,
) -> Paired:
    """Compare two aligned columns with gaps (NaN); `clusters` numbers the items by what they have in common.

    Items of one number are resampled and flipped together. Without a margin it is `MARGIN_SHARE` of the scale. `noise`
    is the smallest difference that the judge can see against its own noise. Call `settle` on the whole family of pairs
    before you read a word.
    """
    margin = MARGIN_SHARE * axis.span if margin is None else margin
    in_a, in_b = ~np.isnan(a), ~np.isnan(b)
    both, either = in_a & in_b, in_a | in_b

    def over(items: Bools, fill_a: float, fill_b: float) -> Tested:
        gaps = np.where(in_b, b, fill_b)[items] - np.where(in_a, a, fill_a)[items]
        return _tested(gaps, None if clusters is None else clusters[items], axis.span, margin, rng)

    bad, good = (axis.low, axis.high) if axis.sign > 0 else (axis.high, axis.low)
    open_ = not np.array_equal(both, either)
    seen = over(both, 0.0, 0.0)
    ahead = axis.sign * np.round(b[both] - a[both], _DIGITS)
    per_unit = seen.n / max(1, seen.units)
    needed = None if seen.spread is None else items_needed(seen.difference or 0.0, seen.spread)
    smallest = None if seen.spread is None else smallest_shown(seen.spread, seen.units)
    return Paired(
        axis=axis,
        n=seen.n,
        only_a=int((in_a & ~in_b).sum()),
        only_b=int((in_b & ~in_a).sum()),
        neither=int((~either).sum()),
        mean_a=_mean(a[both]),
        mean_b=_mean(b[both]),
        wins=int((ahead > 0).sum()),
        losses=int((ahead < 0).sum()),
        ties=int((ahead == 0).sum()),
        seen=seen,
        best=over(either, bad, good) if open_ else None,
        worst=over(either, good, bad) if open_ else None,
        margin=margin,
        noise=noise,
        smallest=smallest if smallest is not None and smallest <= axis.span else None,
        needed=None if needed is None else math.ceil(needed * per_unit),
    )


def settle(pairs: Sequence[Paired]) -> list[Paired]:
    """The same pairs with p adjusted by Holm over all of them: the criteria of a comparison, or all pairs of sides.

    Tests of a difference are one family and tests of sameness another; what would be if gaps were filled is adjusted as
    if all gaps were filled in that way.
    """
    seen = _adjusted([pair.seen for pair in pairs])
    best = _adjusted([pair.best or pair.seen for pair in pairs])
    worst = _adjusted([pair.worst or pair.seen for pair in pairs])
    return [
        replace(pair, seen=seen[at], best=pair.best and best[at], worst=pair.worst and worst[at])
        for at, pair in enumerate(pairs)
    ]


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Adjusted p of tests that are read together; gaps stay gaps and don't count.

    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979): the
    chance that any true null among them has an adjusted p of 0.05 or less is at most 5 %.
    """
    known = sorted((p, at) for at, p in enumerate(ps) if p is not None and not math.isnan(p))
    adjusted: list[float | None] = [None] * len(ps)
    largest = 0.0
    for rank, (p, at) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * p))
        adjusted[at] = largest
    return adjusted


def unit_values(values: Floats, clusters: Ints | None) -> tuple[Floats, Floats]:
    """What each cluster adds to the sum of the values, and numbers, one a cluster, that vary as the mean does.

    The mean over items whose clusters are the sample is a ratio of sums. Its linearised values (Cochran, Sampling
    Techniques, 3rd ed., 1977, section 6.3) have this mean, and the variance of their mean is that of the ratio. Items
    without clusters are units of their own.
    """
    if clusters is None:
        return values, values
    order = np.lexsort((values, clusters))
    _, place, sizes = np.unique(clusters[order], return_inverse=True, return_counts=True)
    sums: Floats = np.round(np.bincount(place.reshape(-1), weights=values[order], minlength=len(sizes)), _DIGITS)
    mean = math.fsum(values.tolist()) / len(values)
    return sums, np.round(mean + len(sizes) / len(values) * (sums - mean * sizes), _DIGITS)


def _tested(differences: Floats, clusters: Ints | None, span: float, margin: float, rng: np.random.Generator) -> Tested:
    n = len(differences)
    if not n:
        return Tested(n=0, units=0)
    # equal differences of decimals are equal only after rounding: 0.7 - 0.3 is not 0.8 - 0.4
    sums, units = map(np.sort, unit_values(np.round(differences, _DIGITS), clusters))
    flips = sign_flips(sums, rng)
    same = equivalence(units, margin, span)
    return Tested(
        n=n,
        units=len(units),
        difference=_mean(differences),
        interval=_interval(units, span, rng),
        sd=float(units.std(ddof=1)) if len(units) > 1 else None,
        p=flips.p,
        mid=flips.mid,
        way=flips.way,
        same=same,
        p_adjusted=flips.mid,
        same_adjusted=same,
    )


def _interval(units: Floats, span: float, rng: np.random.Generator) -> Interval | None:
    """As that of any mean; Student's where nearly all differ by the same, which is the rule where systems are alike."""
    points, counts = np.unique(units, return_counts=True)
    inside = len(points) > 1 and bool((np.abs(points) < span).any())
    if inside and len(units) - int(counts.max()) < _LEAST_OFF:
        return mean_interval(moments(units), -span, span)
    return resampled_interval(units, -span, span, rng)


def _adjusted(tests: Sequence[Tested]) -> list[Tested]:
    ps, sames = holm([test.mid for test in tests]), holm([test.same for test in tests])
    return [replace(test, p_adjusted=p, same_adjusted=same) for test, p, same in zip(tests, ps, sames, strict=True)]


def _shows(p: float | None) -> bool:
    return p is not None and p <= LEVEL


def _mean(values: Floats) -> float | None:
    return math.fsum(values.tolist()) / len(values) if len(values) else None
