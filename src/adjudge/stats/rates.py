"""The share that people would have passed, from the labels of some items and the judge's yes or no of all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from adjudge.stats.board import Floats, Ints
from adjudge.stats.correct import Slice
from adjudge.stats.estimate import dot
from adjudge.stats.interval import CONFIDENCE, Interval, student_quantile

_Z = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """A share with its interval; `n` are the independent items that it is worth, fewer where weights or sources say."""

    rate: float
    ci95: Interval
    n: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrected:
    """The judge's share over all items, people's over the labelled, and the corrected one.

    `passed` and `failed` are the shares that people pass of what the judge passes and fails; `sensitivity` and
    `specificity` are the shares that the judge passes of what people pass, and fails of what they fail. `rogan_gladen`
    is the share that follows from these two: None where people passed all or nothing, or the judge tells nothing.
    """

    judge: Rate
    labels: Rate
    corrected: Rate
    passed: Rate | None
    failed: Rate | None
    sensitivity: Rate | None
    specificity: Rate | None
    rogan_gladen: tuple[float, Interval] | None


def corrected_rate(data: Slice) -> Corrected | None:
    """The share that people would pass, where `data` has 1 for a pass and 0 for none; None where it can't be known.

    The judge's passes count with the share that people pass among them, and its failures with that among them. Both
    shares are known from labels: each has a Wilson interval, as has the judge's own share of passes over all items, and
    the squares of their reaches add up (Zou and Donner, "Construction of confidence intervals about effect measures: a
    general approach", Statistics in Medicine 27, 2008), so that the correction's own error is in the interval. It
    can't be known where the judge passed or failed items of which none is labelled.
    """
    weights, has = weights_of(data), data.labelled
    y, f, w, sources = data.people[has], data.judge[has], weights[has], data.clusters[has]
    judged = _rate(data.judge, np.ones(len(data.judge)), _worth(data.judge - data.judge.mean(), data.clusters))
    labels = _rate(y, w, _worth(w * (y - _mean(y, w)), sources))
    if judged is None or labels is None:
        return None
    said = f == 1
    # one worth for both shares: a source may have texts in each, and what it hides in one it hides in the other
    worth = _worth(w * (y - np.where(said, _mean(y, w * said), _mean(y, w * ~said))), sources)
    passed, failed = _rate(y[said], w[said], worth), _rate(y[~said], w[~said], worth)
    if (passed is None and judged.rate > 0) or (failed is None and judged.rate < 1):
        return None
    yes = y == 1
    sensitivity = _rate(f[yes], w[yes], _worth((w * (f - _mean(f, w * yes)))[yes], sources[yes]))
    specificity = _rate(1.0 - f[~yes], w[~yes], _worth((w * (f - _mean(f, w * ~yes)))[~yes], sources[~yes]))
    return Corrected(
        judge=judged,
        labels=labels,
        corrected=_mixed(judged, passed, failed, labels.n),
        passed=passed,
        failed=failed,
        sensitivity=sensitivity,
        specificity=specificity,
        rogan_gladen=rogan_gladen(judged, sensitivity, specificity) if sensitivity and specificity else None,
    )


def weights_of(data: Slice) -> Floats:
    """How many items each labelled one stands for: its stratum's size over its labels; 0 where there is no label."""
    _, stratum = np.unique(data.strata, return_inverse=True)
    counts = np.bincount(stratum[data.labelled], minlength=int(stratum.max()) + 1)
    each = np.bincount(stratum) / np.maximum(counts, 1)
    found: Floats = np.where(data.labelled, each[stratum], 0.0)
    return found


def _mean(values: Floats, weights: Floats) -> float:
    return dot(weights, values) / total if (total := float(weights.sum())) else 0.0


def _worth(off: Floats, sources: Ints) -> float:
    """The part of their number that items are worth where several are of one source and alike; 1 where none are.

    By how much the variance that sums within sources exceeds the one that does not, and Student's quantile for so many
    sources the normal one (Korn and Graubard, "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24, 1998).
    """
    group = np.unique(sources, return_inverse=True)[1]
    held = int(group.max(initial=-1)) + 1
    alone = float((off**2).sum())
    together = float((np.bincount(group, off) ** 2).sum()) if held else 0.0
    if not 1 < held < len(off) or together <= alone:
        return 1.0
    wider = student_quantile((1.0 + CONFIDENCE) / 2.0, held - 1) / _Z
    return alone / (together * held / (held - 1) * wider**2)


def _rate(passes: Floats, weights: Floats, worth: float) -> Rate | None:
    """A weighted share with its Wilson interval; unequal weights make items fewer (Kish, "Survey sampling", 1965)."""
    if not len(passes):
        return None
    total = float(weights.sum())
    rate = min(1.0, max(0.0, dot(weights, passes) / total))
    n = worth * total**2 / float((weights**2).sum())
    return Rate(rate=rate, ci95=wilson_at(rate, n), n=n)


def wilson_at(rate: float, n: float) -> Interval:
    """The Wilson interval of a share of `n` items, where n need not be whole."""
    centre = (rate + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n * n))
    return 0.0 if rate == 0.0 else max(0.0, centre - half), 1.0 if rate == 1.0 else min(1.0, centre + half)


def _mixed(judged: Rate, passed: Rate | None, failed: Rate | None, n: float) -> Rate:
    """passes × (people's share there) + the rest × (people's share there)."""
    share = judged.rate
    top, bottom = passed or failed, failed or passed
    assert top is not None and bottom is not None
    rate = share * top.rate + (1.0 - share) * bottom.rate
    differ = top.rate - bottom.rate

    def reach(end: int) -> float:
        # where passes say no, more of them lower the share: the other end of the judge's interval counts
        own = (judged.rate - judged.ci95[end if differ > 0 else 1 - end]) * differ
        return math.hypot(share * (top.rate - top.ci95[end]), (1.0 - share) * (bottom.rate - bottom.ci95[end]), own)

    return Rate(rate=rate, ci95=(max(0.0, rate - reach(0)), min(1.0, rate + reach(1))), n=n)


def rogan_gladen(judge: Rate, sensitivity: Rate, specificity: Rate) -> tuple[float, Interval] | None:
    """The share that a judge of this sensitivity and specificity must have seen; None where it tells nothing.

    Rogan and Gladen, "Estimating prevalence from the results of a screening test", American Journal of Epidemiology
    107, 1978. The interval has the error of all three shares in it, with the small-sample adjustment of Lee, Zeng,
    Jeong, Sohn and Lee, "How to correctly report LLM-as-a-judge evaluations", 2025 (arXiv 2511.21140). It needs no
    random labels: only that judge and people differ on them as they do elsewhere.
    """
    told = sensitivity.rate + specificity.rate - 1.0
    n, m0, m1 = judge.n + _Z**2, specificity.n + 2, sensitivity.n + 2
    p = (judge.n * judge.rate + _Z**2 / 2) / n
    q0, q1 = (specificity.n * specificity.rate + 1) / m0, (sensitivity.n * sensitivity.rate + 1) / m1
    if told <= 0 or q0 + q1 <= 1.0:
        return None
    moved = (p + q0 - 1) / (q0 + q1 - 1)
    shift = 2 * _Z**2 * (-(1 - moved) * q0 * (1 - q0) / m0 + moved * q1 * (1 - q1) / m1)
    error = math.sqrt(p * (1 - p) / n + (1 - moved) ** 2 * q0 * (1 - q0) / m0 + moved**2 * q1 * (1 - q1) / m1)
    half = _Z * error / (q0 + q1 - 1)
    return _share((judge.rate + specificity.rate - 1.0) / told), (
        _share(moved + shift - half),
        _share(moved + shift + half),
    )


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
