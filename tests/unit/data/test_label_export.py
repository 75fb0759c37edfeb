"""Labels as adjudge writes them are safe to open, and read back as they were."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from adjudge.core.errors import DataError
from adjudge.core.labels import Label
from adjudge.data.label_export import COLUMNS, labels_csv, labels_jsonl
from adjudge.data.labels import read_label_file
from adjudge.data.rows import Upload
from tests.hostile.spreadsheet import formulas
from tests.unit.spec.rows import bundled

SUMMARY, ANSWERS = bundled("summary"), bundled("rag-answers")
WHEN = "2026-01-01T10:00:00.000+00:00"
ONE = Label(item="a", criterion="coverage", annotator="anna", value=4, added=WHEN)
#: Texts that a spreadsheet would run, that look as if they were kept from it already, and that break tables.
TRAPS = ["=1+1", "'=1+1", "''=1+1", "+7", "-x", "@a", "\tx", "\r\nx", " =x", "'", "'a", 'a"b', "a,b;c\n", "\x00", "＝1"]
TRAPS += ["a;=1", "a;'=1;b", "a\t+1", "- one\n- two", 'a;"=1', "a\r\n''@b", "a,=1"]


def text(labels, **options):
    return "".join(labels_csv(labels, **options))


def back(labels, **options):
    file = Upload(name="labels.csv", data=text(labels, **options).encode())
    return read_label_file(SUMMARY, file, known=None, raw=options.get("raw", False)).labels


@pytest.mark.parametrize("trap", TRAPS)
def test_every_text_comes_back_and_no_cell_is_a_formula(trap):
    label = replace(ONE, item=trap, annotator=f"x{trap}x", comment=trap)
    assert back([label]) == back([label], raw=True) == [label]
    assert not formulas(text([label], history=True))
    lines = "".join(labels_jsonl([label])).encode()
    assert read_label_file(SUMMARY, Upload(name="labels.jsonl", data=lines)).labels == [label]


def test_the_same_bytes_are_written_again():
    labels = [
        replace(ONE, value=3.5, comment="so so"),
        replace(ONE, item="b", value=None),
        replace(ONE, item="b", criterion="", value=None, comment="hard to read"),
        replace(ONE, item="b", criterion="conclusion", value="=nice"),
        replace(ONE, item="c", value=2.0),
    ]
    assert text(back(labels)) == text(labels)
    assert text(labels).startswith(",".join(COLUMNS) + "\r\n")
    assert '"value": 2,' in "".join(labels_jsonl(labels))


def test_no_labels_are_a_header():
    assert text([]) == ",".join(COLUMNS) + "\r\n"
    with pytest.raises(DataError, match="there are no rows"):
        back([])


def test_of_a_history_what_stands_is_read():
    later = replace(ONE, value=5, added="2026-01-02T10:00:00.000+00:00")
    gone = replace(ONE, item="b", withdrawn=WHEN)
    taken = replace(ONE, value=1, added="2026-01-03T10:00:00.000+00:00", withdrawn=WHEN)
    assert back([ONE, gone, later, taken], history=True) == [later]
    assert back([later, ONE], history=True) == [later]
    with pytest.raises(DataError, match="no row has a label"):
        back([gone], history=True)


def test_a_comparison_names_the_candidate_of_every_score():
    row = {name: getattr(ONE, name) for name in COLUMNS} | {"criterion": "clarity"}
    assert read_label_file(ANSWERS, [row | {"candidate": "=A"}]).labels[0].candidate == "=A"
    remark = row | {"criterion": None, "value": None, "comment": "both are bad"}
    assert [(one.candidate, one.criterion) for one in read_label_file(ANSWERS, [remark]).labels] == [("", "")]
    with pytest.raises(DataError, match="`candidate` is empty") as caught:
        read_label_file(ANSWERS, [row])
    assert caught.value.where == "row 1"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"value": 9}, "goes from 1 to 5"),
        ({"value": "good"}, "goes from 1 to 5"),
        ({"criterion": "beauty"}, "`beauty`, which is no criterion of `summary`"),
        ({"criterion": ""}, "there is a value and no `criterion`"),
        ({"candidate": "B"}, "`candidate` is `B`"),
        ({"added": "yesterday"}, "`added` is `yesterday`, which is no time"),
        ({"annotator": {"name": "anna"}}, "`annotator` must be a text, not an object"),
        ({"comment": "x" * 10_001}, "`comment` is longer than 10000 characters"),
        ({"item": "x" * 201}, "`item` is longer than 200 characters"),
    ],
)
def test_what_is_wrong_is_told_with_its_row(changed, said):
    good = {name: getattr(ONE, name) for name in COLUMNS}
    with pytest.raises(DataError, match=said) as caught:
        read_label_file(SUMMARY, [good | {"item": "z"}, good | changed])
    assert caught.value.where in ("row 2", "the labels")


def test_a_file_that_was_sent_is_never_looked_up(tmp_path):
    (tmp_path / "secret.csv").write_text("id,coverage\na,4\n")
    for name in (str(tmp_path / "secret.csv"), str(tmp_path), "-"):
        with pytest.raises(DataError, match=r"there are no rows|unknown kind of file"):
            read_label_file(SUMMARY, Upload(name=name, data=b""))
    rows = json.dumps([{"id": "a", "coverage": 4}]).encode()
    assert read_label_file(SUMMARY, Upload(name="../x.json", data=rows)).labels[0].value == 4
