"""Answers against people: `python -m eval.embedded.answers [--fast] [--half dev|held|all] [--parts] [--only SET]`."""

from __future__ import annotations

from collections.abc import Sequence

from eval.embedded import data
from eval.embedded.aims import CONTENT
from eval.embedded.data import Sample
from eval.embedded.measured import Column, Row, baseline_columns, mean_of, qualities, source_text
from eval.embedded.shown import Options, main
from eval.embedded.tasks import Task, run

RATED = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness")


def _with_total(columns: Column) -> Column:
    """The judge's own total: the mean over what was judged."""
    return {**columns, "rag-answers total": mean_of(columns, [f"rag-answers.{name}" for name in RATED])}


def _grounded(samples: Sequence[Sample], options: Options) -> Column:
    """Texts with sources, seen by all three judges that check against sources."""
    return {
        **baseline_columns(samples, source_text),
        **qualities("summary", samples, **options.measuring),
        **_with_total(qualities("rag-answers", samples, **options.measuring)),
        **qualities("search-summary", samples, **options.measuring),
    }


def _claims(samples: Sequence[Sample], options: Options) -> Column:
    """Single statements with sources."""
    return {
        **baseline_columns(samples, source_text),
        **qualities("summary", samples, **options.measuring),
        **qualities("rag-answers", samples, **options.measuring),
    }


def _pairs(samples: Sequence[Sample], options: Options) -> Column:
    """Two answers in one item, with the golden answer."""
    measured = _with_total(qualities("rag-answers", samples, together=True, **options.measuring))
    content = mean_of(measured, [f"rag-answers.{name}" for name in ("correctness", "completeness")])
    return {**baseline_columns(samples, lambda s: s.reference), **measured, CONTENT: content}


def _questions(samples: Sequence[Sample], options: Options) -> Column:
    """Answers with nothing but the question to go by."""
    return {
        **baseline_columns(samples, lambda s: s.query),
        **_with_total(qualities("rag-answers", samples, **options.measuring)),
        **qualities("search-summary", samples, **options.measuring),
    }


TASKS = (
    Task(
        name="RAGTruth",
        load=data.ragtruth,
        labels={
            "faithful": ("AUC", "mean AUC over parts"),
            **dict.fromkeys(("Summary", "QA", "Data2txt"), ("AUC",)),
        },
        columns=_grounded,
        each="AUC",
    ),
    Task(
        name="AttributionBench",
        load=data.attributionbench,
        labels={"supported": ("AUC", "mean AUC over parts")},
        columns=_claims,
        each="AUC",
        fast=400,
    ),
    Task(
        name="RAGChecker pairs",
        load=data.ragchecker,
        labels=dict.fromkeys(("correctness", "completeness", "overall"), ("right order",)),
        columns=_pairs,
    ),
    Task(
        name="ALCE utility",
        load=data.alce,
        labels={"utility": ("Spearman", "mean Spearman over parts")},
        columns=_questions,
    ),
    Task(name="K-QA medical", load=data.kqa, labels={"entailed": ("AUC",)}, columns=_claims),
    Task(name="ExpertQA claims", load=data.expertqa, labels={"supported": ("AUC",)}, columns=_claims, each="AUC"),
)


def rows(fast: bool, options: Options | None = None) -> list[Row]:
    """Every measure and plain metric on every label."""
    return run(TASKS, options or Options(fast=fast))


if __name__ == "__main__":
    main(rows)
