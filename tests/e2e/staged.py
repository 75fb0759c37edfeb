"""A judge of claims and a rating, and rows for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

JUDGE = """\
judge: facts
version: 1
layout: single
languages: [en]
fields:
  query: {type: text, role: query}
  results: {type: search_results, role: source}
  text: {type: text, role: output}
criteria:
  claims: {kind: claims, scale: {min: 0, max: 3, better: lower}, bands: [0, 2, 5]}
  use: {kind: rating, scale: {min: 1, max: 3, better: higher}}
  best: {kind: selection}
output:
  facts: {score: claims.score, why: claims.reason, claims: claims.claims}
  use: use
  best: best.selected
"""

ENGLISH = """\
title: Facts
about: Claims and a rating.
instructions: |
  Judge the text.

  {{criteria}}

  {{format}}
item: |
  {{query}}

  {{results}}

  {{text}}
fields: {query: Query, results: Results, text: Text}
criteria:
  claims:
    title: Claims
    asks: Which claims are not supported?
    labels: {0: None, 1: Few, 2: Some, 3: Many}
  use:
    title: Use
    asks: Is it of use?
    labels: {1: "No use", 2: "Some use", 3: "Of use"}
  best:
    title: Best
    asks: Which results are best?
"""

RESULTS = [
    {"url": "https://a.example/1", "content": "The tower is 40 metres high. It was built in 1912."},
    {"url": "https://b.example/2", "content": "The bridge is made of stone. It has 7 arches."},
]
TEXT = (
    "The tower is 40 metres high [1]. It was built in 1912 [2]. It has 9 arches [2]. "
    "The roof is of gold [7]. The bridge is made of stone."
)


def judge_folder(*, judge: str = JUDGE, english: str = ENGLISH) -> str:
    folder = Path("facts")
    folder.mkdir(exist_ok=True)
    (folder / "judge.yaml").write_text(judge, encoding="utf-8")
    (folder / "en.yaml").write_text(english, encoding="utf-8")
    return str(folder)


def row(item: str = "a", **fields: Any) -> dict[str, Any]:
    return {"id": item, "query": "What is there to see?", "results": RESULTS, "text": TEXT, **fields}


def rows_file(*rows: dict[str, Any]) -> str:
    Path("rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return "rows.jsonl"
