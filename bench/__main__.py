"""The benchmarks: python -m bench [--quick] [--write] [--only throughput|memory|crash]

Prints tables in Markdown; --write also puts them into docs/performance.md. Progress goes to standard error.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import crash, memory, throughput
from bench.machine import machine
from bench.process import ROOT
from bench.server import Servers
from bench.tables import Section

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- figures: written by `python -m bench --write` -->", "<!-- end of the figures -->"
PARTS = ("throughput", "memory", "crash")


def note(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def sections(servers: Servers, folder: Path, parts: list[str], quick: bool) -> Iterator[Section]:
    if "throughput" in parts:
        yield throughput.measure(servers, folder, throughput.QUICK if quick else throughput.FULL, note)
    if "memory" in parts:
        yield from memory.measure(servers, folder, memory.QUICK if quick else memory.FULL, note)
    if "crash" in parts:
        yield crash.measure(servers, folder, crash.QUICK if quick else crash.FULL, note)


def figures(parts: list[str], quick: bool) -> str:
    """Everything that is measured, as one text."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as name:
        folder = Path(name)
        servers = Servers(folder)
        found = list(sections(servers, folder, parts, quick))
        told = [f"### {section.title}\n\n{section.body}" for section in found]
        missed = [f"- {short}" for section in found for short in section.missed]
        verdict = (
            "Everything that is wanted was reached."
            if not missed
            else "Short of what is wanted:\n\n" + "\n".join(missed)
        )
        hurried = ["A short run (`--quick`): too short for its ratios to be relied on."] if quick else []
        where = "### The machine\n\n" + machine(folder, servers.kind, load)
    return "\n\n".join([*hurried, *told, "### Wanted and reached\n\n" + verdict, where])


def write(text: str) -> None:
    """Put the figures between their marks; the words around them stay."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{PAGE.name} lacks the marks between which the figures stand")
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--quick", action="store_true", help="a short run, to see that everything works")
    options.add_argument("--write", action="store_true", help=f"renew the figures in docs/{PAGE.name}")
    options.add_argument("--only", choices=PARTS, help="one part of it")
    chosen = options.parse_args()
    if chosen.write and chosen.only:
        options.error("--write is for all of it")
    # ended by someone else, it cleans up as after Ctrl-C
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        text = figures([chosen.only] if chosen.only else list(PARTS), chosen.quick)
    except KeyboardInterrupt:
        sys.exit(130)
    print(text)
    if chosen.write:
        write(text)


if __name__ == "__main__":
    main()
