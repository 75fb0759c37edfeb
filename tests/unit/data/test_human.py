"""Human scores beside rows: where they may stand, and what is said of those that are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion
from adjudge.core.records import Item
from adjudge.core.scale import Scale
from adjudge.data.human import human_scores, point_of
from adjudge.spec.load import load_judge

SUMMARY = load_judge("summary", "en")
ANSWERS = load_judge("rag-answers", "en")


def scores(**extra: Any) -> dict[str, dict[str, float]]:
    return human_scores(SUMMARY, Item(id="a", fields={"content": "c", "text": "t"}, extra=extra), "row 7")


def compared(**extra: Any) -> dict[str, dict[str, float]]:
    fields = {"question": "q", "answers": {"A": "x", "B": "y"}}
    return human_scores(ANSWERS, Item(id="a", fields=fields, extra=extra), "row 7")


@pytest.mark.parametrize(
    "extra",
    [
        {"labels": {"coverage": 4}},
        {"labels": '{"coverage": 4}'},
        {"labels": {"coverage": "4"}, "coverage": 1},
        {"human.coverage": "4.0", "coverage": "2"},
        {"coverage": 4.0, "human.coverage": ""},
        {"coverage": "4", "labels": None, "other": "x"},
    ],
)
def test_where_a_score_may_stand(extra):
    assert scores(**extra) == {"coverage": {"": 4.0}}


def test_what_nobody_labelled_is_absent():
    assert scores(coverage="", accuracy=None, labels={"coherence": None}) == {}


def test_a_mean_of_several_people_may_be_a_fraction():
    assert scores(coverage=3.67) == {"coverage": {"": 3.67}}


@pytest.mark.parametrize("value", [6, 0, "good", True, [4], "nan", float("inf"), "1e400", 10**400, {"a": 1}])
def test_a_score_that_is_none_names_row_column_and_scale(value):
    with pytest.raises(DataError, match=r"row 7: `human.coverage` is .* from 1 to 5"):
        scores(**{"human.coverage": value})


@pytest.mark.parametrize("value", ["{", "[1]", 3, ["coverage"], "[" * 100_000])
def test_labels_that_are_no_object_are_refused(value):
    with pytest.raises(DataError, match=r"row 7: `labels` must be an object"):
        scores(labels=value)


def test_a_label_of_no_criterion_is_refused():
    with pytest.raises(DataError, match=r"`labels` has `cover`, which is no scored criterion of `summary`"):
        scores(labels={"cover": 3})


def test_candidates_have_a_score_each():
    assert compared(labels={"clarity": {"A": 3, "B": None}}) == {"clarity": {"A": 3.0}}
    assert compared(clarity='{"A": 3, "B": 5}') == {"clarity": {"A": 3.0, "B": 5.0}}
    with pytest.raises(DataError, match=r"`clarity` scores `C`, which is no candidate of this row"):
        compared(clarity={"C": 3})
    with pytest.raises(DataError, match=r"`clarity` of `A` is 9"):
        compared(clarity={"A": 9})
    with pytest.raises(DataError, match=r"`clarity` must be an object"):
        compared(clarity=3)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("good", "give a number from 1 to 5"),
        ("4,5,6", "give a number from 1 to 5"),
        ("n/a", "leave the cell empty where nobody gave a score"),
        ("—", "leave the cell empty where nobody gave a score"),
        ("NaN", "leave the cell empty where nobody gave a score"),
        ("7,5", "bring the scores to the judge's scale"),
        (7, "bring the scores to the judge's scale"),
    ],
)
def test_what_to_do_about_a_cell(value, hint):
    one = Criterion(name="coverage", kind="rating", scale=Scale(min=1, max=5))
    with pytest.raises(DataError, match="the scale of `coverage` goes from 1 to 5") as told:
        point_of(one, value, "`coverage`", "row 1")
    assert (told.value.hint or "").startswith(hint)


def test_a_comma_that_may_part_thousands_is_no_decimal_comma():
    wide = Criterion(name="words", kind="rating", scale=Scale(min=0, max=5000))
    with pytest.raises(DataError, match="'1,000'"):
        point_of(wide, "1,000", "`words`", "row 1")
    assert point_of(wide, "1,25", "`words`", "row 1") == 1.25
    narrow = Criterion(name="coverage", kind="rating", scale=Scale(min=1, max=5))
    assert point_of(narrow, "4,333", "`coverage`", "row 1") == 4.333
