"""The index of a run's items, and what is kept of runs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from adjudge.api import browse
from adjudge.api.browse import ItemIndex, Where, item_index, item_labels, kept_report, last_failures
from adjudge.api.kept import Kept
from adjudge.core.errors import ConfigError
from adjudge.core.records import Failure, Verdict
from adjudge.core.runs import RunState
from adjudge.store.store import open_store
from adjudge.store.writes import OutcomeDone
from tests.fakes.verdicts import a_run

CRITERIA = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
RAG = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")


def even(score: float) -> dict[str, float]:
    return dict.fromkeys(CRITERIA, score)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/a.db"


@pytest.fixture
def index(url):
    """Five items: 4, failed, 2, 5 with a low coverage, 4."""
    return ItemIndex(a_run(url, "summary", [even(4), None, even(2), even(5) | {"coverage": 1}, even(4)]))


def numbers(index, **asked):
    return [row.number for row in index.page(**asked).rows]


def test_items_have_their_numbers_scores_and_quality(index):
    first, second, *_ = index.page().rows
    assert (first.number, first.id, first.status, first.quality) == (1, "i0", "judged", 0.75)
    assert first.scores == {**even(4), "average_score": 4}
    assert (second.number, second.status, second.kind, second.quality, second.scores) == (
        2,
        "failed",
        "timed_out",
        None,
        {},
    )
    assert (len(index), index.failed) == (5, 1)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"sort": "number", "descending": True}, [5, 4, 3, 2, 1]),
        ({"sort": "quality"}, [3, 1, 5, 4, 2]),
        ({"sort": "quality", "descending": True}, [4, 1, 5, 3, 2]),
        ({"sort": "coverage"}, [4, 3, 1, 5, 2]),
        ({"sort": "average_score", "descending": True}, [4, 1, 5, 3, 2]),
        ({"sort": "coverage", "offset": 1, "limit": 2}, [3, 1]),
        ({"offset": 5}, []),
        ({"where": Where(status="failed")}, [2]),
        ({"where": Where(status="judged")}, [1, 3, 4, 5]),
        ({"where": Where(measure="coverage", bar="4")}, [1, 5]),
        ({"where": Where(measure="coverage", bar="3")}, []),
        ({"where": Where(measure="coverage", bar="no bar")}, []),
        ({"where": Where(flag="order_flip")}, []),
        ({"search": "I3"}, [4]),
        ({"search": "  ITEM 2: "}, [3]),
        ({"search": "content"}, [1, 2, 3, 4, 5]),
        ({"search": "id"}, []),
        ({"search": "ferry", "sort": "coverage", "where": Where(status="judged")}, [4, 3, 1, 5]),
    ],
)
def test_items_are_sorted_filtered_searched_and_paged(index, asked, expected):
    assert numbers(index, **asked) == expected


def test_items_without_a_value_come_last_both_ways(index):
    assert numbers(index, sort="coverage")[-1] == 2
    assert numbers(index, sort="coverage", descending=True)[-1] == 2


def test_every_bar_has_as_many_items_as_the_histogram_counts(url):
    run = a_run(url, "summary", [even(score / 10) for score in range(10, 51)])
    index, report = ItemIndex(run), run.report()
    for measure in (*report.criteria, *report.derived):
        assert measure.histogram
        for label, count in measure.histogram:
            assert index.page(where=Where(measure=measure.name, bar=label)).total == count, (measure.name, label)


def test_a_derived_value_over_fewer_criteria_is_in_no_bar(url):
    run = a_run(url, "summary", [even(4), even(4) | {"coverage": None}])
    bars = dict(run.report().derived[0].histogram)
    assert bars["4"] == ItemIndex(run).page(where=Where(measure="average_score", bar="4")).total == 1


def test_a_comparison_has_means_over_candidates_and_bars_of_each(url):
    run = a_run(url, "rag-answers", [{name: {"A": 2, "B": 5} for name in RAG}, dict.fromkeys(RAG, 2)])
    index = ItemIndex(run)
    assert index.page(limit=1).rows[0].scores["correctness"] == 3.5
    assert numbers(index, where=Where(measure="correctness", bar="5")) == [1]
    assert numbers(index, where=Where(measure="correctness", bar="2")) == [1, 2]


def test_a_measure_that_is_called_quality_does_not_hide_the_overall_one(url):
    names = ("adequacy", "fluency", "terminology", "hallucination", "punctuation")
    index = ItemIndex(a_run(url, "translation", [dict.fromkeys(names, score) for score in (5, 1, 3)]))
    assert [row.scores["quality"] for row in index.page().rows] == [100, 0, 50]
    assert [row.quality for row in index.page(sort=".quality").rows] == [0, 0.5, 1]
    assert numbers(index, sort="quality") == [2, 3, 1]


def test_neighbours_follow_the_list(index):
    around = index.around(1, sort="quality")
    assert (around.place, around.total, around.previous, around.next) == (2, 5, 3, 5)
    first, last = index.around(3, sort="quality"), index.around(2, sort="quality")
    assert (first.previous, last.next) == (None, None)
    left_out = index.around(2, where=Where(status="judged"))
    assert (left_out.place, left_out.total, left_out.previous, left_out.next) == (0, 4, None, None)


@pytest.mark.parametrize("number", [0, -1, 6, 1 << 62, 1 << 80])
def test_a_number_that_no_item_has_has_no_row(index, number):
    assert index.row(number) is None


def test_an_item_is_found_by_its_id(index):
    assert (index.number_of("i3"), index.number_of("i9")) == (4, None)


@pytest.mark.parametrize(
    "asked",
    [
        {"sort": "covrage"},
        {"where": Where(measure="x", bar="1")},
        {"where": Where(bar="1")},
        {"where": Where(status="x")},
    ],
)
def test_what_there_is_not_is_refused(index, asked):
    with pytest.raises(ConfigError):
        index.page(**asked)


def test_a_search_finds_texts_of_any_writing_and_no_names_of_fields(url):
    rows = [
        {"id": "a", "content": "Паром УШЁЛ в девять", "text": 'He said "nine"\nand left'},
        {"id": "b", "content": "c:\\ferry", "text": "content"},
    ]
    index = ItemIndex(a_run(url, "summary", [even(4)] * 2, rows=rows))
    for wanted, expected in (
        ("ушёл", [1]),
        ('"nine"', [1]),
        ("c:\\fe", [2]),
        ("text", []),
        ("content", [2]),
        ("\x00", []),
    ):
        assert numbers(index, search=wanted) == expected, wanted


def test_a_search_is_bounded_and_says_so(url, monkeypatch):
    rows = [{"id": f"r{n}", "content": "ferry " * 20, "text": "x"} for n in range(10)]
    run = a_run(url, "summary", [even(4)] * 10, rows=rows)
    monkeypatch.setattr(browse, "WEB_SEARCH_CHARS", 500)
    page = ItemIndex(run).page(search="ferry")
    assert 0 < page.searched < 10
    assert page.total == page.searched
    assert ItemIndex(run).page(search="r9").total == 1


def test_a_run_that_has_grown_is_read_anew_and_else_is_not(url):
    run = a_run(url, "summary", [even(4), None])
    first = item_index(run)
    assert item_index(run) is first
    assert kept_report(run) is kept_report(run)
    verdict = next(one for one in run.outcomes() if isinstance(one, Verdict))
    later = a_run(url, "summary", [even(4), None], name="other")
    with open_store(url) as store:
        store.claim(run.id)
        store.commit([OutcomeDone(run=run.id, position=1, outcome=Verdict(**{**_parts(verdict), "item": "i1"}))])
        store.finish(run.id, "complete", summary=None, seconds=2.0)
    assert item_index(run) is not first
    assert item_index(run).failed == 0
    assert kept_report(run).judged == 2
    assert item_index(later).failed == 1


def _parts(verdict: Verdict) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in Verdict.__slots__}


def test_failures_and_labels_of_an_item(url):
    run = a_run(url, "summary", [None, even(4), *[None] * 6])
    assert [one.item for one in last_failures(run)] == ["i7", "i6", "i5", "i4", "i3"]
    assert all(isinstance(one, Failure) for one in last_failures(run))
    with open_store(url) as store:
        store.add_label(run.id, "i1", "", "coverage", "Anna", 3.0)
        store.add_label(run.id, "i2", "", "coverage", "Anna", 1.0)
    assert [(label.annotator, label.value) for label in item_labels(run, "i1")] == [("Anna", 3.0)]


def test_of_many_threads_one_makes_and_all_have_the_same(url):
    run = a_run(url, "summary", [even(4)])
    made, given = [], []

    def make(one):
        made.append(one.id)
        return object()

    kept = Kept(make, most=2)
    state = run.state
    threads = [threading.Thread(target=lambda: given.append(kept.of([state], run))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(set(map(id, given))) == 1


def test_what_is_kept_is_bounded_and_a_running_run_is_not_read_all_the_time(url, monkeypatch):
    runs = [a_run(url, "summary", [even(4)], name=name) for name in ("a", "b", "c")]
    made: list[str] = []
    kept = Kept(lambda run: made.append(run.id), most=2)
    for run in (*runs, runs[2], runs[0]):
        kept.of([run.state], run)
    assert made == [run.id for run in (*runs, runs[0])]
    now = [0.0]
    monkeypatch.setattr("adjudge.api.kept.time.monotonic", lambda: now[0])
    slow: list[str] = []

    def make(run):
        now[0] += 1.0
        slow.append(run.id)

    kept, run = Kept(make, most=2), runs[0]
    for judged, moment in ((1, 0.0), (2, 5.0), (3, 10.0), (4, 11.5)):
        now[0] = max(now[0], moment)
        kept.of([RunState(run=run.state.run, status="running", judged=judged)], run)
    assert len(slow) == 2
    kept.of([RunState(run=run.state.run, status="complete", judged=5)], run)
    assert len(slow) == 3
