"""Questions as they are written, what outcomes have to say to them, and the rule that looks draw after draw."""

from __future__ import annotations

import math
from array import array

import pytest

import adjudge
from adjudge.core.errors import ConfigError
from adjudge.core.records import Failure, Outcome, Verdict
from adjudge.run.draws import Draws
from adjudge.run.until import Question, Stopping, check_sides, parse, value_of

SUMMARY = adjudge.load_judge("summary", lang="en")
ANSWERS = adjudge.load_judge("rag-answers", lang="en")


def verdict(**scores) -> Verdict:
    return Verdict(item="i", scores=scores, reasons={}, derived={}, native={})


FAILED = Failure(item="i", kind="timed_out", stage="ask", message="no answer")


@pytest.mark.parametrize(
    ("judge", "text", "spelled", "ends"),
    [
        (SUMMARY, "ci(coverage)<.10", "ci(coverage) < 0.1", (1, 5)),
        (SUMMARY, " ci ( average_score ) < 5e-2 ", "ci(average_score) < 0.05", (1, 5)),
        (SUMMARY, "ci(coverage) < 0.123456789", "ci(coverage) < 0.123456789", (1, 5)),
        (SUMMARY, "better(GPT 4.1, Mini)", "better(GPT 4.1, Mini, average_score)", (-4, 4)),
        (ANSWERS, "better(A,B)", "better(A, B, total)", (-30, 30)),
        (ANSWERS, "ci(total) < 1", "ci(total) < 1", (0, 30)),
        (ANSWERS, 'better("A, the first", "B (old)", clarity)', 'better("A, the first", "B (old)", clarity)', (-5, 5)),
        (ANSWERS, 'better(" A", B)', 'better(" A", B, total)', (-30, 30)),
    ],
)
def test_a_question_has_one_spelling(judge, text, spelled, ends):
    question = parse(text, judge)
    assert str(question) == spelled
    assert (question.low, question.high) == ends
    assert parse(spelled, judge) == question


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ci",
        "ci()",
        "ci(coverage) > 0.1",
        "ci(coverage) <",
        "ci(coverage) < 0.1 and more",
        "ci(coverage) < inf",
        "ci(coverage) < 0",
        "ci(coverage) < nan",
        "better(A)",
        "better(A, B, coverage, D)",
        'better("A, B)',
        "better(A, A)",
    ],
)
def test_anything_else_is_refused_with_what_can_be_asked(text):
    with pytest.raises(ConfigError) as caught:
        parse(text, SUMMARY)
    assert "--until" in str(caught.value) and "ci(CRITERION) < 0.1" in str(caught.value)


def test_sides_must_be_there_and_sources_must_not_share_a_batch():
    of_systems = parse("better(A, B)", SUMMARY)
    check_sides(of_systems, ["A", "B"], batched=False)
    check_sides(parse("ci(coverage) < 0.1", SUMMARY), [], batched=True)
    with pytest.raises(ConfigError, match="no system `B`"):
        check_sides(of_systems, ["A", "C"], batched=False)
    with pytest.raises(ConfigError, match="a batch holds rows of several"):
        check_sides(of_systems, ["A", "B"], batched=True)


def test_what_an_outcome_has_to_say():
    known, sides = parse("ci(coverage) < 0.1", SUMMARY), parse("better(A, B, clarity)", ANSWERS)
    assert value_of(known, verdict(coverage=4)) == 4
    assert math.isnan(value_of(known, verdict(accuracy=4)))
    assert math.isnan(value_of(known, FAILED))
    assert value_of(sides, verdict(clarity={"A": 4, "B": 2.5, "C": 1})) == 1.5
    assert math.isnan(value_of(sides, verdict(clarity={"A": 4})))
    assert math.isnan(value_of(sides, verdict(clarity=3)))
    assert math.isnan(value_of(sides, FAILED))
    # over all candidates, as the report's mean is
    assert value_of(parse("ci(clarity) < 0.1", ANSWERS), verdict(clarity={"A": 4, "B": 1})) == 2.5
    # nobody can make a number of true, of a text, or of what is no number
    assert math.isnan(value_of(known, verdict(coverage=True))) and math.isnan(value_of(known, verdict(coverage="4")))
    assert math.isnan(value_of(known, verdict(coverage=math.inf)))


def singles(n: int) -> Draws:
    order = array("q", reversed(range(n)))
    return Draws(order, array("q", range(1, n + 1)), 1)


def test_an_item_counts_when_all_before_it_have_outcomes():
    stopping = Stopping(parse("ci(coverage) < 0.3", SUMMARY), singles(40))
    for place in range(39):  # the last of the dataset is the first drawn
        stopping.note(place, verdict(coverage=4))
        assert not stopping.look() and stopping.seen == 0
    stopping.note(39, verdict(coverage=4))
    assert stopping.look() and 0 < stopping.seen < 40
    answer = stopping.answer(7)
    assert answer.answered and answer.items == answer.counted == stopping.seen
    assert answer.mean == 4 and answer.interval[0] <= 4 <= answer.interval[1] and answer.calls == 7


def test_the_order_in_which_outcomes_come_decides_nothing():
    values = [3 + (place * 7) % 3 for place in range(60)]
    found = []
    for order in (range(60), reversed(range(60)), sorted(range(60), key=lambda place: place * 37 % 60)):
        stopping = Stopping(parse("ci(coverage) < 0.35", SUMMARY), singles(60))
        for place in order:
            stopping.note(place, verdict(coverage=values[place]))
            stopping.look()
        found.append(stopping.answer(0))
    assert found[0] == found[1] == found[2] and found[0].answered


def test_failures_are_no_values_and_the_last_item_leaves_no_doubt():
    stopping = Stopping(parse("ci(coverage) < 0.0001", SUMMARY), singles(6))
    outcomes: list[Outcome] = [verdict(coverage=5), FAILED, verdict(coverage=2), verdict(accuracy=1), FAILED]
    for place, outcome in enumerate(outcomes):
        stopping.note(place, outcome)
    assert not stopping.look()
    stopping.note(5, verdict(coverage=2))
    assert stopping.look()
    answer = stopping.answer(0)
    assert (answer.items, answer.counted, answer.mean) == (6, 3, 3.0)
    assert answer.interval == pytest.approx((3.0, 3.0), abs=1e-12)


@pytest.mark.parametrize(("name", "better"), [("coverage", "A"), ("worse_when_high", "B")])
def test_the_better_side_is_the_one_at_the_good_end(name, better):
    question = Question(name=name, sides=("A", "B"), low=-5, high=5, higher=name == "coverage")
    stopping = Stopping(question, singles(100))
    for place in range(100):
        stopping.note(place, verdict(**{name: {"A": 4 + place % 2, "B": 2}}))
    assert stopping.look()
    answer = stopping.answer(0)
    assert answer.better == better and answer.interval[0] > 0 and answer.items < 40


def test_sources_are_compared_by_what_both_systems_made_of_them():
    # three rows of a source: A, B, and another; in every fifth B is missing
    positions = array("q", range(90))
    sides = bytearray(place % 3 if place % 15 != 1 else 2 for place in range(90))
    draws = Draws(positions, array("q", range(3, 91, 3)), 1, sides)
    stopping = Stopping(parse("better(A, B)", SUMMARY), draws)
    for place in range(90):
        stopping.note(
            place, Verdict(item="", scores={}, reasons={}, derived={"average_score": 4 - place % 3}, native={})
        )
    assert stopping.look()
    answer = stopping.answer(0)
    assert answer.better == "A" and answer.mean == 1.0
    assert answer.items % 3 == 0 and answer.counted == answer.items // 3 - math.ceil(answer.items / 15)
