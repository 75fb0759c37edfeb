"""What changed for each item between two runs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from adjudge.api.changes import SHOWN, Changes, look
from adjudge.api.prepare import load
from adjudge.api.stored import StoredRun
from adjudge.core.errors import ConfigError
from adjudge.store.store import open_store
from adjudge.store.writes import OutcomeDone
from tests.fakes.verdicts import a_row, a_run

ALL = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
JUDGE = load("summary", "en")[1]


def even(score: float) -> dict[str, float]:
    return dict.fromkeys(ALL, score)


def changes(*runs: StoredRun) -> Changes:
    found = look(runs).changes
    assert found is not None
    return found


def rows(count: int, **other: Any) -> list[dict[str, Any]]:
    return [{**a_row(JUDGE, number), **other} for number in range(count)]


def test_each_item_is_told_from_before_to_after(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    bodies = rows(8)
    old = a_run(url, "summary", [even(3), even(3), even(3), None, even(3), None, even(2)], rows=bodies[:7], name="old")
    given = [even(4), even(1), even(3), even(3), None, None, even(5)]
    new = a_run(url, "summary", given, rows=[*bodies[:6], bodies[7]], name="new")
    found = changes(old, new)
    total, listed = found.page()
    assert total == len(listed) == len(found) == 8
    by_id = {one.items[0] or one.items[1]: one for one in listed}
    assert {name: one.state for name, one in by_id.items()} == {
        "i0": "better",
        "i1": "worse",
        "i2": "same",
        "i3": "failed",
        "i4": "failed",
        "i5": "failed",
        "i6": "only_a",
        "i7": "only_b",
    }
    assert [one.items[0] for one in listed[:3]] == ["i1", "i0", "i2"], "the largest change is first"
    assert (by_id["i1"].change, by_id["i0"].change) == (-0.5, 0.25)
    assert by_id["i0"].scores["coverage"] == (3.0, 4.0)
    assert [by_id[name].failed for name in ("i3", "i4", "i5")] == [(True, False), (False, True), (True, True)]
    assert by_id["i6"].numbers == (7, 0)
    assert by_id["i7"].numbers == (0, 7), "the number is the place in the run's own dataset"
    assert by_id["i7"].items == ("", "i7")
    counts = found.counts()
    assert counts == {
        "all": 8,
        "better": 1,
        "worse": 1,
        "same": 1,
        "failed": 3,
        "only_a": 1,
        "only_b": 1,
        "unscored": 0,
        "texts": 0,
    }


def test_what_is_lower_and_good_got_better(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    names = {"hallucination": 3.0, "quality": 50.0, "relevancy": 2.0}
    judge = load("search-summary", "en")[1]
    assert {one.name for one in judge.scored} == set(names)
    old = a_run(url, "search-summary", [names, names], name="old")
    new = a_run(url, "search-summary", [{**names, "hallucination": 0.0}, {**names, "hallucination": 3.0}], name="new")
    (first, second) = changes(old, new).page()[1]
    assert first.state == "better"
    assert first.change == pytest.approx(1 / 3)
    assert (second.state, second.change) == ("same", 0.0)


def test_one_criterion_alone_can_be_asked_about(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    old = a_run(url, "summary", [even(3), even(3)], name="old")
    new = a_run(url, "summary", [even(5) | {"accuracy": 1}, even(2) | {"accuracy": 4}], name="new")
    found = changes(old, new)
    assert [one.state for one in found.page()[1]] == ["better", "worse"]
    assert [(one.items[0], one.state, one.change) for one in found.page(by="accuracy", order="better")[1]] == [
        ("i1", "better", 0.25),
        ("i0", "worse", -0.5),
    ]
    assert found.counts("accuracy")["worse"] == 1
    with pytest.raises(ConfigError, match="no criterion `<b>`"):
        found.page(by="<b>")


def test_a_page_is_a_part_of_what_is_filtered_searched_and_sorted(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    draw = random.Random(7)
    first, second = ([even(draw.randint(1, 5)) for _ in range(40)] for _ in range(2))
    found = changes(a_run(url, "summary", first, name="old"), a_run(url, "summary", second, name="new"))
    expected = sorted(
        (second[n]["coverage"] - first[n]["coverage"], n)
        for n in range(40)
        if second[n]["coverage"] < first[n]["coverage"]
    )
    total, every = found.page(show="worse", order="worse", limit=100)
    assert total == len(expected)
    assert [one.numbers[0] - 1 for one in every] == [n for _, n in expected]
    assert found.page(show="worse", order="worse", offset=3, limit=2) == (total, every[3:5])
    assert found.page(offset=1_000)[1] == []
    total, found_some = found.page(search="I3", order="number")
    assert [one.items[0] for one in found_some] == ["i3", *(f"i3{n}" for n in range(10))]
    assert total == 11
    states = [found.counts()[show] for show in SHOWN if show not in ("all", "texts")]
    assert sum(states) == found.counts()["all"]


def test_other_texts_are_told_and_the_name_of_the_system_is_none(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    old = a_run(url, "summary", [even(3)] * 3, rows=rows(3, system="old"), name="old")
    bodies = rows(3, system="new")
    bodies[1]["text"] += " And more."
    new = a_run(url, "summary", [even(3)] * 3, rows=bodies, name="new")
    found = changes(old, new)
    assert [one.items[0] for one in found.page(show="texts")[1]] == ["i1"]
    assert found.page(show="texts")[1][0].other_texts


def test_items_are_paired_as_compare_pairs_them(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    old = a_run(url, "summary", [even(3)] * 4, rows=rows(4), name="old")
    others = [{**row, "id": f"other-{row['id']}"} for row in rows(4)]
    new = a_run(url, "summary", [even(4)] * 4, rows=others, name="new")
    found = changes(old, new)
    assert found.by == "source"
    assert sorted(one.items for one in found.page()[1]) == [(f"i{n}", f"other-i{n}") for n in range(4)]


def test_in_a_comparison_the_candidates_that_both_runs_judged_count(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    names = [one.name for one in load("rag-answers", "en")[1].scored]
    old = a_run(url, "rag-answers", [{name: {"A": 1, "B": 3} for name in names}] * 2, name="old")
    new = a_run(url, "rag-answers", [{name: {"B": 4, "C": 1} for name in names}] * 2, name="new")
    (first, _) = changes(old, new).page()[1]
    assert first.scores[names[0]] == (3.0, 4.0), "of B alone"
    assert first.state == "better"
    assert first.change == pytest.approx(0.2)
    assert first.other_texts, "other candidates answered"


def test_more_than_two_runs_are_compared_without_items(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    runs = [a_run(url, "summary", [even(score)] * 3, name=f"r{score}") for score in (2, 3, 4)]
    looked = look(runs)
    assert looked.changes is None
    assert len(looked.found.sides) == 3


def test_a_comparison_is_kept_until_a_run_has_grown(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    old = a_run(url, "summary", [even(3)] * 3, name="old")
    new = a_run(url, "summary", [even(4), even(4), None], name="new")
    first = look([old, new])
    assert look([old, new]) is first
    verdict = next(old.outcomes())
    with open_store(url) as store:
        store.commit([OutcomeDone(run=new.id, position=2, outcome=verdict)])
        store.claim(new.id)
        store.finish(new.id, "complete", summary=None, seconds=1.0)
    assert look([old, new]) is not first
