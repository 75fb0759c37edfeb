"""Every format, and every way in which a file can be wrong: file, row or line, and what to do."""

from __future__ import annotations

import datetime
import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from adjudge.core import limits
from adjudge.core.errors import DataError
from adjudge.data.rows import Upload, read_rows, rows_of

A, B = {"id": "1", "text": "a\nб"}, {"id": "2", "text": "c"}


@pytest.fixture
def read(tmp_path):
    def read(name: str, body: str | bytes):
        (tmp_path / name).write_bytes(body.encode() if isinstance(body, str) else body)
        return list(read_rows(name))

    return read


def refused(read, name: str, body: str | bytes) -> DataError:
    with pytest.raises(DataError) as caught:
        read(name, body)
    return caught.value


def lines(*rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("name", "body", "places"),
    [
        ("x.jsonl", lines(A, B), ["line 1", "line 2"]),
        ("x.ndjson", lines(A, B).rstrip("\n"), ["line 1", "line 2"]),
        ("x.JSONL", "\n \n" + lines(A) + "\n\n" + lines(B) + "\n", ["line 3", "line 6"]),
        ("x.jsonl", "\ufeff" + lines(A, B).replace("\n", "\r\n"), ["line 1", "line 2"]),
        ("x.json", lines(A, B), ["line 1", "line 2"]),
        ("x.json", json.dumps([A, B]), ["row 1", "row 2"]),
        ("x.json", "\ufeff\n" + json.dumps([A, B], indent=2), ["row 1", "row 2"]),
        ("x.jsonl", json.dumps([A, B], indent=1).replace("\n", "\r\n"), ["row 1", "row 2"]),
        ("x.csv", 'id,text\n1,"a\nб"\n2,c\n', ["line 2", "line 4"]),
        ("x.csv", '\ufeff\r\nid;text\r\n1;"a\nб"\r\n2;c', ["line 3", "line 5"]),
        ("x.csv", '\ufeff\r\n"id", text \r\n\r\n1,"a\nб"\r\n\r\n2,c', ["line 4", "line 7"]),
        ("x.tsv", 'id\ttext\n1\t"a\nб"\n2\tc\n', ["line 2", "line 4"]),
        ("x.csv", '\ufeffid\ttext\r\n1\t"a\nб"\r\n2\tc\r\n', ["line 2", "line 4"]),
        ("x.csv", ',\r\nid,text\r\n1,"a\nб"\r\n,\r\n"",""\r\n2,c\r\n,\r\n,,,\r\n', ["line 3", "line 7"]),
        ("x.csv", ';\nid;text\n1;"a\nб"\n;\n2;c\n;\n', ["line 3", "line 6"]),
        ("x.tsv", '\t\nid\ttext\n\t\n1\t"a\nб"\n2\tc\n', ["line 4", "line 6"]),
    ],
)
def test_every_format_gives_the_same_rows(read, name, body, places):
    found = read(name, body)
    assert [row for _, row in found] == [A, B]
    assert [where for where, _ in found] == [f"{name}, {place}" for place in places]


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
def test_one_object_is_one_row(read, indent):
    row = {"id": "1", "n": 1.5, "list": ["a", {"b": None}], "t": "x}{"}
    assert [found for _, found in read("x.json", json.dumps(row, indent=indent))] == [row]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines(A, B).encode())))
    assert list(read_rows("-")) == [("standard input, line 1", A), ("standard input, line 2", B)]


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="the parquet extra is not installed")
    import pyarrow.parquet as parquet

    day = datetime.date(2024, 1, 2)
    rows = [
        {"id": "1", "text": "a", "sources": [{"id": "s", "text": "t"}], "x": float("nan"), "day": day},
        {"id": "2", "text": None, "sources": [], "x": 1.5, "day": None},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "x.parquet")
    assert [row for _, row in read_rows("x.parquet")] == [
        {"id": "1", "text": "a", "sources": [{"id": "s", "text": "t"}], "x": None, "day": "2024-01-02"},
        {"id": "2", "text": None, "sources": [], "x": 1.5, "day": None},
    ]
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(DataError, match=r"broken\.parquet: not a readable Parquet file"):
        list(read_rows("broken.parquet"))


@pytest.mark.parametrize("body", ["", "\n\n", "\ufeff", "[]"])
def test_an_empty_file_has_no_rows(read, body):
    assert read("x.json", body) == []
    assert read("x.csv", "id,text\n") == []


DEEP = "[" * 100 + "]" * 100


@pytest.mark.parametrize(
    ("name", "body", "where", "what"),
    [
        ("x.jsonl", lines(*[A] * 16) + '{"id": 17,, "text": "x"}\n' + lines(B), "line 17, column 11", "broken JSON"),
        ("x.jsonl", lines(*[A] * 16) + '{"id": "17", "te\n', "line 17, column 17", "broken JSON"),
        ("x.jsonl", '{"id": "1", "text": "a" "b"}\n' + lines(B), "line 1, column 25", "broken JSON"),
        ("x.jsonl", lines(A) + "{} {}\n", "line 2, column 4", "broken JSON"),
        ("x.json", '[{"id": 1},\n {"id": 2}\n {"id": 3}]', "line 3, column 2", "broken JSON"),
        ("x.json", "\n\n[1,\n", "line 4, column 1", "broken JSON"),
        ("x.json", "nonsense", "line 1, column 1", "broken JSON"),
        ("x.jsonl", lines(A, [1]), "line 2", "a row must be an object, not an array"),
        ("x.jsonl", lines(A, 7), "line 2", "a row must be an object, not a number"),
        ("x.jsonl", lines(A, True), "line 2", "a row must be an object, not true or false"),
        ("x.json", json.dumps([A, "x"]), "row 2", "a row must be an object, not a text"),
        ("x.jsonl", lines(A) + '{"x": NaN}\n', "line 2", "NaN is not JSON"),
        ("x.jsonl", lines(A) + '{"x": -Infinity}\n', "line 2", "-Infinity is not JSON"),
        ("x.jsonl", lines(A) + '{"x": [1e999]}\n', "line 2", "the number 1e999 is too large"),
        ("x.jsonl", lines(A) + '{"x": ' + "9" * 5000 + "}\n", "line 2", "too many digits"),
        ("x.jsonl", lines(A) + '{"x": {"M": "a", "M": "b"}}\n', "line 2", "the key `M` stands twice"),
        ("x.json", '[{"x": NaN}]', "", "NaN is not JSON"),
        ("x.json", '[{"x": 1e999}]', "", "is too large"),
        ("x.jsonl", lines(A) + '{"x": ' + DEEP + "}\n", "line 2", "nested deeper than 64 levels"),
        ("x.jsonl", '{"x": ' + "[" * 100_000 + "\n", "line 1", "nested deeper than 64 levels"),
        ("x.json", '[{"x": ' + DEEP + "}]", "", "nested deeper than 64 levels"),
        ("x.json", "[" * 100_000, "", "nested deeper than 64 levels"),
        ("x.jsonl", lines(A).encode() + b'{"text": "\xcf\xf0"}\n', "line 2", "not UTF-8 (byte 11 of the line)"),
        ("x.jsonl", lines(A).encode("utf-16"), "line 1", "UTF-16, not UTF-8"),
        ("x.csv", b"id,text\n1,a\n2,\xff\n3,b\n", "line 3", "not UTF-8 (byte 3 of the line)"),
        ("x.csv", "id,text\n1,a\n2,b,c\n", "line 3", "3 cells under 2 columns"),
        ("x.csv", "id,text\n1,a\n\n2\n", "line 4", "1 cells under 2 columns"),
        ("x.csv", 'id,text\n1,a\n2,"b\n3,c\n', "line 3", "broken table"),
        ("x.csv", 'id,text\n1,"a"b\n', "line 2", "broken table"),
        ("x.csv", "id,text,id\n1,a,2\n", "line 1", "the column `id` stands twice"),
        ("x.csv", "id,,\n1,a,2\n", "line 1", "two columns have no name"),
        ("x.txt", "text", "", "unknown kind of file `.txt`"),
        ("noend", "text", "", "unknown kind of file ``"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(read, name, body, where, what):
    error = refused(read, name, body)
    assert what in error.what
    assert error.where == (f"{name}, {where}" if where else name)
    assert error.hint


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_way_out_of_utf16_is_named(read, encoding):
    error = refused(read, "x.csv", "\ufeffid,text\r\n1,а\r\n".encode(encoding))
    assert (error.what, error.hint) == ("UTF-16, not UTF-8", "save the file as UTF-8, e.g. iconv -f utf-16 -t utf-8")


@pytest.mark.parametrize("path", ["nowhere.jsonl", "x" * 5000 + ".json", "a\0b.csv", "nowhere/at/all.tsv"])
def test_a_path_that_leads_nowhere(path):
    with pytest.raises(DataError) as caught:
        list(read_rows(path))
    assert caught.value.where == path
    assert caught.value.hint


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "data.json").mkdir()
    with pytest.raises(DataError, match="this is a folder"):
        list(read_rows("data.json"))


def test_a_line_that_is_too_long(read, monkeypatch):
    monkeypatch.setattr(limits, "ROW_BYTES", 100)
    assert len(read("x.jsonl", lines(A, B))) == 2
    error = refused(read, "x.jsonl", lines(A, {"text": "x" * 100}))
    assert (error.where, "longer than 100 bytes" in error.what) == ("x.jsonl, line 2", True)


def test_rows_come_one_at_a_time(tmp_path):
    (tmp_path / "x.jsonl").write_text(lines(A) + "broken\n", encoding="utf-8")
    rows = read_rows("x.jsonl")
    assert next(rows)[1] == A
    with pytest.raises(DataError):
        next(rows)


def test_rows_from_python_become_plain():
    class Missing:
        pass

    Missing.__name__ = "NAType"
    row = {
        "array": np.array([[1, 2], [3, 4]]),
        "texts": np.array(["a", "b"], dtype=object),
        "int": np.int64(5),
        "float": np.float64(0.5),
        "bool": np.bool_(True),
        "nan": float("nan"),
        "inf": np.float32("inf"),
        "na": Missing(),
        "day": datetime.date(2024, 1, 2),
        7: ("t",),
    }
    ((where, found),) = rows_of([row])
    assert where == "row 1"
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "array": [[1, 2], [3, 4]],
        "texts": ["a", "b"],
        "int": 5,
        "float": 0.5,
        "bool": True,
        "nan": None,
        "inf": None,
        "na": None,
        "day": "2024-01-02",
        "7": ["t"],
    }
    assert list(rows_of(A)) == [("row 1", A)]


def test_rows_from_python_that_are_none():
    with pytest.raises(DataError, match="row 2: a row must be a dict, not str") as caught:
        list(rows_of([A, "x"]))
    assert "to_dict" in str(caught.value.hint)
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(DataError, match="row 1: nested deeper than 64 levels"):
        list(rows_of([{"x": deep}]))


@pytest.mark.parametrize("rest", ["", "\n", '\n{"a": 2}\n{"a": 3}\n'])
def test_a_first_line_that_stops_short_is_named_itself(read, rest):
    assert refused(read, "x.jsonl", '{"a": 1' + rest).where == "x.jsonl, line 1, column 8"


def test_many_columns_are_looked_at_once_each():
    names = ",".join(f"c{number}" for number in range(200_000))
    ((_, row),) = read_rows(Upload(name="a.csv", data=f"{names}\n1{',' * 199_999}\n".encode()))
    assert len(row) == 200_000
    with pytest.raises(DataError, match="the column `c0` stands twice"):
        list(read_rows(Upload(name="a.csv", data=f"{names},c0\n".encode())))


def test_a_parquet_file_that_was_sent_is_not_unpacked():
    with pytest.raises(DataError, match="a Parquet file cannot be sent") as caught:
        list(read_rows(Upload(name="a.PARQUET", data=b"PAR1")))
    assert "--import" in str(caught.value.hint)
