"""Commands that adjudge prints find the run when they are pasted, whatever its store."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from html import unescape
from pathlib import Path

import pytest

from adjudge.cli import run_command
from tests.fakes.verdicts import a_run

NAMES = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
STORE = "sqlite:///the other.db"
COMMAND = re.compile(r"adjudge (?:resume|show|correct|label|agree) .*$", re.MULTILINE)


@pytest.fixture
def unfinished() -> str:
    run = a_run(STORE, "summary", [dict.fromkeys(NAMES, 3 + n % 3) for n in range(24)] + [None], name="slow")
    with sqlite3.connect("the other.db") as file:
        file.execute("DELETE FROM outcomes WHERE position = 3")
        file.execute("UPDATE runs SET totals = NULL, status = 'interrupted'")
    return run.id


@pytest.mark.parametrize(
    "asked",
    [
        ["show", "slow"],
        ["gate", "slow", "--min", "coverage=1"],
        ["sample", "slow", "--n", "20", "-o", "labels.csv"],
        ["correct", "slow"],
        ["agree", "slow"],
    ],
)
def test_a_printed_command_names_the_store_and_stays_on_one_line(unfinished, capsys, asked):
    run_command([*asked, "--store", STORE])
    printed = capsys.readouterr()
    said = COMMAND.findall(printed.out + printed.err)
    assert said
    for command in said:
        words = shlex.split(command.replace("`", " "))
        assert words[2] == unfinished and words[words.index("--store") + 1] == STORE


def test_the_page_names_the_store_in_its_commands(unfinished):
    assert run_command(["show", "slow", "-o", "page.html", "--items", "2", "--store", STORE]) == 0
    page = unescape(Path("page.html").read_text("utf-8"))
    assert f"adjudge show {unfinished} --item ID --store '{STORE}'" in page
    assert f"adjudge serve --store '{STORE}'" in page


def test_two_judges_are_sent_to_their_agreement_in_their_store(capsys):
    ids = [a_run(STORE, "summary", [dict.fromkeys(NAMES, 3)] * 5, model=model).id for model in ("m", "x")]
    assert run_command(["compare", *ids, "--store", STORE]) == 0
    assert f"adjudge agree {' '.join(ids)} --store '{STORE}'" in " ".join(capsys.readouterr().out.split())


def test_labels_of_unknown_origin_are_sent_to_sample_in_the_store(unfinished, capsys):
    rows = (json.dumps({"id": f"i{n}", **dict.fromkeys(NAMES, 3 + n % 2)}) for n in range(4, 24))
    Path("labels.jsonl").write_text("\n".join(rows))
    assert run_command(["correct", "slow", "--labels", "labels.jsonl", "--store", STORE]) == 0
    assert f"adjudge sample {unfinished} --store '{STORE}' chooses" in " ".join(capsys.readouterr().out.split())


def test_a_command_needs_no_store_that_it_takes_by_itself(unfinished, capsys, monkeypatch):
    monkeypatch.setenv("ADJUDGE_STORE", STORE)
    assert run_command(["show", "slow", "--store", STORE]) == 0
    assert "--store" not in capsys.readouterr().out


def test_where_the_runs_are_listed(unfinished, capsys):
    assert run_command(["show", "nothing-like-it", "--store", STORE]) == 2
    assert f"adjudge runs --store '{STORE}'" in capsys.readouterr().err


def test_the_usual_store_is_named_where_the_environment_names_another(capsys, monkeypatch):
    a_run("sqlite:///adjudge.db", "summary", [dict.fromkeys(NAMES, 3), None])
    monkeypatch.setenv("ADJUDGE_STORE", STORE)
    assert run_command(["show", "latest", "--store", "sqlite:///adjudge.db"]) == 0
    assert "--store sqlite:///adjudge.db" in capsys.readouterr().out
