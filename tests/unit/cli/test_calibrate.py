"""adjudge calibrate from end to end: labels in, a file out, a run that uses it."""

from __future__ import annotations

import csv
import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.cli import run_command
from adjudge.spec.load import load_judge
from tests.unit.models.offline.labelled import rows, sentence


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


def test_a_run_whose_calibration_has_gone_says_so_when_resumed(capsys):
    calibrated(capsys, "--labels", write("l.jsonl", rows()), "-o", "mine.json")

    def stop(progress: Any) -> None:
        if progress.judged:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adjudge.evaluate("summary", rows(9, seed=9), model="offline:mine.json", concurrency=1, listener=stop)
    Path("mine.json").rename("away.json")
    assert run_command(["resume", "latest"]) == 2
    told = capsys.readouterr().err
    assert "mine.json" in told and "No such file" in told
    Path("away.json").rename("mine.json")
    assert run_command(["resume", "latest"]) == 0


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


def compared(source: list[str], texts: dict[str, str], scores: dict[str, float]) -> dict[str, Any]:
    fields = {"question": "What did they do?", "sources": [" ".join(source)], "answers": texts}
    return {**fields, "reference": " ".join(source[:4]), "labels": {"correctness": scores}}


def translated(source: list[str], texts: dict[str, str], scores: dict[str, float]) -> dict[str, Any]:
    fields = {"src": " ".join(source), "ref": " ".join(source[:4]), "trg": texts["A"], "trg_lang": "en"}
    return {**fields, "labels": {"adequacy": scores["A"]}}


@pytest.mark.parametrize(
    ("judge", "criterion", "make", "names"),
    [("rag-answers", "correctness", compared, "AB"), ("translation", "adequacy", translated, "A")],
)
def test_answers_side_by_side_and_segments_are_calibrated_too(
    capsys: pytest.CaptureFixture[str], judge: str, criterion: str, make: Any, names: str
) -> None:
    scale = load_judge(judge, "en").criterion(criterion).scale
    assert scale is not None
    generator = random.Random(4)
    made = []
    for number in range(120):
        source, texts, scores = [sentence(generator) for _ in range(6)], {}, {}
        for name in names:
            right = generator.randint(0, 4)
            texts[name] = " ".join(source[:right] + [sentence(generator) for _ in range(4 - right)])
            share = 0.5 + 0.05 * right + generator.gauss(0, 0.01)  # people who use the middle of the scale only
            scores[name] = round(scale.worst + share * (scale.best - scale.worst), 2)
        made.append({"id": str(number), **make(source, texts, scores)})
    code = run_command(["calibrate", judge, "--labels", write("l.jsonl", made), "-o", "mine.json", "--json"])
    found = json.loads(capsys.readouterr().out)["criteria"][criterion]
    assert (code, found["kept"], found["n"], found["sources"]) == (0, True, 120 * len(names), 120)
    new = write("new.jsonl", made[:10])
    assert run_command(["run", judge, new, "--lang", "ru", "--model", "offline:mine.json"]) == 0
    for line, row in zip(exported(capsys), made[:10], strict=True):
        assert line["scores"][criterion] == pytest.approx(row["labels"][criterion], abs=0.15 * (scale.max - scale.min))


def test_labels_that_are_chance_write_nothing(capsys):
    code, found = calibrated(capsys, "--labels", write("l.jsonl", rows(informed=False)))
    assert code == 2
    assert found["wrote"] is None
    assert found["criteria"]["accuracy"]["why"].startswith("does not beat length alone")
    assert not Path("summary.calibration.json").exists()


def test_too_few_labels_are_counted(capsys):
    code, found = calibrated(capsys, "--labels", write("l.jsonl", rows(99)))
    assert code == 2
    assert found["criteria"]["accuracy"]["why"] == "labelled texts: 99, and 100 are needed"
    code, found = calibrated(capsys, "--labels", write("l.jsonl", rows(120, per_source=20)))
    assert found["criteria"]["accuracy"]["why"] == "sources with labelled texts: 6, and 10 are needed"


def test_a_group_column_says_what_belongs_together(capsys):
    grouped = [{**row, "group": number % 3} for number, row in enumerate(rows())]
    _, found = calibrated(capsys, "--labels", write("l.jsonl", grouped))
    assert found["criteria"]["accuracy"]["sources"] == 3


def asked(count: int, documents: int) -> list[dict[str, Any]]:
    """Answers to as many questions, each about one of a few documents."""
    return [
        {
            "id": str(number),
            "question": f"What of {number}?",
            "sources": [f"The miller has {number % documents} lamps.\n" + " " * (number % 3)],
            "answers": {"A": f"The miller has {number % documents} lamps.", "B": "A heron."},
            "correctness": {"A": 5, "B": 1},
        }
        for number in range(count)
    ]


def sources(capsys: pytest.CaptureFixture[str], made: list[dict[str, Any]]) -> tuple[int, str]:
    assert run_command(["calibrate", "rag-answers", "--labels", write("l.jsonl", made), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)["criteria"]["correctness"]
    return found["sources"], found["why"]


def test_many_questions_about_one_document_are_one_source(capsys):
    assert sources(capsys, asked(100, 1)) == (1, "sources with labelled texts: 1, and 10 are needed")
    assert sources(capsys, asked(100, 7))[0] == 7


def test_rows_that_share_a_document_belong_together(capsys):
    made = asked(100, 12)
    made[0]["sources"] += made[1]["sources"]
    made[2]["sources"] += ["The  miller has 1 lamps."]
    assert sources(capsys, made)[0] == 10
    assert sources(capsys, [{**row, "sources": [""]} for row in made])[0] == 100  # then the questions tell them apart


def test_the_order_of_rows_decides_nothing(capsys):
    made = rows()
    made[0]["content"] += " "
    for name, found in (("one.json", made), ("two.json", made[::-1])):
        calibrated(capsys, "--labels", write("l.jsonl", found), "-o", name)
    one, two = (json.loads(Path(name).read_text())["criteria"] for name in ("one.json", "two.json"))
    assert one["accuracy"]["trial"] == two["accuracy"]["trial"]


def test_texts_without_words_are_left_out(capsys):
    made = rows(150)
    for row in made[::5]:
        row |= {"text": "…", "accuracy": 1}
    code, found = calibrated(capsys, "--labels", write("l.jsonl", made), "-o", "mine.json")
    assert (code, found["criteria"]["accuracy"]["n"]) == (0, 120)
    assert json.loads(Path("mine.json").read_text())["criteria"]["accuracy"]["chars"][0] > 50


def test_the_same_labels_and_seed_give_the_same_file_on_any_day(capsys):
    labels = write("l.jsonl", rows())
    calibrated(capsys, "--labels", labels, "-o", "one.json")
    calibrated(capsys, "--labels", labels, "-o", "two.json")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert datetime.now(UTC).date().isoformat() not in Path("one.json").read_text()


def test_standard_output_takes_the_file_alone(capsys):
    labels = write("l.jsonl", rows())
    assert run_command(["calibrate", "summary", "--labels", labels, "-o", "-"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["adjudge_calibration"] == 1
    assert "accuracy: kept" in shown.err
    assert "offline:-" not in shown.err
    assert run_command(["calibrate", "summary", "--labels", labels, "-o", "-", "--json"]) == 2
    assert "-o FILE" in json.loads(capsys.readouterr().out)["error"]["hint"]
    chance = write("c.jsonl", rows(informed=False))
    assert run_command(["calibrate", "summary", "--labels", chance, "-o", "-"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "nothing was written" in shown.err


def test_a_name_with_spaces_is_quoted_in_the_command_to_paste(capsys):
    labels = write("l.jsonl", rows())
    assert run_command(["calibrate", "summary", "--labels", labels, "-o", "my own.json"]) == 0
    assert "--model 'offline:my own.json'" in capsys.readouterr().err


def test_what_is_kept_is_written_and_what_is_refused_is_named(capsys):
    both = [{**row, "coherence": 1 + number % 5} for number, row in enumerate(rows())]
    assert run_command(["calibrate", "summary", "--labels", write("l.jsonl", both)]) == 0
    shown = capsys.readouterr()
    assert "accuracy: kept" in shown.out
    assert "coherence: refused: does not beat length alone (the order is not surely better" in shown.out
    (line,) = (line for line in shown.out.splitlines() if line.startswith("coherence") and "/" in line)
    assert line.split()[-2:] == ["—", "—"]
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
