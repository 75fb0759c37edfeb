"""The disk fills up in the middle of a run: it says so, nothing that was stored is lost, and resuming finishes it."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol

import pytest

from adjudge.cli import run_command
from tests.fakes.clock import PATIENCE_S
from tests.fakes.faulty import FaultyModel
from tests.fakes.server import FakeModelServer
from tests.faults.running import POSITIONS, N, arguments, run_json, start


class Disk(Protocol):
    """A place for a store that can fill up while a process writes to it."""

    folder: Path

    def fill(self, process: int) -> None: ...
    def free(self) -> None: ...


class RealDisk:
    """A small file system of its own, filled with another file: what every full disk is like."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._ballast = folder, folder / "ballast"

    def fill(self, process: int) -> None:
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass

    def free(self) -> None:
        self._ballast.unlink()


class LimitedProcess:
    """A process that may make no file larger than what is there: a quota, where no file system can be mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, process: int) -> None:
        most = max(path.stat().st_size for path in self.folder.iterdir())
        resource.prlimit(process, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    def free(self) -> None:
        """The next process has no limit."""


@pytest.fixture(params=["file system", "limit"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if request.param == "limit":
        yield LimitedProcess(folder)
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root may mount a small file system, and not everywhere")
    try:
        yield RealDisk(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def lines(capsys: Any, store: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run_command(["export", "latest", "--store", store]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def intact(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("position", POSITIONS)
def test_a_full_disk_stops_the_run_and_loses_nothing(
    position: str, disk: Disk, key: str, unseen: Callable[..., None], capsys: Any
) -> None:
    whole, store = "sqlite:///whole.db", f"sqlite:///{disk.folder}/store.db"
    model, place = FaultyModel({}), POSITIONS[position]
    with FakeModelServer(model) as server:
        command = arguments(server.url, concurrency=1)
        assert run_command([*command, "--store", whole]) == 0
        process = start([*command, "--store", store])
        model.arrives = lambda item: disk.fill(process.pid) if item == f"i{place}" else None
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, out) == (2, ""), err
        assert "store.db" in err and "full" in err and "what was stored before is safe" in err and "hint:" in err
        assert "Traceback" not in err
        assert model.asked == {f"i{n}": 2 if n <= place else 1 for n in range(N)}, "not one call after that"

        disk.free()
        model.arrives = lambda item: None
        assert intact(disk.folder / "store.db")
        capsys.readouterr()
        assert run_command(["runs", "--json", "--store", store]) == 0
        (run,) = json.loads(capsys.readouterr().out)["runs"]
        # An outcome is made again from its reply: it may be written with the next reply, which is the one that failed.
        assert (run["status"], run["items"], run["failed"]) == ("interrupted", N, 0)
        assert place - 1 <= run["judged"] <= place

        code, report, said = run_json(capsys, "resume", "latest", "--store", store)
        assert (code, report["status"], report["judged"]) == (0, "complete", N)
        assert model.asked == {f"i{n}": 3 if n == place else 2 for n in range(N)}, "only what is missing is asked"
        assert lines(capsys, store) == lines(capsys, whole)
    unseen(out, err, said)


def test_a_disk_that_is_full_before_the_run_calls_nothing(disk: Disk, key: str, capsys: Any) -> None:
    if isinstance(disk, LimitedProcess):
        pytest.skip("a limit is set when the process runs")
    disk.fill(0)
    model = FaultyModel({})
    with FakeModelServer(model) as server:
        process = start([*arguments(server.url), "--store", f"sqlite:///{disk.folder}/store.db"])
        _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, model.asked) == (2, {}) and "full" in err and "Traceback" not in err
