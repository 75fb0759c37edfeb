"""Summaries against people: `python -m eval.embedded.summaries [--fast] [--half HALF] [--parts] [--only SET]`."""

from __future__ import annotations

from collections.abc import Sequence

from eval.embedded import data
from eval.embedded.data import Sample
from eval.embedded.measured import Column, Row, baseline_columns, mean_of, qualities, source_text
from eval.embedded.shown import Options, main
from eval.embedded.tasks import Task, run

RATED = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")


def _columns(samples: Sequence[Sample], options: Options) -> Column:
    measured = qualities("summary", samples, **options.measuring)
    average = mean_of(measured, [f"summary.{name}" for name in RATED])
    return {**baseline_columns(samples, source_text), **measured, "summary average": average}


BOTH = ("Spearman", "within documents")
TASKS = (
    Task(
        name="SummEval",
        load=data.summeval,
        labels=dict.fromkeys(("coherence", "consistency", "relevance", "fluency"), BOTH),
        columns=_columns,
        fast=320,
    ),
    Task(
        name="SummEval-OP",
        load=data.summeval_op,
        labels=dict.fromkeys(("coherence", "faithfulness", "relevance", "aspect_coverage", "specificity"), BOTH),
        columns=_columns,
    ),
    Task(
        name="QAGS",
        load=data.qags,
        labels={"consistency": ("Spearman", "mean Spearman over parts")},
        columns=_columns,
        each="Spearman",
    ),
    Task(
        name="SummEdits",
        load=data.summedits,
        labels={"consistent": ("AUC", "mean AUC over parts")},
        columns=_columns,
    ),
    Task(
        name="Multi-SummEval",
        load=data.multi_summeval,
        labels=dict.fromkeys(("focus", "coverage"), ("Spearman", "mean Spearman over parts")),
        columns=_columns,
        each="Spearman",
    ),
    Task(name="Russian chapters", load=data.ru_literary, labels={"score": BOTH}, columns=_columns, fast=40),
)


def rows(fast: bool, options: Options | None = None) -> list[Row]:
    """Every measure and plain metric on every label."""
    return run(TASKS, options or Options(fast=fast))


if __name__ == "__main__":
    main(rows)
