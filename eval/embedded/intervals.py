"""How often 80 % intervals hold what people said: `python -m eval.embedded.intervals [--spreads]`.

`offline`: the width comes from the other sets of the same measure, the coverage from the set left out. People of a set
not seen use the scale in a way of their own, so the width is put where the mean coverage over sets left out is 80 %, a
little wider than what holds 80 % of the sets at hand. Under the halves, widths come from one half of the other sets,
the coverage from the other half of the set left out. `calibrate`: out of fold over sources, and fitted to one half of
the sources and tried on the other. `--spreads` prints the widths for weights.yaml, from all sets of a measure.
"""

from __future__ import annotations

import argparse
import math
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from adjudge.models.offline.findings import Measured
from adjudge.models.offline.judge import measure_all
from adjudge.stats.calibrate import SHARE, Case, Fit, calibrate
from adjudge.stats.monotone import predicted
from eval.embedded import data
from eval.embedded.aims import UNSEEN
from eval.embedded.data import Half, Sample, half_of
from eval.embedded.figures import Figure
from eval.embedded.measured import Row, as_item, judge_of

#: More would not change a quantile, and would take minutes.
TEXTS = 1500
COVERED = "80 % interval"
#: How finely the share to hold is looked for.
STEPS = 200
#: What is not of a half, then what is.
_SIDES = (False, True)


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


class Residuals:
    """How far off a measure was, every set weighing alike."""

    def __init__(self, sets: Sequence[Sequence[Known]]) -> None:
        # as many beyond either end gives narrower intervals, which do much worse on a set left out (down to .31)
        weighed = sorted((abs(one.quality - one.target), 1 / len(each) / len(sets)) for each in sets for one in each)
        self._sizes = [residual for residual, _ in weighed]
        self._held = list(accumulate(weight for _, weight in weighed))

    def width(self, level: float) -> float:
        """The half-width that holds a share of the grades."""
        return self._sizes[min(bisect_left(self._held, level - 1e-9), len(self._sizes) - 1)]


def covered(half: float, texts: Sequence[Known]) -> float:
    """The share of texts whose grade lies within a half-width of the score."""
    return sum(abs(one.quality - one.target) <= half + 1e-9 for one in texts) / len(texts)


def without_each(sets: Sequence[Sequence[Known]]) -> list[Residuals]:
    """For each set the residuals of the others."""
    return [Residuals([*sets[:at], *sets[at + 1 :]]) for at in range(len(sets))]


def level(sets: Sequence[Sequence[Known]]) -> float:
    """The least share of the sets at hand to hold so that SHARE of a set left out is held in the mean."""
    others = without_each(sets)
    for step in range(STEPS):
        found = SHARE / 2 + (1 - SHARE / 2) * step / STEPS
        if _mean([covered(one.width(found), each) for one, each in zip(others, sets, strict=True)]) >= SHARE:
            return found
    return 1.0


def spread(sets: Sequence[Sequence[Known]]) -> float:
    """The half-width for a set not seen."""
    return Residuals(sets).width(level(sets) if len(sets) > 1 else SHARE)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _by(name: Callable[[Graded], str]) -> dict[str, list[Graded]]:
    found: dict[str, list[Graded]] = defaultdict(list)
    for graded in GRADED:
        found[name(graded)].append(graded)
    return found


def spreads() -> dict[str, float]:
    """The half-width of each measure from all its sets."""
    return {name: round(spread(list(map(known, sets))), 3) for name, sets in _by(lambda graded: graded.measure).items()}


def rows() -> list[Row]:
    """The coverage of both kinds of interval on every set."""
    unseen = [row for score, sets in _by(lambda graded: graded.score).items() for row in _unseen(score, sets)]
    return unseen + [row for graded in GRADED for row in _calibrated(graded)]


def _unseen(score: str, graded: Sequence[Graded]) -> list[Row]:
    """Each set under the width of the others, and the mean over the sets."""
    every = list(map(known, graded))
    share, others = level(every), without_each(every)
    widths = [one.width(share) for one in others]
    found = [Figure(value=covered(width, each), n=len(each)) for width, each in zip(widths, every, strict=True)]
    rows = [
        Row(
            set=one.set,
            label=one.label,
            kind=COVERED,
            by=f"{score}, ±{width:.2f} from the other sets",
            figures={"all": figure},
        )
        for one, width, figure in zip(graded, widths, found, strict=True)
    ]
    figures: dict[Half, Figure] = {"all": Figure(value=_mean([f.value for f in found]), n=sum(f.n for f in found))}
    for half in ("dev", "held"):
        seen, new = (
            [[k for k in each if (half_of(k.source) == half) is wanted] for each in every] for wanted in _SIDES
        )
        if all((*seen, *new)):
            share, others = level(seen), without_each(seen)
            values = [covered(one.width(share), each) for one, each in zip(others, new, strict=True)]
            figures[half] = Figure(value=_mean(values), n=sum(map(len, new)))
    by = f"{score}, ±{spread(every):.2f}"
    return [*rows, Row(set=UNSEEN, label=f"{len(every)} sets", kind=COVERED, by=by, figures=figures)]


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
