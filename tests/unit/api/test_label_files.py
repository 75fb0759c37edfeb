"""Labels of a file into the store, and out of it again."""

from __future__ import annotations

import pytest

from adjudge.api.label_files import export_labels, exported_rows, import_labels
from adjudge.api.labelling import Desk
from adjudge.api.sample import sample
from adjudge.core.errors import DataError
from adjudge.data.rows import Upload
from adjudge.store.store import open_store
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
ANSWERS = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
IDS = ("i0", "=1+1", "'=1+1", "a,b")


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/runs.db"


def rows():
    return [{"id": name, "content": f"long {name}", "text": f"short {name}"} for name in IDS]


@pytest.fixture
def run(url):
    return a_run(url, "summary", [dict.fromkeys(SUMMARY, 4) for _ in IDS], rows=rows())


def file(run, form, **options):
    return Upload(name=f"labels.{form}", data="".join(export_labels(run, form, **options)).encode())


def labelled(run):
    for name in ("anna", "=bo"):
        desk = Desk.open(run, name)
        for place in range(1, desk.total + 1):
            for number, criterion in enumerate(desk.criteria):
                desk.say(place, criterion.name, number or None, comment="=why" if number == 2 else "")
        desk.comment(1, "+ and -")
        desk.say(2, "coverage", 5)
        desk.undo()
    return run


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("raw", [False, True])
def test_out_and_in_and_out_again_is_the_same(run, tmp_path, form, raw):
    labelled(run)
    copy = a_run(f"sqlite:///{tmp_path}/copy.db", "summary", [dict.fromkeys(SUMMARY, 4) for _ in IDS], rows=rows())
    sent = file(run, form, **({"raw": True} if raw else {}))
    done = import_labels(copy, sent, raw=raw)
    assert (done.added, done.known, done.outdated) == (2 * 4 * 5 + 2, 0, 0)
    assert done.annotators == ("=bo", "anna")
    assert file(copy, form, **({"raw": True} if raw else {})) == sent
    assert import_labels(copy, sent, raw=raw).known == 42
    assert file(copy, form, history=True) != sent
    assert Desk.open(copy, "anna").done == 4


def test_what_was_said_since_is_not_undone_by_an_old_file(run):
    labelled(run)
    sent = file(run, "csv")
    desk = Desk.open(run, "anna")
    desk.say(1, "accuracy", 5)
    done = import_labels(run, sent)
    assert (done.added, done.known) == (0, 42)
    assert desk.at(1).answers["", "accuracy"].value == 5


def test_other_layouts_are_taken_in_too(run):
    wide = [{"id": "i0", "annotator": "kim", "coverage": 2, "accuracy": 3.5, "comment": "so so"}]
    assert import_labels(run, wide).added == 2
    assert import_labels(run, wide).known == 2
    assert import_labels(run, [{"id": "i0", "coverage@kim": 4}]).added == 1
    assert (
        import_labels(
            run, [{"doc": "i0", "cov": 4, "who": "kim"}], columns=("id=doc", "coverage=cov", "annotator=who")
        ).known
        == 1
    )
    found = [(row["criterion"], row["value"], row["comment"]) for row in exported_rows(run)]
    assert found == [("accuracy", 3.5, "so so"), ("coverage", 4, "")]
    assert len(exported_rows(run, history=True)) == 3


def test_a_wrong_row_is_named_and_nothing_is_added(run):
    sent = Upload(name="labels.csv", data=b'id,annotator,coverage\ni0,kim,4\n"a,b",kim,9\n')
    with pytest.raises(DataError, match="the scale of `coverage` goes from 1 to 5") as caught:
        import_labels(run, sent)
    assert caught.value.where == "labels.csv, line 3"
    assert exported_rows(run) == []


def test_items_and_texts_of_other_runs_are_left_out_and_told(run):
    sent = [
        {"id": "i0", "coverage": 4},
        {"id": "i9", "coverage": 4},
        {"id": "a,b", "text": "another text", "coverage": 4, "acuracy": 3},
    ]
    done = import_labels(run, sent)
    assert (done.added, done.elsewhere, len(done.other_texts), done.misspelled) == (1, 1, 1, {"acuracy": "accuracy"})
    assert done.as_json()["rows_of_other_texts"] == ["row 3"]
    assert [line.partition(":")[0] for line in done.lines()] == [
        "1 label added, of 1 annotator",
        "1 labelled item left out",
        "left out",
        "the column `acuracy` was not read; did you mean `accuracy`?",
    ]
    with pytest.raises(DataError, match="none of the 1 labelled item"):
        import_labels(run, [{"id": "i9", "coverage": 4}])


def test_codes_of_a_sample_become_names_and_unknown_ones_are_refused(url):
    run = a_run(url, "rag-answers", [{name: {"North": 4, "South": 2} for name in ANSWERS} for _ in range(12)])
    given = [dict(row, clarity=5, annotator="kim") for row in sample(run, 12).rows]
    assert import_labels(run, given).added == 24
    with open_store(url) as store:
        assert {label.candidate for label in store.labels(run.id)} == {"North", "South"}
    with pytest.raises(DataError, match="`candidate` is `West`, which item `i0` does not have") as caught:
        import_labels(run, [{"id": "i0", "candidate": "West", "clarity": 5}])
    assert caught.value.where == "row 1"
