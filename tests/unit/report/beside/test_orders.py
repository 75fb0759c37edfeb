"""What the order did: place bias, flips, leaders that are not separable."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.records import Verdict
from adjudge.report.build import build
from adjudge.report.tables import Report, Section
from adjudge.stats.interval import wilson
from tests.unit.report.beside.scripted import judged
from tests.unit.report.sample import comparison, failure, single, state, summaries
from tests.unit.spec.rows import bundled

JUDGE = bundled("rag-answers")
CRITERIA = [criterion.name for criterion in JUDGE.scored]


def report(verdicts: list[Verdict], **run: Any) -> Report:
    made = state(JUDGE, len(verdicts), model="openai:m")
    return build(JUDGE, replace(made, run=replace(made.run, **run)), verdicts)


def section(made: Report, name: str = "orders") -> Section:
    return next(one for one in made.sections if one.name == name)


def by_place(criterion: str, name: str, place: int) -> float:
    """A judge that sees the place alone."""
    return [5, 2, 1, 0, 0, 0, 0, 0][place]


@pytest.mark.parametrize(
    ("n", "orders"),
    [(n, orders) for n in range(2, 9) for orders in (None, "balanced", "2n", "all") if orders != "all" or n <= 5],
)
def test_a_judge_of_places_makes_nobody_win(n, orders):
    names = [f"Model{k}" for k in range(n)]
    wanted = 2 * n if orders == "2n" else orders

    def first(criterion: str, name: str, place: int) -> float:
        return 5.0 if place == 0 else 1.0

    verdicts = [judged(JUDGE, f"q{k}", names, first, orders=wanted) for k in range(12)]
    assert all(one.native["winner"] is None and len(one.native["tied"]) >= 2 for one in verdicts)
    made = report(verdicts)
    assert [(one.wins, one.not_separable) for one in made.candidates] == [(0, 0)] * n
    bias = section(made).data["places"]
    true = [6 * (5 - (5 + n - 1) / n), *[6 * (1 - (5 + n - 1) / n)] * (n - 1)]
    for place, one in zip(true, bias, strict=True):
        assert one["bias"] == pytest.approx(place)
        assert one["ci95"][0] <= place <= one["ci95"][1]
    assert section(made).data["flips"]["rate"] == 1.0
    assert any("at place 1 are" in warning for warning in made.warnings)
    ranking = section(made, "ranking").data
    if wanted is not None or n == 2:
        assert section(made).data["balanced"]
        assert max(one["best"] for one in ranking["candidates"].values()) == pytest.approx(1 / n, abs=0.02)
    assert ranking["leader"] is None
    assert any("can be told to be the best" in warning for warning in made.warnings)


def test_orders_that_are_not_balanced_are_said_to_be_so():
    names = ["a", "b", "c", "d"]
    two = section(report([judged(JUDGE, f"q{k}", names, by_place) for k in range(3)]))
    assert two.data["balanced"] is False
    assert any("2 orders of 4 candidates" in note and "--orders balanced" in note for note in two.notes)
    four = section(report([judged(JUDGE, f"q{k}", names, by_place, orders="balanced") for k in range(3)]))
    assert four.data["balanced"] is True
    assert not any("--orders balanced" in note for note in four.notes)


def test_one_order_says_nothing_of_places():
    one = section(report([judged(JUDGE, "q", ["a", "b"], by_place, orders=1)], orders=1))
    assert one.rows == () and one.data["balanced"] is None and one.data["flips"]["rate"] is None
    assert "--orders balanced" in one.notes[0]


def test_repeats_without_orders_have_flips_and_no_places():
    draw = random.Random(1)
    verdicts = []
    for k in range(10):
        one = judged(JUDGE, f"q{k}", ["a", "b"], lambda *_: float(draw.randint(0, 5)), orders=1, repeats=4)
        trials = [{key: value for key, value in trial.items() if key != "order"} for trial in one.trials]
        verdicts.append(replace(one, trials=tuple(trials)))
    found = section(report(verdicts, ask="yes-no"))
    flips = sum("order_flip" in one.flags for one in verdicts)
    assert found.data["places"] == [] and found.rows == ()
    assert 0 < flips < 10 or flips == 10
    assert found.data["flips"] == {"count": flips, "n": 10, "rate": flips / 10, "ci95": list(wilson(flips, 10) or ())}


def test_leaders_that_are_not_separable_are_counted():
    draw = random.Random(2)
    verdicts = [judged(JUDGE, f"q{k}", ["a", "b"], lambda *_: float(draw.randint(0, 5))) for k in range(40)]
    made = report(verdicts)
    unclear = [one for one in verdicts if "not_separable" in one.flags]
    assert 0 < len(unclear) < 40
    assert section(made).data["not_separable"]["count"] == len(unclear)
    assert sum(one.not_separable for one in made.candidates) == len(unclear)
    ties = sum(one.derived["winner"]["winner"] is None for one in verdicts)
    assert sum(one.wins for one in made.candidates) == 40 - len(unclear) - ties


def test_a_place_that_matters_little_is_no_warning():
    draw = random.Random(4)

    def slight(criterion: str, name: str, place: int) -> float:
        return (3.1 if place == 0 else 3.0) + draw.uniform(-0.2, 0.2)

    made = report([judged(JUDGE, f"q{k}", ["a", "b"], slight) for k in range(200)])
    low, _ = section(made).data["places"][0]["ci95"]
    assert low > 0, "it is found"
    assert not any("at place 1 are" in warning for warning in made.warnings)


def test_the_order_of_rows_decides_nothing():
    draw = random.Random(3)
    names = ["a", "b", "c"]
    verdicts = [
        judged(JUDGE, f"q{k}", names, lambda *_: draw.randint(0, 50) / 10, orders="balanced") for k in range(30)
    ]
    once = report(verdicts).as_json()
    draw.shuffle(verdicts)
    again = report(verdicts).as_json()
    assert again["beside"] == once["beside"]
    assert again["warnings"] == once["warnings"]


def test_other_layouts_and_failures_have_no_orders():
    assert all(
        one.name not in ("orders", "ranking") for one in build(single(), state(single(), 12), summaries("en")).sections
    )
    assert build(JUDGE, state(JUDGE, 1), [failure("q")]).sections == ()


HOSTILE: list[Any] = [
    {},
    {"scores": None, "order": None, "repeat": None},
    {"scores": {"correctness": "x"}, "order": "ab", "repeat": "1"},
    {"scores": {"correctness": {"a": 1.0, "b": float("nan")}}, "order": ["a", "b"]},
    {"scores": {"unknown": {"a": 1.0}}, "order": ["a", "a"]},
    {"scores": {"correctness": {"a": 1, "b": 2}}, "order": ["b"]},
]


def test_trials_of_a_stored_verdict_are_data_and_no_more():
    scores = {name: {"a": 1.0, "b": 2.0} for name in CRITERIA}
    for trial in HOSTILE:
        made = report([replace(comparison("q", scores), trials=(trial, trial))])
        assert section(made).data["n"] == 1
        assert section(made).data["places"] == []


def test_the_embedded_judge_has_no_orders():
    verdicts = [judged(JUDGE, f"q{k}", ["a", "b"], by_place) for k in range(12)]
    for model in ("offline", "offline+vectors", "offline:own.yaml"):
        made = build(JUDGE, state(JUDGE, 12, model=model), verdicts)
        assert all(one.name != "orders" for one in made.sections)
        assert not any("at place 1 are" in warning for warning in made.warnings)


def test_few_items_have_no_interval_of_places():
    def some(n: int) -> Section:
        return section(report([judged(JUDGE, f"q{k}", ["a", "b"], by_place) for k in range(n)]))

    few, enough = some(4), some(5)
    assert [one["ci95"] for one in few.data["places"]] == [None, None]
    assert few.rows[0][1] == "+9.00" and any("fewer than 5" in note for note in few.notes)
    assert all(one["ci95"] for one in enough.data["places"])
    assert not any("fewer than 5" in note for note in enough.notes)


def test_only_items_with_the_criteria_of_the_mean_total_count():
    whole = [judged(JUDGE, f"q{k}", ["a", "b"], by_place) for k in range(6)]
    short = [
        replace(one, item=f"s{k}", scores={"correctness": one.scores["correctness"]}) for k, one in enumerate(whole)
    ]
    only = section(report(whole)).data
    for verdicts in ([*whole, *short], [*short, *whole]):
        assert section(report(verdicts)).data == only
