"""Whatever is written as a dataset is read back as it was, or refused with its place."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.core.errors import DataError, UserError
from adjudge.data.dataset import read_dataset
from adjudge.data.rows import read_rows, rows_of
from tests.unit.spec.rows import NAMES, bundled

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ROWS = st.lists(st.dictionaries(TEXT, JSON, min_size=1, max_size=4), min_size=1, max_size=4)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(name: str, body: str | bytes) -> list[dict[str, Any]]:
    Path(name).write_bytes(body.encode() if isinstance(body, str) else body)
    return [row for _, row in read_rows(name)]


@quick
@given(ROWS, st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans(), st.booleans())
def test_json_comes_back(rows, end, ascii_only, mark):
    start = "\ufeff" if mark else ""
    lines = "".join(json.dumps(row, ensure_ascii=ascii_only) + end for row in rows)
    assert read("x.jsonl", start + lines) == rows
    assert read("x.json", start + json.dumps(rows, ensure_ascii=ascii_only)) == rows
    assert read("x.json", start + json.dumps(rows, ensure_ascii=ascii_only, indent=1).replace("\n", end)) == rows
    assert read("x.json", start + json.dumps(rows[0], ensure_ascii=ascii_only, indent=1)) == rows[:1]


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


@quick
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5), st.sampled_from([",", "\t"]), st.booleans())
def test_tables_come_back(rows, separator, all_quoted):
    buffer = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\r\n", quoting=quoting)
    writer.writerows([("content", "text"), *rows])
    found = read("x.csv" if separator == "," else "x.tsv", buffer.getvalue())
    assert [(row["content"], row["text"]) for row in found] == [row for row in rows if any(row)], "but empty ones"


@quick
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")), st.data())
def test_any_bytes_are_rows_or_an_error_with_its_place(body, data):
    name = data.draw(st.sampled_from(["x.json", "x.jsonl", "x.csv", "x.tsv"]))
    try:
        rows = read(name, body)
    except DataError as error:
        assert str(error.where).startswith(name)
        assert error.hint
    else:
        assert all(isinstance(row, dict) for row in rows)


VALUES = JSON | st.lists(st.fixed_dictionaries({"url": JSON, "content": JSON})) | st.lists(JSON)


@quick
@given(st.sampled_from(NAMES), st.data())
def test_any_row_is_an_item_or_an_error_that_names_it(name, data):
    judge = bundled(name)
    row = {field.name: data.draw(VALUES | st.text()) for field in judge.fields if data.draw(st.booleans())}
    if data.draw(st.booleans()):
        row["id"] = data.draw(JSON)
    try:
        with closing(read_dataset(judge, rows_of([row]), name="rows", columns={})) as dataset:
            ((_, body),) = dataset.rows()
    except UserError as error:
        assert str(error.where).startswith("row 1")
        assert error.hint
    else:
        assert {key: value for key, value in json.loads(body).items() if key != "id"} == {
            key: value for key, value in row.items() if key != "id"
        }


def digest(rows: list[dict[str, Any]]) -> str:
    numbered = [{**row, "id": str(n), "content": "c", "text": "t"} for n, row in enumerate(rows)]
    with closing(read_dataset(bundled("summary"), rows_of(numbered), name="rows", columns={})) as dataset:
        return dataset.digest


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_the_digest_does_not_see_the_order_of_columns(rows, draw):
    def shuffled(row: dict[str, Any]) -> dict[str, Any]:
        pairs = list(row.items())
        draw.shuffle(pairs)
        return dict(pairs)

    assert digest([shuffled(row) for row in rows]) == digest(rows)


@pytest.mark.parametrize("change", [1, "1", True, None, [1], {"a": 1}, 1.5, "", [], {}])
def test_the_digest_sees_every_value(change):
    others = [1, "1", True, None, [1], {"a": 1}, 1.5, "", [], {}]
    same = [other for other in others if digest([{"x": other}]) == digest([{"x": change}])]
    assert [json.dumps(other) for other in same] == [json.dumps(change)]
