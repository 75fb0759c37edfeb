"""Labels of a run: from a file or from the store, of its own items only."""

from __future__ import annotations

import json

import pytest

import adjudge
from adjudge.api import open_run
from adjudge.api.labels import find_labels, labels_for
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
    assert labels_for(run, rows) == found.labels


def test_no_item_of_the_run_is_an_error_that_lists_ids(run, tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"row-{n}", "coverage": 3}) for n in range(7)), encoding="utf-8")
    with pytest.raises(DataError, match=r"none of the 7 labelled items is of run .*: `row-0`, .*`row-4`, …") as caught:
        labels_for(run, str(path))
    assert caught.value.where == str(path)
    assert "`i0`, `i1`, `i2`" in (caught.value.hint or "")


def test_a_column_may_have_another_name(run):
    found = labels_for(run, [{"doc": "i1", "quality": 5}], columns=("id=doc", "coverage=quality"))
    assert [(one.item, one.criterion, one.value) for one in found] == [("i1", "coverage", 5)]


def test_what_people_said_on_the_web_page(run, url):
    with open_store(url) as store:
        store.add_label(run.id, "i0", "", "coverage", "anna", 3.0, "first")
        store.add_label(run.id, "i0", "", "coverage", "anna", 5.0, "on second thought")
        store.add_label(run.id, "i0", "", "coverage", "bo", None)
        store.add_label(run.id, "i1", "", "conclusion", "bo", "nicely put")
    found = labels_for(open_run(run.id, store=url), None)
    assert [(one.annotator, one.value, one.comment) for one in found] == [("anna", 5.0, "on second thought")]


def test_a_run_without_labels(run):
    with pytest.raises(DataError, match="has no labels") as caught:
        labels_for(run, None)
    assert "--labels" in (caught.value.hint or "")


def test_candidates_of_a_comparison(url):
    run = a_run(url, "rag-answers", [{name: {"A": 4, "B": 3} for name in ANSWERS}, None])
    assert len(labels_for(run, [{"id": "i0", "clarity": {"A": 4, "B": 2}}])) == 2
    with pytest.raises(DataError, match="name the candidate `C`") as caught:
        labels_for(run, [{"id": "i0", "clarity": {"A": 4, "C": 2}}])
    assert "A, B" in (caught.value.hint or "")


def test_rows_without_ids_find_their_items_by_their_content(url):
    rows = [{"content": f"The ferry leaves at {n}. It is blue.", "text": f"It leaves at {n}."} for n in range(3)]
    run = adjudge.evaluate("summary", rows, store=url)
    labelled = [{**row, "annotator": who, "coverage": 4} for row in rows for who in ("anna", "bo")]
    assert {one.item for one in labels_for(run, labelled)} == {outcome.item for outcome in run.outcomes()}
