"""What the modules' own commands take and print."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eval.embedded.data import Absent, Half
from eval.embedded.figures import Figure
from eval.embedded.measured import Row


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How much to measure: a sample or all, which half, the parts of each measure too, which sets, intervals."""

    fast: bool = False
    half: Half = "dev"
    parts: bool = False
    only: str = ""
    draws: int = 0
    #: The encoder, to measure `offline+vectors`.
    vectors: Any = None

    @property
    def measuring(self) -> dict[str, Any]:
        return {"parts": self.parts, "vectors": self.vectors}

    @property
    def halves(self) -> tuple[Half, ...]:
        return ("dev", "held", "all") if self.half == "all" else (self.half,)

    def wants(self, name: str) -> bool:
        return self.only.lower() in name.lower()


def number(value: float) -> str:
    """A figure as tables show it: two or three places, no leading zero."""
    if value != value:
        return "-"
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def cell(figure: Figure) -> str:
    """A figure with its interval when there is one."""
    if figure.low is None or figure.high is None:
        return number(figure.value)
    return f"{number(figure.value)} [{number(figure.low)}, {number(figure.high)}]"


def table(rows: Sequence[Row]) -> str:
    """One block per set and label, a line per predictor, a column per kind and half."""
    lines: list[str] = []
    for name, label in dict.fromkeys((row.set, row.label) for row in rows):
        mine = [row for row in rows if (row.set, row.label) == (name, label)]
        heads = list(dict.fromkeys((row.kind, half) for row in mine for half in row.figures))
        n = max(figure.n for row in mine for figure in row.figures.values())
        lines += ["", f"{name}: {label} (n {n})", f"  {'':34}" + "".join(f"{f'{k} {h}':>30}" for k, h in heads)]
        for by in dict.fromkeys(row.by for row in mine):
            found = {(row.kind, half): cell(f) for row in mine if row.by == by for half, f in row.figures.items()}
            lines.append(f"  {by:34}" + "".join(f"{found.get(head, ''):>30}" for head in heads))
    return "\n".join(lines)


def encoder() -> Any:
    """The encoder of the extra `multilingual`."""
    from adjudge.models.offline.vectors import Vectors

    return Vectors()


def main(rows: Callable[[bool, Options], list[Row]]) -> None:
    """Prints a module's table; the dev half unless told otherwise."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", action="store_true", help="a sample of each set, no intervals")
    parser.add_argument("--half", choices=("dev", "held", "all"), default="dev")
    parser.add_argument("--parts", action="store_true", help="also each part of each measure")
    parser.add_argument("--only", default="", help="sets whose name holds this")
    parser.add_argument("--draws", type=int, default=0, help="resamples for intervals")
    parser.add_argument("--vectors", action="store_true", help="`offline+vectors` instead of `offline`")
    given = vars(parser.parse_args())
    given["vectors"] = encoder() if given["vectors"] else None
    started = time.process_time()
    try:
        found = rows(given["fast"], Options(**given))
    except Absent as absent:
        sys.stdout.write(f"{absent}\n")
        return
    sys.stdout.write(table(found) + f"\n\n{time.process_time() - started:.1f} s of processor time\n")
