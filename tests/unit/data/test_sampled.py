"""Rows to label, and how they were chosen, read back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.errors import DataError
from adjudge.data.sampled import Place, candidate_code, chosen_by, is_code, rows_to_label
from adjudge.spec.load import load_judge

PLACE = Place(run="run-1", seed=0, stratum="en b2", size=40)
CHOSEN = {"sample_run": "run-1", "sample_seed": 0, "sample_code": PLACE.code("i1")}


def test_codes_are_letters_that_follow_from_everything_they_stand_for():
    codes = {candidate_code(item, name) for item in ("i1", "i2") for name in ("A", "B", "\ud800")}
    codes |= {replace(PLACE, **one).code("i1") for one in ({}, {"run": "x"}, {"stratum": "x"}, {"size": 1})}
    codes.add(PLACE.code("i2"))
    assert len(codes) == 11
    assert all(is_code(code) and code.isalpha() for code in codes)
    assert replace(PLACE, seed=7).code("i1") == PLACE.code("i1")
    assert not any(is_code(text) for text in ("", "ModelA", "bcdfghj", "bcdfghjkm", "BCDFGHJK", "12345678"))


def test_a_row_has_fields_then_empty_cells_then_how_it_was_chosen():
    judge = load_judge("translation")
    row = {"src": "a", "trg": "b", "system": "secret", "adequacy": 5, "other": "x"}
    (made,) = rows_to_label(judge, "i1", row, PLACE)
    criteria = [one.name for one in judge.scored]
    shown = [one.name for one in judge.fields if one.role not in ("system", "peers")]
    assert [*made] == ["id", *shown, *criteria, "annotator", "comment", *CHOSEN]
    assert [made[name] for name in criteria] == [""] * len(criteria)
    assert "secret" not in made.values()
    assert {name: made[name] for name in CHOSEN} == CHOSEN


def test_a_criterion_with_the_name_of_a_field_has_a_column_of_its_own():
    judge = load_judge("summary")
    taken = replace(judge, fields=(*judge.fields, replace(judge.fields[0], name="coverage")))
    (made,) = rows_to_label(taken, "i1", {"content": "a", "text": "b", "coverage": "a field"}, PLACE)
    assert (made["coverage"], made["human.coverage"]) == ("a field", "")


def test_what_a_table_has_no_cell_for_is_json():
    judge = load_judge("rag-answers")
    row = {"question": "q", "sources": ["a", {"id": "1", "text": "b"}], "answers": {"A": "x", "B": "y"}}
    first, second = rows_to_label(judge, "i1", row, PLACE)
    assert first["sources"] == '["a", {"id": "1", "text": "b"}]'
    said = {candidate_code("i1", name): text for name, text in (("A", "x"), ("B", "y"))}
    assert [(one["candidate"], one["answers"]) for one in (first, second)] == sorted(said.items())


def test_the_choice_is_read_back_also_from_a_spreadsheet():
    rows: list[tuple[str, dict[str, Any]]] = [
        ("line 1", {"id": "i1", "sample_run": "run-1", "sample_code": "bcdfghjk"}),
        ("line 2", {"id": "'-2", "sample_run": "run-1", "sample_code": " zzzzzzzz "}),
        ("line 3", {"id": "i3", "sample_run": "", "sample_code": None}),
    ]
    found = chosen_by(rows, ["id"])
    assert found is not None
    assert found.run == "run-1"
    assert [found.code(item) for item in ("i1", "-2", "i3")] == ["bcdfghjk", "zzzzzzzz", None]
    assert chosen_by(rows[2:], ["id"]) is None
    assert chosen_by([], ["id"]) is None


def test_rows_of_two_runs_are_refused_with_both_places():
    rows = [(f"line {n}", {"item": f"i{n}", "sample_run": f"run-{n}", "sample_code": "b"}) for n in (1, 2)]
    with pytest.raises(DataError, match=r"line 2: `sample_run` names two runs: `run-1` \(line 1\)"):
        chosen_by(rows, ["id", "item"])
