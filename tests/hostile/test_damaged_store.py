"""A damaged store is a clear error for every command that reads it, and stays as it was."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.cli import run_command

COMMANDS = [
    *(["runs"], ["runs", "--json"], ["show"], ["show", "--format", "html", "-o", "r.html"], ["show", "--item", "a"]),
    *(["export"], ["export", "--format", "csv"], ["export", "--format", "native"], ["export", "--format", "replies"]),
    *(["sample", "--n", "2"], ["label", "latest", "--export", "-"], ["compare", "latest", "latest"]),
    *(["agree", "latest"], ["correct", "latest"], ["gate", "latest", "--min", "coverage=1"], ["resume", "latest"]),
]
GARBAGE = [None, 7, -1.5, b"\xff\x00", "", "{", "[]", "{}", "null", '"x"', '{"kind": 3}', "[" * 5000]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run and a label."""
    folder = tmp_path_factory.mktemp("whole")
    rows = [
        {"id": name, "content": f"A dog ran to {name}. It slept.", "text": f"A dog ran to {name}."} for name in "abcde"
    ]
    (folder / "d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    label = {"id": "a", "criterion": "coverage", "value": 3, "annotator": "eve", "comment": "x"}
    (folder / "l.jsonl").write_text(json.dumps(label))
    store = ["--store", str(folder / "adjudge.db")]
    assert run_command(["run", "summary", str(folder / "d.jsonl"), *store]) == 0
    assert run_command(["label", "latest", "--import", str(folder / "l.jsonl"), *store]) == 0
    return folder / "adjudge.db"


def asked(damage: str, capsys: pytest.CaptureFixture[str], commands: Sequence[list[str]] = COMMANDS) -> list[str]:
    """What goes wrong with any command on a copy of the damaged store."""
    wrong = []
    before = Path("adjudge.db").read_bytes()
    for command in commands:
        Path("adjudge.db").write_bytes(before)
        for end in ("-wal", "-shm"):
            Path(f"adjudge.db{end}").unlink(missing_ok=True)
        code = run_command(command)
        said = capsys.readouterr().err
        if code not in (0, 1, 2, 3) or "Traceback" in said or (code == 2 and "adjudge:" not in said):
            wrong.append(f"{damage}: {' '.join(command)}: {code}: {said.strip()[:200]}")
    return wrong


def columns(store: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(store)) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f"PRAGMA table_info({table})").fetchall():
                yield table, row[1]


def test_bytes(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw, chance, wrong = whole.read_bytes(), random.Random(16), []
    for size in (0, 1, 50, 99, 100, 4095, 4096, 10_000, len(raw) // 2, len(raw) - 1):
        Path("adjudge.db").write_bytes(raw[:size])
        wrong += asked(f"cut at {size}", capsys)
    for _ in range(15):
        flipped = bytearray(raw)
        for _ in range(chance.choice((1, 10, 100))):
            flipped[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        Path("adjudge.db").write_bytes(flipped)
        wrong += asked("flipped", capsys)
    for page in range(0, len(raw) // 4096, max(1, len(raw) // 4096 // 12)):
        Path("adjudge.db").write_bytes(raw[: page * 4096] + bytes(4096) + raw[page * 4096 + 4096 :])
        wrong += asked(f"page {page} of zeros", capsys)
    assert not wrong, "\n".join(wrong)


def test_a_byte_of_the_schema_that_is_no_text(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SQLite quotes it in the words of its error, which then are no text either."""
    raw, wrong = whole.read_bytes(), []
    starts = [found.start() for found in re.finditer(rb"CREATE (TABLE|INDEX|UNIQUE INDEX) ", raw)]
    assert len(starts) > 5
    for start in starts:
        for at in (start, start + 9, start + 15, start + 25):
            Path("adjudge.db").write_bytes(raw[:at] + b"\xce" + raw[at + 1 :])
            wrong += asked(f"byte {at}", capsys, commands=(["runs"], ["show"], ["resume", "latest"]))
    assert not wrong, "\n".join(wrong)


def test_tables_and_columns(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = []
    chance = random.Random(7)
    places = list(columns(whole))
    for table in sorted({table for table, _ in places}):
        shutil.copy(whole, "adjudge.db")
        with closing(sqlite3.connect("adjudge.db")) as connection, connection:
            connection.execute(f"DROP TABLE {table}")
        wrong += asked(f"no table {table}", capsys)
    for table, column in places:
        for value in chance.sample(GARBAGE, 3):
            shutil.copy(whole, "adjudge.db")
            with closing(sqlite3.connect("adjudge.db")) as connection, connection:
                connection.execute("PRAGMA ignore_check_constraints = ON")
                try:
                    connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
                except sqlite3.Error:
                    continue
            wrong += asked(f"{table}.{column} = {value!r:.20}", capsys)
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong)


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder", "device", "foreign", "text"])
def test_what_is_no_store(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = "adjudge.db"
    with socket.socket(socket.AF_UNIX) as bound:
        if kind == "fifo":
            os.mkfifo(store)
        elif kind == "socket":
            bound.bind(store)
        elif kind == "folder":
            Path(store).mkdir()
        elif kind == "device":
            Path(store).symlink_to("/dev/zero")
        elif kind == "foreign":
            with closing(sqlite3.connect(store)) as connection, connection:
                connection.execute("CREATE TABLE runs (id)")
        else:
            Path(store).write_text("hello " * 100)
        for command in [*COMMANDS, ["run", "summary", "d.jsonl"]]:
            assert run_command(command) == 2, command
            assert "fault of its own" not in capsys.readouterr().err
