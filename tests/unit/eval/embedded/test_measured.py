"""Samples as items of the judges, columns of qualities, and tables made of them."""

from __future__ import annotations

import math

import pytest
from eval.embedded import results, table
from eval.embedded.adversary import COMMON, SUMMARY
from eval.embedded.aims import AIMS, ANSWERS
from eval.embedded.data import Half, Sample
from eval.embedded.figures import Figure
from eval.embedded.kinds import KINDS
from eval.embedded.measured import Row, baseline_columns, figures, mean_of, qualities, source_text
from eval.embedded.shown import cell, number

SOURCE = "The old mill on the Torv burned down on Monday. Nobody was hurt. The owner wants to rebuild it by spring."
GOOD = "The mill on the Torv burned down on Monday, and the owner wants to rebuild it by spring."
BAD = "Seven sailors bought a golden lighthouse near Madrid in 1847."


def _sample(name: str, text: str, label: float) -> Sample:
    return Sample(
        id=name, source="torv", document="torv", text=text, sources=(SOURCE,), query="What burned?", human={"ok": label}
    )


SAMPLES = [_sample("good", GOOD, 1.0), _sample("bad", BAD, 0.0)]


@pytest.mark.parametrize(
    ("judge", "score"),
    [("summary", "accuracy"), ("rag-answers", "retrieval_accuracy"), ("search-summary", "hallucination")],
)
@pytest.mark.parametrize("together", [False, True])
def test_every_judge_puts_the_supported_text_first(judge: str, score: str, together: bool):
    good, bad = qualities(judge, SAMPLES, together=together)[f"{judge}.{score}"]
    assert good > bad


def test_what_is_not_judged_has_no_column():
    assert "rag-answers.depth" not in qualities("rag-answers", SAMPLES)


def test_findings_are_columns_too():
    columns = qualities("summary", SAMPLES, parts=True)
    assert columns["summary!new_numbers"] == [0.0, -1.0]


def test_a_mean_is_over_what_was_judged():
    columns = {"a": [1.0, math.nan, math.nan], "b": [0.0, 0.5, math.nan]}
    one, two, three = mean_of(columns, ["a", "b", "absent"])
    assert (one, two, math.isnan(three)) == (0.5, 0.5, True)


def _rows() -> list[Row]:
    columns = {**baseline_columns(SAMPLES, source_text), **qualities("summary", SAMPLES)}
    return figures("SummEval", "ok", "AUC", KINDS["AUC"], SAMPLES, columns, halves=("dev", "held", "all"))


def test_rows_survive_being_kept():
    rows = _rows()
    again = results.rows_from(results.rows_to(rows))
    assert [(r.by, r.figures["all"].value) for r in again] == [(r.by, r.figures["all"].value) for r in rows]
    # Both texts are of one source, so one half is empty, and its figures are no numbers.
    assert [math.isnan(r.figures["dev"].value) for r in again] == [
        not math.isnan(r.figures["held"].value) for r in again
    ]


def test_a_table_has_every_aim_even_when_nothing_was_measured():
    assert table.aims({}, {}).count("\n") == len(AIMS) + 1
    assert all(aim.at[:2] in ANSWERS and aim.at[2] in KINDS for aim in AIMS)


def test_an_empty_column_is_left_out():
    assert table.markdown(["a", "b", "c"], [["x", "-", "1"], ["y", "", "-"]]).splitlines()[0] == "| a | c |"


def test_everything_is_shown_with_the_answering_score_in_bold():
    rows = [Row(set="SummEval", label="relevance", kind=r.kind, by=r.by, figures=r.figures) for r in _rows()]
    told = table.everything(table.by_place({"summaries": {"value": results.rows_to(rows)}}))
    assert "| summary.coverage | **" in told
    assert "| summary.coherence | **" not in told


@pytest.mark.parametrize(
    ("value", "told"), [(0.1234, ".123"), (-0.5, "-.500"), (1.0, "1.000"), (float("nan"), "-"), (0.9996, "1.000")]
)
def test_numbers_as_tables_show_them(value: float, told: str):
    assert number(value) == told


def test_an_interval_is_shown_where_there_is_one():
    assert cell(Figure(value=0.5, n=3, low=0.25, high=0.75)) == ".500 [.250, .750]"
    assert cell(Figure(value=0.5, n=3)) == ".500"


def test_tricks_do_what_they_say():
    sample = SAMPLES[0]
    assert COMMON["an empty text"](sample) == ""
    assert sorted(COMMON["its words shuffled"](sample).split()) == sorted(GOOD.split())
    assert SUMMARY["the whole source copied"](sample) == SOURCE
    assert SOURCE.startswith(SUMMARY["the source's first sentences"](sample))
    assert "burned" in SUMMARY["only the source's 60 most frequent words"](sample)
    assert COMMON["its first sentence three times more"](sample).count(GOOD) == 4


def test_a_figure_on_the_wrong_side_of_chance_is_named():
    wrong: dict[Half, Figure] = {"all": Figure(value=0.4, n=9)}
    row = Row(set="RAGTruth", label="faithful", kind="AUC", by="rag-answers.retrieval_accuracy", figures=wrong)
    right = Row(set="QAGS", label="consistency", kind="Spearman", by="summary.accuracy", figures=wrong)
    rows = table.by_place({"summaries": {"value": results.rows_to([row, right])}})
    assert "1 of 2 labels: RAGTruth faithful" in table.aims(rows, {})


def test_only_the_held_half_can_reach_an_aim():
    figures_: dict[Half, Figure] = {"dev": Figure(value=0.9, n=5), "held": Figure(value=0.3, n=4)}
    told = []
    for held in (0.3, 0.6):
        figures_ |= {"held": Figure(value=held, n=4), "all": Figure(value=0.8, n=9)}
        row = Row(set="SummEval", label="coherence", kind="Spearman", by="summary.coherence", figures=dict(figures_))
        told.append(table.aims(table.by_place({"summaries": {"value": results.rows_to([row])}}), {}))
    assert "**" not in told[0]
    assert "| .800 | .900 | **.600** |" in told[1]
