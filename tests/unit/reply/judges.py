"""Judges of all layouts and kinds, built in Python, for the tests of the reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adjudge.core.judge import Check, Criterion, Derived, Judge, Kind, Layout, Leaf, Output
from adjudge.core.scale import Scale
from adjudge.spec.load import load_judge

FIVE = Scale(min=1, max=5)


def rating(name: str, scale: Scale = FIVE, title: str = "") -> Criterion:
    return Criterion(name=name, kind="rating", scale=scale, title=title)


def judge(
    layout: Layout, criteria: tuple[Criterion, ...], output: dict[str, Output], derived: tuple[Derived, ...] = ()
) -> Judge:
    return Judge(
        name="test",
        lang="en",
        langs=("en",),
        layout=layout,
        title="Test",
        fields=(),
        criteria=criteria,
        derived=derived,
        output=output,
        instructions="",
        item="",
    )


def text(name: str, kind: Kind = "text") -> Criterion:
    return Criterion(name=name, kind=kind)


SUMMARY_NAMES = ("coverage", "accuracy", "coherence")
SUMMARY = judge(
    "single",
    (*(rating(name) for name in SUMMARY_NAMES), text("conclusion")),
    {
        **{name: Leaf(name) for name in SUMMARY_NAMES},
        "overall": {"average_score": Leaf("average_score"), "conclusion": Leaf("conclusion", "text")},
    },
    (Derived(name="average_score", operation="mean", of=SUMMARY_NAMES),),
)

REASONING = load_judge(Path(__file__).parent / "judges_data" / "reasoning")

ANSWERS = judge(
    "compare",
    (
        rating("correctness", Scale(min=0, max=5), "Корректность"),
        rating("depth", Scale(min=0, max=5), "Философская глубина"),
        text("conclusion"),
    ),
    {
        "scores": {"correctness": Leaf("correctness"), "depth": Leaf("depth")},
        "totals": Leaf("total"),
        "winner": Leaf("winner"),
        "tied": Leaf("winner", "tied"),
        "conclusion": Leaf("conclusion", "text"),
    },
    (
        Derived(name="total", operation="sum", of=("correctness", "depth")),
        Derived(name="winner", operation="winner", of=("total",)),
    ),
)

SEARCH = judge(
    "single",
    (
        Criterion(name="hallucination", kind="claims", scale=Scale(min=0, max=3, better="lower"), bands=(0, 2, 5)),
        Criterion(name="quality", kind="questions", scale=Scale(min=0, max=100, unit="%")),
        rating("relevancy", Scale(min=0, max=3)),
        text("relevant_sources", "selection"),
    ),
    {
        "hallucination_evaluation": {
            "hallucination_score": Leaf("hallucination", "score"),
            "hallucination_justification": Leaf("hallucination", "reason"),
            "claims": Leaf("hallucination", "claims"),
        },
        "summary_quality_evaluation": {
            "summary_quality_score": Leaf("quality", "score"),
            "questions_and_answers": Leaf("quality", "questions"),
        },
        "answer_relevancy_evaluation": {
            "relevancy_score": Leaf("relevancy", "score"),
            "relevancy_justification": Leaf("relevancy", "reason"),
            "relevant_search_result_urls": Leaf("relevant_sources", "selected"),
        },
    },
)

TRANSLATION = judge(
    "batch",
    (rating("adequacy"), rating("fluency")),
    {name: (Leaf(name, "score"), Leaf(name, "reason")) for name in ("adequacy", "fluency")},
)


SPANS = Criterion(
    name="errors",
    kind="spans",
    title="Errors",
    scale=Scale(min=0, max=100, better="lower", whole=False),
    penalties={"critical": 25.0, "major": 5.0, "minor": 1.0, "minor/punctuation": 0.1},
    categories={
        "accuracy/mistranslation": "Искажение",
        "accuracy/omission": "Пропуск",
        "accuracy/other": "Другое",
        "fluency/punctuation": "Пунктуация",
        "fluency/other": "Другое",
    },
    severities={"critical": "Критическая", "major": "Серьёзная", "minor": "Мелкая"},
)
ERRORS = judge("single", (SPANS,), {"errors": Leaf("errors", "spans"), "score": Leaf("errors", "score")})
ERRORS_BATCH = judge(
    "batch",
    (SPANS, rating("fluency")),
    {
        "errors": {part: Leaf("errors", part) for part in ("spans", "score", "reason")},
        "fluency": (Leaf("fluency", "score"), Leaf("fluency", "reason")),
    },
)

CHECKS = tuple(
    Check(name=name, weight=weight, asks=asks)
    for name, weight, asks in (
        ("names", 2.0, "Are the names right?"),
        ("dates", 1.0, "Are the dates right?"),
        ("order", 1.0, "Is the order kept?"),
    )
)


def checked(name: str, scale: Scale = FIVE) -> Criterion:
    return Criterion(name=name, kind="rating", scale=scale, checks=CHECKS)


CHECKED = judge(
    "single",
    (checked("accuracy"), rating("style"), checked("noise", Scale(min=0, max=3, better="lower"))),
    {
        "accuracy": Leaf("accuracy"),
        "style": Leaf("style"),
        "noise_score": Leaf("noise", "score"),
        "noise_reason": Leaf("noise", "reason"),
    },
)
CHECKED_ANSWERS = judge(
    "compare",
    (checked("correctness", Scale(min=0, max=5)), rating("depth", Scale(min=0, max=5))),
    {"scores": {"correctness": Leaf("correctness"), "depth": Leaf("depth")}, "totals": Leaf("total")},
    (Derived(name="total", operation="sum", of=("correctness", "depth")),),
)
CHECKED_BATCH = judge(
    "batch",
    (checked("adequacy"), rating("fluency")),
    {name: (Leaf(name, "score"), Leaf(name, "reason")) for name in ("adequacy", "fluency")},
)


def checks(*met: bool, why: str = "so") -> dict[str, Any]:
    """The checks of a criterion as they are asked for."""
    return {"checks": {check.name: {"why": why, "met": one} for check, one in zip(CHECKS, met, strict=True)}}


def error(span: str, category: str = "accuracy/omission", severity: str = "major", why: str = "so") -> dict[str, Any]:
    """An error as it is asked for."""
    return {"span": span, "explanation": why, "category": category, "severity": severity}


def summary_verdict(*scores: int, reason: str = "because", **overall: Any) -> dict[str, Any]:
    """A complete verdict of the SUMMARY judge."""
    points = scores if len(scores) == len(SUMMARY_NAMES) else scores * len(SUMMARY_NAMES)
    verdict: dict[str, Any] = {
        name: {"justification": reason, "score": score} for name, score in zip(SUMMARY_NAMES, points, strict=True)
    }
    return {**verdict, "overall": {"conclusion": "fine", **overall}}
