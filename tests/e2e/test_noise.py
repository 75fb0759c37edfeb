"""A judge against itself and failures that are not random: from a dataset over a server to the report."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.e2e.test_run_http import run_json
from tests.fakes.server import Answer

CRITERIA = ["coverage", "accuracy", "coherence", "conciseness", "hallucination_check"]


def dataset(path: Path, n: int) -> str:
    rng = random.Random(5)
    rows = [
        {"id": f"i{at}", "content": "The ferry waits. " * rng.randint(5, 60), "text": f"Ferry {at}: it waits."}
        for at in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def scored(points: dict[str, int]) -> Answer:
    verdict: dict[str, Any] = {name: {"justification": "so", "score": point} for name, point in points.items()}
    return Answer(text=json.dumps({**verdict, "overall": {"conclusion": "done"}}))


def test_repeats_show_the_judge_against_itself(serve, capsys, tmp_path):
    """Coverage is the item's own, off by at most a point and by chance; the rest never wavers."""

    def noisy(request: dict[str, Any], n: int) -> Answer:
        length = len(request["messages"][1]["content"])
        own = 2 + length // 200 % 3
        return scored({**dict.fromkeys(CRITERIA, own), "coverage": own + random.Random(n).choice([-1, 0, 0, 1])})

    run = ["run", "summary", dataset(tmp_path / "d.jsonl", 40), "--model", "openai:m", "--base-url", serve(noisy).url]
    code, found = run_json(capsys, *run, "--repeat", "3", "--name", "noisy")
    assert code == 0 and "spread" not in found["beside"]
    noise = found["beside"]["noise"]
    wavers, steady = noise["coverage"], noise["accuracy"]
    assert (wavers["n"], wavers["of"], wavers["pairs"]) == (40, 40, 120)
    assert wavers["sd"] == pytest.approx(0.71, abs=0.15)
    assert 0.3 < wavers["equal"] < 0.5 and 0.8 < wavers["within_one"] < 1
    low, high = wavers["reliability"]["ci95"]
    assert low < wavers["reliability"]["value"] < high < 0.9
    assert wavers["smallest_difference"] == pytest.approx(1.98 * wavers["sd"] * (2 / 120) ** 0.5, abs=0.01)
    assert (steady["equal"], steady["reliability"]["value"], steady["smallest_difference"]) == (1.0, 1.0, 0.0)
    assert found["criteria"]["coverage"]["interval"] == "bootstrap"
    assert found["derived"]["average_score"]["histogram"].keys() == {"1", "2", "3", "4", "5"}
    assert run_command(["show", "noisy"]) == 0
    shown = capsys.readouterr().out
    assert "The judge against itself" in shown and "Smallest difference" in shown
    assert "95 % intervals over items: bootstrap" in shown
    assert run_command(["show", "noisy", "--format", "html", "-o", str(tmp_path / "r.html")]) == 0
    assert "The judge against itself" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_failures_by_length_are_warned_of(serve, capsys, tmp_path):
    def breaks(request: dict[str, Any], n: int) -> Answer:
        long = request["messages"][1]["content"].count("The ferry waits.") > 45
        return Answer(text="no idea") if long else scored(dict.fromkeys(CRITERIA, 3 + n % 2))

    run = ["run", "summary", dataset(tmp_path / "d.jsonl", 60), "--model", "openai:m", "--base-url", serve(breaks).url]
    code, found = run_json(capsys, *run)
    assert code == 3 and found["failed"] >= 5
    (warning,) = [one for one in found["warnings"] if "not a random part" in one]
    assert warning.startswith(f"The {found['failed']} items that failed") and "sources are longer" in warning
