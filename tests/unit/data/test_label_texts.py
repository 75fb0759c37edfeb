"""Whether the texts of a label row are those of an item."""

from __future__ import annotations

import pytest

from adjudge.data.label_texts import other_field, shown_by, texts_of
from adjudge.spec.load import load_judge

SUMMARY, ANSWERS = load_judge("summary", "en"), load_judge("rag-answers", "en")
ITEM = {"content": "An article.", "text": "-1 degree", "system": "a"}
COMPARED = {
    "question": "When?",
    "answers": {"A": "At noon.", "B": "{at noon}"},
    "sources": ["Noon."],
    "reference": "12",
}


@pytest.mark.parametrize(
    ("row", "other"),
    [
        ({}, ""),
        ({"text": " '-1\n degree "}, ""),
        ({"text": "-1 degree", "content": "Another."}, "content"),
        ({"summary": "-2 degrees"}, "text"),
        ({"text": "", "source": "a paper", "system": "b"}, ""),
        ({"text": 7}, ""),
        ({"text": "'\t-1 degree"}, ""),
    ],
)
def test_texts_of_one_item(row, other):
    assert other_field(texts_of(SUMMARY, row), texts_of(SUMMARY, ITEM)) == other


@pytest.mark.parametrize(
    ("row", "other"),
    [
        ({"answers": "At noon."}, ""),
        ({"answers": "At one."}, "answers"),
        ({"answers": {"A": "At noon.", "B": "{at noon}"}}, ""),
        ({"answers": {"A": "At noon.", "B": "At one."}}, "answers"),
        ({"answers": '{"A": "At one."}'}, ""),
        ({"question": "Where?", "answers": "At noon."}, "question"),
        ({"answer": "the text of a candidate, or a reference"}, ""),
    ],
)
def test_texts_of_a_comparison(row, other):
    assert other_field(texts_of(ANSWERS, row), texts_of(ANSWERS, COMPARED)) == other


def test_what_a_row_tells():
    assert shown_by(SUMMARY, "a", {"coverage": 3, "text": " "}, {}) is None
    assert shown_by(SUMMARY, "a", {"sample_run": "one"}, {}) is None
    shown = shown_by(SUMMARY, "a", {"sample_run": " one ", "sample_code": "bcdfghjk"}, {})
    assert shown is not None and (shown.item, shown.run, shown.texts) == ("a", "one", {})
    mapped = texts_of(SUMMARY, {"text": "a remark", "output": "-1 degree"}, {"text": "output"})
    assert mapped == {"text": texts_of(SUMMARY, ITEM)["text"]}
