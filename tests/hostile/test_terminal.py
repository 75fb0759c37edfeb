"""What goes to a terminal cannot steer it; what goes to a file or a pipe stays exact, and never onto a store."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudge.cli import run_command
from tests.fakes.clock import PATIENCE_S

STEERING = [
    *(chr(sign) for sign in range(0xA0) if sign < 32 or sign >= 127 if chr(sign) not in "\t\n"),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff",
]
HOSTILE = "".join(f"word{sign}[31m " for sign in STEERING)
COMMANDS = [
    *(["export", "--format", form] for form in ("jsonl", "csv", "parquet", "native", "replies")),
    *(["export", "--raw", "--format", "csv"], ["export", "--json"], ["export", "-o", "/dev/stdout"]),
    *(["sample", "--n", "2", "--format", form] for form in ("csv", "jsonl")),
    *(["show", "--format", form] for form in ("text", "markdown", "html", "json")),
    *(["show", "--item", "a\u202e"], ["show", "--item", "a\u202e", "--json"], ["show", "--json"]),
    *(
        ["runs"],
        ["runs", "--json"],
        ["label", "latest", "--export", "-"],
        ["label", "latest", "--export", "-", "--json"],
    ),
    *(["label", "latest", "--export", "-", "--format", form] for form in ("csv", "jsonl")),
    *(["check", "summary", "--data", "d.jsonl"], ["check", "summary", "--data", "d.jsonl", "--json"]),
    *(["run", "summary", "d.jsonl", "--dry-run"], ["run", "summary", "d.jsonl"]),
]


@pytest.fixture
def judged() -> None:
    rows = [
        {"id": f"{name}\u202e", "content": f"A dog ran. {HOSTILE}", "text": f"A dog. {HOSTILE}", "more": HOSTILE}
        for name in ("a", "b")
    ]
    Path("d.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    assert run_command(["run", "summary", "d.jsonl"]) == 0
    labels = [{"id": "a\u202e", "criterion": "coverage", "value": 3, "annotator": "eve", "comment": HOSTILE}]
    Path("l.jsonl").write_text("\n".join(json.dumps(row) for row in labels))
    assert run_command(["label", "latest", "--import", "l.jsonl"]) == 0


@contextmanager
def terminal() -> Iterator[tuple[int, list[bytes]]]:
    """A terminal, and what was written to it once it is left."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    heard: list[bytes] = []

    def hear() -> None:
        try:
            while data := os.read(master, 1 << 16):
                heard.append(data)
        except OSError:  # nobody has it open any more
            pass

    listening = threading.Thread(target=hear)
    listening.start()
    try:
        yield slave, heard
    finally:
        os.close(slave)
        listening.join(PATIENCE_S)
        os.close(master)


def shown(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    with terminal() as (slave, heard):
        stream = io.TextIOWrapper(os.fdopen(os.dup(slave), "wb"), encoding="utf-8")
        with monkeypatch.context() as patch, stream:
            patch.setattr(sys, "stdout", stream)
            code = run_command([os.ttyname(slave) if one == "/dev/stdout" else one for one in arguments])
    return code, b"".join(heard).decode()


@pytest.mark.usefixtures("judged")
def test_no_command_steers_a_terminal(monkeypatch, capsys):
    for arguments in COMMANDS:
        code, text = shown(arguments, monkeypatch)
        assert code == 0, arguments
        ours = re.sub(r"\x1b\[\d*(;\d+)*m", "", text) if arguments[:1] in (["show"], ["run"]) else text
        assert not [sign for sign in STEERING if sign in ours], arguments
        assert text.strip(), arguments
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", capsys.readouterr().err.replace("\r", ""))


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize("form", ["jsonl", "csv", "native"])
def test_a_pipe_and_a_file_get_the_exact_text(form, capsys):
    assert run_command(["export", "--format", form, "-o", "out"]) == 0
    piped = subprocess.run(
        [sys.executable, "-m", "adjudge", "export", "--format", form], capture_output=True, timeout=PATIENCE_S
    )
    assert piped.stdout == Path("out").read_bytes()
    assert run_command(["sample", "--n", "2", "--format", "csv", "-o", "s.csv"]) == 0
    assert all(sign in Path("s.csv").read_bytes().decode() for sign in STEERING)


def test_a_real_command_on_a_real_terminal(judged):
    with terminal() as (slave, heard):
        done = subprocess.run(
            [sys.executable, "-m", "adjudge", "sample", "--n", "2"],
            stdout=slave,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
        )
    text = b"".join(heard).decode()
    assert done.returncode == 0 and "word\ufffd[31m" in text
    assert not [sign for sign in STEERING if sign in text]


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["show", "latest", "-o", "o\x1b[31m\u202e.html"], 0),
        (["export", "latest", "-o", "o\x1b[31m\u202e.csv"], 0),
        (["export", "latest", "-o", "no\x1b[31m\u202e/o.csv"], 2),
        (["show", "no\x1b[31m\u202e"], 2),
        (["nocmd\x1b[31m\u202e"], 2),
        (["show", "--nope\x1b[31m\u202e"], 2),
        (["show", "--format", "pdf\x1b[31m\u202e"], 2),
        (["show", "latest", "more\x1b[31m\u202e"], 2),
        (["show", "--items", "x\x1b[31m\u202e"], 2),
    ],
)
def test_the_users_own_words_steer_no_terminal(command, code, capsys):
    capsys.readouterr()
    assert run_command(command) == code
    said = capsys.readouterr().err
    assert said and not [sign for sign in STEERING if sign in said]


OUTPUTS = [
    *(
        ["export", "latest", "-o"],
        ["sample", "--n", "2", "--format", "csv", "-o"],
        ["show", "-o"],
        ["agree", "latest", "-o"],
    ),
    *(
        ["label", "latest", "--format", "csv", "--export"],
        ["correct", "latest", "-o"],
        ["gate", "latest", "--min", "coverage=1", "-o"],
    ),
    *(["gate", "latest", "--min", "coverage=1", "--junit"], ["gate", "latest", "--min", "coverage=1", "--markdown"]),
    ["calibrate", "summary", "--labels", "l.jsonl", "-o"],
]


@pytest.mark.usefixtures("judged")
def test_no_output_goes_onto_a_store(capsys):
    Path("far").mkdir()
    Path("soft.db").symlink_to("adjudge.db")
    Path("far/soft").symlink_to("../soft.db")
    os.link("adjudge.db", "hard.txt")
    for name in ("adjudge.db-wal", "adjudge.db-shm"):
        Path(name).touch()
    before = Path("adjudge.db").read_bytes()
    names = ["adjudge.db", "./far/../adjudge.db", str(Path("adjudge.db").absolute()), "soft.db", "far/soft", "hard.txt"]
    for command in OUTPUTS:
        for name in (*names, "adjudge.db-wal", "adjudge.db-shm", "adjudge.db-journal"):
            assert run_command([*command, name]) == 2, (command, name)
            assert "is a store, or a part of one" in capsys.readouterr().err
    assert Path("adjudge.db").read_bytes() == before
    assert run_command(["export", "latest", "-o", "free.db"]) == 0


@pytest.mark.usefixtures("judged")
def test_another_store_and_a_damaged_one_are_kept_too(capsys):
    Path("other.db").write_bytes(Path("adjudge.db").read_bytes())
    assert run_command(["export", "latest", "-o", "other.db"]) == 2
    Path("broken.db").write_bytes(b"x" * 1000)
    assert run_command(["calibrate", "summary", "--labels", "l.jsonl", "-o", "other.db"]) == 2
    assert Path("broken.db").read_bytes() == b"x" * 1000


@pytest.mark.usefixtures("judged")
def test_what_a_command_reads_is_kept(capsys):
    before = Path("d.jsonl").read_bytes()
    for command in OUTPUTS[:3]:
        assert run_command([*command, "d.jsonl"]) == 2
        assert "reads that file" in capsys.readouterr().err
    for name in ("agree", "correct"):
        assert run_command([name, "latest", "--labels", "l.jsonl", "-o", "./l.jsonl"]) == 2
        assert "reads that file" in capsys.readouterr().err
    assert Path("d.jsonl").read_bytes() == before


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    "command", [["export", "latest"], ["show"], ["runs"], ["show", "--format", "html"], ["judges"]]
)
def test_a_full_device_is_said_once(command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "adjudge", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_S,
        )
    assert done.returncode == 2
    assert "No space left" in done.stderr and "Traceback" not in done.stderr and "ignored" not in done.stderr


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize("held_back", [False, True])
@pytest.mark.parametrize(
    "command", [["runs"], ["show"], ["judges"], ["runs", "--json"], ["nocmd"], ["nocmd", "--json"], ["show", "none"]]
)
def test_where_nothing_can_be_said_the_exit_code_says_it(command, held_back):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    environment |= {} if held_back else {"PYTHONUNBUFFERED": "1"}

    def ended(**streams):
        return subprocess.run(
            [sys.executable, "-m", "adjudge", *command], text=True, timeout=PATIENCE_S, env=environment, **streams
        )

    with Path("/dev/full").open("wb") as full:
        assert ended(stdout=full, stderr=full).returncode == 2
        done = ended(stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2 and "Traceback" not in done.stderr and "ignored" not in done.stderr
    ours = command[0] == "nocmd" or command[-1] == "none"
    assert ours or done.stderr == "adjudge: standard output cannot be written: No space left on device\n"


@pytest.mark.usefixtures("judged")
def test_a_full_device_as_a_file_is_a_clear_error(capsys):
    for command in OUTPUTS[:3]:
        run_command([*command, "/dev/full"])
        assert "cannot write /dev/full: No space left" in capsys.readouterr().err, command


@pytest.mark.parametrize(
    "command",
    [
        *(["runs"], ["show"], ["export", "-o", "x"], ["run", "summary", "d.jsonl"], ["resume", "latest"], ["judges"]),
        *(["check", "summary", "--data", "d.jsonl"], ["run", "./mine", "d.jsonl"]),
    ],
)
def test_a_deleted_folder_is_a_clear_error(command, tmp_path, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    code = run_command(command)
    said = capsys.readouterr().err
    assert code in (0, 2) and "fault of its own" not in said
    os.chdir(tmp_path)
