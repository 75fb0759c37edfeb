"""A task: a set, its labels, the figures wanted of each, and the columns that are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from eval.embedded import data
from eval.embedded.aims import ANSWERS
from eval.embedded.data import Sample
from eval.embedded.kinds import KINDS
from eval.embedded.measured import Column, Row, figures, published
from eval.embedded.shown import Options


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """`labels` names for each label the kinds of figure; `fast` is how many texts a quick look takes."""

    name: str
    load: Callable[[], list[Sample]]
    labels: Mapping[str, Sequence[str]]
    columns: Callable[[Sequence[Sample], Options], Column]
    fast: int = 200
    #: The kind of figure shown for every part (generator, origin, domain, language) by itself.
    each: str = ""


def run(tasks: Sequence[Task], options: Options) -> list[Row]:
    """Every column on every label of every task wanted; only the score that answers to a label has an interval."""
    found: list[Row] = []
    for task in tasks:
        if not options.wants(task.name):
            continue
        samples = data.taken(task.load(), half=options.half, fast=task.fast if options.fast else 0)
        columns = {**published(samples), **task.columns(samples, options)}
        for label, kinds in task.labels.items():
            answering = ANSWERS.get((task.name, label))
            for kind in kinds:
                found += figures(
                    task.name,
                    label,
                    kind,
                    KINDS[kind],
                    samples,
                    columns,
                    halves=options.halves,
                    draws={answering: options.draws},
                )
        if task.each:
            found += _by_part(task, samples, columns, options)
    return found


def _by_part(task: Task, samples: Sequence[Sample], columns: Column, options: Options) -> list[Row]:
    label = next(iter(task.labels))
    found: list[Row] = []
    for part in sorted({s.part for s in samples}):
        at = [i for i, s in enumerate(samples) if s.part == part]
        mine = {by: [values[i] for i in at] for by, values in columns.items()}
        rows = figures(
            task.name, label, task.each, KINDS[task.each], [samples[i] for i in at], mine, halves=options.halves[-1:]
        )
        found += [Row(set=r.set, label=f"{label}, {part}", kind=r.kind, by=r.by, figures=r.figures) for r in rows]
    return found
