"""Hostile names of runs, candidates, items and failures in a comparison: they stay text."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from adjudge.report.compared import Compared, Gap, LeftOut, labels
from adjudge.report.compared_sheet import compared_sheet
from adjudge.report.plain import width
from adjudge.report.sheet import Sheet
from tests.hostile.test_report_hostile import every_payload, harmless, skeleton
from tests.unit.report.test_compared import BASE, COVERAGE, JITTER, TOTAL, contrast, found


@cache
def case(word: str, sides: int) -> Compared:
    """Everything that data, options and models can name is so named."""
    columns = [BASE, BASE + JITTER, BASE + 2 * JITTER][:sides]
    names = [f"{word}{at}" for at in range(sides)]
    axes = [replace(axis, title=f"{word} {axis.name}") for axis in (TOTAL, COVERAGE)]
    one = found(contrast(axes[0], columns), [contrast(axes[1], columns)], names=names)
    parties = []
    for party, label in zip(one.sides, labels(names), strict=True):
        settings = replace(party.run.settings, model=word, base_url=word)
        run = replace(party.run, id=word, name=word, data=word, settings=settings)
        parties.append(replace(party, label=label, run=run, lacks={"failed": 1}))
    return replace(
        one,
        title=word,
        sides=tuple(parties),
        lacking=2,
        gaps=(Gap(item=word, side=0, why="failed", told=word), Gap(item=f"{word}!", side=1, why="unscored", told=word)),
        left_out=(LeftOut(title=word, why="basis", told=(word,) * sides),),
        differ={"model": (word,) * sides},
    )


def sheets(payload: str, sides: int) -> tuple[Sheet, Sheet]:
    return compared_sheet(case("plain", sides)), compared_sheet(case(payload, sides))


@pytest.mark.parametrize("sides", [2, 3])
@every_payload
def test_pages_keep_their_elements(payload: str, sides: int):
    benign, hostile = ("".join(sheet.html()) for sheet in sheets(payload, sides))
    harmless(hostile)
    assert skeleton(hostile) == skeleton(benign)


@pytest.mark.parametrize("sides", [2, 3])
@every_payload
def test_tables_keep_their_cells(payload: str, sides: int):
    benign, hostile = (sheet.markdown() for sheet in sheets(payload, sides))
    harmless(hostile)
    counts = [
        [line.count("|") for line in page.splitlines() if not line.startswith("Signature: `")]
        for page in (benign, hostile)
    ]
    assert counts[0] == counts[1]


@every_payload
def test_lines_keep_to_their_columns(payload: str):
    for sheet in (compared_sheet(case(payload, 2)), compared_sheet(case(payload, 3))):
        lines = sheet.text(width=80).splitlines()
        assert max(map(width, lines)) <= 80
        harmless("\n".join(lines))
