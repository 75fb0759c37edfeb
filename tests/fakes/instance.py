"""A valid instance of a JSON schema, the same for the same seed: what a good model would send back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any


def instance(schema: Mapping[str, Any], seed: str = "") -> Any:
    """An instance of the schema; numbers and choices vary with the seed and the place in the schema."""
    return _build(schema, seed, "$", schema.get("$defs", {}))


def table(found: Any) -> str:
    """The scores of a compare verdict as the Markdown table that people's prompts ask for, then its other texts."""
    scores = _compared(found)
    names = list(next(iter(scores.values())))
    rows = ["| Criterion | " + " | ".join(names) + " | Reasons (" + " / ".join(names) + ") |"]
    rows.append("|" + " --- |" * (len(names) + 2))
    for criterion, cells in scores.items():
        reasons = " / ".join(f"{name}: {cell.get('justification', '')}" for name, cell in cells.items())
        points = " | ".join(str(cell["score"]) for cell in cells.values())
        rows.append(f"| {criterion} | {points} | {reasons} |")
    texts = [value for value in found.values() if isinstance(value, str)]
    return "\n".join([*rows, "", *texts])


def _compared(found: Any) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    for value in found.values() if isinstance(found, dict) else ():
        cells = (
            [cell for row in value.values() if isinstance(row, dict) for cell in row.values()] if _maps(value) else []
        )
        if cells and all(isinstance(cell, dict) and "score" in cell for cell in cells):
            return dict(value)
    raise ValueError("the schema asks for no table of criterion × candidate")


def _maps(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(row, dict) for row in value.values())


def _build(schema: Mapping[str, Any], seed: str, place: str, definitions: Mapping[str, Any]) -> Any:
    draw = int.from_bytes(hashlib.sha256(f"{seed}\0{place}".encode("utf-8", "replace")).digest()[:6], "big")

    def child(part: Mapping[str, Any], step: object) -> Any:
        return _build(part, seed, f"{place}/{step}", definitions)

    if "$ref" in schema:
        return child(definitions[schema["$ref"].rsplit("/", 1)[1]], "ref")
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][draw % len(schema["enum"])]
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return child(schema[choice][0], choice)
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    low, high = schema.get("minimum", 0), schema.get("maximum", schema.get("minimum", 0) + 3)
    if kind == "object":
        return {name: child(part, name) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        length = min(max(schema.get("minItems", 1), 1), schema.get("maxItems", 1_000))
        # The first of a list is the least that the items allow: a number of a source that surely exists.
        return [_least(schema["items"], child(schema["items"], step)) for step in range(length)]
    if kind == "integer":
        return low + draw % (high - low + 1)
    if kind == "number":
        return low + (high - low) * (draw % 101) / 100
    if kind == "boolean":
        return draw % 2 == 0
    return None if kind == "null" else f"text {draw % 1000}"


def _least(schema: Mapping[str, Any], found: Any) -> Any:
    return schema.get("minimum", found) if schema.get("type") == "integer" else found
