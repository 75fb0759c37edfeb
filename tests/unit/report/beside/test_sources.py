"""Which items count as those of one source."""

from __future__ import annotations

from typing import Any

from adjudge.core.records import Item
from adjudge.report.beside.sources import texts_key


def key(name: str, **fields: Any) -> int:
    return texts_key(Item(id=name, fields=fields), ["text", "more"], ["question"])


def test_the_source_texts_count_whatever_is_asked():
    assert key("a", text="north", question="where?") == key("b", text="north", question="when?")
    assert key("a", text="north") != key("a", text="south")
    assert key("a", text="north") != key("a", text="north", more="south")


def test_without_sources_the_question_counts_and_without_that_every_item_is_its_own():
    assert key("a", text="", question="where?") == key("b", question="where?") != key("b", question="when?")
    assert key("a", text="") != key("b", text="")
