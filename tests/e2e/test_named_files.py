"""The name after -o decides the format where --format does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.cli import run_command
from tests.fakes.verdicts import a_run

NAMES = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
LOOKS: dict[str, Callable[[bytes], bool]] = {
    "jsonl": lambda body: json.loads(body.splitlines()[0])["id"] == "i0",
    "csv": lambda body: body.removeprefix(b"\xef\xbb\xbf").startswith(b"id,"),
    "parquet": lambda body: body.startswith(b"PAR1"),
    "html": lambda body: body.lower().startswith(b"<!doctype html"),
    "markdown": lambda body: body.startswith(b"# "),
    "json": lambda body: "run" in json.loads(body),
    "text": lambda body: body[:1] not in (b"#", b"<", b"{"),
}
REPORT = [
    ("x.html", "html"),
    ("x.HTM", "html"),
    ("x.md", "markdown"),
    ("x.json", "json"),
    ("x.txt", "text"),
    ("x", "text"),
]


@pytest.fixture(autouse=True)
def _runs() -> None:
    for name in ("one", "two"):
        scores = [dict.fromkeys(NAMES, 3 + n % 3) for n in range(6)]
        a_run("sqlite:///adjudge.db", "summary", scores, name=name)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("x.csv", "csv"),
        ("x.CSV", "csv"),
        ("x.jsonl", "jsonl"),
        ("x.parquet", "parquet"),
        ("x.json", "jsonl"),
        ("x", "jsonl"),
    ],
)
def test_exports(name, form):
    assert run_command(["export", "one", "-o", name]) == 0
    assert LOOKS[form](Path(name).read_bytes())


@pytest.mark.parametrize(("name", "form"), REPORT)
@pytest.mark.parametrize("asked", [["show", "one"], ["gate", "one", "--min", "coverage=1"]])
def test_reports(asked, name, form):
    assert run_command([*asked, "-o", name]) == 0
    assert LOOKS[form](Path(name).read_bytes())


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        (["export", "one", "--format", "jsonl", "-o", "x.csv"], "jsonl"),
        (["show", "one", "--format", "text", "-o", "x.html"], "text"),
    ],
)
def test_the_option_wins(asked, form):
    assert run_command(asked) == 0
    assert LOOKS[form](Path(asked[-1]).read_bytes())


def test_metrics_need_lines(capsys):
    assert run_command(["export", "one", "--metrics", "-o", "x.csv"]) == 2
    assert "--metrics is for --format jsonl" in capsys.readouterr().err
