"""What travels along the flow: canonical JSON, digests, signatures."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from adjudge.core.judge import Leaf, leaves
from adjudge.core.records import Item, Settings, canonical, digest
from adjudge.core.runs import Run
from tests.unit.reply.judges import ANSWERS, SEARCH

RUN = Run(
    id="r",
    judge="summary",
    judge_digest="a" * 64,
    lang="en",
    data="x.jsonl",
    data_digest="b" * 64,
    items=3,
    settings=Settings(model="openai:m"),
    version="0.1",
)


def test_one_value_has_one_spelling():
    assert canonical({"b": 1, "a": [None, "ё"]}) == '{"a":[null,"ё"],"b":1}'
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest("\ud800") != digest("\udc00")
    assert digest(1) != digest("1") != digest([1]) != digest([[1]])
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical(float("inf"))


@pytest.mark.parametrize(
    "change",
    [
        {"judge": "other"},
        {"judge_digest": "c" * 64},
        {"lang": "ru"},
        {"data_digest": "c" * 64},
        {"items": 4},
        {"version": "0.2"},
        {"repeat": 2},
        {"orders": 2},
        {"orders": "all"},
        {"orders": "balanced"},
        {"batch_size": 5},
        {"seed": 1},
        {"staged": True},
        {"window": 8000},
        {"probe_batch": 5},
        {"until": "ci(coverage) < 0.1"},
        {"candidates": ("a=openai:m",)},
        {"settings": Settings(model="openai:n")},
        {"settings": Settings(model="openai:m", base_url="http://localhost")},
        {"settings": Settings(model="openai:m", temperature=0.5)},
        {"settings": Settings(model="openai:m", temperature=None)},
        {"settings": Settings(model="openai:m", max_tokens=5)},
        {"settings": Settings(model="openai:m", probabilities=True)},
    ],
)
def test_the_signature_changes_with_whatever_decides_the_numbers(change: dict[str, Any]):
    assert replace(RUN, **change).signature != RUN.signature


def test_the_signature_says_nothing_of_name_and_time():
    assert replace(RUN, id="q", name="mine", started="now", data="y.jsonl").signature == RUN.signature
    known = {"id", "name", "started", "data"}
    decides = {"judge", "judge_digest", "lang", "data_digest", "items", "settings", "repeat", "orders", "batch_size"}
    decides |= {"seed", "version", "ask", "reasons", "staged", "window", "probe_batch", "candidates", "until"}
    assert {field.name for field in fields(Run)} == known | decides
    asked = replace(RUN, ask="yes-no")
    assert len({RUN.signature, asked.signature, replace(asked, reasons=True).signature}) == 3


def test_an_item_gives_each_field_as_its_type():
    item = Item(id="1", fields={"a": "x", "b": 5})
    assert (item.text("a"), item.text("b"), item.text("c")) == ("x", "", "")
    assert (item.sources("a"), item.answers("a")) == ((), {})


def test_a_judge_finds_its_parts():
    assert [criterion.name for criterion in ANSWERS.scored] == ["correctness", "depth"]
    assert ANSWERS.derived_value("total") is not None
    assert ANSWERS.derived_value("depth") is None
    assert next(leaves(SEARCH.output)) == Leaf("hallucination", "score")
    assert len(list(leaves(SEARCH.output))) == 8
