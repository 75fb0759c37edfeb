"""What `compare` promises, simulated: the tables of docs/how-many-items.md.

python -m eval.compare_sims [--repeats N] [--no-write]

Two sides are scored on made-up items whose true difference is known, many times over. Counted is how often the interval
holds it, how often a difference is shown where there is none and where there is one, and how often sides that differ by
the margin pass for the same. Then the smallest differences that so many items show.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from adjudge.stats.board import Axis, Floats, Ints, generator
from adjudge.stats.equivalence import equivalence
from adjudge.stats.paired import MARGIN_SHARE, Paired, compare_pair, holm
from adjudge.stats.power import LEVEL, smallest_shown
from adjudge.stats.signs import sign_flips

PAGE = Path(__file__).parents[1] / "docs" / "how-many-items.md"
BEGIN, END = "<!-- eval.compare_sims: {} -->", "<!-- eval.compare_sims: end of {} -->"
SCALE = Axis(name="quality", title="Quality", low=1, high=5, better="higher")
MARGIN = MARGIN_SHARE * SCALE.span
SIMULATED = (20, 30, 100, 300)
SIZES, SPREADS = (20, 50, 100, 200, 500, 1000, 5000), (0.5, 0.75, 1.0, 1.5)

Sides: TypeAlias = tuple[Floats, Floats]
Draw: TypeAlias = Callable[[int, float, np.random.Generator], Sides]


def rated(n: int, true: float, rng: np.random.Generator) -> Sides:
    """Whole points 1-5 of two like systems, near the good end, around a quality that both share: half differ."""
    return _points(n, 0.6, true, rng)


def alike(n: int, true: float, rng: np.random.Generator) -> Sides:
    """The same, where the sides agree on nine items in ten."""
    return _points(n, 0.12, true, rng)


def _points(n: int, off: float, true: float, rng: np.random.Generator) -> Sides:
    quality = 5.4 - rng.gamma(1.5, 0.7, n)
    a, b = (np.clip(np.rint(quality + rng.normal(0.0, off, n)), 1, 5) for _ in range(2))
    return shifted(a, b, true, rng)


def failing(n: int, true: float, rng: np.random.Generator) -> Sides:
    """One side is a point better on a fifth of the items and two points worse on a tenth: as good on the whole.

    Its differences are no mirror image of themselves, for which alone a test that flips signs is exact.
    """
    return _skewed(n, [0.0, 1.0, -2.0], [0.7, 0.2, 0.1], true, rng)


def behind(n: int, true: float, rng: np.random.Generator) -> Sides:
    """The same and more so: a point better on three items in ten, three points worse on a tenth."""
    return _skewed(n, [0.0, 1.0, -3.0], [0.6, 0.3, 0.1], true, rng)


def _skewed(n: int, gaps: list[float], shares: list[float], true: float, rng: np.random.Generator) -> Sides:
    gap = rng.choice(gaps, size=n, p=shares)
    a = np.where(gap == 0, rng.integers(1, 6, n), 4.0)
    return shifted(a, a + gap, true, rng)


def measured(n: int, true: float, rng: np.random.Generator) -> Sides:
    """Scores on no grid, as probabilities and the embedded judge give them."""
    a = np.clip(rng.normal(3.4, 0.8, n), 1, 5)
    return a, a + rng.standard_t(5, n) * 0.3 + true


def yes_no(n: int, true: float, rng: np.random.Generator) -> Sides:
    """Rates: ends of the scale only, the other side equal on 80 % of items."""
    a = rng.choice([1.0, 5.0], size=n, p=[0.3, 0.7])
    b = np.where(rng.random(n) < 0.8, a, rng.choice([1.0, 5.0], size=n, p=[0.3, 0.7]))
    return shifted(a, b, true, rng)


def shifted(a: Floats, b: Floats, true: float, rng: np.random.Generator) -> Sides:
    """B with a point more on a share of items, past the end of the scale if need be, so that the truth is known."""
    return a, b + np.sign(true) * (rng.random(len(b)) < abs(true))


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Shares of the repeats without a difference: the interval has 0 in it, p is at most 0.05, a winner is named."""

    held: float
    shown: float
    named: float

    @classmethod
    def of(cls, pairs: Sequence[Paired]) -> Rates:
        ends = np.array([pair.interval for pair in pairs])
        return cls(
            held=float(((ends[:, 0] <= 0.0) & (ends[:, 1] >= 0.0)).mean()),
            shown=sum((pair.p or 0.0) <= LEVEL for pair in pairs) / len(pairs),
            named=sum(pair.word in ("better", "worse") for pair in pairs) / len(pairs),
        )


def simulated(draw: Draw, n: int, repeats: int) -> Rates:
    """The rates of one kind of scores where the sides don't differ."""
    rng = generator(0, draw.__name__, str(n))
    return Rates.of([compare_pair(*draw(n, 0.0, rng), axis=SCALE, rng=rng) for _ in range(repeats)])


def passed(draw: Draw, n: int, repeats: int) -> float:
    """How often the equivalence test takes sides for the same that differ by the margin."""
    rng = generator(0, "passed", draw.__name__, str(n))
    sides = (draw(n, MARGIN, rng) for _ in range(repeats))
    return sum((equivalence(np.round(b - a, 12), MARGIN, SCALE.span) or 0.0) <= LEVEL for a, b in sides) / repeats


def sources(n: int, rng: np.random.Generator) -> tuple[Sides, Ints]:
    """Items in sources of one to nine items, whose differences share half of their variance."""
    clusters = np.repeat(np.arange(n), rng.integers(1, 10, n))[:n].astype(np.int64)
    a = np.clip(rng.normal(3.0, 0.8, n), 1, 5)
    return (a, a + rng.normal(0.0, 0.4, n)[clusters] + rng.normal(0.0, 0.4, n)), clusters


def clustered(n: int, repeats: int) -> tuple[Rates, Rates]:
    """The rates where items share sources: told so, and not told."""
    rng, told, naive = generator(0, "sources", str(n)), [], []
    for number in range(repeats):
        (a, b), clusters = sources(n, rng)
        told.append(compare_pair(a, b, axis=SCALE, clusters=clusters, rng=rng))
        # so far off that fewer repeats tell
        if number % 4 == 0:
            naive.append(compare_pair(a, b, axis=SCALE, rng=rng))
    return Rates.of(told), Rates.of(naive)


def family(n: int, repeats: int, *, criteria: int = 5) -> tuple[float, float]:
    """How often any of the criteria has a p of at most 0.05 where none differs: adjusted by Holm, and not."""
    rng, adjusted, plain = generator(0, "family", str(n)), 0, 0
    for _ in range(repeats):
        sides = [rated(n, 0.0, rng) for _ in range(criteria)]
        ps = [sign_flips(b - a, rng).mid for a, b in sides]
        plain += min(ps) <= LEVEL
        adjusted += min(p for p in holm(ps) if p is not None) <= LEVEL
    return adjusted / repeats, plain / repeats


def powered(draw: Draw, n: int, repeats: int) -> tuple[float, float]:
    """The smallest difference that n items of this kind show, and how often they do when it is the truth."""
    rng, least = generator(0, "powered", draw.__name__, str(n)), 0.0
    # the shift adds to the spread a little, so the two are found in turn
    for _ in range(4):
        a, b = draw(200_000, least, rng)
        least = smallest_shown(float((b - a).std()), n) or 0.0
    sides = (draw(n, least, rng) for _ in range(repeats))
    return least, sum(sign_flips(np.round(b - a, 12), rng).mid <= LEVEL for a, b in sides) / repeats


def rates(repeats: int) -> str:
    """The simulated rates as a table in Markdown."""
    lines = [
        "| scores | items | interval has 0 in it | p ≤ 0.05 | a winner named | passes for the same at the margin "
        "| smallest difference | shown there |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for draw, what in (
        (rated, "whole points"),
        (alike, "most are equal"),
        (failing, "rare failures"),
        (behind, "rarely far behind"),
        (yes_no, "yes or no"),
        (measured, "measured finely"),
    ):
        # to resample many different values takes long, and tells no more
        for n in SIMULATED[:3] if draw is measured else SIMULATED:
            null, (least, shown) = simulated(draw, n, repeats), powered(draw, n, repeats)
            cells = [percent(rate) for rate in (null.held, null.shown, null.named, passed(draw, n, repeats))]
            cells += [f"{least:.2f}", percent(shown)]
            lines.append(f"| {what} | {n} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    told, naive = clustered(200, repeats)
    adjusted, plain = family(50, repeats)
    lines += [
        "",
        f"200 items from sources of one to nine items each: the interval has 0 in it {percent(told.held)} of the "
        f"time and p is at most 0.05 {percent(told.shown)} of the time; taken for independent, {percent(naive.held)} "
        f"and {percent(naive.shown)}.",
        "",
        f"Five criteria on 50 items of whole points, none of which differs: the p of some criterion is at most 0.05 "
        f"{percent(adjusted)} of the time, and would be {percent(plain)} of the time without Holm's adjustment.",
        "",
        f"Each rate is of {repeats:,} repeats; those of items taken for independent, of a quarter of them.",
    ]
    return "\n".join(lines)


def smallest() -> str:
    """The smallest differences that so many items show, by the spread of the differences."""
    head = " | ".join(f"sd {sd:g}" for sd in SPREADS)
    lines = [f"| items | {head} |", "|---" * (len(SPREADS) + 1) + "|"]
    for n in SIZES:
        lines.append(f"| {n:,} | {' | '.join(f'{smallest_shown(sd, n):.2f}' for sd in SPREADS)} |")
    return "\n".join(lines)


def percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"


def written(page: str, name: str, text: str) -> str:
    """The page with this text between the two marks of its name."""
    begin, end = BEGIN.format(name), END.format(name)
    head, _, rest = page.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE.name} has no lines {begin} and {end} to write between")
    return f"{head}{begin}\n{text}\n{end}{tail}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=2_000)
    parser.add_argument("--no-write", action="store_true", help="print the tables only")
    given = parser.parse_args(arguments)
    made = {"smallest": smallest(), "rates": rates(given.repeats)}
    for name, text in made.items():
        sys.stdout.write(f"{text}\n\n")
        if not given.no_write:
            PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), name, text), encoding="utf-8")


if __name__ == "__main__":
    main()
