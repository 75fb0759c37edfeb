"""A command of adjudge in a process of its own, with its time, its processor time and its peak of memory.

    python -m bench.process FILE ARGUMENTS...      run adjudge with the arguments; FILE gets the measures as JSON

The peak is VmHWM, which the process reads off itself at its end: what a parent is told counts the parent's own pages.
That of a fork, which shares them, is added as it is told.
"""

from __future__ import annotations

import json
import os
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One process from start to end; `said` is the JSON it printed."""

    said: Any
    wall_s: float
    cpu_s: float
    peak_mb: float
    began: float


def measures() -> dict[str, float]:
    """What this process has used so far, and the largest of its forks."""
    used, forks = os.times(), resource.getrusage(resource.RUSAGE_CHILDREN)
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peak_kb = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    cpu_s = used.user + used.system + used.children_user + used.children_system
    return {"cpu_s": cpu_s, "peak_mb": (peak_kb + forks.ru_maxrss) / 1024}


def environment() -> dict[str, str]:
    """This one's, without what would send requests elsewhere or change what is measured."""
    unwanted = {"ADJUDGE_STORE", "ADJUDGE_PRICES", "OPENAI_API_KEY", "OPENAI_BASE_URL", "PYTHONPROFILEIMPORTTIME"}
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def finish(process: subprocess.Popen[bytes]) -> bytes:
    """What a process printed; one that is not waited for to its end, or ends badly, is not left behind."""
    try:
        printed, _ = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.returncode:
        raise SystemExit(f"{process.args!r} ended with {process.returncode}: {printed[-2000:]!r}")
    return printed


def start(arguments: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """Start a Python program of this environment from the root of the project."""
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=environment(), **how)


def adjudge(*arguments: object, output: Path | None = None) -> Measured:
    """Run a command of adjudge to its end. What it prints is read as JSON, or goes to `output` unread."""
    with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as folder:
        file = Path(folder) / "measures"
        began = time.monotonic()
        with output.open("wb") if output else nullcontext(subprocess.PIPE) as target:
            printed = finish(start(["-m", "bench.process", str(file), *map(str, arguments)], stdout=target))
        wall_s = time.monotonic() - began
        found = json.loads(file.read_text())
    return Measured(said=json.loads(printed) if printed else None, wall_s=wall_s, began=began, **found)


def main() -> None:
    file, *arguments = sys.argv[1:]
    sys.argv = ["adjudge", *arguments]
    try:
        runpy.run_module("adjudge", run_name="__main__")
    finally:
        Path(file).write_text(json.dumps(measures()))


if __name__ == "__main__":
    main()
