"""What a crash costs: SIGKILL at half of a run, then `adjudge resume`; the server counts."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import items
from bench.process import adjudge, start
from bench.server import Server, Servers
from bench.tables import Section, table

LATENCY_MS, CONCURRENCY = 20, 64
Note = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Size:
    items: int
    rounds: int


FULL = Size(items=2_000, rounds=3)
QUICK = Size(items=500, rounds=1)


def measure(servers: Servers, folder: Path, size: Size, note: Note) -> Section:
    """Rounds of an undisturbed run and of one that is killed and resumed."""
    data = items.write(folder / "crash.jsonl", size.items)
    rows: list[list[str]] = []
    missed: list[str] = []
    for turn in range(size.rounds):
        with servers.start(latency_ms=LATENCY_MS) as server:
            whole = adjudge(*items.run(data, server.url, f"sqlite:///{folder}/whole{turn}.db", CONCURRENCY))
        seconds = whole.said["seconds"]
        with servers.start(latency_ms=LATENCY_MS) as server:
            store = f"sqlite:///{folder}/killed{turn}.db"
            _kill_at_half(data, server, store, size.items)
            (left,) = adjudge("runs", "--store", store, "--json").said["runs"]
            asked = server.stats().requests
            resumed = adjudge("resume", left["run"], "--store", store, "--json")
            total = server.stats().requests
        if left["status"] != "interrupted" or resumed.said["judged"] != size.items:
            raise SystemExit(f"killed, the run was {left['status']}; resumed, it judged {resumed.said['judged']}")
        if total > size.items + CONCURRENCY:
            missed.append(f"a crash cost {total - size.items} calls, with {CONCURRENCY} in flight")
        rest_s = whole.wall_s - seconds + seconds * (total - asked) / size.items
        note(f"crash, round {turn + 1}: {total} calls for {size.items}, resumed in {resumed.wall_s:.2f} s")
        counts = (size.items, left["judged"], asked, total - asked, total, total - size.items)
        times = (resumed.wall_s, rest_s, resumed.wall_s / rest_s)
        rows.append([*(f"{count:,}" for count in counts), *(f"{taken:.2f}" for taken in times)])
    head = ["planned calls", "judged at the kill", "asked till then", "asked by resume", "asked in all", "asked twice"]
    head += ["resume, s", "as much of an undisturbed run, s", "ratio"]
    told = f"The most that may be asked twice is what was in flight: {CONCURRENCY}."
    return Section(title="Crash and resume", body=table(head, rows, words=0) + "\n\n" + told, missed=tuple(missed))


def _kill_at_half(data: Path, server: Server, store: str, n: int) -> None:
    arguments = map(str, items.run(data, server.url, store, CONCURRENCY))
    process = start(["-m", "adjudge", *arguments], stdout=subprocess.DEVNULL)
    try:
        while server.stats().requests < n // 2:
            if process.poll() is not None:
                raise SystemExit(f"the run to be killed ended by itself with {process.returncode}")
            time.sleep(0.005)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    time.sleep(0.2)  # what the killed process had sent may still be on its way to the server
