"""What `--until` is worth, by simulation: how often it errs when one looks after every item, and what it takes.

python -m eval.until [--rounds 2000]
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable

import numpy as np

from adjudge.stats.anytime import Anytime, Wealth
from adjudge.stats.board import Floats, generator
from adjudge.stats.interval import student_quantile

#: Shares of the points 1 to 5, as language models give them.
SHARES = (0.03, 0.07, 0.2, 0.45, 0.25)
MEAN, SD = 3.82, 0.984
LOOKS = 1_000
#: A usual interval of fewer items than this nobody looks at.
FIRST_LOOK = 10


def scores(rng: np.random.Generator, rounds: int, n: int) -> Floats:
    return rng.choice(5, size=(rounds, n), p=SHARES) / 4


def differences(rng: np.random.Generator, rounds: int, n: int, effect: float) -> Floats:
    """Differences of two totals of 0 to 30 points, between 0 and 1, with a mean of so many standard deviations."""
    return np.asarray((np.round(np.clip(rng.normal(4 * effect, 4, (rounds, n)), -30, 30)) + 30) / 60)


def usual(values: Floats, truth: float) -> tuple[float, float]:
    """How often Student's interval misses after the last item, and after any from the tenth on."""
    number = np.arange(1, values.shape[1] + 1)
    means = values.cumsum(axis=1) / number
    squares = (values**2).cumsum(axis=1) - number * means**2
    sd = np.sqrt(np.maximum(squares, 0) / np.maximum(number - 1, 1))
    half = np.array([student_quantile(0.975, max(int(n) - 1, 1)) for n in number]) * sd / np.sqrt(number)
    out = np.abs(means - truth) > half
    return float(out[:, -1].mean()), float(out[:, FIRST_LOOK - 1 :].any(axis=1).mean())


def ever(values: Floats, truth: Floats, *, draws: int | None = None, aim: float | None = None) -> float:
    """How often the interval of `--until` misses at any time."""
    wealth = Wealth(truth, draws=draws, aim=aim)
    for place in range(values.shape[1]):
        wealth.add(values[:, place], 1.0)
    return float(wealth.rejected.mean())


def errors(rounds: int) -> Iterable[tuple[str, str, str]]:
    """Misses of 95 % intervals when one looks after every item."""
    rng = generator(0, "until", "errors")
    values = scores(rng, rounds, LOOKS)
    truth = (MEAN - 1) / 4
    last, any_time = usual(values, truth)
    yield "mean, usual interval", f"{last:.1%}", f"{any_time:.1%}"
    yield "mean, items like these", "", f"{ever(values, np.full(rounds, truth)):.1%}"
    finite = ever(values[:, : LOOKS // 2], values.mean(axis=1), draws=LOOKS, aim=0.025)
    yield "mean of all 1,000, ci < 0.1, first 500", "", f"{finite:.1%}"
    equal = differences(rng, rounds, LOOKS, 0.0)
    last, any_time = usual(equal, 0.5)
    yield "equal sides, usual interval", f"{last:.1%}", f"{any_time:.1%}"
    yield "equal sides, better(A, B)", "", f"{ever(equal, np.full(rounds, 0.5)):.1%}"


def known(rounds: int) -> Iterable[tuple[str, str, str, str]]:
    """Items until the mean of all is known to within a half-width."""
    for half in (0.2, 0.1, 0.05):
        for of in (300, 1_000, 5_000):
            rng = generator(0, "until", "known", str(half), str(of))
            stops = []
            for values in 4 * scores(rng, rounds, of) + 1:
                interval = Anytime(1.0, 5.0, draws=of, aim=half)
                for number, value in enumerate(values, start=1):
                    interval.add([float(value)])
                    if interval.half_width < half:
                        stops.append(number)
                        break
            # the number that would have been set beforehand, had the spread been known
            needed = (1.96 * SD / half) ** 2
            fixed = math.ceil(needed / (1 + needed / of))
            yield f"{half}", f"{of:,}", f"{np.median(stops):,.0f}", f"{fixed:,}"


def better(rounds: int) -> Iterable[tuple[str, str, str, str, str]]:
    """Items until the better of two sides is named."""
    for effect in (0.1, 0.2, 0.3, 0.5, 0.8):
        rng = generator(0, "until", "better", str(effect))
        values = differences(rng, rounds, 3_000, effect)
        wealth = Wealth(np.full(rounds, 0.5))
        stops = np.full(rounds, values.shape[1])
        for place in range(values.shape[1]):
            wealth.add(values[:, place], 1.0)
            stops = np.where(wealth.rejected & (stops > place + 1), place + 1, stops)
            if wealth.rejected.all():
                break
        ahead = values.cumsum(axis=1)[np.arange(rounds), stops - 1] / stops > 0.5
        wrong = float((wealth.rejected & ~ahead).mean())
        fixed = math.ceil(((1.96 + 0.8416) / effect) ** 2)
        quick, most = np.quantile(stops, (0.5, 0.8))
        yield f"{effect}", f"{quick:,.0f}", f"{most:,.0f}", f"{fixed:,}", f"{wrong:.1%}"


def put(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    lines = [f"{title}\n", f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    sys.stdout.write("\n".join(lines) + "\n\n")
    sys.stdout.flush()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=2_000)
    rounds = options.parse_args().rounds
    put("Misses of a 95 % interval over 1,000 items", ("", "at the end", "at any time"), errors(rounds))
    sides = ("effect in sd", "median items", "in 80 % of cases", "test of a set number, 80 % power", "wrong side")
    put("Items until better(A, B) is answered", sides, better(rounds))
    means = ("half-width", "items in all", "median items", "set number, spread known beforehand")
    put("Items until ci(...) is answered", means, known(max(20, rounds // 20)))


if __name__ == "__main__":
    main()
