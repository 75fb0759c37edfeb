"""A run with a judge that is too kind, and what people say of every one of its texts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.api.stored import StoredRun
from adjudge.data.sampled import candidate_code
from tests.fakes.verdicts import a_run

NAMES = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
RAG = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")

#: Item → criterion → score; in comparisons item → candidate → criterion → score.
Said = dict[str, dict[str, Any]]


def kind_judge(
    url: str, *, n: int = 200, kind: float = 0.6, lang: str = "en", name: str = "", seed: int = 1, failed: int = 0
) -> tuple[StoredRun, Said]:
    """A run of `n` summaries, the first `failed` without a verdict, and people's scores."""
    rng = np.random.default_rng(seed)
    given: list[Mapping[str, Any] | None] = []
    people: Said = {}
    for number in range(n):
        worth = rng.normal()
        people[f"i{number}"] = {one: _point(3.3 + 0.9 * worth + rng.normal(0, 0.5)) for one in NAMES}
        scores = {one: _point(3.3 + kind + 0.9 * worth + rng.normal(0, 0.5)) for one in NAMES}
        given.append(None if number < failed else scores)
    return a_run(url, "summary", given, lang=lang, name=name), people


def two_candidates(url: str, *, n: int = 120) -> tuple[StoredRun, Said]:
    """A comparison in which the judge is kind to A alone."""
    rng = np.random.default_rng(2)
    given, people = [], {}
    for number in range(n):
        said = {who: {one: _point(3 + rng.normal(), 0) for one in RAG} for who in ("A", "B")}
        people[f"i{number}"] = said
        scores = {
            one: {"A": min(5, said["A"][one] + 1), "B": _point(said["B"][one] + rng.normal(0, 0.4), 0)} for one in RAG
        }
        given.append(scores)
    return a_run(url, "rag-answers", given), people


def _point(value: float, low: int = 1) -> int:
    return int(np.clip(round(value), low, 5))


def fill(rows: Iterable[Mapping[str, Any]], people: Said) -> list[dict[str, Any]]:
    """The rows that were to be labelled, labelled."""
    found = []
    for row in rows:
        said = people[str(row["id"])]
        if "candidate" in row:
            said = next(said[name] for name in said if candidate_code(str(row["id"]), name) == row["candidate"])
        found.append({**row, **said})
    return found


def to_file(path: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    """A label file: .csv or .jsonl."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return str(path)
