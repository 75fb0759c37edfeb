"""`adjudge gate` from a judged file to the exit code of a build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from adjudge.cli import run_command
from tests.fakes.verdicts import a_run

NAMES = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")


def gate(capsys, *args: str) -> tuple[int, dict[str, Any]]:
    code = run_command(["gate", *args, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.fixture
def store(tmp_path: Path, monkeypatch) -> str:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    monkeypatch.setenv("ADJUDGE_STORE", url)
    monkeypatch.chdir(tmp_path)
    return url


def runs(store: str) -> None:
    a_run(store, "summary", [dict.fromkeys(NAMES, 4 + n % 2) for n in range(20)], name="main")
    a_run(store, "summary", [dict.fromkeys(NAMES, 4 - n % 2) for n in range(20)], name="branch")


def test_the_embedded_judge_s_run_is_gated(store, capsys):
    sample = Path(__file__).parents[2] / "src/adjudge/samples/summary.en.jsonl"
    assert run_command(["run", "summary", str(sample), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    mean = report["criteria"]["coverage"]["mean"]
    code, found = gate(capsys, "latest", "--min", f"coverage={mean - 0.01}")
    assert (code, found["met"], found["run"]) == (0, True, report["run"])
    assert found["bounds"][1]["value"] == mean
    code, found = gate(capsys, "latest", "--min", f"coverage={mean + 0.01}", "--max", "accuracy=5")
    assert (code, found["met"]) == (1, False)
    assert [bound["met"] for bound in found["bounds"]] == [True, False, True]
    assert gate(capsys, "latest", "--min", f"coverage={mean - 0.01}", "--on", "ci")[0] == 1


def test_a_drop_from_the_baseline_is_missed(store, capsys):
    runs(store)
    code, found = gate(capsys, "branch", "--baseline", "main", "--max-drop", "0.1")
    assert (code, {bound["value"] for bound in found["bounds"][1:]}) == (1, {1.0})
    assert len(found["bounds"]) == 6 and found["baseline"] != found["run"]
    assert gate(capsys, "main", "--baseline", "branch", "--max-drop", "0", "--on", "ci")[0] == 0
    code, found = gate(capsys, "branch", "--baseline", "main", "--max-drop", "1", "--max-drop", "coverage=0.5")
    assert (code, [bound["figure"] for bound in found["bounds"] if not bound["met"]]) == (1, ["coverage"])


def test_files_for_the_build_server_and_the_pull_request(store, capsys):
    runs(store)
    args = ["--min", "coverage=4", "--min", "coverage>=3=0.9", "--junit", "gate.xml", "--markdown", "gate.md"]
    assert run_command(["gate", "branch", *args]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("Gate: missed") and "Coverage: 3.50, and the bound is ≥ 4." in shown
    suite = ElementTree.parse("gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert Path("gate.md").read_text("utf-8").startswith("# Gate: missed")
    assert run_command(["gate", "branch", "--min", "coverage=3", "--format", "html", "-o", "gate.html"]) == 0
    assert Path("gate.html").read_text("utf-8").startswith("<!doctype html>")


def test_the_language_of_the_run_is_that_of_the_gate(store, capsys):
    a_run(store, "summary", [dict.fromkeys(NAMES, 4)] * 5, lang="ru")
    assert run_command(["gate", "latest", "--min", "coverage=5"]) == 1
    assert capsys.readouterr().out.startswith("Пороги: не выдержаны")


def test_failures_are_a_bound(store, capsys):
    a_run(store, "summary", [*([dict.fromkeys(NAMES, 4)] * 19), None])
    assert gate(capsys, "latest", "--min", "coverage=3")[0] == 1
    assert gate(capsys, "latest", "--min", "coverage=3", "--max-failed", "0.05")[0] == 0
    assert gate(capsys, "latest", "--min-judged", "0.95")[0] == 0
    assert gate(capsys, "latest", "--max-failed", "0.04")[0] == 1
    code, told = gate(capsys, "latest", "--min", "coverage=3", "--max-failed", "0.04")
    assert code == 1 and "(--max-failed 0.04)" in told["answers"][-1]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "there is no bound"),
        (["--min", "coverage"], "--min takes FIGURE=X"),
        (["--min", "=4"], "--min takes FIGURE=X"),
        (["--min", "coverage=four"], "--min takes FIGURE=X"),
        (["--min", "coverage=nan"], "between 1 and 5"),
        (["--min", "coverage=3", "--min", "coverage=4"], "two bounds"),
        (["--min", "speed=3"], "known here: coverage"),
        (["--max-failed", "5"], "between 0 and 1"),
        (["--max-failed", "0.1", "--min-judged", "0.9"], "give one of them"),
        (["--max-drop", "0.1"], "--baseline"),
        (["--max-drop", "0.1", "--baseline", "nowhere"], "nowhere"),
        (["--min", "coverage=3", "--junit", "no/such/folder/gate.xml"], "give another path after --junit"),
        (["--min", "coverage=3", "--markdown", "no/such/folder/gate.md"], "give another path after --markdown"),
        (["--min", "coverage=3", "-o", "no/such/folder/gate.txt"], "give another path after -o"),
    ],
)
def test_what_can_not_be_meant_ends_with_2(store, capsys, args, said):
    runs(store)
    assert run_command(["gate", "latest", *args]) == 2
    told = capsys.readouterr()
    assert said in told.err and not told.out


def test_from_python(store):
    import adjudge

    runs(store)
    assert adjudge.gate("main", minimum={"coverage": 4}).met
    assert [held.figure for held in adjudge.gate("branch", minimum={"coverage": 4}).missed] == ["coverage"]
