"""Labels of a run: from a file or from the store, of its own items only."""

from __future__ import annotations

import json

import pytest

import adjudge
from adjudge.api import open_run
from adjudge.api.labels import find_labels
from adjudge.api.sample import sample
from adjudge.core.errors import DataError
from adjudge.store.store import open_store
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
ANSWERS = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/runs.db"


@pytest.fixture
def run(url):
    return a_run(url, "summary", [dict.fromkeys(SUMMARY, 4), dict.fromkeys(SUMMARY, 2), None])


def test_items_of_other_runs_are_counted_and_left_out(run):
    rows = [{"id": "i0", "coverage": 3}, {"id": "i2", "coverage": 3}, {"id": "other", "coverage": 3, "accuracy": 2}]
    found = find_labels(run, rows)
    assert [one.item for one in found.labels] == ["i0", "i2"]
    assert found.elsewhere == 1
    assert find_labels(run, rows).labels == found.labels


def test_no_item_of_the_run_is_an_error_that_lists_ids(run, tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"row-{n}", "coverage": 3}) for n in range(7)), encoding="utf-8")
    with pytest.raises(DataError, match=r"none of the 7 labelled items is of run .*: `row-0`, .*`row-4`, …") as caught:
        find_labels(run, str(path))
    assert caught.value.where == str(path)
    assert "`i0`, `i1`, `i2`" in (caught.value.hint or "")


def test_a_column_may_have_another_name(run):
    found = find_labels(run, [{"doc": "i1", "quality": 5}], columns=("id=doc", "coverage=quality")).labels
    assert [(one.item, one.criterion, one.value) for one in found] == [("i1", "coverage", 5)]


def test_what_people_said_on_the_web_page(run, url):
    with open_store(url) as store:
        store.add_label(run.id, "i0", "", "coverage", "anna", 3.0, "first")
        store.add_label(run.id, "i0", "", "coverage", "anna", 5.0, "on second thought")
        store.add_label(run.id, "i0", "", "coverage", "bo", None)
        store.add_label(run.id, "i1", "", "conclusion", "bo", "nicely put")
    found = find_labels(open_run(run.id, store=url), None).labels
    assert [(one.annotator, one.value, one.comment) for one in found] == [("anna", 5.0, "on second thought")]


def test_a_run_without_labels(run):
    with pytest.raises(DataError, match="has no labels") as caught:
        find_labels(run, None)
    assert f"`adjudge label {run.id} --store {run.store}`" in (caught.value.hint or "")
    assert "--labels" in (caught.value.hint or "")


def test_candidates_of_a_comparison(url):
    run = a_run(url, "rag-answers", [{name: {"A": 4, "B": 3} for name in ANSWERS}, None])
    assert len(find_labels(run, [{"id": "i0", "clarity": {"A": 4, "B": 2}}]).labels) == 2
    with pytest.raises(DataError, match="name the candidate `C`") as caught:
        find_labels(run, [{"id": "i0", "clarity": {"A": 4, "C": 2}}])
    assert "`A`, `B`" in (caught.value.hint or "")


def test_rows_without_ids_find_their_items_by_their_content(url):
    rows = [{"content": f"The ferry leaves at {n}. It is blue.", "text": f"It leaves at {n}."} for n in range(3)]
    run = adjudge.evaluate("summary", rows, store=url)
    labelled = [{**row, "annotator": who, "coverage": 4} for row in rows for who in ("anna", "bo")]
    assert {one.item for one in find_labels(run, labelled).labels} == {outcome.item for outcome in run.outcomes()}


def texts(n, text="summary", content="article"):
    return [{"id": f"i{at}", "content": f"{content} {at}", "text": f"{text} {at}"} for at in range(n)]


@pytest.mark.parametrize("field", ["content", "text", "summary"])
def test_labels_of_other_texts_are_an_error_that_names_the_row(url, field):
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, 3)] * 2, rows=texts(2))
    rows = [{"id": f"i{at}", field: "another text", "coverage": 3} for at in range(2)]
    with pytest.raises(
        DataError, match=rf"item `i0` was labelled with another `.*` than it has in run {run.id}"
    ) as told:
        find_labels(run, rows)
    assert told.value.where == "row 1"
    assert "--map" in (told.value.hint or "")


def test_only_the_texts_that_a_row_has_count_and_white_space_does_not(url):
    rows = [{**row, "text": "-\n a  summary\n"} for row in texts(3)]
    run = a_run(url, "summary", [dict.fromkeys(SUMMARY, 3)] * 3, rows=rows)
    labels = [
        {"id": "i0", "coverage": 3, "text": "", "source": "a newspaper", "system": "x"},
        {"id": "i1", "coverage": 3, "text": "'- a summary"},
        {"id": "i2", "coverage": 3, "content": "article  2 ", "text": "of another"},
    ]
    found = find_labels(run, labels)
    assert [one.item for one in found.labels] == ["i0", "i1"]
    assert [error.where for error in found.other_texts] == ["row 3"]
    mapped = [{"id": "i1", "coverage": 3, "text": "a remark", "output": "- a summary"}]
    assert len(find_labels(run, mapped, columns=["text=output"]).labels) == 1


def test_a_sample_of_another_run(url):
    given = [dict.fromkeys(SUMMARY, 1 + at % 5) for at in range(30)]
    first = a_run(url, "summary", given, rows=texts(30), name="one")
    same = a_run(url, "summary", given, rows=[{**row, "note": "x"} for row in texts(30)], name="two")
    other = a_run(url, "summary", given, rows=texts(30, text="shorter"), name="three")
    labels = [{**row, "coverage": 3} for row in sample(first, 10).rows]
    bare = [{name: value for name, value in row.items() if name not in ("content", "text")} for row in labels]
    for rows in (labels, bare):
        assert len(find_labels(first, rows).labels) == len(find_labels(same, rows).labels) == 10
        with pytest.raises(DataError, match=rf"labelled in run {first.id} with another `text` than it has in run"):
            find_labels(other, rows)
    assert len(find_labels(same, [{**row, "sample_run": "gone"} for row in labels]).labels) == 10
    with pytest.raises(DataError, match="labelled in run gone, which is not in this store"):
        find_labels(same, [{**row, "sample_run": "gone"} for row in bare])


def test_a_sample_of_a_comparison_with_other_answers(url):
    given = [{name: {"A": 4, "B": at % 5} for name in ANSWERS} for at in range(30)]
    run = a_run(url, "rag-answers", given, name="one")
    labels = [{**row, "clarity": 3} for row in sample(run, 10).rows]
    assert len(find_labels(run, labels).labels) == 20
    labels[0]["answers"] = "an answer that nobody gave"
    assert len(find_labels(run, labels).other_texts) == 1
    whole = {"id": "i0", "clarity": {"A": 3}, "answers": {"A": "an answer that nobody gave", "B": "nor this"}}
    with pytest.raises(DataError, match="another `answers`"):
        find_labels(run, [whole])


def test_columns_that_look_like_a_criterion(run):
    found = find_labels(run, [{"id": "i0", "coverage": 3, "acuracy": 4, "Coherence": 4, "note": 1, "coverage_2": 1}])
    assert found.misspelled == {"acuracy": "accuracy", "Coherence": "coherence"}
    assert not find_labels(run, [{"id": "i0", "coverage": 3, "accuracy": "", "acuracy": 4}]).misspelled
    with pytest.raises(DataError, match="no row has a label") as told:
        find_labels(run, [{"id": "i0", "acuracy": 4}])
    assert "did you mean `accuracy`" in (told.value.hint or "")


def test_correct_warns_too_and_takes_no_part_of_a_sample(url):
    given = [dict.fromkeys(SUMMARY, 1 + at % 5) for at in range(60)]
    run = a_run(url, "summary", given, rows=texts(60))
    labels = [{**row, "coverage": 1 + at % 4, "accuracy": 3} for at, row in enumerate(texts(40))]
    labels[7]["text"] = "another"
    misspelled = [{"acuracy" if name == "accuracy" else name: value for name, value in row.items()} for row in labels]
    sheet = adjudge.correct(run, misspelled)
    assert [one.split(":")[0][:10] for one in sheet.warnings[:2]] == ["Label rows", "The column"]
    assert sheet.data["criteria"]["coverage"]["n"] == 39
    sampled = [{**row, "coverage": 3} for row in sample(run, 40).rows]
    sampled[7]["text"] = "another"
    with pytest.raises(DataError, match="another `text`") as told:
        adjudge.correct(run, sampled)
    assert told.value.where == "row 8"


def test_a_candidate_of_an_item_that_failed_may_be_labelled(url):
    answers = [{"A": "one", "B": "two"}, {"A": "one", "Late": "two"}]
    rows = [{"id": f"i{n}", "question": "q", "sources": ["s"], "answers": one} for n, one in enumerate(answers)]
    scores = {name: {"A": 4, "B": 2} for name in ANSWERS}
    run = a_run(url, "rag-answers", [scores, None], rows=rows)
    labels = [{"id": "i0", "candidate": "B", "clarity": 3}, {"id": "i1", "candidate": "Late", "clarity": 3}]
    assert [one.candidate for one in find_labels(run, labels).labels] == ["B", "Late"]
    with pytest.raises(DataError, match="`Late`, which run"):
        find_labels(run, [labels[0], labels[1] | {"id": "i0"}])
