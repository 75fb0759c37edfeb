"""How often the intervals of `adjudge agree` hold the truth, and whom the alternative-annotator test lets stand in.

    python -m eval.agree_sims        prints the tables of docs/decisions/0024 (some three minutes)

Two raters score 1 to 5; the truth is what half a million units give. Units of one source share a part of what is easy
and of what is misjudged.
"""

from __future__ import annotations

import sys

import numpy as np

from adjudge.stats.agreement import FIGURES, WITHIN, agreement
from adjudge.stats.alternative import alternative
from adjudge.stats.board import Axis, Floats, Ints, generator
from adjudge.stats.raters import EVERY, Raters

AXIS = Axis(name="coverage", title="Coverage", low=1, high=5, better="higher")
REPEATS = 2_000
#: Units, units of one source, and the correlation of what the two raters go by.
DESIGNS = ((20, 1, 0.6), (50, 1, 0.6), (100, 1, 0.6), (100, 1, 0.9), (400, 1, 0.6), (120, 4, 0.6), (400, 4, 0.6))
ALLOWANCE = 0.15
#: Sources, and texts of each: for the accuracy over pairs of one source.
SOURCES = ((10, 4), (30, 4), (100, 4), (30, 12))


def draw(rng: np.random.Generator, n: int, per: int, rho: float) -> tuple[Floats, Floats, Ints]:
    sources = n // per
    easy, misjudged = (np.repeat(rng.normal(size=sources), per) for _ in range(2))
    own = 0.7 * easy + 0.714 * rng.normal(size=n)
    error = 0.6 * misjudged + 0.8 * rng.normal(size=n)
    other = 0.3 + rho * own + np.sqrt(1 - rho**2) * error
    a, b = (np.clip(np.rint(3 + 1.1 * value), 1, 5) for value in (own, other))
    return a, b, np.repeat(np.arange(sources), per)


def coverage(n: int, per: int, rho: float) -> dict[str, float]:
    """The share of intervals that hold the truth, among samples that have an interval."""
    rng = np.random.default_rng([n, per])
    a, b, clusters = draw(rng, 500_000 // per * per, per, rho)
    truth = {name: one.value for name, one in Raters.of(a, b, clusters, AXIS, len(a) // per).estimates().items()}
    held, known = dict.fromkeys(EVERY, 0), dict.fromkeys(EVERY, 0)
    for _ in range(REPEATS):
        a, b, clusters = draw(rng, n, per, rho)
        two = Raters.of(a, b, clusters, AXIS, n // per)
        for name, one in two.estimates().items():
            ends, true = two.figure(name, one).ci95, truth[name]
            if ends is not None and true is not None:
                known[name] += 1
                held[name] += ends[0] <= true <= ends[1]
    return {name: held[name] / known[name] for name in EVERY}


def measured(rng: np.random.Generator, sources: int, per: int) -> tuple[Floats, Floats, Ints]:
    """A judge with measured scores, as an embedded one has them, of texts that people gave points."""
    quality = np.repeat(rng.normal(size=sources), per) + rng.normal(size=sources * per)
    judge = np.clip(3 + 0.5 * quality + 0.5 * rng.normal(size=len(quality)), 1, 5)
    people = np.clip(np.rint(3 + 0.7 * quality + 0.5 * rng.normal(size=len(quality))), 1, 5)
    return judge, people, np.repeat(np.arange(sources), per)


CALIBRATED = ("pairwise_calibrated", *WITHIN)


def margins(sources: int, per: int) -> dict[str, tuple[float, float]]:
    """How often the intervals hold the truth, and how far the figures lie above it on average.

    The calibrated truth is the accuracy at the margin that is best in the long run.
    """
    rng = np.random.default_rng([sources, per, 7])

    def figures(count: int) -> dict[str, tuple[float, float, float]]:
        judge, people, clusters = measured(rng, count, per)
        found = agreement(judge, people[:, None], clusters, axis=AXIS, rng=generator(0, "sims")).figures
        return {name: (found[name].value or 0.0, *(found[name].ci95 or (0.0, 0.0))) for name in CALIBRATED}

    truth, drawn = figures(20_000), [figures(sources) for _ in range(REPEATS)]
    return {
        name: (
            sum(one[name][1] <= truth[name][0] <= one[name][2] for one in drawn) / REPEATS,
            sum(one[name][0] for one in drawn) / REPEATS - truth[name][0],
        )
        for name in CALIBRATED
    }


def people_and_judge(rng: np.random.Generator, n: int, annotators: int, random: float) -> tuple[Floats, Floats]:
    """Annotators who are right or one off, and a judge like them but for a share of scores given at random."""
    truth = rng.integers(1, 6, n)
    given = np.clip(truth[:, None] + rng.choice([-1, 0, 0, 0, 1], (n, annotators + 1)), 1, 5).astype(float)
    judge = np.where(rng.random(n) < random, rng.integers(1, 6, n), given[:, -1])
    return judge, given[:, :-1]


def licensed(n: int, annotators: int, random: float) -> float:
    """How often the judge may stand in."""
    rng, passed = np.random.default_rng([n, annotators]), 0
    for _ in range(REPEATS):
        judge, people = people_and_judge(rng, n, annotators, random)
        passed += bool(alternative(judge, people, np.arange(n), axis=AXIS, epsilon=ALLOWANCE).stands_in)
    return passed / REPEATS


def behind(random: float) -> float:
    """By how much annotators are nearer to the others than the judge, in the long run."""
    judge, people = people_and_judge(np.random.default_rng(0), 100_000, 3, random)
    found = alternative(judge, people, np.arange(100_000), axis=AXIS, epsilon=ALLOWANCE).against
    return sum(one.person - one.judge for one in found) / len(found)


def main() -> None:
    out = sys.stdout.write
    found = {design: coverage(*design) for design in DESIGNS}
    heads = [f"{n} units, r {rho}" if per == 1 else f"{n} in {n // per} sources" for n, per, rho in DESIGNS]
    out("| % of intervals that hold the truth | " + " | ".join(heads) + " |\n")
    out("|---|" + "---:|" * len(DESIGNS) + "\n")
    for name in (name for name in FIGURES if name in EVERY):
        out(f"| {name} | " + " | ".join(f"{100 * found[design][name]:.1f}" for design in DESIGNS) + " |\n")
    out("\n| % of intervals that hold the truth, and how far the figure lies above it on average | ")
    out(" | ".join(CALIBRATED) + " |\n|---|---:|---:|---:|\n")
    for sources, per in SOURCES:
        shares = (f"{100 * held:.1f}, {100 * above:+.1f}" for held, above in margins(sources, per).values())
        out(f"| {sources} sources of {per} | " + " | ".join(shares) + " |\n")
    out("\n| the judge's scores at random | behind by | 50 units | 100 | 200 | 100, five annotators |\n")
    out("|---:|---:|---:|---:|---:|---:|\n")
    for random in (0.0, 0.15, 0.267, 0.4):
        rates = [licensed(50, 3, random), licensed(100, 3, random), licensed(200, 3, random), licensed(100, 5, random)]
        out(
            f"| {100 * random:.0f} % | {behind(random):.2f} | "
            + " | ".join(f"{100 * one:.1f} %" for one in rates)
            + " |\n"
        )


if __name__ == "__main__":
    main()
