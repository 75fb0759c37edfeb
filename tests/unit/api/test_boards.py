"""Verdicts as columns."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from adjudge.api.boards import boards
from tests.fakes.verdicts import a_row, a_run

ALL = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def scored(value: float) -> dict[str, float]:
    return dict.fromkeys(ALL, value)


def test_a_number_or_a_gap_for_every_item(tmp_path):
    run = a_run(url(tmp_path), "summary", [scored(4), None, {**scored(2), "coverage": None}])
    (board,) = boards(run)
    assert list(board.items) == ["i0", "i1", "i2"]
    assert board.columns["coverage"][0] == 4
    assert np.isnan(board.columns["coverage"][1:]).all()
    assert board.columns["accuracy"][2] == 2
    assert [axis.name for axis in board.axes] == [*ALL, "average_score"]
    assert (board.axis("coverage").low, board.axis("coverage").high, board.axis("coverage").sign) == (1, 5, 1)


def test_derived_values_are_those_that_rest_on_the_same_criteria(tmp_path):
    run = a_run(url(tmp_path), "summary", [scored(4), {**scored(2), "coverage": None}])
    (board,) = boards(run)
    assert board.columns["average_score"][0] == 4
    assert math.isnan(board.columns["average_score"][1])
    assert board.bases["average_score"] == frozenset(ALL)


def test_a_board_for_each_candidate(tmp_path):
    names = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
    given = [{name: {"A": 4, "B": 3} for name in names}, {name: {"A": 1, "B": 5} for name in names}]
    one, other = boards(a_run(url(tmp_path), "rag-answers", given))
    assert (one.candidate, other.candidate) == ("A", "B")
    assert one.columns["clarity"].tolist() == [4, 1]
    assert other.columns["clarity"].tolist() == [3, 5]


def test_repeats_are_kept_apart(tmp_path):
    given = [{**scored(3), "coverage": [4, 2]}, {**scored(3), "coverage": [5, 5]}]
    (board,) = boards(a_run(url(tmp_path), "summary", given))
    assert board.columns["coverage"].tolist() == [3, 5]
    assert board.trials["coverage"].tolist() == [[4, 2], [5, 5]]
    assert board.trials["average_score"].tolist() == [[3.2, 2.8], [3.4, 3.4]]


def test_a_percentage_of_each_repeat(tmp_path):
    names = ("adequacy", "fluency", "terminology", "hallucination", "punctuation")
    (board,) = boards(a_run(url(tmp_path), "translation", [{**dict.fromkeys(names, 5), "fluency": [1, 5]}]))
    assert board.trials["quality"].tolist() == [[80, 100]]
    assert board.columns["quality"].tolist() == [90]


def test_sources_languages_and_systems_are_read_from_the_rows(tmp_path):
    from adjudge.api.prepare import load

    judge = load("summary", "en")[1]
    rows = [{**a_row(judge, number), "system": f"s{number}"} for number in range(3)]
    rows[1]["content"] = rows[0]["content"]
    rows[2]["text"] = "Паром уходит вечером, когда стихает ветер."
    (board,) = boards(a_run(url(tmp_path), "summary", [scored(3)] * 3, rows=rows), rows=True)
    assert board.clusters is not None
    assert board.sources is not None and len(set(board.sources.tolist())) == 2
    first, second, third = board.clusters
    assert first == second != third
    assert list(board.languages) == ["en", "en", "ru"]
    assert list(board.systems) == ["s0", "s1", "s2"]
