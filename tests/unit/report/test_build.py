"""What a report says of its outcomes."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from adjudge.core.records import Verdict
from adjudge.report.build import build
from adjudge.report.tables import Worst
from tests.unit.report.sample import compare, comparison, failure, seed_comparisons, single, state, summaries, verdict

MEASURE = {"mean", "ci95", "interval", "n", "of", "min", "max", "better"}
SCORES = MEASURE | {"sd", "histogram"}
TOP = {
    *("run", "status", "judge", "model", "signature", "items", "judged", "failed", "calls", "cached", "tokens"),
    *("cost_usd", "seconds", "criteria", "derived", "warnings", "report", "health"),
}


def scored(*values: float) -> list[Verdict]:
    return [verdict(f"i{n}", {"coverage": value, "accuracy": 3.0 + n % 2}) for n, value in enumerate(values)]


def warned(outcomes, items=None, judge=None, **changes) -> str:
    judge = judge or single()
    return "\n".join(build(judge, state(judge, items or len(outcomes), **changes), outcomes).warnings)


def test_means_are_over_what_was_judged():
    report = build(single(), state(single(), 12), summaries("en"))
    coverage = report.criteria[0]
    values = [3.0 + place % 3 for place in range(1, 11)] + [1.0]
    assert coverage.mean == pytest.approx(sum(values) / 11)
    assert (coverage.n, coverage.of) == (11, 12)
    assert coverage.histogram == (("1", 1), ("2", 0), ("3", 3), ("4", 4), ("5", 3))
    assert (report.judged, report.failed) == (11, 1)


def test_the_report_does_not_depend_on_the_order_of_outcomes():
    for judge, outcomes in ((single(), summaries("en")), (compare(), seed_comparisons("en"))):
        first = json.dumps(build(judge, state(judge, 12), outcomes).as_json())
        for seed in range(5):
            random.Random(seed).shuffle(outcomes)
            assert json.dumps(build(judge, state(judge, 12), iter(outcomes)).as_json()) == first


def test_json_has_the_shape_of_the_contract():
    shape = build(single(), state(single(), 12), summaries("en")).as_json()
    assert shape.keys() == TOP
    assert shape["criteria"]["coverage"].keys() == shape["derived"]["average_score"].keys() == SCORES
    assert shape["report"] is None
    assert shape["health"]["failures"] == {"no_verdict": 1}
    assert json.loads(json.dumps(shape, allow_nan=False)) == shape


def test_json_of_a_comparison_has_candidates():
    shape = build(compare(), state(compare(), 2), seed_comparisons("en")).as_json()
    assert shape.keys() == TOP | {"candidates", "beside"}
    assert shape["beside"].keys() == {"ranking"}
    assert list(shape["candidates"]) == ["ModelA", "ModelB", "ModelC"]
    one = shape["candidates"]["ModelB"]
    assert one.keys() == {"total", "wins", "ties", "not_separable", "win_rate", "criteria"}
    assert one["win_rate"].keys() == MEASURE
    assert all(measure.keys() == SCORES for measure in (one["total"], *one["criteria"].values()))
    assert (one["total"]["mean"], one["total"]["min"], one["total"]["max"]) == (13.0, 0, 15)


def test_a_tie_for_first_is_a_win_for_nobody():
    report = build(compare(), state(compare(), 2), seed_comparisons("en"))
    standing = {one.name: (one.wins, one.ties, one.win_rate.mean, one.win_rate.n) for one in report.candidates}
    assert standing == {"ModelA": (0, 1, 0.0, 2), "ModelB": (1, 1, 0.5, 2), "ModelC": (0, 0, 0.0, 2)}
    assert [one.name for one in report.ranking] == ["ModelB", "ModelA", "ModelC"]


def test_a_leader_that_is_not_separable_has_won_nothing():
    decided, tied = seed_comparisons("en")
    report = build(compare(), state(compare(), 2), [replace(decided, flags=("not_separable",)), tied])
    standing = {one.name: (one.wins, one.ties, one.not_separable, one.win_rate.mean) for one in report.candidates}
    assert standing == {"ModelA": (0, 1, 0, 0.0), "ModelB": (0, 1, 1, 0.0), "ModelC": (0, 0, 0, 0.0)}
    assert report.as_json()["candidates"]["ModelB"]["not_separable"] == 1


def test_a_criterion_of_a_comparison_counts_an_item_once():
    report = build(compare(), state(compare(), 2), seed_comparisons("en"))
    correctness = report.criteria[0]
    assert correctness.n == 2
    assert correctness.mean == pytest.approx((4.0 + 3.5) / 2)
    assert sum(count for _, count in correctness.histogram) == 6


def test_a_total_spans_only_what_was_judged():
    outcome = comparison("q", {"correctness": {"A": 1.0, "B": 2.0}, "completeness": {"A": 1.0, "B": 2.0}})
    report = build(compare(), state(compare(), 1), [outcome])
    assert report.candidates[0].total.max == 10
    assert report.criteria[2].mean is None


def test_a_fault_that_no_score_counts_is_among_the_worst():
    fault = {"criterion": "coverage", "candidate": "", "kind": "omitted", "reason": "Half is gone.", "against": True}
    found = [(), ({**fault, "against": False},), ({**fault, "criterion": "accuracy"},), (fault, fault)]

    def worst(first: float) -> tuple[Worst, ...]:
        scores = [{"accuracy": value} for value in (first, 5.0, 5.0, 5.0)]
        pairs = enumerate(zip(scores, found, strict=True), 1)
        outcomes = [replace(verdict(f"s-{n}", given), findings=seen) for n, (given, seen) in pairs]
        return build(single(), state(single(), 4), outcomes).worst

    (noted,) = worst(5.0)
    assert noted.item == "s-4"
    first = noted.remarks[0]
    assert (first.title, first.value, first.reason) == ("Coverage", None, "Half is gone.")
    assert [one.item for one in worst(4.0)] == ["s-4", "s-1"]


def test_worst_items_come_first_whichever_end_is_good():
    report = build(single(), state(single(), 12), summaries("en"))
    assert report.worst[0].item == "s-11"
    assert next((one.title, one.value) for one in report.worst[0].remarks) == ("Coverage", 1.0)
    assert len(report.worst) == 10
    qualities = [one.quality for one in report.worst]
    assert qualities == sorted(qualities)


def test_the_worst_are_found_among_many():
    many = [verdict(f"i{n:04}", {"coverage": 5.0, "accuracy": 5.0}) for n in range(1000)]
    many.insert(3, verdict("low", {"coverage": 1.0, "accuracy": 5.0}))
    assert build(single(), state(single(), 1001), many).worst[0].item == "low"


def test_failures_are_grouped_with_a_few_examples():
    outcomes = [failure(f"i{n}", "timed_out", "late") for n in range(9)] + [failure("x")]
    groups = build(single(), state(single(), 10), outcomes).failures
    assert [(group.kind, group.count, len(group.examples)) for group in groups] == [
        ("timed_out", 9, 3),
        ("no_verdict", 1, 1),
    ]


def test_a_figure_that_is_no_number_is_not_a_score():
    broken = [verdict("a", {"coverage": float("nan"), "accuracy": True}), verdict("b", {"coverage": 2.0})]
    report = build(single(), state(single(), 2), broken)
    assert [(one.n, one.mean) for one in report.criteria] == [(1, 2.0), (0, None), (0, None)]


def test_wide_scales_are_counted_in_bands():
    from dataclasses import replace

    from adjudge.core.judge import Criterion
    from adjudge.core.scale import Scale

    percent = Criterion(name="coverage", kind="questions", title="Quality", scale=Scale(min=0, max=100, unit="%"))
    judge = replace(single(), criteria=(percent,), derived=())
    outcomes = [verdict(f"i{n}", {"coverage": value}) for n, value in enumerate((0.0, 9.4, 9.5, 55.0, 90.0, 100.0))]
    (measure,) = build(judge, state(judge, 6), outcomes).criteria
    assert [label for label, _ in measure.histogram][:2] == ["0-9", "10-19"]
    assert [count for _, count in measure.histogram] == [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]


def test_warnings_say_what_weakens_the_figures():
    few = warned([*scored(1, 2, 3, 4, 5), failure("x")], items=8, cost_usd=None)
    for part in (
        "Few items (5)",
        "1 of 8 items failed",
        "2 of 8 items have no outcome",
        "adjudge resume",
        "cost is unknown",
    ):
        assert part in few
    assert "Nothing was judged" in warned([failure("x")])
    assert "Few items" not in warned(scored(*([1, 2, 3] * 10)))


def test_a_cost_of_cached_calls_is_not_unknown():
    assert "cost" not in warned(scored(1, 2, 3), calls=0, cached=3, cost_usd=None)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([5] * 18 + [4, 3], "Coverage: 90 % of scores are at 5, the best end"),
        ([1] * 19 + [2], "Coverage: 95 % of scores are at 1, the worst end"),
        ([4] * 5, "Coverage: all 5 scores are 4"),
    ],
)
def test_scores_that_tell_nothing_apart_are_named(values, said):
    assert said in warned(scored(*values))


@pytest.mark.parametrize("values", [[4] * 4, [5] * 8 + [1, 2]])
def test_scores_that_may_tell_something_are_not(values):
    text = warned(scored(*values))
    assert "Coverage: all" not in text
    assert "end of the scale" not in text


def test_what_was_not_judged_is_named_with_its_reason():
    outcomes = [verdict(f"i{n}", {"accuracy": 3.0 + n % 2}, reasons={"coverage": "no source"}) for n in range(3)]
    assert "Coverage: not judged. no source" in warned(outcomes)
    assert "Coverage: judged in 1 of 4 items. no source" in warned([*outcomes, *scored(2.0)[:1]])


def test_a_reason_that_differs_is_an_example_and_no_more():
    reasons = {"b": "nothing wrong", "a": "numbers are missing", "c": "nothing wrong", "d": ""}
    outcomes = [verdict(item, {"accuracy": 3.0}, reasons={"coverage": said}) for item, said in reasons.items()]
    said = "Coverage: not judged. The reasons differ; for example, a: numbers are missing"
    assert said in warned(outcomes).splitlines()
    assert said in warned(outcomes[::-1]).splitlines()
    assert "for example, b: nothing wrong" in warned([outcomes[0], outcomes[3]]), "the other has none"
    assert "Coverage: not judged. nothing wrong" in warned([outcomes[0], outcomes[2]])


def test_reasons_that_differ_within_one_item_are_not_said_to_differ_by_item():
    one = comparison("q", {"depth": {"A": 1.0, "B": 2.0}})
    told = replace(one, reasons={**one.reasons, "correctness": {"A": "no source", "B": "too short"}})
    said = "Correctness: not judged. The reasons differ; for example, q: too short"
    assert said in warned([told], judge=compare()).splitlines()


def test_unequal_coverage_of_candidates_is_named():
    pair = comparison("q1", {"correctness": {"A": 1.0, "B": 2.0}})
    alone = comparison("q2", {"correctness": {"A": 1.0}})
    said = warned([pair, alone], judge=compare())
    assert "not judged on the same items. Correctness, Total: A 2 of 2, B 1 of 2." in said
    assert "same items" not in warned([pair], judge=compare())


def test_the_criterion_of_unequal_coverage_is_named():
    whole = {"correctness": {"base": 1.0, "new": 2.0}, "completeness": {"base": 3.0, "new": 4.0}}
    partly = {"correctness": {"base": 1.0, "new": 2.0}, "completeness": {"new": 4.0}}
    said = warned([compared("q1", whole), compared("q2", partly)], judge=compare())
    assert "Completeness: base 1 of 2, new 2 of 2." in said
    assert "Correctness: base" not in said


def compared(item: str, scores) -> Verdict:
    """A comparison whose totals are made as the engine makes them: over what every candidate has."""
    from dataclasses import replace

    from adjudge.reply.derive import derive

    return replace(comparison(item, scores), derived=derive(compare(), scores))


def test_a_total_over_a_part_of_its_criteria_says_so():
    outcomes = [compared("q1", {"correctness": {"A": 5.0, "B": 4.0}})]
    report = build(compare(), state(compare(), 1), outcomes)
    assert "Total is over Correctness alone: nothing else of it was judged." in report.warnings


def test_totals_over_different_criteria_have_no_common_mean():
    whole = {name: {"A": 4.0, "B": 3.0} for name in ("correctness", "completeness")}
    partly = {"correctness": {"A": 5.0, "B": 5.0}, "completeness": {"A": 4.0}}
    outcomes = [compared("q1", whole), compared("q2", whole), compared("q3", partly)]
    report = build(compare(), state(compare(), 3), outcomes)
    total = report.candidates[0].total
    assert (total.mean, total.n, total.of, total.max) == (8.0, 2, 3, 10)
    assert (report.derived[0].mean, report.derived[0].n) == (7.0, 2)
    said = "Total: 1 of 3 items are left out of its mean, since a criterion was not judged there: Completeness (1)."
    wins = "Wins, ties and not separable are counted over the items of this mean."
    assert f"{said} {wins}" in report.warnings
    assert outcomes[2].derived["total"] == {"A": 5.0, "B": 5.0}
    assert [(one.wins, one.ties, one.win_rate.n) for one in report.candidates] == [(2, 0, 2), (0, 0, 2)]


def test_wins_are_over_the_items_of_the_mean_total_whatever_their_order():
    whole = {name: {"A": 4.0, "B": 3.0} for name in ("correctness", "completeness")}
    partly = {"correctness": {"A": 1.0, "B": 5.0}, "completeness": {"A": 4.0}}
    outcomes = [compared("q1", whole), *(compared(f"p{n}", partly) for n in range(3))]
    for given in (outcomes, outcomes[::-1]):
        report = build(compare(), state(compare(), 4), given)
        first, second = report.ranking
        assert (first.name, first.total.n, first.wins, first.win_rate.mean) == ("A", 1, 1, 1.0)
        assert (second.wins, second.win_rate.n, second.win_rate.of) == (0, 1, 4)
    assert outcomes[1].derived["winner"]["winner"] == "B", "the verdict of the item stays"


def test_where_no_item_has_all_criteria_the_largest_common_set_counts_and_is_named():
    pair = {"correctness": {"A": 4.0, "B": 3.0}, "completeness": {"A": 4.0, "B": 3.0}}
    lone = {"depth": {"A": 0.0, "B": 0.0}}
    outcomes = [compared("q1", pair), compared("q2", lone), compared("q3", lone)]
    report = build(compare(), state(compare(), 3), outcomes)
    total = report.candidates[0].total
    assert (total.mean, total.n, total.max) == (8.0, 1, 10)
    assert any("over the 1 of 3 items judged on: Correctness, Completeness." in one for one in report.warnings)


def test_a_criterion_that_no_item_has_for_every_candidate_is_in_no_total():
    uneven = {"correctness": {"A": 4.0, "B": 3.0}, "completeness": {"A": 4.0}}
    report = build(compare(), state(compare(), 2), [compared("q1", uneven), compared("q2", uneven)])
    total = report.candidates[0].total
    assert (total.mean, total.n, total.max) == (4.0, 2, 5)
    assert any("Its mean is over the 2 of 2 items judged on: Correctness." in one for one in report.warnings)


def test_a_mean_of_fewer_criteria_is_left_out_of_the_mean():
    outcomes = [*scored(2.0, 4.0), verdict("partly", {"accuracy": 5.0}), verdict("nothing", {"hallucination": 0})]
    report = build(single(), state(single(), 4), outcomes)
    (average,) = report.derived
    assert (average.mean, average.n) == (3.25, 2)
    assert any("2 of 4 items are left out" in one and "Coverage (2), Accuracy (1)" in one for one in report.warnings)


def test_a_criterion_that_no_item_has_leaves_nothing_out():
    report = build(single(), state(single(), 2), [verdict(f"i{n}", {"accuracy": 4.0}) for n in range(2)])
    assert report.derived[0].n == 2
    assert not any("left out" in one or "no item" in one for one in report.warnings)


@pytest.mark.parametrize(
    ("flips", "repeat", "said"), [(1, 1, ""), (2, 1, "order in which"), (2, 3, "repeat to repeat")]
)
def test_winners_that_follow_the_order_are_a_warning(flips, repeat, said):
    from dataclasses import replace

    outcomes = [comparison(f"q{n}", {"correctness": {"A": 1.0, "B": n % 3}}) for n in range(10)]
    flagged = [replace(one, flags=("order_flip",) if n < flips else ()) for n, one in enumerate(outcomes)]
    given = state(compare(), 10)
    warnings = build(compare(), replace(given, run=replace(given.run, repeat=repeat)), flagged).warnings
    found = [one for one in warnings if "order_flip" in one]
    assert bool(found) == bool(said)
    assert all(said in one and "2 of 10 comparisons" in one for one in found)


def test_a_batch_without_its_summary_says_so():
    from dataclasses import replace

    judge = replace(single(), layout="batch")
    assert "summary of all batches could not be made" in warned(scored(1, 2), judge=judge)
    assert "summary of all batches" not in warned(scored(1, 2), judge=judge, summary={"coverage": "x"})
    assert "summary of all batches" not in warned(scored(1, 2), items=3, judge=judge)
    assert "summary of all batches" not in warned(scored(1, 2))


def test_one_item_has_no_interval_to_call_wide():
    said = warned(scored(2))
    assert "there is no interval" in said
    assert "wide" not in said


def test_perfect_items_are_not_the_worst():
    perfect = [verdict(f"p{n}", {"coverage": 5.0, "accuracy": 5.0, "hallucination": 0}) for n in range(3)]
    assert build(single(), state(single(), 3), perfect).worst == ()
    bad = verdict("bad", {"coverage": 1.0, "accuracy": 1.0, "hallucination": 3})
    assert [one.item for one in build(single(), state(single(), 4), [*perfect, bad]).worst] == ["bad"]


def test_failed_examples_keep_the_order_of_the_dataset():
    outcomes = [failure(f"row {n}") for n in (9, 10, 11, 12)]
    (group,) = build(single(), state(single(), 4), outcomes).failures
    assert [item for item, _ in group.examples] == ["row 9", "row 10", "row 11"]


def test_warnings_stand_on_their_own():
    said = warned([*scored(1, 2), failure("x"), failure("y", "timed_out"), failure("z", "timed_out")])
    assert "3 of 5 items failed (timed_out 2, no_verdict 1) and count in no mean." in said
    assert "under" not in said


def test_warnings_speak_the_language_of_the_run():
    judge = single("ru")
    assert "Мало записей (11)" in warned(summaries("ru"), items=12, judge=judge)
