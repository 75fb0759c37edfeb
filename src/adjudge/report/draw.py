"""Lines for a terminal: colours where they are wanted, tables within a width, parts that flow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adjudge.report.grid import blocks
from adjudge.report.plain import fit, plain, width, wrap
from adjudge.report.tables import Section


class Ink:
    """Colours where they are wanted."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def _dye(self, line: str, code: int) -> str:
        return f"\x1b[{code}m{line}\x1b[0m" if self._colour and line else line

    def bold(self, line: str) -> str:
        return self._dye(line, 1)

    def dim(self, line: str) -> str:
        return self._dye(line, 2)

    def yellow(self, line: str) -> str:
        return self._dye(line, 33)

    def red(self, line: str) -> str:
        return self._dye(line, 31)


def ruled(lines: Sequence[str], ink: Ink) -> Iterator[str]:
    """A table with a line under its head."""
    yield ink.dim(lines[0])
    yield ink.dim("─" * width(lines[0]))
    yield from lines[1:]


def drawn_section(section: Section, columns: int, ink: Ink) -> Iterator[str]:
    """A table beside the scores, in as many blocks as the width needs: a figure is never cut."""
    yield ink.bold(fit(section.title, columns))
    lines = [tuple(map(plain, line)) for line in (section.columns, *section.rows)] if section.rows else []
    for number, block in enumerate(blocks(lines, columns)):
        if number:
            yield ""
        yield from ruled(block, ink)
    for note in section.notes:
        yield from (ink.dim(line) for line in wrap(note, columns))


def flow(parts: Iterable[str], joint: str, columns: int) -> Iterator[str]:
    """Parts joined in as few lines as hold them; a part is never split unless it alone is too wide."""
    line = ""
    for part in parts:
        piece = fit(part, columns)
        if line and width(line) + width(joint) + width(piece) > columns:
            yield line
            line = piece
        else:
            line = f"{line}{joint}{piece}" if line else piece
    if line:
        yield line
