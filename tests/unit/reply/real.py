"""Measures the reader on real replies, where they are at hand beside the project."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import ReplyError
from adjudge.reply.extract import document
from adjudge.reply.read import read
from tests.unit.reply.judges import REASONING

REPLIES = Path(__file__).resolve().parents[4] / "shared" / "data" / "replies"


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a set of replies; the test is skipped where the set is absent."""
    path = REPLIES / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the set of real replies {name} is not here (../shared/data/replies)")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            if row.get("raw") is None:
                row["raw"] = base64.b64decode(row["raw_b64"]).decode("utf-8", "surrogateescape")
            yield row


def equal(one: Any, other: Any) -> bool:
    """JSON equality: True is not 1, and 2 is 2.0."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def recovered(row: dict[str, Any]) -> bool:
    """Whether the whole text reads as what its source says it means."""
    try:
        value = document(row["raw"]).value
    except ValueError:
        return False
    wanted = [row["expected"], *(other["expected"] for other in row.get("alternative_expected", ()))]
    return any(equal(value, one) for one in wanted)


def reasoning_scores(raw: str) -> dict[str, float | None] | None:
    """The scores read from a reply of the reasoning set, or None when reading fails."""
    try:
        opinion = read(REASONING, raw).opinions[""]
    except ReplyError:
        return None
    return {name: scores[""].value for name, scores in opinion.scores.items()}
