"""Commands that adjudge prints find the run when they are pasted, whatever its store."""

from __future__ import annotations

import re
import shlex
import sqlite3

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
