"""Which items people should label, so that what they say of these tells most of all."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.stats.board import Floats, Ints

#: Into how many bands of the judge's score the items are put, and how many strata there may be in all.
BANDS = 4
MOST_STRATA = 8
#: Every stratum gives so many labels at least: with one its spread is unknown.
LEAST = 2
#: A band with fewer items than this is joined to the one beside it.
_SMALLEST = 2 * LEAST
_BINS = 40
#: How much people differ from what the judge's score lets expect, at either end of the scale, as a share of it.
AT_WORST = 0.28
AT_BEST = 0.19


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Strata:
    """The stratum of each item (-1 for one without a score), and the name and size of each stratum."""

    of: Ints
    names: tuple[str, ...]
    sizes: Ints


def stratify(quality: Floats, groups: Sequence[str]) -> Strata:
    """Bands of the judge's score from worst (0) to best (1), within each group (a language, a system) of the items.

    The bands lie where the sum of the square roots of the counts is cut into equal parts (Dalenius and Hodges, "Minimum
    variance stratification", Journal of the American Statistical Association 54, 1959). They follow from the scores
    alone: neither a seed nor the number of labels moves an item to another stratum.
    """
    judged = ~np.isnan(quality)
    names = sorted({group for group, known in zip(groups, judged.tolist(), strict=True) if known})
    if len(names) > MOST_STRATA // 2:
        names, groups = [""], [""] * len(groups)
    number = {name: place for place, name in enumerate(names)}
    whose = np.array([number.get(group, 0) for group in groups], dtype=np.int64)
    of, titles = np.full(len(quality), -1, dtype=np.int64), list[str]()
    for place, name in enumerate(names):
        here = np.flatnonzero(judged & (whose == place))
        bands = _bands(quality[here], min(BANDS, MOST_STRATA // max(1, len(names))))
        for band in range(int(bands.max(initial=-1)) + 1):
            of[here[bands == band]] = len(titles)
            titles.append(f"{name} b{band + 1}".strip())
    return Strata(of=of, names=tuple(titles), sizes=np.bincount(of[judged], minlength=len(titles)).astype(np.int64))


def _bands(quality: Floats, most: int) -> Ints:
    """The band of each item, from 0 for the worst scores; equal scores are in one band, and no band is tiny."""
    if not len(quality):
        return np.empty(0, dtype=np.int64)
    low, high = float(quality.min()), float(quality.max())
    width = (high - low) or 1.0
    place = np.minimum(((quality - low) / width * _BINS + 1e-9).astype(np.int64), _BINS - 1)
    counts = np.bincount(place, minlength=_BINS)
    roots = np.cumsum(np.sqrt(counts))
    # the middle of a bin decides its band, so that one full bin does not swallow the bands after it
    middle = (roots - np.sqrt(counts) / 2) / roots[-1]
    band = np.minimum((middle * most).astype(np.int64), most - 1)[place]
    return _joined(band)


def _joined(band: Ints) -> Ints:
    """Bands that are too small go to the next one up, the last of them to the one below; numbers without gaps."""
    kept: list[list[int]] = []
    pending: list[int] = []
    for number in np.unique(band).tolist():
        pending.append(number)
        if int(np.isin(band, pending).sum()) >= _SMALLEST:
            kept.append(pending)
            pending = []
    if pending and kept:
        kept[-1] += pending
    elif pending:
        kept = [pending]
    found = np.empty(len(band), dtype=np.int64)
    for place, numbers in enumerate(kept):
        found[np.isin(band, numbers)] = place
    return found


def expected_spread(quality: Floats, strata: Strata) -> Floats:
    """How much people's scores are expected to vary around the judge's in each stratum, as a share of the scale.

    Before anybody has labelled anything this is a guess, and a wrong guess costs precision, never honesty. In public
    sets of judges' scores with people's (docs/decisions/0021) people differ most where the judge gave the worst scores.
    """
    means = [float(quality[strata.of == number].mean()) for number in range(len(strata.names))]
    return np.array([AT_WORST + (AT_BEST - AT_WORST) * min(1.0, max(0.0, mean)) for mean in means])


def draw(strata: Strata, spread: Floats, n: int, rng: np.random.Generator, order: Sequence[str]) -> list[int]:
    """The places of `n` items, in the order in which to label them: a larger choice begins with every smaller one.

    Each stratum is shuffled once, and gives `LEAST` labels first. Each further label goes where it lowers the variance
    most: to the largest size times spread over the root of k (k + 1), which is Neyman's optimum in whole numbers
    (Neyman, Journal of the Royal Statistical Society 97, 1934; Wright, "The equivalence of Neyman optimum allocation
    for sampling and equal proportions for apportioning the U.S. House of Representatives", The American Statistician
    66, 2012). `order` are the items' ids: sorted by them before the shuffle, so that the order of rows decides nothing.
    """
    ids = sorted(range(len(order)), key=lambda place: order[place])
    shuffled: list[list[int]] = [[] for _ in strata.names]
    for place in ids:
        if (own := int(strata.of[place])) >= 0:
            shuffled[own].append(place)
    for members in shuffled:
        rng.shuffle(members)
    chosen: list[int] = []
    for turn in range(LEAST):
        chosen += [members[turn] for members in shuffled if turn < len(members)]
    # from the worst band to the best they would tell the judge's opinion
    rng.shuffle(chosen)
    # a spread of nothing would never get another label; ties go to the first stratum
    value = [float(size) * max(float(one), 1e-9) for size, one in zip(strata.sizes, spread, strict=True)]
    waiting = [(-one / math.sqrt(LEAST * (LEAST + 1)), own, LEAST) for own, one in enumerate(value)]
    heapq.heapify(waiting)
    while len(chosen) < n and waiting:
        _, own, taken = heapq.heappop(waiting)
        if taken >= len(shuffled[own]):
            continue
        chosen.append(shuffled[own][taken])
        heapq.heappush(waiting, (-value[own] / math.sqrt((taken + 1) * (taken + 2)), own, taken + 1))
    return chosen[:n]
