"""Memory, start-up and reruns: does what a run needs depend on how many items it has?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import items
from bench.process import Measured, adjudge
from bench.server import Server, Servers
from bench.tables import Section, table

CONCURRENCY = 64
START_UP_WANTED_S = 0.7
#: More than this between the smallest and the largest run is not flat any more.
GROWTH_WANTED = 1.25
Note = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Size:
    items: tuple[int, ...]
    starts: int


FULL = Size(items=(1_000, 10_000, 100_000), starts=5)
QUICK = Size(items=(500, 2_000), starts=3)


def measure(servers: Servers, folder: Path, size: Size, note: Note) -> list[Section]:
    """One run of every size, then its export, its report and, of the largest, a rerun."""
    runs: list[tuple[int, Measured, list[str]]] = []
    for n in size.items:
        data, file = items.write(folder / f"{n}.jsonl", n), folder / f"{n}.db"
        with servers.start() as server:
            run = adjudge(*items.run(data, server.url, f"sqlite:///{file}", CONCURRENCY))
            note(f"{n:,} items: {run.said['seconds']:.1f} s, {run.peak_mb:.0f} MB")
            runs.append((n, run, _row(n, run, server.stats().first - run.began, file)))
            again = _rerun(data, server, file, note) if n == size.items[-1] else None
        for left in folder.glob(f"{n}.*"):
            left.unlink()
    assert again is not None
    return [_memory(runs), again, _start_up(servers, folder, size, note)]


def _row(n: int, run: Measured, first_s: float, file: Path) -> list[str]:
    chosen = (run.said["run"], "--store", f"sqlite:///{file}")
    output = file.with_suffix(".out")
    exported = adjudge("export", *chosen, "--format", "jsonl", output=output)
    with output.open("rb") as lines:
        if sum(1 for _ in lines) != n:
            raise SystemExit("the export has not a line for every item")
    shown = adjudge("show", *chosen, "--json", output=output)
    peaks = [f"{one.peak_mb:.0f}" for one in (run, exported, shown)]
    seconds = run.said["seconds"]
    return [f"{n:,}", *peaks, f"{seconds:.1f}", f"{n / seconds:,.0f}", f"{first_s:.2f}", _mb(file)]


def _memory(runs: list[tuple[int, Measured, list[str]]]) -> Section:
    head = ["items", "run, peak MB", "export, peak MB", "show, peak MB", "run, s", "items/s", "first request after, s"]
    growth = runs[-1][1].peak_mb / runs[0][1].peak_mb
    least, most = runs[0][0], runs[-1][0]
    told = f"From {least:,} to {most:,} items the peak of a run grows by a factor of {growth:.2f}."
    missed = (f"memory grows by {growth:.2f} from {least:,} to {most:,} items",) if growth > GROWTH_WANTED else ()
    return Section(
        title="Memory",
        body=table([*head, "store, MB"], [row for _, _, row in runs], words=0) + "\n\n" + told,
        missed=missed,
    )


def _rerun(data: Path, server: Server, file: Path, note: Note) -> Section:
    """The same run once more, beside what the disk alone takes for as many bytes."""
    before, asked, disk_s = _mb(file), server.stats().requests, _read_and_write(file)
    again = adjudge(*items.run(data, server.url, f"sqlite:///{file}", CONCURRENCY))
    if server.stats().requests != asked or again.said["cached"] != again.said["items"]:
        raise SystemExit("a rerun asked again what is in the store")
    n = again.said["items"]
    note(f"rerun of {n:,}: {again.wall_s:.1f} s; the disk alone {disk_s:.2f} s")
    head = ["items", "whole command, s", "items/s", "processor, s", "peak MB", "store before, MB", "after, MB"]
    row = [
        f"{n:,}",
        f"{again.wall_s:.1f}",
        f"{n / again.wall_s:,.0f}",
        f"{again.cpu_s:.1f}",
        f"{again.peak_mb:.0f}",
        before,
        _mb(file),
        f"{disk_s:.2f}",
        f"{again.wall_s / disk_s:.1f}",
    ]
    body = table([*head, "reading and writing the store's bytes, s", "rerun / disk"], [row], words=0)
    return Section(title="A rerun, all from the store", body=body)


def _read_and_write(file: Path) -> float:
    """Seconds to read a file and write as many bytes to the disk, one block after another."""
    copy = file.with_suffix(".copy")
    began = time.perf_counter()
    with file.open("rb") as source, copy.open("wb") as target:
        while block := source.read(1 << 20):
            target.write(block)
        target.flush()
        os.fsync(target.fileno())
    taken = time.perf_counter() - began
    copy.unlink()
    return taken


def _mb(file: Path) -> str:
    """The store with what SQLite keeps beside it."""
    return f"{sum(part.stat().st_size for part in file.parent.glob(f'{file.name}*')) / 1e6:,.1f}"


def _start_up(servers: Servers, folder: Path, size: Size, note: Note) -> Section:
    """From the command to the first request at the server, each time with a new store."""
    data = items.write(folder / "start.jsonl", 64)
    first: list[float] = []
    around: list[float] = []
    for turn in range(size.starts):
        with servers.start() as server:
            run = adjudge(*items.run(data, server.url, f"sqlite:///{folder}/start{turn}.db", CONCURRENCY))
            first.append(server.stats().first - run.began)
            around.append(run.wall_s - run.said["seconds"])
    note(f"start-up: {min(first):.2f} s to the first request")
    head = ["", "best, s", "worst, s", "wanted, s"]
    rows = [
        ["from the command to the first request", f"{min(first):.2f}", f"{max(first):.2f}", f"{START_UP_WANTED_S}"],
        ["all of the command but the run itself", f"{min(around):.2f}", f"{max(around):.2f}", ""],
    ]
    missed = (f"start-up takes {min(first):.2f} s",) if min(first) > START_UP_WANTED_S else ()
    return Section(title="Start-up", body=table(head, rows), missed=missed)
