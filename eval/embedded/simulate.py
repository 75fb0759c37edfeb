"""What `adjudge calibrate` keeps of labels whose truth is known, what its intervals hold, and its table for SummEval.

python -m eval.embedded.simulate [--summeval]; the numbers stand in docs/calibrate.md.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from adjudge.api.calibrate import calibrate as calibrate_file
from adjudge.cli.calibrate import table
from adjudge.stats.calibrate import Case, Fit, calibrate
from adjudge.stats.monotone import predicted
from eval.embedded.data import Absent, summeval

#: What a label is made of: chance, the text's parts and length, and what its source adds.
Label = Callable[[random.Random, list[float], float, float], float]
#: The judge's criteria beside what experts scored.
SUMMEVAL = {
    "coverage": "relevance",
    "accuracy": "consistency",
    "coherence": "coherence",
    "hallucination_check": "consistency",
}


def noise(chance: random.Random, parts: list[float], length: float, effect: float) -> float:
    """A label that nothing decides but the source."""
    return 0.6 + effect + chance.gauss(0, 0.2)


def by_length(chance: random.Random, parts: list[float], length: float, effect: float) -> float:
    """A label that follows length."""
    return (length - 5) / 2 + effect + chance.gauss(0, 0.1)


def by_part(chance: random.Random, parts: list[float], length: float, effect: float) -> float:
    """A label that follows one part, and another a little."""
    return 0.2 + 0.5 * parts[0] + 0.1 * parts[1] + effect + chance.gauss(0, 0.15)


def by_source(chance: random.Random, parts: list[float], length: float, effect: float) -> float:
    """A label in which sources differ more than their texts."""
    return 0.35 + 0.3 * parts[0] + 1.5 * effect + chance.gauss(0, 0.05)


def cases(seed: int, label: Label, *, groups: int = 40, per_group: int = 4) -> list[Case]:
    """Texts of sources with an effect of their own; the plain composite is the mean of four parts."""
    chance = random.Random(seed)
    made = []
    for group in range(groups):
        effect = chance.gauss(0, 0.1)
        for _ in range(per_group):
            length = chance.gauss(6, 0.5)
            parts = [chance.random() for _ in range(3)]
            # a part that follows length, as many do
            parts.append(min(1.0, max(0.0, (length - 5) / 2 + chance.gauss(0, 0.1))))
            plain = sum(parts) / 4
            target = min(1.0, max(0.0, label(chance, parts, length, effect)))
            made.append(Case(group=str(group), target=target, parts=(plain, *parts), plain=plain, length=length))
    return made


def held(found: Fit, new: list[Case]) -> float:
    """The share of new labels that a fit's interval holds."""
    return statistics.fmean(
        abs(predicted(found.base, found.weights, case.parts) - case.target) <= found.half for case in new
    )


def simulated() -> Iterator[str]:
    """A line for every kind of label and every number of sources."""
    for name, label, runs in (
        ("scores by chance", noise, 300),
        ("scores that follow length", by_length, 300),
        ("scores that follow a part", by_part, 100),
    ):
        fits = (calibrate(cases(seed, label, groups=20, per_group=5), seed=seed) for seed in range(runs))
        yield f"{name}, 100 texts of 20 sources: kept {sum(not fit.refused for fit in fits)} of {runs}"
    for groups, per_group in ((10, 10), (20, 5), (50, 4)):
        shown, real = [], []
        for seed in range(200):
            found = calibrate(cases(seed, by_source, groups=groups, per_group=per_group), seed=seed)
            shown.append(found.coverage)
            real.append(held(found, cases(10_000 + seed, by_source, groups=40, per_group=2)))
        told = f"shown to hold {statistics.fmean(shown):.3f}, of new sources {statistics.fmean(real):.3f}"
        yield f"{groups} sources of {per_group} texts: {told}"


def of_summeval() -> Iterator[str]:
    """The table that `adjudge calibrate summary` prints for SummEval."""
    with tempfile.TemporaryDirectory() as folder:
        labels = Path(folder) / "labelled.jsonl"
        with labels.open("w", encoding="utf-8") as file:
            for one in summeval():
                scores = {name: one.human[given] for name, given in SUMMEVAL.items()}
                row = {"id": one.id, "content": one.sources[0], "text": one.text, "labels": scores}
                file.write(json.dumps(row) + "\n")
        yield from table(calibrate_file("summary", str(labels)))


def main() -> None:
    """Prints the one or the other."""
    parser = argparse.ArgumentParser(prog="python -m eval.embedded.simulate", description=__doc__)
    parser.add_argument("--summeval", action="store_true", help="the table for SummEval instead")
    try:
        for line in of_summeval() if parser.parse_args().summeval else simulated():
            sys.stdout.write(f"{line}\n")
    except Absent as absent:
        sys.stdout.write(f"{absent}\n")


if __name__ == "__main__":
    main()
