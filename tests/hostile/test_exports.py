"""Exports are safe to open (promise 20): no cell starts a formula, and what is no text stays a number."""

from __future__ import annotations

import csv
import io
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.records import Verdict
from adjudge.data.export import guarded, table, to_csv, unguarded
from tests.hostile.spreadsheet import formulas
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
        text = "".join(to_csv([{formula: formula, "plain": "text"}]))
        assert not formulas(text)
        for row, other in zip(cells(text), ("plain", "text"), strict=True):
            assert row[0][0] == "'" or formula[0] not in "=+-@\t\r\n"
            assert [unguarded(cell) for cell in row] == [formula, other]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("separator", [";", "|", '"|', "\t", "\n", "\r\n", '";"', '"\t', "'\n", ';""', ",;, "])
def test_no_part_of_a_cell_starts_a_formula_where_the_separator_is_another(start, separator):
    for payload in PAYLOADS:
        for text in (f"plain{separator}{start}{payload}", f"a,{separator}{start}{payload}{separator}b"):
            assert not formulas("".join(to_csv([{"plain": text, text: "text"}])))
            assert unguarded(guarded(text)) == text


SIGNS = st.text(st.sampled_from(";|,\t\r\n\"'=+-@＝ \u200bx"), max_size=12)


@given(st.lists(SIGNS, min_size=1, max_size=4))
def test_no_mixture_of_signs_starts_a_formula_and_every_text_comes_back(texts):
    text = "".join(to_csv([{"plain": 1, **{str(n): one for n, one in enumerate(texts)}}]))
    assert not formulas(text)
    assert [unguarded(cell) for cell in cells(text)[1]] == ["1", *texts]


@given(st.text())
def test_harmless_text_is_untouched(text):
    assert guarded(text).replace("'", "") == text.replace("'", "")
    assert unguarded(guarded(text)) == text
    line = "word " + text.translate(dict.fromkeys(map(ord, ";|\t\r\n")))
    assert guarded(line) == line


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
    text = "".join(to_csv(table(judge, [verdict])))
    assert set(formulas(text.split("\r\n", 1)[1])) <= {"-1.0", "-6.0"}
    found = cells(text)
    assert sum("'=cmd" in cell for cell in found[1]) == len(names) + 3
    assert [cell for cell in found[1] if cell[:1] == "-"] == ["-1.0"] * len(names) + ["-6.0"]
    raw = cells("".join(to_csv(table(judge, [verdict]), raw=True)))
    assert raw[1][0] == bad
