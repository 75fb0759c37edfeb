"""The spread of scores: what it was made of is counted and said."""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.records import Failure, Verdict
from adjudge.report.beside.row import Row
from adjudge.report.beside.spread import Spread
from tests.unit.report import sample

JUDGE = sample.single()
ROW = Row(JUDGE, None)


def verdict(spreads, flags=(), repeats=1):
    trials = tuple({"repeat": repeat, "scores": {}} for repeat in range(repeats)) if repeats > 1 else ()
    scores = {"coverage": 3.7, "accuracy": 4.0, "hallucination": 1.0}
    return Verdict(
        item="1", scores=scores, reasons={}, derived={}, native={}, flags=flags, spreads=spreads, trials=trials
    )


def seen(*outcomes, probabilities=False):
    state = sample.state(JUDGE, 4)
    settings = replace(state.run.settings, probabilities=probabilities)
    found = Spread(JUDGE, replace(state, run=replace(state.run, settings=settings)))
    for outcome in outcomes:
        found.add(outcome, ROW)
    return found


def test_nothing_is_said_where_nothing_was_asked_for():
    found = seen(verdict({}), verdict({}))
    assert found.section() is None and list(found.warnings()) == []


def test_probabilities_are_told_from_what_was_written():
    found = seen(
        verdict({"coverage": 0.5, "accuracy": 0.0}),
        verdict({"accuracy": 1.0}, flags=("no_probabilities:coverage",)),
        Failure(item="3", kind="timeout", stage="ask", message=""),
        probabilities=True,
    )
    section = found.section()
    assert section.data["coverage"] == {
        "spread": 0.5,
        "n": 1,
        "of": 4,
        "probabilities": 1,
        "repeats": 0,
        "neither": 1,
    }
    assert section.data["accuracy"]["spread"] == 0.5
    assert section.data["hallucination"]["neither"] == 2, "it follows by code, and has no token"
    (warning,) = found.warnings()
    assert "1 of 4" in warning, "only what could have had probabilities is missed"


def test_repeats_are_counted_with_probabilities():
    assert seen(verdict({"coverage": 0.5}, repeats=3)).section() is None, "repeats have a table of their own"
    both = seen(verdict({"coverage": 0.5}, repeats=3), probabilities=True)
    data = both.section().data["coverage"]
    assert (data["probabilities"], data["repeats"], data["neither"]) == (1, 1, 0)
    assert list(both.warnings()) == []


def test_candidates_of_an_item_weigh_as_one():
    judge = sample.compare()
    state = sample.state(judge, 1)
    found = Spread(
        judge, replace(state, run=replace(state.run, settings=replace(state.run.settings, probabilities=True)))
    )
    one = Verdict(
        item="1",
        scores={"depth": {"A": 1.0, "B": 2.0}},
        reasons={},
        derived={},
        native={},
        spreads={"depth": {"A": 0.2, "B": 0.4}},
        trials=({"repeat": 0}, {"repeat": 1}),
    )
    found.add(one, ROW)
    section = found.section()
    assert section is not None and round(section.data["depth"]["spread"], 9) == 0.3


def test_a_run_without_scores_has_no_section():
    nothing = Verdict(item="1", scores={}, reasons={}, derived={}, native={})
    assert seen(nothing, probabilities=True).section() is None
