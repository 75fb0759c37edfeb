"""Exports are safe to open (promise 20): no cell starts a formula, and what is no text stays a number."""

from __future__ import annotations

import csv
import io
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.records import Verdict
from adjudge.data.export import guarded, table, to_csv
from tests.unit.spec.rows import bundled

STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢")
BLANKS = (
    *("", " ", "   ", "\t", "\r", "\n", "\r\n", "\x0b", "\x0c", "\x00", "\x1f", "\x85", "\xa0", "\xad"),
    *("\u1680", "\u2003", "\u2028", "\u200b", "\u202e", "\u2060", "\u2066", "\ufeff", " \u200b\t "),
)
PAYLOADS = ("cmd|' /C calc'!A0", 'HYPERLINK("http://x")', "1+1", "SUM(A1)", "")
FORMULAS = tuple(blank + start + payload for blank, start, payload in product(BLANKS, STARTS, PAYLOADS))


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("start", STARTS)
def test_no_cell_starts_a_formula(start):
    for formula in (formula for formula in FORMULAS if start in formula):
        (header, row) = cells("".join(to_csv([{formula: formula, "plain": "text"}])))
        assert header == ["'" + formula, "plain"]
        assert row == ["'" + formula, "text"]


@given(st.text())
def test_harmless_text_is_untouched(text):
    assert guarded(text) in (text, "'" + text)
    if text[:1].isalnum():
        assert guarded(text) == text
    assert guarded(guarded(text)) == guarded(text)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.dictionaries(TEXT, TEXT, min_size=1))
def test_raw_is_exact(record):
    assert cells("".join(to_csv([record], raw=True))) == [list(record), list(record.values())]


@pytest.mark.parametrize("raw", [True, False])
def test_numbers_stay_numbers(raw):
    record = {"a": -5, "b": -0.25, "c": 3, "d": 1e-9, "e": None}
    ((_, row),) = [cells("".join(to_csv([record], raw=raw)))]
    assert [float(cell) for cell in row[:4]] == [-5, -0.25, 3, 1e-9]
    assert row[4] == ""


def test_every_column_of_a_table_is_guarded():
    bad = "=cmd|' /C calc'!A0"
    judge = bundled("rag-answers")
    names = [criterion.name for criterion in judge.scored]
    verdict = Verdict(
        item=bad,
        scores={name: {bad: -1.0} for name in names},
        reasons={name: {bad: "\t" + bad} for name in names},
        derived={"total": {bad: -6.0}, "winner": {"winner": bad, "tied": []}},
        native={},
        flags=(bad,),
    )
    found = cells("".join(to_csv(table(judge, [verdict]))))
    assert sum(cell.startswith("'") for cell in found[1]) == len(names) + 3
    assert [cell for cell in found[1] if cell[:1] == "-"] == ["-1.0"] * len(names) + ["-6.0"]
    raw = cells("".join(to_csv(table(judge, [verdict]), raw=True)))
    assert raw[1][0] == bad
