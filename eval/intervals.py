"""How well 95 % intervals of means cover, over kinds of scores and numbers of items.

    python -m eval.intervals                                    the table of docs/intervals.md
    python -m eval.intervals --ways --items 20 50               that of docs/decisions/0018-resampled-means.md

A cell of the first is the share of simulated runs in percent whose interval holds the true mean: Student's, and the one
that reports have. The second has other ways too, and their mean widths.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from adjudge.stats.board import Floats, Ints, generator
from adjudge.stats.bootstrap import counted_interval, mean_draws
from adjudge.stats.interval import CONFIDENCE, Interval, equal_interval, rate_interval, student_quantile, way_of

ITEMS = (10, 20, 30, 50, 100, 300, 1000)
SIMULATIONS = 2_000
#: Fewer than a report draws, so that the tables take minutes.
DRAWS = 2_000


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A distribution of item means, and the ends of their scale."""

    values: tuple[float, ...]
    chances: tuple[float, ...]
    low: float = 1
    high: float = 5

    @property
    def mean(self) -> float:
        return math.fsum(value * chance for value, chance in zip(self.values, self.chances, strict=True))


def repeated(repeats: int = 3) -> Kind:
    """Means of repeats of one item: items differ, most of them are good, and each repeat has noise of its own."""
    found: dict[float, float] = {}
    for quality, share in ((4.8, 0.5), (4.2, 0.3), (3.0, 0.15), (1.5, 0.05)):
        normal = NormalDist(quality, 0.6)
        below = [0.0, *(normal.cdf(point + 0.5) for point in range(1, 5)), 1.0]
        chances = [high - low for low, high in itertools.pairwise(below)]
        for points in itertools.product(range(5), repeat=repeats):
            mean = 1 + sum(points) / repeats
            found[mean] = found.get(mean, 0.0) + share * math.prod(chances[point] for point in points)
    return Kind(values=tuple(sorted(found)), chances=tuple(found[value] for value in sorted(found)))


def _five(*chances: float) -> Kind:
    return Kind(values=(1, 2, 3, 4, 5), chances=chances)


KINDS: Mapping[str, Kind] = {
    "symmetric": _five(0.1, 0.2, 0.4, 0.2, 0.1),
    "two heaps": _five(0.4, 0.05, 0.05, 0.1, 0.4),
    "skewed": _five(0.02, 0.03, 0.1, 0.35, 0.5),
    "very skewed": _five(0.01, 0.02, 0.05, 0.12, 0.8),
    "extreme": _five(0.02, 0.0, 0.02, 0.06, 0.9),
    "3 repeats": repeated(),
    "4 or 5": Kind(values=(4, 5), chances=(0.3, 0.7)),
    "rarely 4": Kind(values=(4, 5), chances=(0.1, 0.9)),
    "yes 90 %": Kind(values=(0, 1), chances=(0.1, 0.9), low=0, high=1),
    "yes 97 %": Kind(values=(0, 1), chances=(0.03, 0.97), low=0, high=1),
}


def student(points: Floats, counts: Ints, rng: np.random.Generator) -> Interval:
    """Student's interval."""
    n = int(counts.sum())
    mean = float(counts @ points) / n
    error = math.sqrt(float(counts @ (points - mean) ** 2) / (n - 1) / n)
    half = student_quantile((1.0 + CONFIDENCE) / 2.0, n - 1) * error
    return mean - half, mean + half


def percentile(points: Floats, counts: Ints, rng: np.random.Generator) -> Interval:
    """Percentiles of resampled means, so far out that a symmetric sample gets the width of Student's interval."""
    n = int(counts.sum())
    out = NormalDist().cdf(-math.sqrt(n / (n - 1)) * student_quantile((1.0 + CONFIDENCE) / 2.0, n - 1))
    low, high = np.quantile(mean_draws(np.repeat(points, counts), DRAWS, rng), [out, 1.0 - out])
    return float(low), float(high)


def studentised(points: Floats, counts: Ints, rng: np.random.Generator) -> Interval:
    """The bootstrap-t (Efron, 1982); a resample of equal values is infinitely far out."""
    n = int(counts.sum())
    draws = rng.multinomial(n, counts / n, size=DRAWS)
    means = draws @ points / n
    mean = float(counts @ points) / n
    errors = np.sqrt(np.maximum(0.0, draws @ points**2 - n * means**2) / (n - 1) / n)
    off = np.where(np.abs(means - mean) < 1e-9, 0.0, means - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(off == 0.0, 0.0, np.where(errors > 1e-9, off / errors, np.sign(off) * np.inf))
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(far, [tail, 1.0 - tail], method="inverted_cdf")
    error = math.sqrt(float(counts @ (points - mean) ** 2) / (n - 1) / n)
    return mean - float(high) * error, mean - float(low) * error


def accelerated(points: Floats, counts: Ints, rng: np.random.Generator) -> Interval:
    """The interval that reports have."""
    return counted_interval(points, counts, rng, DRAWS)


WAYS: Mapping[str, Callable[[Floats, Ints, np.random.Generator], Interval]] = {
    "Student": student,
    "percentile": percentile,
    "bootstrap-t": studentised,
    "BCa": accelerated,
}


def coverage(kind: Kind, n: int, simulations: int, ways: Sequence[str], seed: int) -> dict[str, tuple[float, float]]:
    """By way how often the intervals of n items hold the true mean, and their width; "report": that of reports."""
    rng = generator(seed, "coverage", repr(kind), str(n))
    values = np.array(kind.values, dtype=np.float64)
    chances = np.array(kind.chances) / math.fsum(kind.chances)
    found = {way: [0.0, 0.0] for way in ways}
    known: dict[tuple[str, bytes], Interval] = {}
    for counts in rng.multinomial(n, chances, size=simulations):
        points, many = values[counts > 0], counts[counts > 0]
        for way in ways:
            # as in a report, the same scores have the same interval
            if (key := (way, counts.tobytes())) not in known:
                known[key] = _interval(way, points, many, kind, rng)
            low, high = known[key]
            found[way][0] += (low - 1e-12 <= kind.mean <= high + 1e-12) / simulations
            found[way][1] += (high - low) / simulations
    return {way: (hits, width) for way, (hits, width) in found.items()}


def _interval(way: str, points: Floats, counts: Ints, kind: Kind, rng: np.random.Generator) -> Interval:
    n = int(counts.sum())
    mean = float(counts @ points) / n
    if way == "report":
        taken = way_of(n, len(points), at_ends=bool(((points == kind.low) | (points == kind.high)).all()))
        if taken == "wilson":
            return rate_interval(mean, n, kind.low, kind.high)
        way = "BCa" if taken == "bootstrap" else "Student"
    if len(points) == 1:
        return equal_interval(mean, n, kind.low, kind.high)
    low, high = WAYS[way](points, counts, rng)
    return max(kind.low, low), min(kind.high, high)


def table(items: Sequence[int], simulations: int, seed: int) -> list[str]:
    """The lines of a Markdown table: Student's and the report's coverage in percent."""
    lines = ["| scores | " + " | ".join(f"n = {n}" for n in items) + " |", "|---" * (len(items) + 1) + "|"]
    for name, kind in KINDS.items():
        found = [coverage(kind, n, simulations, ("Student", "report"), seed) for n in items]
        cells = [f"{100 * one['Student'][0]:.1f} / **{100 * one['report'][0]:.1f}**" for one in found]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def table_of_ways(items: Sequence[int], simulations: int, seed: int) -> list[str]:
    """The lines of a Markdown table: coverage in percent and mean width of every way."""
    lines = ["| scores | n | " + " | ".join(WAYS) + " |", "|---" * (len(WAYS) + 2) + "|"]
    for name, kind in KINDS.items():
        for n in items:
            found = coverage(kind, n, simulations, tuple(WAYS), seed)
            cells = [f"{100 * hits:.1f} ({width:.2f})" for hits, width in found.values()]
            lines.append(f"| {name} | {n} | " + " | ".join(cells) + " |")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", action="store_true")
    parser.add_argument("--items", type=int, nargs="+", default=ITEMS)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    made = table_of_ways if options.ways else table
    sys.stdout.write("\n".join(made(options.items, options.simulations, options.seed)) + "\n")


if __name__ == "__main__":
    main()
