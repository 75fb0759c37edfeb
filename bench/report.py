"""The HTML report of many items: python -m bench.report [--items N ...] [--write]

The embedded judge judges items with sources of 350 words and summaries of 60; then `adjudge show --format html` makes
the report in a process of its own, and Chromium opens it from the file, with no network. Prints a table in Markdown;
--write puts it into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from tests.fakes.browser import ARGUMENTS

from bench.process import ROOT, adjudge
from bench.tables import table

ITEMS = (1_000, 10_000)
#: What people call seconds.
WANTED_S = 20.0
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- figures: written by `python -m bench.report --write` -->", "<!-- end of the report's figures -->"
_WORDS = (
    "harbour clock winter storm island tower morning ferry visitor keys oil lamp ladder keeper net boat peg wheel name "
    "letter bell door street lantern rope captain market bread salt window chair river bridge mill garden stone road "
    "horse field rain snow candle book table coat hat glass song night summer wood hill"
)
_VERBS = "stopped found carried mended sold forgot opened watched left remembered painted counted"


def fill(folder: Path, n: int) -> str:
    """A store with a run over n items; the same every time."""
    chance, data, url = random.Random(7), folder / f"{n}.jsonl", f"sqlite:///{folder}/{n}.db"
    with data.open("w", encoding="utf-8") as out:
        for number in range(n):
            told = [_sentence(chance) for _ in range(32)]
            # a summary of sentences of the source, of which some are its own
            kept = [_sentence(chance) if chance.random() < 0.3 else one for one in chance.sample(told, 5)]
            out.write(json.dumps({"id": f"item-{number}", "content": " ".join(told), "text": " ".join(kept)}) + "\n")
    adjudge("run", "summary", data, "--model", "offline", "--store", url, "--json")
    return url


def _sentence(chance: random.Random) -> str:
    one, two, three, four = chance.sample(_WORDS.split(), 4)
    did = f"{chance.choice(_VERBS.split())} {chance.randint(2, 90)} times"
    return f"The {one} of the {two} {did} near the {three} and the {four}."


def opened(file: Path) -> dict[str, float]:
    """How long a browser takes to load the page, to sort it and to show the items of a bar."""
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("chromium is not installed")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        page = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(120_000)
        found = {
            "open": _timed(page, lambda: page.goto(file.as_uri())),
            "sort": _timed(page, lambda: page.click(".sorting button >> nth=1")),
            "bar": _timed(page, lambda: page.locator("svg.histogram a").first.click()),
        }
        assert page.locator("p.bar:visible").count() == 1 and page.locator(".item").count() > 0
        browser.close()
    return found


def _timed(page: Page, act: Callable[[], object]) -> float:
    """Until what was done can be seen."""
    began = time.monotonic()
    act()
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return time.monotonic() - began


def measure(folder: Path, sizes: list[int]) -> tuple[str, list[str]]:
    """The table, and what fell short."""
    rows, missed = [], []
    for n in sizes:
        url, file = fill(folder, n), folder / f"{n}.html"
        note(f"{n:,} items are judged")
        built = adjudge("show", "latest", "--format", "html", "--store", url, output=file)
        shown = opened(file)
        rows.append(
            [
                f"{n:,} items",
                f"{built.wall_s:.1f}",
                f"{built.peak_mb:.0f}",
                f"{file.stat().st_size / 1e6:.1f}",
                *(f"{shown[name]:.1f}" for name in ("open", "sort", "bar")),
            ]
        )
        note(" | ".join(rows[-1]))
        taken = {"building": built.wall_s, "opening": shown["open"]}
        missed += [f"{what} {n:,} items takes {s:.0f} s" for what, s in taken.items() if s > WANTED_S]
    head = ["", "built, s", "peak MB", "file, MB", "opened, s", "sorted, s", "a bar's items, s"]
    return table(head, rows), missed


def note(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench.report", description=__doc__)
    options.add_argument("--items", type=int, nargs="+", default=ITEMS)
    options.add_argument("--write", action="store_true", help=f"renew the figures in docs/{PAGE.name}")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as folder:
        text, missed = measure(Path(folder), list(chosen.items))
    print(text)
    if missed:
        sys.exit("short of what is wanted: " + "; ".join(missed))
    if chosen.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
