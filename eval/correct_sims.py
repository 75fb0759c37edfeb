"""What `adjudge correct` and `adjudge sample` promise, tried: the tables of docs/correct.md.

python -m eval.correct_sims                 made-up sets whose true means and shares are known
python -m eval.correct_sims public          judges' scores of public texts beside people's
python -m eval.correct_sims draws FOLDER    the run `summeval` there: many choices of items, not one
python -m eval.correct_sims label FOLDER    fills in FOLDER/labels.csv from FOLDER/experts.jsonl (eval.agree_summeval)
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from adjudge.api.boards import boards
from adjudge.api.sample import strata_of
from adjudge.api.stored import open_run
from adjudge.stats.board import Floats, Ints, generator
from adjudge.stats.correct import Slice, estimate
from adjudge.stats.interval import Interval, student_quantile
from adjudge.stats.rates import corrected_rate
from adjudge.stats.sampling import draw, expected_spread, stratify
from eval.embedded.data import folder

REPEATS = 2_000
#: What the judge's criteria are called by the experts.
NAMES = {"coverage": "relevance", "accuracy": "consistency", "coherence": "coherence"}
SIZES = ((300, 30), (500, 50), (1_000, 100))
_POINT = re.compile(r"(?<![\d.])([1-5](?:\.\d+)?)(?!\d)")

#: People's scores and the judge's.
Both: TypeAlias = tuple[Floats, Floats]
Draw: TypeAlias = Callable[[np.random.Generator, int], Both]


def kind(rng: np.random.Generator, n: int) -> Both:
    """Points of 1 to 5, and a judge that is half a point too kind and short of room at the top."""
    worth = rng.normal(0, 1, n)
    people = np.clip(np.round(3.4 + 0.9 * worth + rng.normal(0, 0.5, n)), 1, 5)
    return people, np.clip(np.round(4.0 + 0.9 * worth + rng.normal(0, 0.5, n)), 1, 5)


def ceiling(rng: np.random.Generator, n: int) -> Both:
    """Most texts are good, and the judge gives nearly all of them the best point."""
    worth = rng.normal(0, 1, n)
    people = np.clip(np.round(4.3 + 0.9 * worth + rng.normal(0, 0.5, n)), 1, 5)
    return people, np.clip(np.round(4.8 + 0.9 * worth + rng.normal(0, 0.5, n)), 1, 5)


def strict(rng: np.random.Generator, n: int) -> Both:
    """Measured values, with a judge that is strict and uses a narrower part of the scale."""
    people = np.clip(rng.normal(3.4, 0.8, n), 1, 5)
    return people, 1.2 + 0.5 * people + rng.normal(0, 0.4, n)


def blind(rng: np.random.Generator, n: int) -> Both:
    """A judge that tells nothing of the texts."""
    people, judge = (np.clip(np.round(rng.normal(mean, 1, n)), 1, 5) for mean in (3.4, 4.0))
    return people, judge


def seldom(rng: np.random.Generator, n: int) -> Both:
    """A judge that says what people say of nine items in ten, and of the tenth not at all."""
    judge = rng.choice([3.0, 4.0, 5.0], n, p=[0.2, 0.4, 0.4])
    return np.where(rng.random(n) < 0.1, 1.0, judge), judge


SETS: dict[str, Draw] = {
    "too kind": kind,
    "ceiling": ceiling,
    "too strict": strict,
    "tells nothing": blind,
    "seldom far off": seldom,
}
#: Share of passes, sensitivity, specificity.
RATES = ((0.5, 0.9, 0.7), (0.7, 0.9, 0.6), (0.9, 0.97, 0.5), (0.3, 0.9, 0.8), (0.5, 0.6, 0.6))


def a_slice(people: Floats, judge: Floats, chosen: Ints | list[int], strata: Ints | None = None) -> Slice:
    said = np.full(len(people), np.nan)
    said[chosen] = people[chosen]
    none = np.zeros(len(people), dtype=np.int64)
    return Slice(judge=judge, people=said, clusters=np.arange(len(people)), strata=none if strata is None else strata)


def holds(ends: Interval | None, truth: float) -> bool:
    return ends is not None and ends[0] <= truth <= ends[1]


def width(ends: Interval) -> float:
    return ends[1] - ends[0]


def means() -> Iterator[str]:
    yield (
        "| judge | items | labels | corrected | not moved by skew | these items | labels alone | judge alone "
        "| width, to labels alone |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, population in SETS.items():
        rng = generator(0, "correct", name)
        truth = float(population(rng, 4_000_000)[0].mean())
        for every, n in SIZES:
            hits, wide = np.zeros(5), np.zeros(2)
            for _ in range(REPEATS):
                people, judge = population(rng, every)
                data = a_slice(people, judge, rng.choice(every, n, replace=False))
                found, labels = estimate(data, 1, 5), estimate(data, 1, 5, use_judge=False)
                alone = estimate(a_slice(judge, judge, np.arange(every)), 1, 5, use_judge=False)
                reach = student_quantile(0.975, found.df) * math.sqrt(found.of_labels + found.of_items)
                ends = (found.ci95, (found.mean - reach, found.mean + reach), labels.ci95, alone.ci95)
                held = [holds(one, truth) for one in ends]
                hits += [*held[:2], holds(found.ci95_set, float(people.mean())), *held[2:]]
                wide += [width(found.ci95), width(labels.ci95)]
            shown = " | ".join(f"{100 * hit / REPEATS:.1f} %" for hit in hits)
            yield f"| {name} | {every} | {n} | {shown} | {wide[0] / wide[1]:.2f} |"


def rates() -> Iterator[str]:
    yield (
        "| people pass | sensitivity, specificity | labels | corrected | labels alone | judge alone | Rogan-Gladen "
        "| width, to labels alone | Rogan-Gladen's |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for share, sensitivity, specificity in RATES:
        rng = generator(0, "correct", "rate", f"{share} {sensitivity}")
        for every, n in SIZES:
            hits, wide, told = np.zeros(4), np.zeros(3), 0
            for _ in range(REPEATS):
                people = (rng.random(every) < share).astype(float)
                judge = np.where(people == 1, rng.random(every) < sensitivity, rng.random(every) >= specificity)
                found = corrected_rate(a_slice(people, judge.astype(float), rng.choice(every, n, replace=False)))
                if found is None:
                    continue
                told += 1
                by_two = (0.0, 1.0) if found.rogan_gladen is None else found.rogan_gladen[1]
                each = (found.corrected.ci95, found.labels.ci95, found.judge.ci95, by_two)
                hits += [holds(ends, share) for ends in each]
                wide += [width(each[0]), width(each[1]), width(by_two)]
            shown = " | ".join(f"{100 * hit / told:.1f} %" for hit in hits)
            widths = f"{wide[0] / wide[1]:.2f} | {wide[2] / wide[1]:.2f}"
            yield f"| {share:.0%} | {sensitivity:.0%}, {specificity:.0%} | {n} | {shown} | {widths} |"


def public() -> dict[str, Both]:
    """Scores of public judges and people's, from worst (0) to best (1)."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in _raw("summeval_judge_raw"):
        if row["method"] == "rts" and (point := _POINT.search(str(row["raw"]))):
            found[f"SummEval {row['judge']} {row['dimension']}"].append(
                (float(point[1]) / 4 - 0.25, row["human"] / 4 - 0.25)
            )
    for row in _raw("topicalchat_geval_raw"):
        points = [float(point[0]) for text in row["raw"] if (point := re.search(r"[1-3](?!\d)", text))]
        if points and row["dimension"] != "groundedness":
            score = (sum(points) / len(points) - 1) / 2
            found[f"Topical-Chat {row['method']} {row['dimension']}"].append((score, (row["human"] - 1) / 2))
    return {
        name: (np.array([people for _, people in rows]), np.array([judge for judge, _ in rows]))
        for name, rows in found.items()
    }


def unsure() -> Iterator[float]:
    """For each table with repeats: do they differ more where people are further from what their mean lets expect?"""
    found: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    for row in _raw("topicalchat_geval_raw"):
        points = [float(point[0]) for text in row["raw"] if (point := re.search(r"[1-3](?!\d)", text))]
        if points:
            found[row["method"], row["dimension"]].append((float(np.mean(points)), row["human"], float(np.std(points))))
    for rows in found.values():
        judge, people, apart = (np.array(column) for column in zip(*rows, strict=True))
        off = np.abs(people - np.polyval(np.polyfit(judge, people, 1), judge))
        yield float(np.corrcoef(off, apart)[0, 1])


def _raw(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(folder() / "replies" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def tried(repeats: int = 300, n: int = 50) -> Iterator[str]:
    """How far people are from what the judge's score lets expect, and what a choice by strata saves.

    The last of the four choices knows how far people are off in each stratum before anybody has said it: no rule by
    which the labels are shared out among these strata can save more.
    """
    spread: dict[int, list[float]] = defaultdict(list)
    ratios, held = [], np.zeros(4)
    tables = public()
    for name, (people, judge) in tables.items():
        rest = people - np.polyval(np.polyfit(judge, people, 1), judge)
        for quarter in range(5):
            here = np.round(4 * judge) == quarter
            if here.sum() >= 15:
                spread[quarter].append(float(rest[here].std()))
        every, truth, wide = len(people), float(people.mean()), np.zeros(4)
        strata, ids = stratify(judge, [""] * every), [f"{number:05d}" for number in range(every)]
        known = np.array([rest[strata.of == number].std() for number in range(len(strata.names))])
        for repeat in range(repeats):
            rng = generator(repeat, "correct", "public", name)
            random = a_slice(people, judge, rng.choice(every, n, replace=False))
            chosen = a_slice(people, judge, draw(strata, expected_spread(judge, strata), n, rng, ids), strata.of)
            ends = [estimate(one, 0, 1).ci95_set for one in (chosen, random)]
            ends.append(estimate(random, 0, 1, use_judge=False).ci95_set)
            ends.append(estimate(a_slice(people, judge, draw(strata, known, n, rng, ids), strata.of), 0, 1).ci95_set)
            held += [holds(one, truth) / repeats / len(tables) for one in ends]
            wide += [width(one) for one in ends]
        ratios.append((wide[0] / wide[1], wide[1] / wide[2], wide[0] / wide[2], wide[3] / wide[1]))
    yield f"{len(tables)} tables of a judge's scores and people's, {n} labels, {repeats} draws from each"
    yield f"intervals that hold the mean of all: chosen {held[0]:.1%}, random {held[1]:.1%}, labels alone {held[2]:.1%}"
    by = np.mean(ratios, axis=0)
    yield f"width: chosen to random {by[0]:.3f}, random to labels alone {by[1]:.3f}, chosen to labels alone {by[2]:.3f}"
    saved = [one for one, *_ in ratios]
    yield f"chosen to random at best {min(saved):.3f}, at worst {max(saved):.3f}"
    yield f"if it were known how far people are off in each stratum: {by[3]:.3f} of random"
    yield f"correlation of repeats' spread with how far people are off, median: {np.median(list(unsure())):.3f}"
    for quarter, values in sorted(spread.items()):
        yield f"people's spread around the judge at {quarter / 4:.2f} of the scale: {np.mean(values):.3f}"


def label(where: Path) -> None:
    """Put the experts' scores into the cells of the rows that were chosen; one row becomes one for each expert."""
    experts = {row["id"]: row["labels"] for row in map(json.loads, (where / "experts.jsonl").open(encoding="utf-8"))}
    with (where / "labels.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    with (where / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            for number, said in enumerate(experts[row["id"]], 1):
                scores = {ours: said[theirs] for ours, theirs in NAMES.items()}
                writer.writerow({**row, **scores, "annotator": f"expert {number}"})


def draws(where: Path, repeats: int = 600) -> Iterator[str]:
    """The run `summeval` of FOLDER: how often the intervals of many choices hold the experts' mean of all items."""
    run = open_run("summeval", store=f"sqlite:///{where / 'adjudge.db'}")
    found = boards(run, rows=True)
    items, quality, strata = strata_of(found)
    experts = {row["id"]: row["labels"] for row in map(json.loads, (where / "experts.jsonl").open(encoding="utf-8"))}
    clusters = found[0].clusters
    assert clusters is not None
    for n in (50, 60, 80, 100):
        for ours, theirs in NAMES.items():
            people = np.array([np.mean([said[theirs] for said in experts[item]]) for item in items])
            held = np.zeros(2)
            for seed in range(repeats):
                rng = generator(seed, "sample", run.state.run.data_digest)
                data = a_slice(
                    people, found[0].columns[ours], draw(strata, expected_spread(quality, strata), n, rng, items)
                )
                one = estimate(replace(data, clusters=clusters, strata=strata.of), 1, 5)
                held += [holds(ends, float(people.mean())) for ends in (one.ci95, one.ci95_set)]
            yield f"{n} labels, {ours}: {held[0] / repeats:.1%}; for these very items {held[1] / repeats:.1%}"


def main(args: list[str]) -> None:
    if args[:1] == ["label"]:
        label(Path(args[1]))
        return
    if args[:1] == ["draws"]:
        print(*draws(Path(args[1])), sep="\n")
        return
    for line in tried() if args == ["public"] else chain(means(), [""], rates()):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
