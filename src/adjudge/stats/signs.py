"""The permutation test of paired differences: were the sides the same, each difference might have had the other sign.

Fisher, The Design of Experiments (1935), section 21. Under that null all 2**m choices of signs of the m differences
that are not 0 are equally likely, and p is the share of choices whose sum is at least as far from 0 as the sum seen.

Sums of points come in steps (flipping a sign moves the sum by an even number), so that p jumps over 5 %: a test by p
errs in 3 % of 30 pairs on a scale of 1-5. The mid-p counts half of the choices that come out just as far, and errs in
about 5 % (Lancaster, "Significance tests in discrete distributions", JASA 56, 1961).
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from adjudge.stats.board import Floats, Ints

#: How p came about: all choices of signs, a sample of them, or the normal distribution that their sum has in the limit.
Way: TypeAlias = Literal["exact", "drawn", "normal"]

DRAWS = 9_999
#: So many differences off any grid have few enough choices of signs to go through all of them.
_ENUMERATED = 16
#: Of so many like differences the sum is closer to normal (p within 0.0001) than 9,999 draws come.
_NORMAL = 1_000
_FINEST, _POINTS, _WORK = 120, 256, 20_000_000
_AT_ONCE = 4_000_000
#: Sums of doubles can't tell smaller p from 0.
_LEAST = 1e-15


class Flips(NamedTuple):
    """The two-sided p of no difference, its mid-p, and the way they were found."""

    p: float
    mid: float
    way: Way


def sign_flips(differences: Floats, rng: np.random.Generator) -> Flips:
    """The test of no difference; the order of the differences decides nothing."""
    sizes = np.sort(np.abs(differences[differences != 0.0]))
    seen = abs(math.fsum(differences.tolist()))
    if not len(sizes):
        return Flips(1.0, 1.0, "exact")
    points, found = np.unique(sizes, return_counts=True)
    counts = found.astype(np.int64)
    grain = grid(points)
    if grain is not None:
        whole = np.rint(points * grain)
        unit = float(np.gcd.reduce(whole.astype(np.int64)))
        length = _length(whole / unit, counts)
        if length * len(points) <= _WORK:
            return Flips(*_on_grid(whole / unit, counts, round(seen * grain / unit), length), "exact")
    if len(sizes) <= _ENUMERATED:
        return Flips(*_enumerated(sizes, seen), "exact")
    if (sizes**2).sum() ** 2 >= _NORMAL * (sizes**4).sum():
        p = max(_LEAST, math.erfc(seen / math.sqrt(2.0 * math.fsum((sizes**2).tolist()))))
        return Flips(p, p, "normal")
    return Flips(*_drawn(sizes, seen, rng), "drawn")


def grid(points: Floats) -> int | None:
    """The least k of which all the numbers are multiples of 1 / k; there is none where they are measured finely."""
    if len(points) > _POINTS:
        return None
    multiples = points[:, None] * np.arange(1, _FINEST + 1)
    whole = np.abs(multiples - np.rint(multiples)).max(axis=0) < 1e-9
    return int(whole.argmax()) + 1 if whole.any() else None


def _length(whole: Floats, counts: Ints) -> int:
    """A power of two above twice the largest sum, or twice ten of its standard deviations where that is less.

    Beyond ten the probability is below 1e-21 (Hoeffding, "Probability inequalities for sums of bounded random
    variables", JASA 58, 1963), so what wraps round from there is not to be seen.
    """
    furthest = min(float((whole * counts).sum()), 10.0 * math.sqrt(float((whole**2 * counts).sum())))
    return 1 << math.ceil(math.log2(2.0 * furthest + 2.0))


def _on_grid(whole: Floats, counts: Ints, seen: int, length: int) -> tuple[float, float]:
    """Exact for whole numbers however many: the sum has the characteristic function prod cos(size * angle) ** count.

    Its inverse Fourier transform gives the probabilities of all sums at once (Pagano and Tritchler, "On obtaining
    permutation distributions in polynomial time", JASA 78, 1983).
    """
    angles = np.arange(length // 2 + 1) * (2.0 * math.pi / length)
    wave = np.ones(len(angles))
    for size, count in zip(whole, counts, strict=True):
        wave *= np.cos(size * angles) ** int(count)
    chances = np.fft.irfft(wave, length)
    # sums from -seen + 1 to seen - 1 are nearer to 0; the negative ones stand at the end
    nearer = float(chances[0] + 2.0 * chances[1:seen].sum()) if 0 < seen <= length // 2 else float(seen > 0)
    p = min(1.0, max(1.0 - nearer, math.ldexp(2.0, -int(counts.sum())), _LEAST))
    as_far = float(chances[seen]) * (2.0 if seen else 1.0) if seen <= length // 2 else p
    return p, p - min(p, as_far) / 2.0


def _enumerated(sizes: Floats, seen: float) -> tuple[float, float]:
    """By symmetry the first sign is fixed."""
    choices = np.arange(1 << (len(sizes) - 1))[:, None] >> np.arange(len(sizes)) & 1
    sums = np.abs((1.0 - 2.0 * choices) @ sizes)
    slack = 1e-11 * float(sizes.sum())
    beyond, further = float((sums >= seen - slack).mean()), float((sums > seen + slack).mean())
    return beyond, (beyond + further) / 2.0


def _drawn(sizes: Floats, seen: float, rng: np.random.Generator) -> tuple[float, float]:
    """The choice seen counts among the drawn ones, so that p is never too small.

    Phipson and Smyth, "Permutation P-values should never be zero", Statistical Applications in Genetics and Molecular
    Biology 9 (2010).
    """
    m, whole, beyond, further = len(sizes), float(sizes.sum()), 0, 0
    step = max(1, _AT_ONCE // m)
    for start in range(0, DRAWS, step):
        rows = min(step, DRAWS - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes(rows * m // 8 + 1), dtype=np.uint8), count=rows * m)
        sums = np.abs(whole - 2.0 * (bits.reshape(rows, m).astype(np.float64) @ sizes))
        beyond += int((sums >= seen - 1e-11 * whole).sum())
        further += int((sums > seen + 1e-11 * whole).sum())
    return (beyond + 1) / (DRAWS + 1), ((beyond + further) / 2.0 + 1) / (DRAWS + 1)
