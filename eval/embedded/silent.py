"""Criteria that nothing countable stands for: how often the embedded judge gave a number all the same."""

from __future__ import annotations

import math
from typing import Any

from eval.embedded import data
from eval.embedded.data import Sample
from eval.embedded.measured import judge_of, qualities


def counts(fast: bool) -> list[dict[str, Any]]:
    """Every criterion without a measure, and correctness with neither source nor reference, on real texts."""
    most = 50 if fast else 0
    answers, bare = data.taken(data.ragchecker(), fast=most), data.taken(data.alce(), fast=most)
    segments = [s for s in data.taken(data.wmt("en-ru"), fast=most) if s.reference]
    return [
        *(_count("rag-answers", name, "RAGChecker pairs", answers) for name in _unmeasured("rag-answers")),
        *(_count("translation", name, "WMT en-ru", segments) for name in _unmeasured("translation")),
        _count("rag-answers", "correctness", "ALCE, neither source nor reference", bare),
        _count("rag-answers", "retrieval_accuracy", "ALCE, neither source nor reference", bare),
    ]


def _unmeasured(judge: str) -> list[str]:
    return [c.name for c in judge_of(judge).scored if c.measure is None]


def _count(judge: str, criterion: str, name: str, samples: list[Sample]) -> dict[str, Any]:
    worded = [s for s in samples if s.text.strip()]
    given = qualities(judge, worded).get(f"{judge}.{criterion}", [])
    numbers = sum(not math.isnan(value) for value in given)
    return {"judge": judge, "criterion": criterion, "set": name, "texts": len(worded), "numbers": numbers}
