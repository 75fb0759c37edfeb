"""The fake itself: a test that leans on it must be able to trust it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.instance import instance, table

SCORE = {"type": "integer", "minimum": 0, "maximum": 5}
CELL = {"type": "object", "properties": {"justification": {"type": "string"}, "score": SCORE}}
ROW = {"type": "object", "properties": {"A": CELL, "B": CELL}}


@given(st.text(max_size=20))
def test_an_instance_fits_its_schema_and_depends_on_the_seed_alone(seed: str) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": SCORE, "b": {"type": "array", "items": {"$ref": "#/$defs/c"}}, "d": {"enum": ["x", "y"]}},
        "$defs": {"c": {"type": "object", "properties": {"ok": {"type": "boolean"}}}},
    }
    found = instance(schema, seed)
    assert found == instance(schema, seed)
    assert found["a"] in range(6) and found["d"] in ("x", "y") and isinstance(found["b"][0]["ok"], bool)


def test_scores_vary_with_the_seed() -> None:
    assert {instance(SCORE, str(seed)) for seed in range(100)} == set(range(6))


def test_a_table_holds_every_score() -> None:
    scores = {"type": "object", "properties": {"clarity": ROW, "depth": ROW}}
    schema = {"type": "object", "properties": {"scores": scores, "conclusion": {"type": "string"}}}
    found = instance(schema, "s")
    lines = table(found).splitlines()
    assert lines[0].startswith("| Criterion | A | B |")
    for line, name in zip(lines[2:4], ("clarity", "depth"), strict=True):
        cells = [cell.strip() for cell in line.split("|")]
        assert cells[1:4] == [name, *(str(found["scores"][name][who]["score"]) for who in "AB")]
    assert lines[-1] == found["conclusion"]
