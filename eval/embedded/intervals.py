"""How often 80 % intervals hold what people said: `python -m eval.embedded.intervals [--spreads]`.

`offline`: the width comes from the other sets of the same measure, the coverage from the set left out. `calibrate`: out
of fold over sources, and fitted to one half of the sources and tried on the other. `--spreads` prints the widths for
weights.yaml, from all sets of a measure.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from adjudge.models.offline.findings import Measured
from adjudge.models.offline.judge import measure_all
from adjudge.stats.calibrate import SHARE, Case, Fit, calibrate
from adjudge.stats.monotone import predicted
from eval.embedded import data
from eval.embedded.data import Half, Sample, half_of
from eval.embedded.figures import Figure
from eval.embedded.measured import Row, as_item, judge_of

#: More would not change a quantile, and would take minutes.
TEXTS = 1500
COVERED = "80 % interval"


@dataclass(frozen=True, kw_only=True, slots=True)
class Graded:
    """A label that is a grade of what a measure measures, with the ends of its scale from worst to best."""

    measure: str
    score: str
    set: str
    label: str
    load: Callable[[], list[Sample]]
    worst: float = 1
    best: float = 5


def _part(load: Callable[[], list[Sample]], part: str) -> Callable[[], list[Sample]]:
    return lambda: [sample for sample in load() if sample.part == part]


def _referenced(pair: str) -> Callable[[], list[Sample]]:
    return lambda: [sample for sample in data.wmt(pair) if sample.reference]


def _faithful(measure: str, score: str) -> tuple[Graded, ...]:
    return (
        Graded(measure=measure, score=score, set="SummEval", label="consistency", load=data.summeval),
        Graded(measure=measure, score=score, set="SummEval-OP", label="faithfulness", load=data.summeval_op),
        *(
            Graded(
                measure=measure,
                score=score,
                set=f"QAGS {part}",
                label="consistency",
                load=_part(data.qags, part),
                worst=0,
                best=1,
            )
            for part in ("cnndm", "xsum")
        ),
    )


GRADED = (
    Graded(measure="coverage", score="summary.coverage", set="SummEval", label="relevance", load=data.summeval),
    Graded(measure="coverage", score="summary.coverage", set="SummEval-OP", label="relevance", load=data.summeval_op),
    Graded(measure="coverage", score="summary.coverage", set="Russian chapters", label="score", load=data.ru_literary),
    *_faithful("support", "summary.accuracy"),
    *_faithful("novelty", "summary.hallucination_check"),
    Graded(measure="coherence", score="summary.coherence", set="SummEval", label="coherence", load=data.summeval),
    Graded(measure="coherence", score="summary.coherence", set="SummEval-OP", label="coherence", load=data.summeval_op),
    *(
        Graded(
            measure="relevance",
            score="search-summary.relevancy",
            set=f"ALCE {part}",
            label="utility",
            load=_part(data.alce, part),
        )
        for part in ("asqa", "eli5")
    ),
    # MQM goes from no error, 0, to 25 points, where it is cut
    *(
        Graded(
            measure="adequacy",
            score="translation.adequacy",
            set=f"WMT {pair}",
            label="mqm",
            load=_referenced(pair),
            worst=-25,
            best=0,
        )
        for pair in ("en-de", "zh-en", "en-ru")
    ),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """A text with people's grade between 0 and 1 and what was measured."""

    source: str
    target: float
    quality: float
    parts: dict[str, float]
    chars: int


@cache
def known(graded: Graded) -> tuple[Known, ...]:
    """The texts of a set that have a grade and a quality."""
    samples = data.taken(graded.load(), fast=TEXTS)
    judge, _, criterion = graded.score.partition(".")
    found = []
    for sample in samples:
        measured = _measured(judge, sample)[criterion]
        if graded.label in sample.human and measured.quality is not None:
            place = (sample.human[graded.label] - graded.worst) / (graded.best - graded.worst)
            found.append(
                Known(
                    source=sample.source,
                    target=min(1.0, max(0.0, place)),
                    quality=measured.quality,
                    parts=dict(measured.parts),
                    chars=len(sample.text),
                )
            )
    return tuple(found)


_memory: dict[tuple[str, str], dict[str, Measured]] = {}


def _measured(judge: str, sample: Sample) -> dict[str, Measured]:
    key = (judge, sample.id)
    if key not in _memory:
        found = measure_all(judge_of(judge, sample.lang), as_item(judge, sample))
        _memory[key] = dict(next(iter(found.values())))
    return _memory[key]


def spread(sets: Sequence[Graded]) -> float:
    """The half-width that holds SHARE of the grades, every set weighing alike."""
    # as many beyond either end gives narrower intervals, which do much worse on a set left out (down to .31)
    weighed = sorted((abs(one.quality - one.target), 1 / len(each)) for each in map(known, sets) for one in each)
    held = 0.0
    for residual, weight in weighed:
        held += weight
        if held >= SHARE * len(sets):
            return residual
    return math.inf


def spreads() -> dict[str, float]:
    """The half-width of each measure from all its sets."""
    by_measure: dict[str, list[Graded]] = defaultdict(list)
    for graded in GRADED:
        by_measure[graded.measure].append(graded)
    return {name: round(spread(sets), 3) for name, sets in by_measure.items()}


def rows() -> list[Row]:
    """The coverage of both kinds of interval on every set."""
    unseen = [
        _unseen(graded, [other for other in GRADED if other.score == graded.score and other is not graded])
        for graded in GRADED
    ]
    return unseen + [row for graded in GRADED for row in _calibrated(graded)]


def _unseen(graded: Graded, others: Sequence[Graded]) -> Row:
    half = spread(others)
    held = [abs(one.quality - one.target) <= half for one in known(graded)]
    figure = Figure(value=sum(held) / len(held), n=len(held))
    by = f"{graded.score}, ±{half:.2f} from the other sets"
    return Row(set=graded.set, label=graded.label, kind=COVERED, by=by, figures={"all": figure})


def _cases(graded: Graded) -> list[Case]:
    every = known(graded)
    names = sorted(set.intersection(*(set(one.parts) for one in every)))
    return [
        Case(
            group=one.source,
            target=one.target,
            parts=(one.quality, *(one.parts[name] for name in names)),
            plain=one.quality,
            length=math.log1p(one.chars),
        )
        for one in every
    ]


def _calibrated(graded: Graded) -> list[Row]:
    """Nothing where calibration is refused: then there is no interval either."""
    cases = _cases(graded)
    if len(cases) < 100 or (fit := calibrate(cases)).refused:
        return []
    figures: dict[Half, Figure] = {"all": Figure(value=fit.coverage, n=len(cases))}
    for half in ("dev", "held"):
        seen = [case for case in cases if half_of(case.group) != half]
        new = [case for case in cases if half_of(case.group) == half]
        figures[half] = Figure(value=_held(calibrate(seen), new), n=len(new))
    by = f"{graded.score}, calibrated, ±{fit.half:.2f}"
    return [Row(set=graded.set, label=graded.label, kind=COVERED, by=by, figures=figures)]


def _held(fit: Fit, new: Sequence[Case]) -> float:
    return sum(abs(predicted(fit.base, fit.weights, case.parts) - case.target) <= fit.half for case in new) / len(new)


def main() -> None:
    """Prints the coverage of every set, or the widths."""
    parser = argparse.ArgumentParser(prog="python -m eval.embedded.intervals", description=__doc__)
    parser.add_argument("--spreads", action="store_true", help="print the half-widths for weights.yaml")
    if parser.parse_args().spreads:
        sys.stdout.writelines(f"{name}: spread: {value}\n" for name, value in spreads().items())
        return
    for row in rows():
        told = ", ".join(f"{half} {figure.value:.3f} ({figure.n})" for half, figure in row.figures.items())
        sys.stdout.write(f"{row.set}: {row.label}, {row.by}: {told}\n")


if __name__ == "__main__":
    main()
