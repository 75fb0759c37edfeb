"""Summaries with the scores of three experts, as files for `adjudge run` and `adjudge agree`.

python -m eval.agree_summeval FOLDER

Writes data.jsonl and experts.jsonl there; the scores keep the names that the experts' dimensions have (SummEval).
What comes of them stands in docs/can-i-trust-this-judge.md.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SUMMEVAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "human" / "summeval.jsonl.gz"
KEPT = ("relevance", "consistency", "coherence")


def main(folder: Path) -> None:
    with gzip.open(SUMMEVAL, "rt", encoding="utf-8") as file:
        rows = [row for line in file if (row := json.loads(line)).get("human_experts")]
    folder.mkdir(parents=True, exist_ok=True)
    fields = ({"id": row["id"], "content": row["source"], "text": row["summary"]} for row in rows)
    people = (
        {"id": row["id"], "labels": [{name: one[name] for name in KEPT} for one in row["human_experts"]]}
        for row in rows
    )
    _write(folder / "data.jsonl", fields)
    _write(folder / "experts.jsonl", people)


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
