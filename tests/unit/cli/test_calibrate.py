"""adjudge calibrate from end to end: labels in, a file out, a run that uses it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.unit.models.offline.labelled import rows


def write(path: str, found: list[dict[str, Any]]) -> str:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in found))
    return path


def calibrated(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, Any]]:
    code = run_command(["calibrate", "summary", "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def exported(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_command(["export", "latest"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_labels_become_a_file_that_a_run_uses(capsys):
    code, found = calibrated(capsys, "--labels", write("l.jsonl", rows()), "-o", "mine.json")
    assert code == 0
    assert found["wrote"] == "mine.json"
    accuracy = found["criteria"]["accuracy"]
    assert (accuracy["kept"], accuracy["n"], accuracy["sources"]) == (True, 120, 24)
    assert accuracy["calibrated"]["mae"] < min(accuracy["plain"]["mae"], accuracy["length"]["mae"])
    assert 0.7 <= accuracy["interval"]["coverage"] <= 0.9

    new = rows(60, seed=99)
    assert run_command(["run", "summary", write("new.jsonl", new), "--model", "offline:mine.json"]) == 0
    lines = exported(capsys)
    assert "model:offline:mine.json|" in lines[0]["signature"]
    assert "revision:" in lines[0]["signature"] and "+" in lines[0]["signature"]
    held = [
        low <= row["accuracy"] <= high
        for row, line in zip(new, lines, strict=True)
        if "accuracy" in line["scores"]
        for low, high in [line["intervals"]["accuracy"]]
    ]
    assert len(held) > 50
    assert sum(held) / len(held) > 0.65


def test_a_text_outside_the_range_is_not_judged(capsys):
    calibrated(capsys, "--labels", write("l.jsonl", rows()), "-o", "mine.json")
    (row,) = rows(1, seed=5)
    write("new.jsonl", [{**row, "text": row["text"] * 40}])
    assert run_command(["run", "summary", "new.jsonl", "--model", "offline:mine.json"]) == 0
    (line,) = exported(capsys)
    assert "accuracy" not in line["scores"]
    assert "accuracy" not in line["intervals"]
    assert line["verdict"]["accuracy"]["score"] is None
    assert "the texts of the calibration have" in line["verdict"]["accuracy"]["justification"]
    assert "coverage" in line["scores"]


def test_labels_that_are_chance_write_nothing(capsys):
    code, found = calibrated(capsys, "--labels", write("l.jsonl", rows(informed=False)))
    assert code == 2
    assert found["wrote"] is None
    assert found["criteria"]["accuracy"]["why"].startswith("does not beat length alone")
    assert not Path("summary.calibration.json").exists()


def test_too_few_labels_are_counted(capsys):
    code, found = calibrated(capsys, "--labels", write("l.jsonl", rows(99)))
    assert code == 2
    assert found["criteria"]["accuracy"]["why"] == "99 labelled texts, and 100 are needed"
    code, found = calibrated(capsys, "--labels", write("l.jsonl", rows(120, per_source=20)))
    assert found["criteria"]["accuracy"]["why"] == "labelled texts of 6 sources, and 10 are needed"


def test_a_group_column_says_what_belongs_together(capsys):
    grouped = [{**row, "group": number % 3} for number, row in enumerate(rows())]
    _, found = calibrated(capsys, "--labels", write("l.jsonl", grouped))
    assert found["criteria"]["accuracy"]["sources"] == 3


def test_what_is_kept_is_written_and_what_is_refused_is_named(capsys):
    both = [{**row, "coherence": 1 + number % 5} for number, row in enumerate(rows())]
    assert run_command(["calibrate", "summary", "--labels", write("l.jsonl", both)]) == 0
    shown = capsys.readouterr()
    assert "accuracy: kept" in shown.out
    assert "coherence: refused: does not beat" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "wrote summary.calibration.json; use it with --model offline:summary.calibration.json" in shown.err
    assert list(json.loads(Path("summary.calibration.json").read_text())["criteria"]) == ["accuracy"]


def test_a_table_and_other_names_of_columns(capsys):
    with Path("l.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "article", "text", "human.accuracy"])
        writer.writerows([row["id"], row["content"], row["text"], row["accuracy"]] for row in rows())
    code, _ = calibrated(capsys, "--labels", "l.csv", "--map", "content=article", "--lang", "ru", "--seed", "3")
    assert code == 0
    assert json.loads(Path("summary.calibration.json").read_text())["seed"] == 3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"accuracy": 7}, "line 120"),
        ({"accuracy": 7}, "from 1 to 5"),
        ({"id": "s0"}, "stands twice"),
        ({"content": None}, "the field `content`"),
    ],
)
def test_what_is_wrong_names_the_row(capsys, changes, said):
    made = rows()
    made[-1] |= changes
    assert run_command(["calibrate", "summary", "--labels", write("l.jsonl", made)]) == 2
    assert said in capsys.readouterr().err


def test_a_file_without_labels_says_what_it_has(capsys):
    bare = [{"id": row["id"], "content": row["content"], "text": row["text"], "note": "x"} for row in rows(3)]
    assert run_command(["calibrate", "summary", "--labels", write("l.jsonl", bare)]) == 2
    said = capsys.readouterr().err
    assert "no row has a score for any criterion of `summary`; beside its fields the rows have: note" in said


def test_labels_of_what_is_not_measured_are_refused(capsys):
    fields = {"question": "Who?", "sources": ["The miller."], "answers": {"A": "The miller.", "B": "A heron."}}
    made = [{**fields, "id": str(number), "depth": {"A": 3}} for number in range(3)]
    assert run_command(["calibrate", "rag-answers", "--labels", write("l.jsonl", made), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["criteria"]["depth"]["why"] == "the embedded judge does not measure it"


def test_a_calibration_of_another_judge_is_refused_before_anything_is_judged(capsys):
    calibrated(capsys, "--labels", write("l.jsonl", rows()), "-o", "mine.json")
    write("t.jsonl", [{"src": "a", "trg": "b"}])
    assert run_command(["run", "translation", "t.jsonl", "--model", "offline:mine.json"]) == 2
    assert "made for the judge `summary`, not for `translation`" in capsys.readouterr().err
    assert run_command(["run", "summary", "l.jsonl", "--model", "offline:none.json"]) == 2
    assert "cannot read the calibration" in capsys.readouterr().err
    assert not Path("adjudge.db").exists()
