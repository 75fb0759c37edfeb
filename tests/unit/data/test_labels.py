"""Label files: every layout of people's scores comes to the same labels, and what is wrong names its place."""

from __future__ import annotations

import json
import re

import pytest

from adjudge.core import limits
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.judge import Criterion
from adjudge.core.labels import Label
from adjudge.core.records import Item
from adjudge.core.scale import Scale
from adjudge.data.human import human_scores
from adjudge.data.items import canonical_row, make_item
from adjudge.data.label_columns import parse_label_map
from adjudge.data.labels import read_label_file
from tests.fakes.yes_no import yes_no_judge
from tests.unit.spec.rows import bundled

SUMMARY = bundled("summary")
ANSWERS = bundled("rag-answers")


def label(
    item: str, criterion: str, value: float, annotator: str = "", comment: str = "", candidate: str = ""
) -> Label:
    return Label(item=item, candidate=candidate, criterion=criterion, annotator=annotator, value=value, comment=comment)


ANNA_AND_BO = [
    label("1", "coverage", 4, "anna", "thin"),
    label("1", "accuracy", 5, "anna", "thin"),
    label("1", "coverage", 2, "bo"),
    label("2", "coverage", 3.5, "anna"),
]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            [
                {"id": "1", "annotator": "anna", "coverage": 4, "accuracy": 5, "comment": "thin"},
                {"id": "1", "annotator": "bo", "coverage": 2, "accuracy": None},
                {"id": "2", "annotator": "anna", "coverage": "3.5", "accuracy": " "},
            ],
            id="a row for each person",
        ),
        pytest.param(
            [
                {"id": 1, "coverage@anna": 4, "accuracy@anna": 5, "coverage@bo": 2, "comment@anna": "thin"},
                {"id": 2, "coverage@anna": 3.5},
            ],
            id="a column for each person",
        ),
        pytest.param(
            [
                {
                    "id": "1",
                    "labels": [
                        {"annotator": "anna", "coverage": 4, "accuracy": 5, "comment": "thin"},
                        {"annotator": "bo", "coverage": 2},
                    ],
                },
                {"id": "2", "labels": '[{"annotator": "anna", "coverage": 3.5}]'},
            ],
            id="a list",
        ),
        pytest.param(
            [
                {"item": "1", "criterion": "coverage", "annotator": "anna", "value": "4", "comment": "thin"},
                {"item": "1", "criterion": "accuracy", "annotator": "anna", "value": 5, "comment": "thin"},
                {"item": "1", "criterion": "coverage", "annotator": "bo", "value": 2, "candidate": ""},
                {"item": "2", "criterion": "coverage", "annotator": "anna", "value": 3.5},
                {"item": "3", "criterion": "coverage", "annotator": "anna", "value": ""},
            ],
            id="a row for each label",
        ),
        pytest.param(
            [
                {"id": "1", "annotator": "anna", "human.coverage": 4, "human.accuracy": 5, "comment": "thin"},
                {"id": "1", "annotator": "bo", "labels": {"coverage": 2}},
                {"id": "2", "annotator": "anna", "labels": '{"coverage": 3.5}'},
            ],
            id="as calibrate has them",
        ),
    ],
)
def test_layouts_that_mean_the_same(rows):
    assert set(read_label_file(SUMMARY, rows).labels) == set(ANNA_AND_BO)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "tsv", "parquet"])
def test_every_kind_of_file(tmp_path, ending):
    path = tmp_path / f"labels.{ending}"
    rows = [{"id": "1", "annotator": "anna", "coverage": "4"}, {"id": "2", "annotator": "anna", "coverage": ""}]
    if ending == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif ending in ("csv", "tsv"):
        mark = "," if ending == "csv" else "\t"
        path.write_text("\n".join(mark.join(line) for line in [list(rows[0]), *(list(r.values()) for r in rows)]))
    else:
        path.write_text(json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows)))
    assert read_label_file(SUMMARY, str(path)).labels == [label("1", "coverage", 4, "anna")]


def test_the_first_place_counts_as_for_calibrate():
    extra = {"labels": {"coverage": 1}, "human.coverage": 2, "coverage": 3, "human.accuracy": 4, "accuracy": 5}
    found = {one.criterion: one.value for one in read_label_file(SUMMARY, [{"id": "a", **extra}]).labels}
    assert found == {"coverage": 1, "accuracy": 4}
    same = human_scores(SUMMARY, Item(id="a", fields={"content": "c", "text": "t"}, extra=extra), "row 1")
    assert {name: scores[""] for name, scores in same.items()} == found


def test_a_mean_beside_the_columns_of_people_is_not_one_more_person():
    found = read_label_file(SUMMARY, [{"id": "a", "coverage": 3, "coverage@anna": 2, "coverage@bo": 4}]).labels
    assert [(one.annotator, one.value) for one in found] == [("anna", 2), ("bo", 4)]


def test_people_without_names_are_told_apart_by_their_place():
    found = read_label_file(SUMMARY, [{"id": "a", "labels": [{"coverage": 2}, {"coverage": 4}]}]).labels
    assert [(one.annotator, one.value) for one in found] == [("1", 2), ("2", 4)]


@pytest.mark.parametrize(
    "row",
    [
        {"id": "q", "clarity": {"A": 3, "B": 5}},
        {"id": "q", "clarity": '{"A": 3, "B": 5}'},
        {"id": "q", "labels": {"clarity": {"A": 3, "B": 5, "C": None}}},
        {"id": "q", "labels": [{"annotator": "", "clarity": {"A": 3, "B": 5}}]},
    ],
)
def test_a_comparison_has_scores_by_candidate(row):
    expected = [label("q", "clarity", 3, candidate="A"), label("q", "clarity", 5, candidate="B")]
    assert read_label_file(ANSWERS, [row]).labels == expected


def test_a_comparison_may_have_a_row_for_each_candidate():
    expected = [label("q", "clarity", 3, candidate="A"), label("q", "clarity", 5, candidate="B")]
    rows: list[dict[str, object]] = [
        {"id": "q", "candidate": "A", "clarity": 3},
        {"id": "q", "candidate": "B", "clarity": "5"},
    ]
    assert read_label_file(ANSWERS, rows).labels == expected
    long = [{"item": "q", "candidate": who, "criterion": "clarity", "value": n} for who, n in (("A", 3), ("B", 5))]
    assert read_label_file(ANSWERS, long).labels == expected


def test_other_names_for_columns_and_criteria():
    columns = parse_label_map(
        SUMMARY, ["item=doc", "annotator=who", "coverage=relevance", "accuracy=truth", "hallucination_check=truth"]
    )
    found = read_label_file(SUMMARY, [{"doc": 7, "who": "anna", "relevance": 4, "truth": 5}], columns=columns).labels
    assert found == [
        label("7", "coverage", 4, "anna"),
        label("7", "accuracy", 5, "anna"),
        label("7", "hallucination_check", 5, "anna"),
    ]
    inside = read_label_file(SUMMARY, [{"doc": 7, "who": "anna", "labels": {"relevance": 4}}], columns=columns).labels
    assert inside == found[:1]
    long = {"doc": 7, "who": "anna", "criterion": "truth", "value": 5}
    assert read_label_file(SUMMARY, [long], columns=columns).labels == found[1:]


def test_rows_of_the_dataset_with_labels_have_the_ids_of_a_run():
    row = {"source": "long text", "summary": "text", "topic": "ferries"}
    known = canonical_row(SUMMARY, row, "row 1", {})
    own = make_item(SUMMARY, known, "row 1").id
    labelled = {
        **row,
        "coverage": 4,
        "human.accuracy": 3,
        "coherence@bo": 2,
        "comment@bo": "so so",
        "annotator": "anna",
    }
    for known_ids in ({own}, {own, "other"}):
        assert {one.item for one in read_label_file(SUMMARY, [labelled], known=known_ids).labels} == {own}
    # judged as it is, labels and all, the same row has another id
    whole = make_item(SUMMARY, canonical_row(SUMMARY, labelled, "row 1", {}), "row 1").id
    assert {one.item for one in read_label_file(SUMMARY, [labelled], known={whole, own}).labels} == {whole}


def test_true_and_false_are_points_of_a_scale_of_two(tmp_path):
    judge = yes_no_judge(tmp_path)
    found = read_label_file(judge, [{"id": "a", "answered": True}, {"id": "b", "answered": False}]).labels
    assert [one.value for one in found] == [1, 0]
    with pytest.raises(DataError, match="scale of `coverage`"):
        read_label_file(SUMMARY, [{"id": "a", "coverage": True}])


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "a", "coverage": 6}, "`coverage` is 6, and the scale of `coverage` goes from 1 to 5"),
        ({"id": "a", "coverage": "good"}, "`coverage` is 'good'"),
        ({"id": "a", "coverage@bo": 0}, "`coverage@bo` is 0"),
        ({"id": "a", "coverage": float("inf")}, "no row has a label"),
        ({"id": "a", "coverage": "nan"}, "`coverage` is 'nan'"),
        ({"id": "a", "labels": {"beauty": 3}}, "`labels` has `beauty`, which is no scored criterion"),
        ({"id": "a", "labels": [{"coverage": 3}, 7]}, r"`labels\[2\]` must be an object of scores"),
        ({"id": "a", "human.beauty": 3}, "the name of the column `human.beauty` has `beauty`"),
        ({"id": "a", "beauty@bo": 3}, "the name of the column `beauty@bo` has `beauty`"),
        ({"id": "a", "criterion": "beauty", "value": 3}, "`criterion` has `beauty`"),
        ({"id": "a", "criterion": "coverage"}, "there is no column `value`"),
        ({"id": "a", "criterion": "coverage", "value": 3, "candidate": "A"}, "judges one text an item"),
        ({"id": "a", "annotator": ["x"], "coverage": 3}, "`annotator` must be a text or a whole number, not an array"),
        ({"id": "a", "annotator": "x" * 201, "coverage": 3}, "`annotator` is longer than 200 characters"),
        ({"id": True, "coverage": 3}, "`id` must be a text or a whole number, not true or false"),
        ({"coverage": 3}, "does not say which item it is of"),
        ({"id": "a", "beauty": 3}, "no row has a label for any criterion of `summary`; the rows have: id, beauty"),
        ({"id": "a", "coverage": ""}, "no row has a label"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(row, told):
    with pytest.raises(DataError, match=told) as caught:
        read_label_file(SUMMARY, [row])
    assert caught.value.where in ("row 1", "the labels")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "a", "clarity": 3}, "`clarity` does not say which candidate it is of"),
        ({"id": "a", "clarity": "{3"}, "`clarity` must be an object of scores"),
        ({"id": "a", "clarity": {"A": 9}}, "`clarity` of `A` is 9"),
        ({"id": "a", "clarity": [3]}, "`clarity` must be an object of scores"),
    ],
)
def test_what_is_wrong_in_a_comparison(row, told):
    with pytest.raises(DataError, match=told):
        read_label_file(ANSWERS, [row])


@pytest.mark.parametrize(
    ("rows", "told", "hint"),
    [
        ([{"id": "a", "coverage": 3}] * 2, "item `a` is labelled twice by nobody", "first at row 1, `coverage`"),
        ([{"id": "a", "annotator": "bo", "coverage": 3}] * 2, "item `a` is labelled twice by `bo`", "first at row 1"),
        (
            [{"id": "a", "labels": [{"annotator": "bo", "coverage": 3}], "coverage@bo": 3}],
            "twice by `bo`: `coverage`, in the column `coverage@bo`",
            r"first at row 1, `labels\[1\].coverage`",
        ),
        ([{"id": "a", "labels": [{"annotator": "2", "coverage": 3}, {"coverage": 3}]}], "twice by `2`", "row 1"),
    ],
)
def test_a_person_says_a_thing_once(rows, told, hint):
    with pytest.raises(DataError, match=told) as caught:
        read_label_file(SUMMARY, rows)
    assert re.search(hint, caught.value.hint or "")


@pytest.mark.parametrize("pair", ["coverage", "coverage=", "beauty=x", "=x"])
def test_a_map_that_cannot_be_used(pair):
    with pytest.raises(ConfigError, match="--map"):
        parse_label_map(SUMMARY, [pair])
    with pytest.raises(ConfigError, match="mapped twice"):
        parse_label_map(SUMMARY, ["coverage=x", "coverage=y"])


AVERAGE = Criterion(name="average_score", kind="rating", scale=Scale(min=1, max=5, whole=False))


@pytest.mark.parametrize(
    "row",
    [
        {"id": "1", "human.average_score": 3.6},
        {"id": "1", "labels": {"average_score": 3.6}},
        {"id": "1", "criterion": "average_score", "value": "3.6"},
    ],
)
def test_an_overall_score_is_a_label_where_the_row_says_so(row):
    assert read_label_file(SUMMARY, [row], overall=[AVERAGE]).labels == [label("1", "average_score", 3.6)]
    with pytest.raises(DataError, match="average_score"):
        read_label_file(SUMMARY, [row])


def test_a_column_that_has_the_name_of_an_overall_score_may_be_anything():
    row = {"id": "1", "average_score": 87, "coverage": 4}
    assert read_label_file(SUMMARY, [row], overall=[AVERAGE]).labels == [label("1", "coverage", 4)]
    with pytest.raises(DataError, match="no row has a label") as told:
        read_label_file(SUMMARY, [{"id": "1", "average_score": 4}], overall=[AVERAGE])
    assert "--map average_score=average_score" in str(told.value.hint)
    columns = parse_label_map(SUMMARY, ["average_score=average_score"], overall=[AVERAGE])
    found = read_label_file(SUMMARY, [{"id": "1", "average_score": 4}], columns=columns, overall=[AVERAGE]).labels
    assert found == [label("1", "average_score", 4)]
    with pytest.raises(ConfigError, match="labels have no `average_score`"):
        parse_label_map(SUMMARY, ["average_score=average_score"])


def test_the_id_of_a_row_whose_dataset_has_a_column_of_that_name():
    row = {"content": "A ferry leaves.", "text": "It leaves.", "average_score": 87}
    own = make_item(SUMMARY, canonical_row(SUMMARY, row, "row 1", {}), "row 1").id
    (found,) = read_label_file(SUMMARY, [{**row, "coverage": 4}], known=[own], overall=[AVERAGE]).labels
    assert found.item == own


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.csv", 'id,coverage\na,"4,5"\n'),
        ("labels.csv", "id;coverage\na;4,5\n"),
        ("labels.tsv", "id\tcoverage\na\t 4,5 \n"),
        ("labels.csv", "id;criterion;value\na;coverage;4,5\n"),
    ],
)
def test_decimal_commas(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_label_file(SUMMARY, str(tmp_path / name)).labels == [label("a", "coverage", 4.5)]


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", ""), ("a.csv", "id,coverage\n"), ("a.jsonl", ""), ("a.json", "[]")]
)
def test_a_file_without_rows(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="there are no rows") as told:
        read_label_file(SUMMARY, str(tmp_path / name))
    assert told.value.where == str(tmp_path / name)
    assert "`coverage`" in (told.value.hint or "")


def test_an_error_names_some_of_many_columns():
    row = {"id": "a", **{f"coverag{number}": 3 for number in range(5_000)}}
    with pytest.raises(DataError, match=r"the rows have: id, coverag0, coverag1, .*coverag28, …") as told:
        read_label_file(SUMMARY, [row])
    assert str(told.value.hint).count("did you mean") == limits.COLUMNS_LISTED
