"""What the numbers mean, for many items: python -m bench.statistics [--items N] [--write]

Two runs of 100,000 items and five criteria, and as many human labels, are put into a store; then `compare`, `agree` and
`gate` answer, each in a process of its own. Prints a table in Markdown; --write puts it into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.fakes.verdicts import a_run

from adjudge.api.boards import boards
from adjudge.api.stored import StoredRun, open_run
from bench.process import ROOT, adjudge, finish, measures, start
from bench.tables import table

ITEMS = 100_000
CRITERIA = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
#: What people call seconds.
WANTED_S = 60.0
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- figures: written by `python -m bench.statistics --write` -->", "<!-- end of the statistics -->"


class Taken(NamedTuple):
    """What a process took: the whole of it, from starting Python to its answer."""

    cpu_s: float
    peak_mb: float


def fill(folder: Path, n: int) -> str:
    """A store with the runs `before` and `after`, and labels.jsonl beside it; the same every time."""
    chance, url = random.Random(7), f"sqlite:///{folder / 'runs.db'}"
    before = [{name: chance.choice((2, 3, 4, 4, 5)) for name in CRITERIA} for _ in range(n)]
    for name, moved in (("before", 0.0), ("after", 0.1)):
        given = [{one: _near(value, moved, chance) for one, value in scores.items()} for scores in before]
        a_run(url, "summary", given, name=name)
    with (folder / "labels.jsonl").open("w", encoding="utf-8") as file:
        for number, scores in enumerate(before):
            row = {name: _near(value, 0.0, chance) for name, value in scores.items()}
            file.write(json.dumps({"id": f"i{number}", **row}) + "\n")
    return url


def _near(value: int, moved: float, chance: random.Random) -> int:
    """A score that a judge of the same mind gives: mostly the same, now and then a point off."""
    off = (chance.random() < 0.15 + moved) - (chance.random() < 0.15)
    return min(5, max(1, value + off))


def read(url: str) -> None:
    """Read both runs with their rows, as questions do, and print what that alone takes."""
    for name in ("before", "after"):
        run: StoredRun = open_run(name, store=url)
        assert all(len(board.items) for board in boards(run, rows=True, languages=False))
    print(json.dumps(measures()))


def _reading(url: str) -> Taken:
    said = json.loads(finish(start(["-m", "bench.statistics", "--read", url], stdout=subprocess.PIPE)))
    return Taken(**said)


def measure(folder: Path, n: int) -> tuple[str, list[str]]:
    """The table, and what fell short."""
    url = fill(folder, n)
    note(f"{n:,} items are stored")
    reading = _reading(url)
    asked = {
        "compare": ("compare", "before", "after"),
        "agree": ("agree", "after", "--labels", folder / "labels.jsonl"),
        "gate": ("gate", "after", "--baseline", "before", "--max-drop", "0.1", "--min", "coverage=3", "--on", "ci"),
    }
    found = {"reading both runs": reading}
    for name, words in asked.items():
        answered = adjudge(*words, "--store", url, "--json")
        found[f"`{name}`"] = Taken(cpu_s=answered.cpu_s, peak_mb=answered.peak_mb)
        note(f"{name}: {answered.wall_s:.1f} s, {answered.cpu_s:.1f} s of a processor")
    rows = [
        [name, f"{one.cpu_s:.1f}", f"{one.cpu_s / reading.cpu_s:.2f}", f"{one.peak_mb:.0f}"]
        for name, one in found.items()
    ]
    head = ["", "processor, s", "of reading both runs", "peak MB"]
    missed = [f"{name} takes {one.cpu_s:.0f} s" for name, one in found.items() if one.cpu_s > WANTED_S]
    told = f"{n:,} items, {len(CRITERIA)} criteria, one label for each:"
    return f"{told}\n\n{table(head, rows)}", missed


def note(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.statistics", description=__doc__)
    options.add_argument("--items", type=int, default=ITEMS)
    options.add_argument("--write", action="store_true", help=f"renew the figures in docs/{PAGE.name}")
    options.add_argument("--read", metavar="URL", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.read:
        read(chosen.read)
        return
    with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as folder:
        text, missed = measure(Path(folder), chosen.items)
    print(text)
    if missed:
        sys.exit("short of what is wanted: " + "; ".join(missed))
    if chosen.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
