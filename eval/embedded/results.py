"""The last figures, kept as data, so that a part can be renewed by itself and the page be made of all."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from eval.embedded.data import ROOT
from eval.embedded.figures import Figure
from eval.embedded.measured import Row

FILE = ROOT / "eval" / "embedded" / "results.json"


def load() -> dict[str, Any]:
    """The parts measured so far."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def save(part: str, value: Any, command: str) -> None:
    """Keeps one part, with its date, its command and the number of cores."""
    every = load()
    made = f"{datetime.now(UTC):%Y-%m-%d}"
    every[part] = {"made": made, "command": command, "cores": os.cpu_count(), "value": value}
    lines = [f" {json.dumps(name)}: {_lines(every[name])}" for name in sorted(every)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _lines(part: dict[str, Any]) -> str:
    """A line a row, so that a change of one figure is a change of one line."""
    value = part["value"]
    if not isinstance(value, list):
        return json.dumps(part, ensure_ascii=False)
    head = json.dumps({**part, "value": []}, ensure_ascii=False).removesuffix("[]}")
    return head + "[\n  " + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n ]}"


def figure_to(figure: Figure) -> list[float | None]:
    """A figure as [value, low, high, n]."""
    ends = (figure.value, figure.low, figure.high)
    return [*(None if end is None or math.isnan(end) else round(end, 3) for end in ends), figure.n]


def figure_from(value: Sequence[Any]) -> Figure:
    """A figure from [value, low, high, n]."""
    return Figure(value=math.nan if value[0] is None else value[0], low=value[1], high=value[2], n=int(value[3]))


def rows_to(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows as JSON values."""
    return [
        {
            "set": row.set,
            "label": row.label,
            "kind": row.kind,
            "by": row.by,
            "figures": {half: figure_to(figure) for half, figure in row.figures.items()},
        }
        for row in rows
    ]


def rows_from(value: Sequence[dict[str, Any]]) -> list[Row]:
    """Rows from JSON values."""
    return [
        Row(
            set=row["set"],
            label=row["label"],
            kind=row["kind"],
            by=row["by"],
            figures={half: figure_from(figure) for half, figure in row["figures"].items()},
        )
        for row in value
    ]
