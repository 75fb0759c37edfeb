"""Where the figures were made; no name and no path of the machine is told."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import adjudge
from bench.tables import table


def machine(folder: Path, server: str, load: float) -> str:
    """A table of the machine and of what ran on it; `folder` is where the stores were."""
    rows = [
        ["processor", f"{_processor()}, {os.cpu_count()} cores"],
        ["busy before the first measure", f"{load:.1f} processes"],
        ["system", f"{platform.system()} " + ".".join(platform.release().split(".")[:2])],
        ["file system of the stores", _file_system(folder)],
        ["Python", f"{platform.python_implementation()} {platform.python_version()}"],
        ["SQLite", sqlite3.sqlite_version],
        ["packages", ", ".join(f"{name} {_version(name)}" for name in ("aiohttp", "httpx", "openai", "psycopg"))],
        ["fake server", server],
        ["adjudge", adjudge.__version__],
        ["date", f"{datetime.now(UTC):%Y-%m-%d}"],
    ]
    return table(["", ""], rows, words=2)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def _file_system(folder: Path) -> str:
    """The type of the mount that holds the folder."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return sys.platform
    found = {Path(fields[1]): fields[2] for line in mounts.read_text().splitlines() if len(fields := line.split()) > 2}
    return next(found[place] for place in (folder.resolve(), *folder.resolve().parents) if place in found)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"
