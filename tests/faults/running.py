"""Runs on the command line, and all that can be got out of one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run_command
from tests.fakes.faulty import rows
from tests.faults.table import ROOM

N = 9
POSITIONS = {"first": 0, "middle": N // 2, "last": N - 1}
EXPORTS = {"jsonl": "jsonl", "csv": "csv", "parquet": "parquet", "native": "json", "replies": "replies.jsonl"}
REPORTS = {"text": "txt", "markdown": "md", "html": "html", "json": "report.json"}

#: The command line in a process of its own, with as little patience as the tests have.
IMPATIENT = """
from adjudge.core import limits
limits.BACKOFF_FIRST_S, limits.BACKOFF_CAP_S, limits.RETRY_AFTER_CAP_S = 0.004, 0.02, 0.05
from adjudge.cli import main
main()
"""


def write_items(count: int = N) -> str:
    Path("items.jsonl").write_text("\n".join(map(json.dumps, rows(count))))
    return "items.jsonl"


def arguments(url: str, *, model: str = "openai:m", concurrency: int = 2) -> list[str]:
    return ["run", "summary", write_items(), "--model", model, "--base-url", url, "--max-tokens", str(ROOM),
            "--concurrency", str(concurrency)]  # fmt: skip


def start(command: list[str]) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "adjudge", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run_json(capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, the one JSON object, and all that was said."""
    capsys.readouterr()
    code = run_command([*command, "--json"])
    said = capsys.readouterr()
    assert said.out.count("\n") == 1, f"one JSON object and nothing else: {said}"
    return code, json.loads(said.out), said.out + said.err


def exported(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    """The lines of the export by item, in the order of the dataset."""
    capsys.readouterr()
    assert run_command(["export", "latest", "--format", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["id"] for line in lines] == [row["id"] for row in rows(N)]
    return {line["id"]: line for line in lines}


def publish() -> None:
    """Write every export and every report there is into the folder."""
    for form, suffix in EXPORTS.items():
        assert run_command(["export", "latest", "--format", form, "-o", f"export.{suffix}"]) == 0
    for form, suffix in REPORTS.items():
        assert run_command(["show", "latest", "--format", form, "-o", f"report.{suffix}"]) == 0
