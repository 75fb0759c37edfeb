"""Arithmetic is code; a figure that the model states is only compared with it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.judge import Derived
from adjudge.core.records import Opinion, Score
from adjudge.core.scale import Scale
from adjudge.reply.combine import combine
from adjudge.reply.derive import contradictions, derive, judged_by_all, separable
from adjudge.reply.read import Expected, read
from tests.unit.reply.judges import ANSWERS, SEARCH, SUMMARY, judge, rating
from tests.unit.spec.rows import bundled

MIXED = judge(
    "single",
    (rating("good"), rating("bad", Scale(min=0, max=3, better="lower"))),
    {},
    (Derived(name="share", operation="percent", of=("good", "bad")),),
)
LOWEST = replace(
    ANSWERS,
    criteria=tuple(
        replace(one, scale=Scale(min=0, max=5, better="lower")) if one.scale else one for one in ANSWERS.criteria
    ),
)


def totals(scores: dict[str, Any]) -> dict[str, Any]:
    return derive(ANSWERS, scores)


def test_a_mean_is_over_what_was_judged():
    assert derive(SUMMARY, {"coverage": 1, "accuracy": 2, "coherence": 4}) == {"average_score": 7 / 3}
    assert derive(SUMMARY, {"coverage": 1, "accuracy": 2}) == {"average_score": 1.5}
    assert derive(SUMMARY, {}) == {"average_score": None}


def test_a_percentage_counts_from_worst_to_best():
    assert derive(MIXED, {"good": 5, "bad": 0}) == {"share": 100}
    assert derive(MIXED, {"good": 1, "bad": 3}) == {"share": 0}
    assert derive(MIXED, {"good": 3, "bad": 0}) == {"share": 75}


def test_a_sum_and_its_winner():
    found = totals({"correctness": {"A": 5, "B": 4}, "depth": {"A": 1, "B": 3}})
    assert found == {"total": {"A": 6, "B": 7}, "winner": {"winner": "B", "tied": []}}


def test_where_low_is_good_the_lowest_total_wins():
    found = derive(LOWEST, {"correctness": {"A": 5, "B": 4}, "depth": {"A": 1, "B": 3}})
    assert found["winner"] == {"winner": "A", "tied": []}


def test_the_highest_percentage_wins_though_low_is_good_on_its_criteria():
    shares = replace(
        LOWEST,
        derived=tuple(replace(one, operation="percent") if one.operation == "sum" else one for one in LOWEST.derived),
    )
    found = derive(shares, {"correctness": {"A": 5, "B": 4}, "depth": {"A": 1, "B": 3}})
    assert found["total"] == {"A": 40, "B": 30}
    assert found["winner"] == {"winner": "A", "tied": []}


@pytest.mark.parametrize(("one", "behind"), [(ANSWERS, 1.0), (LOWEST, -1.0)])
def test_a_leader_is_separable_who_is_never_behind(one, behind):
    ahead, equal, worse = ({"total": {"A": 5.0, "B": 5.0 + step * behind}} for step in (-1, 0, 1))
    assert separable(one, "total", "A", [ahead, equal])
    assert not separable(one, "total", "A", [ahead, worse])
    assert separable(one, "total", "A", [{"total": None}, {}, {"total": {"B": 9.0}}, ahead])


def test_equals_are_tied_and_nobody_wins():
    found = totals({"correctness": {"A": 2, "B": 3, "C": 1}, "depth": {"A": 3, "B": 2, "C": 0}})
    assert found["winner"] == {"winner": None, "tied": ["A", "B"]}


def test_float_noise_breaks_no_tie():
    scores = {"correctness": {"A": 0.1 + 0.2, "B": 0.3}, "depth": {"A": 0, "B": 0}}
    assert totals(scores)["total"]["A"] != totals(scores)["total"]["B"]
    assert totals(scores)["winner"] == {"winner": None, "tied": ["A", "B"]}


def test_totals_are_over_the_same_criteria_for_every_candidate():
    found = totals({"correctness": {"A": 2, "B": 3}, "depth": {"A": 5}})
    assert found["total"] == {"A": 2, "B": 3}
    assert found["winner"] == {"winner": "B", "tied": []}
    assert judged_by_all(ANSWERS, {"correctness": {"A": 2, "B": 3}, "depth": {"A": 5}}) == ["correctness"]


def test_without_a_common_criterion_there_is_no_total():
    assert totals({"correctness": {"A": 2}, "depth": {"B": 5}}) == {
        "total": None,
        "winner": {"winner": None, "tied": []},
    }


COMPUTED = {"total": {"A": 6, "B": 7}, "winner": {"winner": "B", "tied": []}}
DRAW = {"total": {"A": 6, "B": 6, "C": 1}, "winner": {"winner": None, "tied": ["A", "B"]}}


@pytest.mark.parametrize(
    ("stated", "computed", "flags"),
    [
        ({"total": {"A": 6, "B": 7}, "winner": "B"}, COMPUTED, []),
        ({"total": {"A": 6, "B": 8}}, COMPUTED, ["stated_total_differs"]),
        ({"total": {"A": 6}}, COMPUTED, []),
        ({"total": {"A": "6 points"}}, COMPUTED, []),
        ({"total": {"A": "7"}}, COMPUTED, ["stated_total_differs"]),
        ({"total": {"A": float("nan")}}, COMPUTED, ["stated_total_differs"]),
        ({"winner": "A"}, COMPUTED, ["stated_winner_differs"]),
        ({"winner": None}, COMPUTED, []),
        ({"winner": "A"}, DRAW, ["stated_winner_differs"]),
        ({"winner": "C"}, DRAW, ["stated_winner_differs"]),
        ({"winner": "a draw"}, DRAW, []),
        ({"average_score": 2.3}, {"average_score": 7 / 3}, []),
        ({"average_score": 2.5}, {"average_score": 7 / 3}, ["stated_average_score_differs"]),
        ({"average_score": "2,33"}, {"average_score": 7 / 3}, []),
        ({"average_score": True}, {"average_score": 3}, []),
        ({"average_score": 3}, {"average_score": None}, []),
        ({"quality": 80}, {"quality": 80.4}, []),
        ({"quality": "80%"}, {"quality": 80.4}, []),
        ({"quality": 82}, {"quality": 80.4}, ["stated_quality_differs"]),
        ({"unknown": 3}, {"average_score": 1}, []),
    ],
)
def test_a_stated_figure_is_compared(stated, computed, flags):
    assert list(contradictions(ANSWERS, stated, computed)) == flags


def test_wrong_totals_change_nothing_but_a_flag():
    """Promise 15: 1,000 replies with the wrong total, winner or mean."""
    draw = random.Random("wrong totals")
    names = ("M1", "M2", "M3")
    rag = bundled("rag-answers")
    expected = Expected(labels={"X1": "M2", "X2": "M3", "X3": "M1"})
    for number in range(1000):
        scores: dict[str, Any] = {
            criterion.name: {label: {"score": draw.randint(0, 5), "justification": "j"} for label in expected.labels}
            for criterion in rag.scored
        }
        truth = {label: sum(per[label]["score"] for per in scores.values()) for label in expected.labels}
        reply: dict[str, Any] = {"scores": scores, "conclusion": "c"}
        plain = verdict(rag, reply, expected, names)
        assert plain.flags == ()
        wrong = {label: total + draw.choice([-7, -1, 1, 30]) for label, total in truth.items()}
        stated = {"totals": wrong, "winner": min(truth, key=truth.__getitem__), "tied": []}
        lying = verdict(rag, {**reply, **stated}, expected, names)
        assert set(lying.flags) <= {"stated_total_differs", "stated_winner_differs"}, number
        assert "stated_total_differs" in lying.flags
        assert replace(lying, flags=()) == plain
        assert plain.derived["total"] == {expected.labels[label]: total for label, total in truth.items()}


def verdict(judge: Any, reply: dict[str, Any], expected: Expected, names: tuple[str, ...]) -> Any:
    (opinion,) = read(judge, json.dumps(reply), expected).opinions.values()
    return combine(judge, "i", [opinion], sources=(), candidates=names)


def test_a_stated_score_of_claims_is_only_compared():
    scores = {name: {"": Score(value=value, reason="r")} for name, value in
              (("hallucination", 1), ("quality", 50), ("relevancy", 3))}  # fmt: skip
    honest = Opinion(scores=scores, stated={"hallucination": 1, "quality": 50})
    lying = Opinion(scores=scores, stated={"hallucination": 0, "quality": 90})
    first, second = (combine(SEARCH, "i", [one], sources=()) for one in (honest, lying))
    assert second.flags == ("stated_hallucination_differs", "stated_quality_differs")
    assert replace(second, flags=()) == first
