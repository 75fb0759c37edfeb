"""A store that may only be read: whoever looks at it can, whoever writes is told, and the folder stays as it was."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from adjudge.api.execute import evaluate
from adjudge.store.database import migrations
from tests.fakes.clock import PATIENCE_S
from tests.fakes.faulty import rows

STORE = "sqlite:///shelf/a %23?b.db"
FILE = Path("shelf/a %23?b.db")
#: Root minds permissions as everybody does, once it has given up the right to pass over them.
MINDFUL = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def adjudge(*command: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [*MINDFUL, sys.executable, "-m", "adjudge", *command, "--store", STORE],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(params=["permissions", "mount"])
def shut(request: pytest.FixtureRequest) -> Iterator[Callable[[], object]]:
    """Makes the folder of the store, and all that is in it, read-only."""
    shelf = FILE.parent
    shelf.mkdir()
    if request.param == "permissions":
        if MINDFUL and (not shutil.which(MINDFUL[0]) or subprocess.run([*MINDFUL, "true"]).returncode):
            pytest.skip("this root can't give up its rights")

        def shut() -> None:
            for path in (*shelf.iterdir(), shelf):
                path.chmod(0o555 if path.is_dir() else 0o444)

        yield shut
        shelf.chmod(0o755)
        return
    mount = ["mount", "-t", "tmpfs", "tmpfs", str(shelf)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root may mount a file system, and not everywhere")
    try:
        yield partial(subprocess.check_call, ["mount", "-o", "remount,ro", str(shelf)])
    finally:
        subprocess.run(["umount", str(shelf)], check=True)


def test_it_can_be_read_and_not_written(shut: Callable[[], object]) -> None:
    run = evaluate("summary", rows(3), store=STORE)
    Path("rows.csv").write_text("id,content,text\n1,A story.,A tale.\n")
    shutil.copy(FILE, "copy.db")
    shut()
    before = {path.name: path.read_bytes() for path in FILE.parent.iterdir()}
    for command in (["runs"], ["show", "latest"], ["export", "latest"], ["show", run.id, "--format", "html"]):
        code, out, err = adjudge(*command)
        assert (code, err) == (0, ""), command
        copied = subprocess.run(
            [sys.executable, "-m", "adjudge", *command, "--store", "copy.db"], capture_output=True, text=True
        )
        assert out == copied.stdout
    Path("labels.csv").write_text("id,coverage\ni1,4\n")
    for command in (["run", "summary", "rows.csv"], ["label", "latest"], ["label", "latest", "--import", "labels.csv"]):
        code, out, err = adjudge(*command)
        assert (code, out) == (2, ""), command
        assert FILE.name in err and "written" in err and "hint: check the permissions" in err
    assert {path.name: path.read_bytes() for path in FILE.parent.iterdir()} == before


def test_a_run_that_was_broken_off_is_shown_and_not_resumed(shut: Callable[[], object]) -> None:
    run = evaluate("summary", rows(3), store=STORE)
    with closing(sqlite3.connect(FILE)) as connection:
        connection.execute("UPDATE runs SET status = 'interrupted', finished = NULL")
        connection.commit()
    shut()
    assert adjudge("show", run.id)[0] == 0
    code, _, err = adjudge("resume", run.id)
    assert code == 2 and "can only be read, not written" in err


@pytest.mark.parametrize("index", [True, False])
def test_a_journal_is_read_where_that_takes_no_writing_and_else_asked_for(
    index: bool, shut: Callable[[], object]
) -> None:
    evaluate("summary", rows(3), store=STORE)
    ends = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "c.execute('UPDATE runs SET name = ?', ('late',)); c.commit(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", ends, str(FILE)], check=True)
    assert FILE.with_name(f"{FILE.name}-wal").stat().st_size
    if not index:
        FILE.with_name(f"{FILE.name}-shm").unlink()
    shut()
    code, out, err = adjudge("show", "late")
    if index:
        assert (code, err) == (0, "")
        return
    assert (code, out) == (2, "")
    assert f"{FILE.name}-wal holds what is yet to be put into it" in err and "hint: copy both" in err
    for path in FILE.parent.iterdir():
        shutil.copy(path, path.name.replace(FILE.name, "copy.db"))
    done = subprocess.run([sys.executable, "-m", "adjudge", "show", "late", "--store", "copy.db"], capture_output=True)
    assert done.returncode == 0, "the hint helps"


def test_an_older_schema_is_told_and_not_touched(shut: Callable[[], object]) -> None:
    with closing(sqlite3.connect(FILE)) as connection:
        for number, statements in migrations()[:-1]:
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {0x61646A67}")
        connection.commit()
    shut()
    before = FILE.read_bytes()
    code, _, err = adjudge("runs")
    assert code == 2 and f"schema {migrations()[-2][0]} and can only be read here" in err and "hint: pass a copy" in err
    assert FILE.read_bytes() == before
