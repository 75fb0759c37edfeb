"""A table of texts within a width: columns that do not fit stand in a block of their own, and no figure is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.report.plain import fill, fit, pad, width

GAP = "  "
TITLE_MIN = 12


def blocks(lines: Sequence[Sequence[str]], columns: int) -> Iterator[list[str]]:
    """The lines of each block: the first column, which gives way to the widest other, and what fits beside it."""
    if not lines:
        return
    first, *wide = (max(map(width, cells)) for cells in zip(*lines, strict=True))
    # no figure is so wide, and of names the beginning is enough
    wide = [min(one, columns - TITLE_MIN - len(GAP)) for one in wide]
    first = max(TITLE_MIN, min(first, columns - max(wide, default=0) - len(GAP)))
    start = 0
    while start < max(len(wide), 1):
        end, room = start + 1, columns - first - sum(wide[start : start + 1]) - len(GAP)
        while end < len(wide) and room >= wide[end] + len(GAP):
            room -= wide[end] + len(GAP)
            end += 1
        here = slice(start + 1, end + 1)
        yield [GAP.join([pad(line[0], first), *map(_right, line[here], wide[start:end])]) for line in lines]
        start = end


def _right(cell: str, columns: int) -> str:
    return fill(fit(cell, columns), columns, right=True)
