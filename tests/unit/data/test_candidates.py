"""`--candidate NAME=WHERE`, and answers that stand in columns and files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import ConfigError, DataError
from adjudge.data.candidates import Answers, parse_candidates
from adjudge.data.dataset import read_dataset
from adjudge.data.rows import rows_of
from tests.unit.spec.rows import bundled

JUDGE = bundled("rag-answers")
ROW: dict[str, Any] = {"id": "q1", "question": "Why?", "relevant_texts": ["Because."], "answer": "Golden."}


def read(*rows: dict[str, Any], candidates: tuple[str, ...]) -> list[dict[str, Any]]:
    answers = Answers(JUDGE, parse_candidates(candidates))
    dataset = read_dataset(JUDGE, rows_of(rows), name="rows", columns={}, answers=answers)
    try:
        return [json.loads(body) for _, body in dataset.rows()]
    finally:
        dataset.close()


def written(name: str, *rows: dict[str, Any]) -> str:
    Path(name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return f"file:{name}"


def test_a_candidate_has_a_name_and_a_place():
    found = parse_candidates(["a = column:mine", "b=file:x=1.jsonl", "c=http://host/v1", "d=openai:m@http://h/v1"])
    assert [(one.name, one.kind, one.path, one.given) for one in found] == [
        ("a", "column", "mine", True),
        ("b", "file", "x=1.jsonl", True),
        ("c", "http", "//host/v1", False),
        ("d", "openai", "m@http://h/v1", False),
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["a"], "can't be read"),
        (["=cmd:x"], "can't be read"),
        (["a="], "can't be read"),
        (["a=cmd"], "is no place"),
        (["a=cmd:"], "is no place"),
        (["a=cmd:x\ny"], "can't be read"),
        (["x" * 201 + "=cmd:x"], "can't be read"),
        (["a=cmd:x", "a=cmd:y"], "two of this name"),
        (["a=cmd:x", "b=cmd:x"], "the same as a"),
        ([f"c{number}=column:c{number}" for number in range(9)], "8 at most"),
    ],
)
def test_what_can_not_be_read_is_said(options, told):
    with pytest.raises(ConfigError, match=told):
        parse_candidates(options)


def test_columns_become_answers_and_the_golden_answer_stays_what_it_is():
    (row,) = read({**ROW, "x": "From x.", "y": "From y."}, candidates=("one=column:x", "two=column:y"))
    assert row["answers"] == {"one": "From x.", "two": "From y."}
    assert row["reference"] == "Golden." and row["x"] == "From x."


def test_the_column_of_a_field_may_be_a_candidate_too():
    (row,) = read({**ROW, "x": "From x."}, candidates=("one=column:x", "golden=column:answer"))
    assert row["answers"] == {"one": "From x.", "golden": "Golden."} and row["reference"] == "Golden."


def test_answers_of_the_row_are_candidates_too():
    (row,) = read({**ROW, "answers": {"zero": "Old."}, "x": "New."}, candidates=("one=column:x",))
    assert row["answers"] == {"zero": "Old.", "one": "New."}


def test_files_are_joined_by_id_or_by_question():
    by_id = written("by_id.jsonl", {"id": 7, "answer": "Other."}, {"id": "q1", "answer": "By id.", "retrieved": ["p"]})
    by_question = written("by_question.jsonl", {"question": " Why? ", "answer": "By question."})
    Path("table.csv").write_text("id,answer\nq1,From a table.\n", encoding="utf-8")
    (row,) = read(ROW, candidates=(f"a={by_id}", f"b={by_question}", "c=file:table.csv"))
    assert row["answers"] == {"a": "By id.", "b": "By question.", "c": "From a table."}
    assert row["retrieved_by"] == {"a": ["p"]}


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_answer_is_judged_wherever_it_stands(empty):
    where = written("a.jsonl", {"id": "q1", "answer": empty})
    Path("table.csv").write_text("id,answer\nq1,\n", encoding="utf-8")
    candidates = (f"a={where}", "b=column:x", "c=file:table.csv")
    (row,) = read({**ROW, "x": empty, "answers": {"d": empty}}, candidates=candidates)
    assert row["answers"] == {"a": empty, "b": empty, "c": "", "d": empty}


@pytest.mark.parametrize(
    ("row", "file", "told"),
    [
        ({}, [{"id": "q2", "answer": "x"}], r"row 1: the file of --candidate a has no answer for this row"),
        ({}, [{"answer": "x"}], r"a\.jsonl, line 1: there is no `id` or `question`"),
        ({}, [], r"--candidate a=file:a\.jsonl: the file of answers holds no rows"),
        ({}, [{"id": "q1"}], r"a\.jsonl, line 1: `answer` is missing"),
        ({}, [{"id": "q1", "answer": None}], r"a\.jsonl, line 1: `answer` is missing"),
        ({}, [{"id": "q1", "answer": 5}], r"a\.jsonl, line 1: `answer` is not a text but"),
        ({}, [{"id": "q1", "answer": "x"}] * 2, r"a\.jsonl, line 2: a second answer under the same id"),
        ({"answers": {"a": "x"}}, [{"id": "q1", "answer": "x"}], r"row 1: the row has an answer of `a` already"),
        ({"x": None}, [{"id": "q1", "answer": "x"}], r"row 1: the column `x` \(--candidate b\) is missing"),
        ({"answers": ["x"]}, [{"id": "q1", "answer": "x"}], r"row 1: the field `answers` must be an object"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(row, file, told):
    where = written("a.jsonl", *file)
    with pytest.raises(DataError, match=told):
        read({**ROW, "x": "From x.", **row}, candidates=(f"a={where}", "b=column:x"))


def test_too_few_and_too_many_are_refused_with_those_that_are_asked_counted():
    with pytest.raises(DataError, match="1 candidate; 2 to 8"):
        read({**ROW, "x": "From x."}, candidates=("a=column:x",))
    with pytest.raises(DataError, match="9 candidates; 2 to 8"):
        read({**ROW, "answers": {f"m{n}": "x" for n in range(8)}}, candidates=("a=cmd:x",))
    assert "answers" not in read(ROW, candidates=("a=cmd:x", "b=cmd:y"))[0]
    with pytest.raises(DataError, match="an answer of `a` already"):
        read({**ROW, "answers": {"a": "x"}}, candidates=("a=cmd:x",))


def test_a_judge_without_a_question_has_no_candidates_to_ask():
    judge = replace(JUDGE, fields=tuple(field for field in JUDGE.fields if field.role != "query"))
    with pytest.raises(ConfigError, match="no field with the role `query`"):
        Answers(judge, parse_candidates(["a=cmd:x"]))
