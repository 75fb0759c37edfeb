"""From a run to what people would have said of it: `adjudge sample`, labels, `adjudge correct`."""

from __future__ import annotations

import codecs
import csv
import io
import json
from pathlib import Path

import pytest

from adjudge.cli import run_command
from adjudge.data.rows import read_rows
from tests.e2e.until import judging, summaries
from tests.fakes.labelled import NAMES, fill, kind_judge, to_file, two_candidates

SAMPLES = Path(__file__).parents[2] / "src/adjudge/samples"


@pytest.fixture
def store(tmp_path: Path, monkeypatch) -> str:
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    monkeypatch.setenv("ADJUDGE_STORE", url)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return url


def _label(path: Path, people) -> None:
    """What a person does: open the file, fill in the cells, save it."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = fill(csv.DictReader(file), people)
    to_file(path, rows)


def test_a_file_to_fill_in_opens_in_excel_and_reads_back_as_it_is(store, tmp_path, capsys):
    kind_judge(store, n=30, name="mine")
    assert run_command(["sample", "mine", "--n", "20", "-o", "labels.csv"]) == 0
    assert run_command(["sample", "mine", "--n", "20", "-o", "labels.jsonl"]) == 0
    capsys.readouterr()
    assert run_command(["sample", "mine", "--n", "20"]) == 0
    printed = capsys.readouterr().out
    marked = (tmp_path / "labels.csv").read_bytes()
    assert marked.startswith(codecs.BOM_UTF8) and marked.count(codecs.BOM_UTF8) == 1
    assert not printed.startswith("\ufeff"), "a pipe has no use for it"
    (tmp_path / "plain.csv").write_bytes(marked.removeprefix(codecs.BOM_UTF8))
    found, plain = ([row for _, row in read_rows(str(tmp_path / name))] for name in ("labels.csv", "plain.csv"))
    assert found == plain == list(csv.DictReader(io.StringIO(printed)))
    assert not (tmp_path / "labels.jsonl").read_bytes().startswith(codecs.BOM_UTF8)


def test_from_a_run_to_the_corrected_means(store, tmp_path, capsys):
    _, people = kind_judge(store, n=300, name="mine", failed=3)
    assert run_command(["sample", "mine", "--n", "60", "-o", "labels.csv"]) == 0
    said = capsys.readouterr()
    assert "60 of 297 judged items" in said.out
    assert "wrote labels.csv" in said.err
    _label(tmp_path / "labels.csv", people)
    assert run_command(["correct", "mine", "--labels", "labels.csv", "--pass", "coverage>=4"]) == 0
    shown = capsys.readouterr().out
    assert "People would have given Average score a mean of" in shown
    assert "too high" in shown
    assert "Coverage ≥ 4" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert run_command(["correct", "mine", "--labels", "labels.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {*found["criteria"]} == {*NAMES}
    assert found["criteria"]["coverage"]["corrected"]["ci95"][1] < found["criteria"]["coverage"]["judge"]["mean"]
    assert run_command(["show", "mine", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert found["criteria"]["coverage"]["judge"]["ci95"] == pytest.approx(report["criteria"]["coverage"]["ci95"])


def test_in_russian_as_text_markdown_and_page(store, tmp_path, capsys):
    _, people = kind_judge(store, n=200, name="mine", lang="ru")
    assert run_command(["sample", "mine", "--n", "40", "-o", "labels.csv"]) == 0
    assert "Выбрано: 40 из 200" in capsys.readouterr().out
    _label(tmp_path / "labels.csv", people)
    options = ["correct", "mine", "--labels", "labels.csv", "--pass", "coverage>=4"]
    assert run_command(options) == 0
    shown = capsys.readouterr().out
    assert "люди поставили бы в среднем" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert run_command([*options, "--format", "markdown"]) == 0
    assert "\nКритерий " in capsys.readouterr().out
    assert run_command([*options, "--format", "html", "-o", "page.html"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>Что люди сказали бы обо всех записях</h1>" in page
    assert "<script" not in page


def test_rows_go_to_standard_output_and_words_to_the_other(store, capsys):
    kind_judge(store, n=100, name="mine")
    assert run_command(["sample", "mine", "--n", "20", "--format", "jsonl"]) == 0
    said = capsys.readouterr()
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert len(rows) == 20
    assert "Which items to label" in said.err
    assert run_command(["sample", "mine", "--n", "20"]) == 0
    assert [row["id"] for row in csv.DictReader(capsys.readouterr().out.splitlines())] == [row["id"] for row in rows]
    assert run_command(["sample", "mine", "--n", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == rows
    assert sum(one["chosen"] for one in found["strata"]) == 20


def test_a_comparison_is_corrected_by_candidate(store, tmp_path, capsys):
    _, people = two_candidates(store)
    assert run_command(["sample", "latest", "--n", "30", "-o", "labels.csv"]) == 0
    capsys.readouterr()
    _label(tmp_path / "labels.csv", people)
    assert run_command(["correct", "latest", "--labels", "labels.csv"]) == 0
    shown = capsys.readouterr().out
    assert "A: People would have given" in shown
    assert "B: Means, corrected by the labels" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_the_embedded_judge_s_run_is_sampled_and_too_few_labels_are_refused(store, tmp_path, capsys):
    assert run_command(["run", "summary", str(SAMPLES / "summary.en.jsonl"), "--json"]) == 0
    capsys.readouterr()
    assert run_command(["sample", "latest", "--n", "50", "-o", "labels.jsonl"]) == 0
    capsys.readouterr()
    rows = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    to_file(tmp_path / "few.jsonl", [{**row, "coverage": 4} for row in rows[:5]])
    assert run_command(["correct", "latest", "--labels", "few.jsonl"]) == 2
    said = capsys.readouterr()
    assert "the labels are too few" in said.err
    assert "about so many labels would do" in said.err
    assert said.out == ""


def test_what_is_wrong_is_said_before_anything_is_written(store, tmp_path, capsys):
    kind_judge(store, n=50, name="mine")
    assert run_command(["correct", "mine", "--labels", "absent.csv", "-o", "out.txt"]) == 2
    assert run_command(["sample", "mine", "--n", "3", "-o", "out.csv"]) == 2
    assert run_command(["sample", "mine", "--n", "20", "-o", "out.xlsx"]) == 2
    assert run_command(["sample", "nobody"]) == 2
    assert not list(tmp_path.glob("out.*"))
    told = capsys.readouterr().err
    assert "absent.csv" in told
    assert "-o out.xlsx: the name ends in .csv or .jsonl" in told


def test_a_run_that_stopped_with_its_answer_is_not_called_unfinished(store, serve, capsys):
    server = serve(judging())
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in summaries(300)), encoding="utf-8")
    run = ["run", "summary", "rows.jsonl", "--model", "openai:m", "--base-url", server.url]
    assert run_command([*run, "--until", "ci(coverage) < 0.25", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["judged"] < 300
    assert run_command(["sample", "latest", "--n", "40", "-o", "labels.csv"]) == 0
    _label(Path("labels.csv"), {f"i{n}": dict.fromkeys(NAMES, 2 + n % 4) for n in range(300)})
    capsys.readouterr()
    assert run_command(["correct", "latest", "--labels", "labels.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []
    assert run_command(["gate", "latest", "--min", "coverage=1", "--json"]) == 0
    assert "because its question was answered" in json.loads(capsys.readouterr().out)["answers"][1]
