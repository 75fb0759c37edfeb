"""Which items of which sides belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge.api.prepare import load
from adjudge.api.sides import SIDES_MAX, aligned, sides_of
from adjudge.core.errors import ConfigError, DataError
from tests.fakes.verdicts import a_row, a_run

ALL = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
RAG = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
JUDGE = load("summary", "en")[1]


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def scored(*values: float) -> list[dict[str, float]]:
    return [dict.fromkeys(ALL, value) for value in values]


def rows(ids: list[str], *, sources: list[int] | None = None, system: str = "") -> list[dict[str, Any]]:
    found = []
    for number, name in zip(sources or range(len(ids)), ids, strict=True):
        found.append({**a_row(JUDGE, number), "id": name, **({"system": system} if system else {})})
    return found


def test_items_are_paired_by_their_ids_in_whatever_order(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2, 3), rows=rows(["a", "b", "c"]))
    other = a_run(url(tmp_path), "summary", scored(4, 5), rows=rows(["c", "a"], sources=[2, 0]))
    by, sides = sides_of([one, other], None)
    units = aligned(sides, by)
    assert (by, units.by, list(units.names)) == ("run", "id", ["a", "b", "c"])
    assert units.columns[0]["coverage"].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(units.columns[1]["coverage"], [5, np.nan, 4])
    assert [place.tolist() for place in units.places] == [[0, 1, 2], [1, -1, 0]]
    assert units.clusters is None and units.other_source == units.other_reference == 0


def test_items_of_one_source_are_a_cluster(tmp_path):
    runs = [a_run(url(tmp_path), "summary", scored(*v), rows=rows(["a", "b", "c"], sources=[7, 8, 7]))
            for v in ((1, 2, 3), (3, 2, 1))]  # fmt: skip
    by, sides = sides_of(runs, None)
    clusters = aligned(sides, by).clusters
    assert clusters is not None and clusters[0] == clusters[2] != clusters[1]


def test_other_sources_under_the_same_ids_are_counted(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2, 3, 4), rows=rows(["a", "b", "c", "d"]))
    other = a_run(url(tmp_path), "summary", scored(1, 2, 4, 4), rows=rows(["a", "b", "c", "d"], sources=[0, 1, 8, 9]))
    by, sides = sides_of([one, other], None)
    assert aligned(sides, by).other_source == 2


@pytest.mark.parametrize("ids", ["abcd", "efgh"])
def test_other_golden_answers_of_the_same_items_are_counted(tmp_path, ids):
    judge = load("translation", "en")[1]
    runs = []
    for name, refs in ((list("abcd"), ["r", "r", "r", None]), (list(ids), ["r", "other", "r", "r"])):
        texts = [
            {**a_row(judge, at), "id": own, "ref": ref} for at, (own, ref) in enumerate(zip(name, refs, strict=True))
        ]
        given = [{one.name: 4 for one in judge.scored}] * 4
        runs.append(a_run(url(tmp_path), "translation", given, rows=texts, name=f"{ids}{refs}"))
    by, sides = sides_of(runs, None)
    assert aligned(sides, by).other_reference == 2


def test_the_same_ids_for_mostly_other_sources_are_refused(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2, 3), rows=rows(["a", "b", "c"]), name="one")
    third = a_run(url(tmp_path), "summary", scored(2, 2, 3), rows=rows(["a", "b", "c"]), name="third", model="x")
    # "z" is on one side only, and tells nothing of the ids
    texts = rows(["a", "b", "c", "z"], sources=[0, 8, 9, 2])
    other = a_run(url(tmp_path), "summary", scored(1, 2, 4, 4), rows=texts, name="other")
    by, sides = sides_of([one, third, other], None)
    with pytest.raises(DataError, match=r"one and other have the same ids for other items: 2 of 3 .* source") as no:
        aligned(sides, by)
    assert "leave the ids out" in str(no.value)


def searched(tmp_path: Path, name: str, *, asked: list[int]) -> Any:
    """Search summaries of these questions; every run finds other sources."""
    judge = load("search-summary", "en")[1]
    texts = [{**a_row(judge, number), "id": str(place)} for place, number in enumerate(asked)]
    for row in texts:
        row["search_results"] = [{"url": f"https://example.org/{name}", "content": f"what {name} found"}]
    given = [{"hallucination": 0, "quality": 50.0, "relevancy": 2}] * len(asked)
    return a_run(url(tmp_path), "search-summary", given, rows=texts, name=name)


def test_other_sources_of_the_same_questions_are_no_other_items(tmp_path):
    runs = [searched(tmp_path, name, asked=[0, 1, 2]) for name in ("one", "other")]
    by, sides = sides_of(runs, None)
    units = aligned(sides, by)
    assert (units.by, units.other_source) == ("id", 3)


def test_the_same_ids_for_mostly_other_questions_are_refused(tmp_path):
    runs = [searched(tmp_path, "one", asked=[0, 1, 2]), searched(tmp_path, "other", asked=[0, 8, 9])]
    by, sides = sides_of(runs, None)
    with pytest.raises(DataError, match=r"have the same ids for other items: 2 of 3 .* question"):
        aligned(sides, by)


def test_rows_without_ids_are_paired_by_source(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2, 3), rows=rows(["a", "same", "c"]))
    other = a_run(url(tmp_path), "summary", scored(6, 4, 5), rows=rows(["z", "y", "same"], sources=[2, 0, 1]))
    by, sides = sides_of([one, other], None)
    units = aligned(sides, by)
    # one id in common by chance does not make the others strangers
    assert units.by == "source" and units.clusters is None
    found = dict(zip(units.names, zip(*(own["coverage"].tolist() for own in units.columns), strict=True), strict=True))
    assert found == {"a": (1, 4), "same": (2, 5), "c": (3, 6)}


def test_questions_pair_where_neither_ids_nor_sources_do(tmp_path):
    judge = load("search-summary", "en")[1]
    runs = []
    for name, level in (("one", 40.0), ("two", 60.0)):
        given = [{"hallucination": 0, "quality": level + number, "relevancy": 2} for number in range(3)]
        texts = [{**a_row(judge, number), "id": f"{name}{number}"} for number in range(3)]
        for row in texts:
            row["search_results"] = [{"url": f"https://example.org/{name}", "content": f"what {name} found"}]
        runs.append(a_run(url(tmp_path), "search-summary", given, rows=texts, name=name))
    by, sides = sides_of(runs, None)
    units = aligned(sides, by)
    assert (units.by, len(units.names)) == ("query", 3)
    assert (units.columns[1]["quality"] - units.columns[0]["quality"]).tolist() == [20, 20, 20]


def test_several_texts_of_a_source_have_their_mean_or_a_gap(tmp_path):
    given = [*scored(1, 2, 5), None]
    one = a_run(url(tmp_path), "summary", given, rows=rows(["a", "b", "c", "d"], sources=[0, 0, 1, 1]))
    other = a_run(url(tmp_path), "summary", scored(4, 3), rows=rows(["y", "z"]))
    by, sides = sides_of([one, other], None)
    units = aligned(sides, by)
    found = dict(zip(units.names, units.columns[0]["coverage"].tolist(), strict=True))
    assert found["a"] == 1.5 and np.isnan(found["c"])


def test_runs_that_share_nothing_are_an_error_that_says_what_to_do(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2), rows=rows(["a", "b"]), name="one")
    other = a_run(url(tmp_path), "summary", scored(1, 2), rows=rows(["y", "z"], sources=[7, 8]), name="other")
    by, sides = sides_of([one, other], None)
    with pytest.raises(DataError, match="one and other have no item in common") as caught:
        aligned(sides, by)
    assert "the same `id`" in str(caught.value)


def test_a_single_run_has_its_candidates_as_sides(tmp_path):
    run = a_run(url(tmp_path), "rag-answers", [{name: {"A": 4, "B": 3} for name in RAG}] * 2)
    by, sides = sides_of([run], None)
    assert (by, [side.name for side in sides]) == ("candidate", ["A", "B"])
    assert aligned(sides, by).columns[1]["clarity"].tolist() == [3, 3]


def test_candidates_of_several_runs_go_by_their_run_where_names_repeat(tmp_path):
    given = [{name: {"A": 4, "B": 3} for name in RAG}] * 2
    one = a_run(url(tmp_path), "rag-answers", given, name="one")
    other = a_run(url(tmp_path), "rag-answers", [{name: {"A": 4, "C": 3} for name in RAG}] * 2, name="other")
    _, sides = sides_of([one, other], None)
    assert [side.name for side in sides] == ["one/A", "B", "other/A", "C"]


def test_a_single_run_has_its_systems_as_sides_paired_by_source(tmp_path):
    texts = [*rows(["w1", "w2"], system="west"), *rows(["e1", "e2"], system="east"), *rows(["x"], sources=[1])]
    run = a_run(url(tmp_path), "summary", scored(1, 2, 3, 4, 5), rows=texts)
    by, sides = sides_of([run], None)
    assert (by, [side.name for side in sides]) == ("system", ["east", "west"])
    units = aligned(sides, by)
    assert units.by == "source" and sorted(units.names) == ["e1", "e2"]
    assert [sorted(own["coverage"].tolist()) for own in units.columns] == [[3, 4], [1, 2]]


def test_systems_of_several_runs(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2), rows=rows(["a", "b"], system="west"), name="one")
    other = a_run(url(tmp_path), "summary", scored(3, 4), rows=rows(["c", "d"], system="east"), name="other")
    by, sides = sides_of([one, other], "system")
    assert [side.name for side in sides] == ["west", "east"]
    assert aligned(sides, by).by == "source"


def test_a_run_that_names_no_system_is_refused_and_named(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2), rows=rows(["a", "b"]), name="plain")
    texts = [*rows(["w"], system="west"), *rows(["e"], system="east")]
    other = a_run(url(tmp_path), "summary", scored(3, 4), rows=texts, name="other")
    with pytest.raises(ConfigError, match="plain has no systems to compare: none of its rows names its `system`"):
        sides_of([one, other], "system")


def test_a_run_without_judged_candidates_is_refused_and_named(tmp_path):
    one = a_run(url(tmp_path), "rag-answers", [{name: {"A": 4, "B": 3} for name in RAG}] * 2, name="one")
    other = a_run(url(tmp_path), "rag-answers", [None, None], name="silent")
    with pytest.raises(ConfigError, match="silent has no candidates to compare: nothing was judged"):
        sides_of([one, other], None)


@pytest.mark.parametrize("by", [None, "run", "candidate", "system"])
def test_a_judge_of_single_texts_and_one_of_candidates_are_two_judges(tmp_path, by):
    one = a_run(url(tmp_path), "summary", scored(1, 2), name="one")
    other = a_run(url(tmp_path), "rag-answers", [{name: {"A": 4, "B": 3} for name in RAG}] * 2, name="other")
    said = "one and other can't be compared: they were judged by two different judges, summary and rag-answers"
    with pytest.raises(ConfigError, match=said) as caught:
        sides_of([one, other], by)
    assert "--by" not in str(caught.value)


@pytest.mark.parametrize(
    ("by", "said"),
    [(None, "nothing to compare run"), ("candidate", "has no candidates to compare: its judge, summary")],
)
def test_one_run_of_one_text_each_has_no_sides(tmp_path, by, said):
    with pytest.raises(ConfigError, match=said):
        sides_of([a_run(url(tmp_path), "summary", scored(1, 2))], by)


@pytest.mark.parametrize("by", ["run", "system"])
def test_candidates_are_what_a_comparison_has(tmp_path, by):
    run = a_run(url(tmp_path), "rag-answers", [{name: {"A": 4, "B": 3} for name in RAG}] * 2)
    with pytest.raises(ConfigError, match=f"has candidates to compare, not {by}s"):
        sides_of([run], by)


def test_a_run_is_not_compared_with_itself(tmp_path):
    run = a_run(url(tmp_path), "summary", scored(1, 2))
    with pytest.raises(ConfigError, match="is given twice"):
        sides_of([run, run], None)


def test_judges_with_other_criteria_are_refused(tmp_path):
    one = a_run(url(tmp_path), "summary", scored(1, 2), name="one")
    names = ("adequacy", "fluency", "terminology", "hallucination", "punctuation")
    other = a_run(url(tmp_path), "translation", [dict.fromkeys(names, 3)] * 2, name="other")
    with pytest.raises(ConfigError, match=r"one and other can't be compared.*accuracy, adequacy"):
        sides_of([one, other], None)


def test_too_many_sides_are_refused(tmp_path):
    texts = [{**a_row(JUDGE, 0), "id": str(n), "system": f"s{n}"} for n in range(SIDES_MAX + 1)]
    run = a_run(url(tmp_path), "summary", scored(*[3] * len(texts)), rows=texts)
    with pytest.raises(ConfigError, match="51 systems are too many"):
        sides_of([run], None)


def test_runs_of_one_name_go_by_their_ids(tmp_path):
    runs = [a_run(url(tmp_path), "summary", scored(v, 2), name="same", model=str(v)) for v in (1, 2)]
    _, sides = sides_of(runs, None)
    assert [side.name for side in sides] == [run.id for run in runs]


def asked(source: str, *numbers: int) -> list[dict[str, Any]]:
    """Questions to one source text."""
    judge = load("rag-answers", "en")[1]
    return [{**a_row(judge, number), "sources": [source]} for number in numbers]


def answered(*values: float) -> list[dict[str, Any]]:
    return [{name: {"A": 50.0, "B": value} for name in RAG} for value in values]


def test_questions_on_one_source_are_a_cluster_for_the_candidates_of_a_run(tmp_path):
    texts = [*asked("north", 0, 1), *asked("south", 2)]
    run = a_run(url(tmp_path), "rag-answers", answered(60, 60, 70), rows=texts)
    by, sides = sides_of([run], None)
    clusters = aligned(sides, by).clusters
    assert by == "candidate" and clusters is not None
    assert clusters[0] == clusters[1] != clusters[2]


def test_runs_paired_by_question_and_source_keep_the_questions_on_one_source_together(tmp_path):
    runs = []
    for name, prefix in (("one", "x"), ("other", "y")):
        texts = [{**row, "id": prefix + row["id"]} for row in [*asked("north", 0, 1), *asked("south", 2)]]
        runs.append(a_run(url(tmp_path), "rag-answers", answered(60, 60, 70), rows=texts, name=name))
    by, sides = sides_of(runs, None)
    units = aligned(sides, by)
    assert units.by == "source" and len(units.names) == 3
    assert units.clusters is not None and len(set(units.clusters.tolist())) == 2
