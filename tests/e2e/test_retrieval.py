"""What was retrieved, from rows and from candidates, to the tables of the report."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.e2e.test_run_http import run_json

RELEVANT = [
    {"id": "a", "text": "The widow Marsh keeps the lighthouse on the northern rock since the storm of 1871."},
    {"id": "b", "text": "Her son brings oil and bread across the bay every second Sunday of the month."},
]
OTHER = "The harbour office closes at noon and nobody answers the bell."
CHUNK = "A foreword. The widow Marsh keeps the lighthouse on the northern rock since the storm of 1871. And more."


def row(number: int, retrieved: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    found = {
        "id": f"q{number}",
        "question": "Who keeps the lighthouse?",
        "sources": RELEVANT,
        "answers": {"x": "The widow Marsh.", "y": "Nobody keeps it."},
        **more,
    }
    return found if retrieved is None else {**found, "retrieved": retrieved}


def write(*rows: dict[str, Any]) -> None:
    Path("rows.jsonl").write_text("\n".join(json.dumps(one) for one in rows), encoding="utf-8")


def systems(capsys) -> dict[str, Any]:
    code, found = run_json(capsys, "run", "rag-answers", "rows.jsonl")
    assert code == 0
    return dict(found.get("beside", {}).get("retrieval", {}).get("systems", {}))


def mean(told: dict[str, Any], measure: str, k: str = "all") -> float:
    return float(told[measure][k]["mean"])


def test_rows_that_say_what_was_retrieved_are_measured_against_their_sources(capsys):
    by_id = {"id": "b", "text": "(the text is elsewhere)"}
    write(row(1, [CHUNK, OTHER, by_id]), row(2, [OTHER, CHUNK, OTHER]), row(3))
    told = systems(capsys)["retrieved"]
    assert (told["n"], told["of"]) == (2, 3), "a row that does not say is not counted as nothing"
    assert mean(told, "recall") == pytest.approx((1 + 0.5) / 2)
    assert mean(told, "precision") == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert mean(told, "mrr") == pytest.approx((1 + 0.5) / 2)
    assert mean(told, "recall", "1") == pytest.approx((0.5 + 0) / 2)
    assert mean(told, "precision", "3") == mean(told, "precision")
    assert list(told["ndcg"]) == ["1", "3", "all"], "no list reaches the fifth rank"
    assert told["recall"]["all"]["ci95"][0] <= 0.75 <= told["recall"]["all"]["ci95"][1]


def test_the_report_shows_it_in_every_form(capsys):
    write(row(1, [CHUNK] * 3 + [OTHER] * 3))
    assert run_command(["run", "rag-answers", "rows.jsonl"]) == 0
    text = capsys.readouterr().out
    assert "What was retrieved" in text and "First 5, 95 %" in text and "0.60 [—]" in text
    for form in ("markdown", "html"):
        assert run_command(["show", "latest", "--format", form, "-o", f"report.{form}"]) == 0
        page = Path(f"report.{form}").read_text(encoding="utf-8")
        assert "What was retrieved" in page and "nDCG" in page
    write({**row(1, [CHUNK]), "question": "Кто хранит маяк?"})
    assert run_command(["run", "rag-answers", "rows.jsonl", "--lang", "ru"]) == 0
    assert "Что было найдено" in capsys.readouterr().out


def test_each_candidate_has_its_own_figures(capsys):
    rows = [{name: value for name, value in row(n).items() if name != "answers"} for n in range(2)]
    write(*rows)
    code = "import json, sys\nrow = json.load(sys.stdin)\n"
    Path("good.py").write_text(code + "print(json.dumps({'answer': 'Marsh.', 'retrieved': row['sources']}))")
    Path("poor.py").write_text(code + "print(json.dumps({'answer': 'Well.', 'retrieved': []}))")
    Path("mute.py").write_text(code + "print('I do not say what I read.')")
    candidates = [f"--candidate={name}=cmd:'{sys.executable}' {name}.py" for name in ("good", "poor", "mute")]
    _, found = run_json(capsys, "run", "rag-answers", "rows.jsonl", *candidates)
    told = found["beside"]["retrieval"]["systems"]
    assert told.keys() == {"good", "poor"}
    assert (mean(told["good"], "recall"), mean(told["good"], "ndcg", "1")) == (1, 1)
    assert (mean(told["poor"], "recall"), told["poor"]["n"]) == (0, 2), "an empty list found nothing, and says so"


@pytest.mark.parametrize(
    "hostile",
    [{"x": "no list"}, ["x"], {"x": [{"id": 1}]}, {"x": [None]}, "text", {f"s{n}": [CHUNK] for n in range(99)}],
)
def test_what_rows_carry_along_is_hostile(hostile, capsys):
    write(row(1, retrieved_by=hostile))
    told = systems(capsys)
    assert len(told) == (50 if isinstance(hostile, dict) and len(hostile) > 1 else 0)


def test_other_judges_say_nothing_of_it(capsys):
    Path("rows.jsonl").write_text(json.dumps({"content": "A lamp.", "text": "A lamp.", "retrieved": ["A lamp."]}))
    _, found = run_json(capsys, "run", "summary", "rows.jsonl")
    assert "retrieval" not in found.get("beside", {})
