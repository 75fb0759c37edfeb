"""adjudge label: labels in from a file and out to one, and the page of one run."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from adjudge.api.labelling import Desk
from adjudge.cli import run_command
from tests.fakes.clock import PATIENCE_S
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
HOSTILE = ('=HYPERLINK("http://evil.example")', "'=1+1", "<script>alert(1)</script>", 'a,"b";\r\nc', "\x1b[31m", "+7")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run_with(name: str, texts=HOSTILE):
    rows = [{"id": text, "content": f"long {text}", "text": f"short {text}"} for text in texts]
    return a_run(f"sqlite:///{name}.db", "summary", [dict.fromkeys(SUMMARY, 4) for _ in texts], rows=rows)


def said(capsys, *args: str, code: int = 0) -> str:
    assert run_command(["label", *args]) == code, capsys.readouterr()
    return str(capsys.readouterr().out)


def label_all(run, *names: str) -> None:
    for name in names:
        desk = Desk.open(run, name)
        for place in range(1, desk.total + 1):
            task = desk.at(place)
            for number, criterion in enumerate(desk.criteria):
                desk.say(place, criterion.name, number or None, comment=task.item.id if number == 1 else "")
        desk.comment(1, "-2+3")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("raw", [(), ("--raw",)])
def test_export_import_export_gives_the_same_bytes(capsys, tmp_path, form, raw):
    label_all(run_with("one"), "anna", "=cmd|' /C calc'!A0")
    run_with("two")
    said(capsys, "latest", "--export", f"a.{form}", *raw, "--store", "one.db")
    told = json.loads(said(capsys, "latest", "--import", f"a.{form}", *raw, "--json", "--store", "two.db"))
    assert (told["added"], told["known"]) == (2 * len(HOSTILE) * 5 + 2, 0)
    said(capsys, "latest", "--export", f"b.{form}", *raw, "--store", "two.db")
    assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()
    again = json.loads(said(capsys, "latest", "--import", f"b.{form}", *raw, "--json", "--store", "two.db"))
    assert (again["added"], again["known"]) == (0, told["added"])


def test_no_cell_starts_a_formula(capsys, tmp_path):
    label_all(run_with("one"), "=anna")
    for options in ((), ("--history",)):
        said(capsys, "latest", "--export", "a.csv", *options, "--store", "one.db")
        with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert any("HYPERLINK" in cell for cell in cells)
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    said(capsys, "latest", "--export", "a.csv", "--raw", "--store", "one.db")
    assert "\r\n=anna" not in (tmp_path / "a.csv").read_text()
    assert ",=anna," in (tmp_path / "a.csv").read_text()


def test_labels_that_come_from_a_file_count_in_agree(capsys, tmp_path):
    run = run_with("one", [f"i{n}" for n in range(12)])
    lines = [f"i{n},anna,{1 + n % 5},\n" for n in range(12)]
    (tmp_path / "labels.csv").write_text("id,annotator,coverage,comment\n" + "".join(lines))
    out = said(capsys, run.id, "--import", "labels.csv", "--store", "one.db")
    assert out == "12 labels added, of 1 annotator\n"
    assert said(capsys, run.id, "--import", "labels.csv", "--store", "one.db") == (
        "0 labels added\n12 labels there already\n"
    )
    assert run_command(["agree", run.id, "--store", "one.db", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labels"] == 12


def test_what_was_taken_back_is_in_the_history_and_nowhere_else(capsys):
    run = run_with("one", ["a"])
    desk = Desk.open(run, "anna")
    desk.say(1, "coverage", 1)
    desk.say(1, "coverage", 2)
    desk.undo()
    desk.say(1, "accuracy", 5)
    now = json.loads(said(capsys, run.id, "--export", "-", "--json", "--store", "one.db"))["labels"]
    assert [(row["criterion"], row["value"]) for row in now] == [("coverage", 1), ("accuracy", 5)]
    ever = said(capsys, run.id, "--export", "-", "--format", "jsonl", "--history", "--store", "one.db").splitlines()
    rows = [json.loads(line) for line in ever]
    assert [(row["value"], bool(row["withdrawn"])) for row in rows] == [(1, False), (2, True), (5, False)]
    assert all(row["annotator"] == "anna" and row["added"] for row in rows)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--import", "bad.csv"], "bad.csv, line 3: `coverage` is '9'"),
        (["--import", "gone.csv"], "gone.csv: the file does not exist"),
        (["--import", "a.csv", "--export", "b.csv"], "one at a time"),
        (["--map", "coverage=x"], "--map is for --import"),
        (["--history"], "--history is for --export"),
        (["--export", "b.csv", "--annotator", "bo"], "--annotator is for the page"),
        (["--import", "bad.csv", "--n", "5"], "--n is for the page"),
        (["--format", "csv"], "--format is for --export"),
        (["--raw"], "--raw is for --import and --export"),
        (["--export", "no/such/folder.csv"], "give another path after --export"),
        (["--export", "labels.xlsx"], "--export labels.xlsx: the name ends in .csv or .jsonl"),
        (["--export", "labels"], "--format says which"),
        (["--n", "0"], "0 is not in the range x>=1"),
        (["--annotator", "x" * 201], "at most 200 characters"),
        (["--host", "0.0.0.0"], "there is no token"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(capsys, tmp_path, args, message):
    run = run_with("one", [f"i{n}" for n in range(30)])
    (tmp_path / "bad.csv").write_text("id,annotator,coverage\ni0,anna,4\ni1,anna,9\n")
    assert run_command(["label", run.id, *args, "--store", "one.db"]) == 2
    assert message in capsys.readouterr().err
    assert json.loads(said(capsys, run.id, "--export", "-", "--json", "--store", "one.db"))["labels"] == []


def test_a_file_says_how_many_labels_it_has_also_where_there_are_none(capsys, tmp_path):
    run = run_with("one", ["a"])
    for form, empty in (("csv", "item,candidate,criterion,annotator,value,comment,added\r\n"), ("jsonl", "")):
        assert run_command(["label", run.id, "--export", f"none.{form}", "--store", "one.db"]) == 0
        assert capsys.readouterr().err == f"wrote none.{form}: there are no labels yet\n"
        assert (tmp_path / f"none.{form}").read_bytes() == empty.encode()
    assert run_command(["label", run.id, "--export", "-", "--store", "one.db"]) == 0
    assert capsys.readouterr().err == f"adjudge: run {run.id} has no labels yet\n"
    Desk.open(run, "anna").say(1, "coverage", 4)
    assert run_command(["label", run.id, "--export", "labels.txt", "--format", "csv", "--store", "one.db"]) == 0
    assert capsys.readouterr().err == "wrote labels.txt: 1 label\n"
    told = json.loads(said(capsys, run.id, "--export", "labels.jsonl", "--json", "--store", "one.db"))
    assert (told["wrote"], told["labels"]) == ("labels.jsonl", 1)


def get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_the_page_serves_the_labels_of_one_run_and_no_verdict(tmp_path):
    """In a process of its own, as people start it."""
    run = run_with("one", [f"i{n}" for n in range(3)])
    other = a_run("sqlite:///one.db", "summary", [dict.fromkeys(SUMMARY, 2)], name="other")
    command = [sys.executable, "-m", "adjudge", "label", run.id, "--port", "0", "--json", "--store", "one.db"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        assert child.stdout is not None
        url = json.loads(child.stdout.readline())["url"]
        base = url.partition("/runs/")[0]
        assert url.endswith(f"/runs/{run.id}/label")
        assert get(url)[0] == 200
        hidden = ("", "/items/1", "/agreement", "/labels", "/labels.csv", "/report.html", "/scores.csv", "/live")
        for path in hidden:
            assert get(f"{base}/runs/{run.id}{path}")[0] in (403, 404), path
        for path in ("/api/runs", f"/api/runs/{run.id}", f"/api/runs/{run.id}/items", "/compare", "/judges"):
            assert get(base + path)[0] == 404, path
        # the JSON interface takes labels while people label, and gives none
        assert get(f"{base}/api/runs/{run.id}/labels")[0] == 405
        assert get(f"{base}/runs/{other.id}/label")[0] == 404
        assert get(f"{base}/runs/{run.id}/agreement?as=anna")[0] == 403
        assert get(f"{base}/runs/{run.id}/label/1/verdict?as=anna")[0] == 400
        label_all(run, "anna")
        assert get(f"{base}/runs/{run.id}/label/1/verdict?as=anna")[0] == 200
        assert get(f"{base}/runs/{run.id}/agreement?as=anna")[0] == 200
        assert get(f"{base}/runs/{run.id}/agreement?as=bo")[0] == 403
        status, table = get(f"{base}/runs/{run.id}/labels.csv?as=anna")
        assert (status, table.count("anna")) == (200, 16)
        assert get(f"{base}/runs/{run.id}/labels.jsonl?as=bo")[0] == 403
    finally:
        child.send_signal(signal.SIGINT)
        assert child.wait(PATIENCE_S) == 0
        assert child.stdout is not None
        child.stdout.close()


def test_who_ends_it_is_told_what_is_next():
    run = run_with("one", ["a"])
    command = [sys.executable, "-m", "adjudge", "label", run.id, "--port", "0", "--store", "one.db"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        assert f"/runs/{run.id}/label (Ctrl+C ends it)" in child.stderr.readline()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, err) == (0, f"stopped\nnext: adjudge agree {run.id} --store one.db\n")
