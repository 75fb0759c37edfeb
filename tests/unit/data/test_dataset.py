"""A dataset is read once, checked whole, and named by a digest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.core.errors import DataError
from adjudge.data.dataset import Dataset, read_dataset
from adjudge.data.rows import rows_of
from tests.unit.spec.rows import bundled


@pytest.fixture
def dataset():
    """Makes datasets from rows, and closes them in the end."""
    made: list[Dataset] = []

    def make(*rows: dict[str, Any], limit: int | None = None) -> Dataset:
        made.append(read_dataset(bundled("summary"), rows_of(rows), name="rows", columns={}, limit=limit))
        return made[-1]

    yield make
    for one in made:
        one.close()


ROW = {"id": "1", "content": "c", "text": "t"}


def test_rows_keep_their_order_and_their_ids(dataset):
    found = dataset({**ROW, "id": 2}, ROW, {"source": "c", "summary": "u"})
    rows = list(found.rows())
    assert [name for name, _ in rows][:2] == ["2", "1"]
    assert found.count == 3
    assert json.loads(rows[2][1]) == {"id": rows[2][0], "content": "c", "text": "u"}
    assert list(found.rows()) == rows


def test_a_repeated_id_names_both_rows(dataset):
    with pytest.raises(DataError) as caught:
        dataset(ROW, {**ROW, "id": "2"}, {**ROW, "id": 1, "text": "other"})
    assert (caught.value.where, caught.value.what) == ("row 3", "the id `1` stands twice")
    assert str(caught.value.hint).startswith("first at row 1;")


@pytest.mark.parametrize("own", [{}, {"id": None}])
def test_the_same_row_twice_without_ids_names_both_rows(dataset, own):
    row = {**own, "content": "c", "text": "t"}
    with pytest.raises(DataError) as caught:
        dataset(row, {**row, "text": "u"}, row)
    assert (caught.value.where, caught.value.what) == ("row 3", "the row is the same as an earlier one")
    assert "first at row 1" in str(caught.value.hint)


def test_no_rows(dataset):
    with pytest.raises(DataError, match="rows: there are no rows"):
        dataset()


def test_the_limit_reads_no_further(dataset):
    assert dataset(ROW, {"broken": 1}, limit=1).count == 1


def test_the_digest_is_of_the_content_not_of_its_spelling(dataset):
    first = dataset({"id": "1", "content": "c", "text": "t", "x": {"a": 1, "b": 2}}).digest
    assert first == dataset({"x": {"a": 1, "b": 2}, "text": "t", "content": "c", "id": "1"}).digest
    assert first == dataset({"x": {"a": 1, "b": 2}, "summary": "t", "source": "c", "id": 1}).digest
    assert first != dataset({"x": {"b": 2, "a": 1}, "text": "t", "content": "c", "id": "1"}).digest, "candidates"


def test_the_digest_changes_with_anything(dataset):
    second = {**ROW, "id": "2"}
    variants: list[list[dict[str, Any]]] = [
        [ROW, second],
        [second, ROW],
        [ROW],
        [{**ROW, "id": "3"}, second],
        [{**ROW, "text": "t "}, second],
        [{**ROW, "extra": None}, second],
        [{**ROW, "extra": 0}, second],
        [{**ROW, "extra": "0"}, second],
        [{**ROW, "text": "\ud800"}, second],
        [{**ROW, "text": "\udc00"}, second],
    ]
    assert len({dataset(*rows).digest for rows in variants}) == len(variants)


def test_lone_surrogates_and_line_separators_survive(dataset):
    text = "\ud800 \u2028 \x00 \r\n \U0001f600"
    ((_, body),) = dataset({**ROW, "text": text}).rows()
    assert json.loads(body)["text"] == text


def test_a_large_dataset_leaves_memory_and_comes_back(dataset):
    found = dataset(*[{"id": n, "content": "x" * 100_000, "text": "t"} for n in range(100)])
    assert [name for name, _ in found.rows()] == [str(n) for n in range(100)]
    found.close()
