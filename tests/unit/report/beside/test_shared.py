"""A report says where its items share their sources."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from adjudge.core.records import Verdict
from adjudge.report.beside import shared
from adjudge.report.beside.row import Row
from adjudge.report.beside.shared import Shared
from adjudge.spec.load import load_judge
from tests.unit.report import sample


def warned(sources: Sequence[str], systems: Sequence[str] = (), lang: str = "en", failed: int = 0) -> list[str]:
    judge = load_judge("summary", lang)
    found = Shared(judge, sample.state(judge, len(sources)))
    for place, source in enumerate(sources):
        system = {"system": systems[place]} if systems else {}
        row = Row(judge, json.dumps({"content": source, "text": f"t{place}", **system}))
        judged = Verdict(item=str(place), scores={}, reasons={}, derived={}, native={})
        found.add(sample.failure(str(place)) if place < failed else judged, row)
    return list(found.warnings())


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Items share their sources (10 items, sources: 2): the intervals"),
        ("ru", "У записей общие источники (записей 10, источников 2): интервалы"),
    ],
)
def test_items_of_few_sources_are_warned_of(lang, said):
    (found,) = warned(["north", "south"] * 5, lang=lang)
    assert found.startswith(said) and "adjudge compare" in found


def test_sources_of_their_own_and_a_few_that_come_twice_are_not():
    assert not warned([f"s{place}" for place in range(10)])
    assert not warned([f"s{place % 8}" for place in range(12)])
    assert warned([f"s{place % 7}" for place in range(12)])
    assert not warned([])


def test_systems_on_the_same_sources_are_not_unless_each_has_a_source_again_and_again():
    assert not warned([f"s{place // 2}" for place in range(12)], ["east", "west"] * 6)
    (found,) = warned(["north"] * 6 + ["south"] * 6, ["east", "west"] * 6)
    assert "(12 items, sources: 2)" in found


def test_items_that_failed_do_not_count():
    assert not warned(["north"] * 6 + ["south"], failed=6)


def test_of_many_sources_a_share_is_counted_the_same_in_any_order(monkeypatch):
    monkeypatch.setattr(shared, "SOURCES_MAX", 8)
    sources = [f"s{place % 40}" for place in range(120)]
    (found,) = warned(sources)
    assert found.startswith("Items share their sources (in a random part of them: ")
    assert [found] == warned(sources[::-1]) == warned(sorted(sources))
    counted, few = map(int, re.findall(r"\d+", found)[:2])
    assert counted == 3 * few and few <= 8


def test_a_few_that_share_are_drowned_by_the_many_that_do_not_wherever_they_stand():
    sources = ["north"] * 30 + [f"s{place}" for place in range(170)]
    assert not warned(sources) and not warned(sources[::-1])


def test_systems_without_end_take_no_memory_without_end(monkeypatch):
    monkeypatch.setattr(shared, "SYSTEMS_MAX", 3)
    (found,) = warned(["north"] * 30, [f"m{place}" for place in range(30)])
    assert "(30 items, sources: 1)" in found
