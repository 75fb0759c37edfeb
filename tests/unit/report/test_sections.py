"""Tables beside the scores: every format draws them, no figure is cut, and hostile names stay text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.report.build import build
from adjudge.report.html import html
from adjudge.report.markdown import markdown
from adjudge.report.plain import width
from adjudge.report.tables import Report, Section
from adjudge.report.text import text
from tests.hostile.test_report_hostile import PAYLOADS, harmless, skeleton
from tests.unit.report.sample import single, state, summaries

COLUMNS = 7
FIGURES = [[f"{row}.{column}7 [1.{row}{column}, 4.{column}{row}]" for column in range(COLUMNS)] for row in range(3)]


def section(name: str = "system", note: str = "as measured") -> Section:
    rows = tuple((f"{name} {number}", *figures) for number, figures in enumerate(FIGURES))
    heads = ("System", *(f"Criterion {number}" for number in range(COLUMNS)))
    return Section(name="systems", title="Systems", columns=heads, rows=rows, notes=(note,), data={"n": 3})


def report(*sections: Section) -> Report:
    judge, outcomes = single(), summaries("en")
    return replace(build(judge, state(judge, len(outcomes)), outcomes), sections=sections)


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_no_figure_is_cut_and_no_line_too_wide(columns: int):
    page = text(report(section()), width=columns)
    assert max(map(width, page.splitlines())) <= columns
    assert all(figure in page for figures in FIGURES for figure in figures)
    assert page.count("system 1") == page.count("system 2") >= 1
    assert "as measured" in page


def test_every_format_shows_it():
    made, judge = report(section()), single()
    page = "".join(html(made, [], {}, judge))
    written = markdown(made, [], judge)
    for figure in (figure for figures in FIGURES for figure in figures):
        assert figure in page
        assert figure.replace("[", "\\[").replace("]", "\\]") in written
    assert made.as_json()["beside"] == {"systems": {"n": 3}}


def test_a_report_without_tables_says_nothing_of_them():
    assert "beside" not in report().as_json()


def test_a_table_may_be_notes_alone():
    note = Section(name="none", title="Nothing", columns=(), rows=(), notes=("said in words",), data={})
    page = text(report(note))
    assert "Nothing\nsaid in words" in page


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_names_stay_text(payload: str):
    judge, plain, hostile = single(), report(section()), report(section(payload, payload))
    pages = ["".join(html(made, [], {}, judge)) for made in (plain, hostile)]
    assert skeleton(pages[0]) == skeleton(pages[1])
    written = [markdown(made, [], judge) for made in (plain, hostile)]
    assert [line.count("|") for line in written[0].splitlines()] == [
        line.count("|") for line in written[1].splitlines()
    ]
    shown = text(hostile)
    for page in (pages[1], written[1], shown):
        harmless(page)
    assert max(map(width, shown.splitlines())) <= 80
