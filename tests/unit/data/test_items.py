"""Rows checked against the judge before anything is called."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.core.errors import ConfigError, DataError
from adjudge.core.records import Item, Source
from adjudge.data.items import canonical_row, make_item, parse_map
from tests.unit.spec.rows import ROWS, bundled

RAG = ROWS["rag-answers"]
SEARCH = ROWS["search-summary"]


def item(judge: str, row: dict[str, Any], *pairs: str) -> Item:
    loaded = bundled(judge)
    return make_item(loaded, canonical_row(loaded, row, "f.jsonl, line 7", parse_map(loaded, pairs)), "f.jsonl, line 7")


def refused(judge: str, row: dict[str, Any], *pairs: str) -> DataError:
    with pytest.raises(DataError) as caught:
        item(judge, row, *pairs)
    assert str(caught.value.where).startswith("f.jsonl, line 7")
    assert caught.value.hint
    return caught.value


def test_own_names_come_before_other_names():
    found = item("summary", {"content": "c", "source": "s", "text": "t", "summary": "u"})
    assert found.fields == {"content": "c", "text": "t"}
    assert found.extra == {"source": "s", "summary": "u"}
    assert item("summary", {"source": "s", "summary": "u"}).fields == {"content": "s", "text": "u"}
    assert item("summary", {"source": "s", "summary": "u", "text": None}).fields["text"] == "u"


def test_unknown_fields_are_carried_along():
    found = item("summary", {"id": 5, "content": "c", "text": "t", "human": {"coverage": 4}, "x": None})
    assert (found.id, found.extra) == ("5", {"human": {"coverage": 4}, "x": None})


def test_every_judge_reads_its_row():
    assert item("summary", ROWS["summary"]).fields["system"] == "model-a"
    rag = item("rag-answers", RAG)
    assert rag.sources("sources") == (
        Source(id="1", text="A fox met a crow."),
        Source(id="p7", text="The crow had cheese."),
    )
    assert list(rag.answers("answers")) == ["ModelA", "ModelB", "ModelC"]
    assert item("search-summary", SEARCH).sources("search_results") == (
        Source(id="1", text="Tea holds caffeine.", url="https://a.example/tea", title="On tea"),
        Source(id="2", text="Caffeine delays sleep.", url="https://b.example/sleep"),
    )
    assert item("translation", ROWS["translation"]).fields["src_lang"] == "English"


def test_where_there_are_no_answers_candidates_are_hinted_at():
    error = refused("rag-answers", {name: value for name, value in RAG.items() if name != "answers"})
    assert "`answers`" in error.what and str(error.hint).endswith("; or name candidates with --candidate NAME=WHERE")
    assert "--candidate" not in str(refused("summary", {"text": "t"}).hint)


def test_a_missing_field_is_named_with_the_columns_that_exist():
    error = refused("summary", {"id": "1", "body": "c", "text": "t"})
    assert error.what == "the field `content` (or `source`) is missing"
    assert error.hint == "the row has: body, id, text; use --map content=COLUMN for another name"
    assert "the row has: nothing" in str(refused("summary", {}).hint)


def test_a_column_that_differs_in_the_case_of_letters_is_hinted_at():
    error = refused("summary", {"ID": "1", "Content": "c", "SUMMARY": "t", "Note": "n"})
    assert error.what == "the field `content` (or `source`) is missing"
    assert str(error.hint).startswith("the row has: ")
    meant = "did you mean the column `Content`: --map id=ID --map content=Content --map text=SUMMARY"
    assert str(error.hint).endswith(meant)
    error = refused("summary", {"ID": "1", "Content": "c", "gist": "t"}, "content=Content")
    assert str(error.hint).endswith("; use --map text=COLUMN for another name"), "no other is offered for this field"
    assert "did you mean" not in str(refused("summary", {"content": "c", "text": None}).hint)


@pytest.mark.parametrize(
    ("judge", "changes", "what"),
    [
        ("summary", {"text": 5}, "`text` must be a text, not a number"),
        ("summary", {"text": ["a"]}, "`text` must be a text, not an array"),
        ("summary", {"text": {"a": 1}}, "`text` must be a text, not an object"),
        ("summary", {"text": False}, "`text` must be a text, not true or false"),
        ("summary", {"system": [1]}, "`system` must be a short name, not an array"),
        ("summary", {"system": "a\nb"}, "`system` must be a short name"),
        ("summary", {"system": "<b>"}, "`system` must be a short name"),
        ("summary", {"system": "x" * 201}, "`system` must be a short name"),
        ("summary", {"id": True}, "`id` must be a text or a whole number, and is true or false"),
        ("summary", {"id": 1.5}, "`id` must be a text or a whole number, and is a number"),
        ("summary", {"id": ""}, "`id` must be a text or a whole number, and is empty"),
        ("summary", {"id": ["a"]}, "`id` must be a text or a whole number, and is an array"),
        ("summary", {"id": "x" * 201}, "`id` is longer than 200 characters"),
        ("rag-answers", {"answers": ["a", "b"]}, "`answers` must be an object {name: text}, not an array"),
        ("rag-answers", {"answers": "no json"}, "`answers` must be an object {name: text}, not a text"),
        ("rag-answers", {"answers": "{broken"}, "`answers` is not valid JSON"),
        ("rag-answers", {"answers": "[" * 100_000}, "`answers` is not valid JSON"),
        ("rag-answers", {"answers": {"A": "a"}}, "`answers` has 1 answer; 2 to 8 can be compared"),
        ("rag-answers", {"answers": dict.fromkeys("ABCDEFGHI", "x")}, "has 9 answers; 2 to 8"),
        ("rag-answers", {"answers": {"A": "a", "B": None}}, "the answer of `B` in `answers` must be a text, not null"),
        ("rag-answers", {"answers": {"A": "a", " ": "b"}}, "has no usable name"),
        ("rag-answers", {"answers": {"A": "a", "x" * 201: "b"}}, "has no usable name"),
        ("rag-answers", {"sources": []}, "`sources` is an empty list"),
        ("rag-answers", {"sources": 5}, "`sources` must be a list of texts or of {id, text}, not a number"),
        ("rag-answers", {"sources": [{"id": "1"}]}, "a source must be a text or an object with a `text`"),
        ("rag-answers", {"sources": ["a", 5]}, "a source must be a text or an object with a `text`"),
        ("rag-answers", {"sources": [{"id": [], "text": "a"}]}, "a source's `id` must be a short text"),
        ("rag-answers", {"sources": [{"id": "", "text": "a"}]}, "a source's `id` must be a short text"),
        (
            "rag-answers",
            {"sources": [{"id": "x", "text": "a"}, {"id": "x", "text": "b"}]},
            "two sources have the id `x`",
        ),
        ("search-summary", {"search_results": []}, "`search_results` is an empty list"),
        ("search-summary", {"search_results": {"url": "u"}}, "must be a list of {url, content, metadata}"),
        ("search-summary", {"search_results": ["a"]}, "a search result must be an object"),
        ("search-summary", {"search_results": [{"url": "u"}]}, "`content` is missing or not a text"),
        ("search-summary", {"search_results": [{"url": 1, "content": "c"}]}, "`url` is missing or not a text"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(judge, changes, what):
    assert what in refused(judge, {**ROWS[judge], **changes}).what


def test_the_place_inside_a_list_is_named():
    assert refused("rag-answers", {**RAG, "sources": ["a", 5]}).where == "f.jsonl, line 7, sources[2]"
    bad = [{"url": "u", "content": "c"}, {"url": "u"}]
    assert refused("search-summary", {**SEARCH, "search_results": bad}).where == "f.jsonl, line 7, search_results[2]"


def test_cells_of_a_table_hold_json_for_structured_fields():
    cells = {
        "question": "[why]?",
        "relevant_texts": ' [{"id": null, "text": "a"}, "b"]',
        "answers": '{"A": "[a]", "B": "{"}',
        "answer": "",
        "retrieved": "",
    }
    found = item("rag-answers", cells)
    assert found.text("question") == "[why]?"
    assert found.sources("sources") == (Source(id="1", text="a"), Source(id="2", text="b"))
    assert found.answers("answers") == {"A": "[a]", "B": "{"}
    assert set(found.fields) == {"question", "sources", "answers"}


def test_a_plain_text_is_one_source_even_if_it_begins_with_a_bracket():
    for text in ("one text", "[1] Smith says", "{braces} too"):
        assert item("rag-answers", {**RAG, "sources": text}).sources("sources") == (Source(id="1", text=text),)
    assert item("rag-answers", {**RAG, "sources": {"text": "t"}}).sources("sources") == (Source(id="1", text="t"),)


def test_a_title_stands_in_the_metadata_or_beside_it():
    rows = [
        {"url": "u", "content": "c", "title": "beside", "metadata": {"date": "now"}},
        {"url": "u", "content": "c", "title": 5},
    ]
    found = item("search-summary", {**SEARCH, "search_results": rows}).sources("search_results")
    assert [source.title for source in found] == ["beside", None]


def test_an_empty_text_is_judged_and_an_empty_option_is_absent():
    found = item("translation", {"src": "s", "trg": "", "ref": "", "src_lang": None, "system": 5})
    assert found.fields == {"src": "s", "trg": "", "system": "5"}


def test_ids_are_texts():
    assert item("summary", {**ROWS["summary"], "id": 12}).id == "12"
    made = item("summary", {"content": "c", "text": "t"}).id
    assert made == item("summary", {"text": "t", "content": "c", "id": None}).id
    assert made == item("summary", {"source": "c", "summary": "t"}).id
    assert made != item("summary", {"content": "c", "text": "t", "other": 1}).id
    assert item("summary", {"content": "\ud800", "text": "t"}).id != item("summary", {"content": "?", "text": "t"}).id


def test_columns_are_mapped():
    row = {"key": 7, "id": "old", "body": "c", "gist": "t", "text": "not this"}
    found = item("summary", row, "id=key", "content=body", "text=gist")
    assert (found.id, found.fields, found.extra) == ("7", {"content": "c", "text": "t"}, {})
    swapped = item("translation", {"src": "a", "trg": "b"}, "src=trg", "trg=src")
    assert swapped.fields == {"src": "b", "trg": "a"}


def test_a_mapped_column_that_is_empty_is_not_replaced_by_another():
    error = refused("summary", {"content": "c", "gist": None, "text": "not this"}, "text=gist")
    assert "`text`" in error.what and "is missing" in error.what
    made = item("summary", {"content": "c", "text": "t", "id": "old", "key": None}, "id=key")
    assert made.id != "old"


def test_a_mapped_column_that_does_not_exist():
    error = refused("summary", {"content": "c", "text": "t"}, "text=gist")
    assert error.what == "there is no column `gist` (--map text)"
    assert error.hint == "the row has: content, text"


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        (["text"], "not of the form field=column"),
        (["text="], "not of the form field=column"),
        (["txt=gist"], "the judge has no field `txt`"),
        (["summary=gist"], "the judge has no field `summary`"),
        (["text=a", "text=b"], "`text` is mapped twice"),
    ],
)
def test_a_wrong_map_is_refused(pairs, what):
    with pytest.raises(ConfigError) as caught:
        parse_map(bundled("summary"), tuple(pairs))
    assert what in caught.value.what
    assert caught.value.hint
    assert parse_map(bundled("summary"), ("text=a=b",)) == {"text": "a=b"}
