"""Which is better: differences, probabilities, lengths."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from adjudge.core.judge import Judge
from adjudge.core.records import Verdict
from adjudge.report.beside.ranking import RANKED_MAX
from adjudge.report.build import build, build_with_rows
from adjudge.report.tables import Report
from tests.unit.report.beside.scripted import judged
from tests.unit.report.sample import comparison, state
from tests.unit.spec.rows import bundled

JUDGE = bundled("rag-answers")
CRITERIA = [criterion.name for criterion in JUDGE.scored]


def report(verdicts: list[Verdict], rows: list[str] | None = None) -> Report:
    if rows is None:
        return build(JUDGE, state(JUDGE, len(verdicts)), verdicts)
    return build_with_rows(JUDGE, state(JUDGE, len(verdicts)), zip(verdicts, rows, strict=True))


def ranking(made: Report) -> Any:
    return next(one for one in made.sections if one.name == "ranking")


def points(item: str, **totals: float) -> Verdict:
    """A verdict whose totals are these."""
    return comparison(item, {name: {who: total / 6 for who, total in totals.items()} for name in CRITERIA})


def test_a_candidate_that_is_surely_better_leads():
    draw = random.Random(1)
    given = [(draw.uniform(8, 12), draw.uniform(5, 9), draw.uniform(5, 9)) for _ in range(40)]
    made = report([points(f"q{k}", one=b, other=a, third=c) for k, (a, b, c) in enumerate(given)])
    data = ranking(made).data
    assert (data["leader"], data["n"], data["of"]) == ("other", 40, 40)
    assert next(iter(data["candidates"])) == "other"
    assert data["candidates"]["other"]["behind"] is None
    assert data["candidates"]["other"]["best"] > 0.99
    behind = data["candidates"]["one"]["behind"]
    test = stats.ttest_rel([a for a, _, _ in given], [b for _, b, _ in given])
    assert behind["ci95"] == pytest.approx(list(test.confidence_interval(0.95)), abs=1e-9)
    assert sum(one["best"] for one in data["candidates"].values()) == pytest.approx(1)
    assert not any("No candidate" in warning for warning in made.warnings)
    assert ranking(made).rows[0][:3] == ("1. other", "—", "> 99 %")


def test_only_items_with_every_candidate_count_whatever_their_order():
    whole = [points(f"q{k}", a=9 + k % 3, b=8 - k % 2, c=3) for k in range(6)]
    partly = [points(f"p{k}", a=1, b=9) for k in range(6)]
    for verdicts in ([*whole, *partly], [*partly, *whole], [*whole[:3], *partly, *whole[3:]]):
        data = ranking(report(verdicts)).data
        assert (data["n"], data["of"]) == (6, 12)
        assert data["candidates"]["a"]["total"] == pytest.approx(10)
    alone = ranking(report([points("q", a=1, b=2), points("p", a=1, c=2)]))
    assert (alone.rows, alone.data["n"], alone.data["leader"]) == ((), 0, None)


def test_one_item_names_nobody():
    made = report([points("q", a=9, b=1)])
    assert ranking(made).rows == ()
    assert ranking(made).data["candidates"]["a"]["best"] is None
    assert ranking(made).data["leader"] is None
    assert "1." in ranking(made).notes[0]


def test_equal_differences_in_few_items_are_no_certainty():
    data = ranking(report([points(f"q{k}", a=6 + k, b=5 + k) for k in range(5)])).data
    assert 0.8 < data["candidates"]["a"]["best"] < 0.99
    low, high = data["candidates"]["b"]["behind"]["ci95"]
    assert low < 0 < 1 < high


def test_more_candidates_than_can_be_drawn_for_are_said_to_be_too_many():
    names = {f"n{k}": float(k % 5) for k in range(RANKED_MAX + 1)}
    found = ranking(report([points(f"q{k}", **names) for k in range(3)]))
    assert found.rows == () and str(RANKED_MAX + 1) in found.notes[0]


def test_totals_over_fewer_criteria_do_not_mix():
    full = [points(f"q{k}", a=9, b=6 + k % 2) for k in range(5)]
    short = comparison("s", {"correctness": {"a": 0.0, "b": 5.0}})
    data = ranking(report([*full, short])).data
    assert (data["n"], data["of"]) == (5, 6)
    assert data["candidates"]["a"]["total"] == pytest.approx(9)


def rows(lengths: list[dict[str, int]]) -> list[str]:
    return [
        json.dumps(
            {"id": f"q{k}", "question": "?", "sources": ["s"], "answers": {who: "x" * n for who, n in one.items()}}
        )
        for k, one in enumerate(lengths)
    ]


def lengths_and_totals(n: int, worth: float) -> tuple[list[Verdict], list[str]]:
    draw = random.Random(4)
    lengths = [{who: draw.randint(50, 500) for who in "abc"} for _ in range(n)]
    verdicts = [
        points(f"q{k}", **{who: 7 + worth * size / 100 + draw.uniform(-1, 1) for who, size in one.items()})
        for k, one in enumerate(lengths)
    ]
    return verdicts, rows(lengths)


@pytest.mark.parametrize(("worth", "word"), [(1.0, "Longer"), (-1.0, "Shorter")])
def test_a_judge_that_goes_by_length_is_found_out(worth, word):
    made = report(*lengths_and_totals(30, worth))
    length = ranking(made).data["length"]
    assert worth * length["correlation"]["mean"] > 0.8
    assert worth * length["per_doubling"]["mean"] > 0
    assert length["n"] == 30
    assert any(warning.startswith(f"{word} answers were judged better") for warning in made.warnings)
    assert 200 < ranking(made).data["candidates"]["a"]["length"] < 350


def test_a_judge_that_does_not_is_not_accused():
    made = report(*lengths_and_totals(30, 0.0))
    low, high = ranking(made).data["length"]["correlation"]["ci95"]
    assert low < 0 < high
    assert not any("answers were judged better" in warning for warning in made.warnings)


def test_without_rows_there_is_no_length():
    data = ranking(report(lengths_and_totals(5, 1.0)[0])).data
    assert data["length"] == {
        "n": 0,
        "correlation": {"mean": None, "ci95": None},
        "per_doubling": {"mean": None, "ci95": None},
    }


def test_the_seed_of_the_run_decides_the_draws():
    verdicts = [points(f"q{k}", a=6 + k % 4, b=7 - k % 3) for k in range(9)]
    once, again = ranking(report(verdicts)).data, ranking(report(verdicts)).data
    assert once == again
    made = state(JUDGE, 9)
    other = ranking(build(JUDGE, replace(made, run=replace(made.run, seed=1)), verdicts)).data
    one, two = once["candidates"]["a"]["best"], other["candidates"]["a"]["best"]
    assert one != two and one == pytest.approx(two, abs=0.03)


def low_is_good() -> Judge:
    scored = [replace(one, scale=replace(one.scale, better="lower")) if one.scale else one for one in JUDGE.criteria]
    return replace(JUDGE, criteria=tuple(scored))


def test_where_low_is_good_the_lowest_leads():
    judge = low_is_good()
    draw = random.Random(5)

    def rule(criterion: str, name: str, place: int) -> float:
        return draw.choice((0, 1, 2)) if name == "a" else draw.choice((2, 3, 4))

    verdicts = [judged(judge, f"q{k}", ["b", "a"], rule) for k in range(30)]
    made = build(judge, state(judge, 30), verdicts)
    data = ranking(made).data
    assert data["leader"] == "a"
    assert data["candidates"]["b"]["behind"]["mean"] > 3
    assert sum(one.wins for one in made.candidates if one.name == "a") > 15


def test_where_low_is_good_what_is_judged_better_has_lower_totals():
    judge, (verdicts, stored) = low_is_good(), lengths_and_totals(30, -1.0)
    made = build_with_rows(judge, state(judge, 30), zip(verdicts, stored, strict=True))
    assert ranking(made).data["length"]["correlation"]["mean"] > 0.8
    assert any(warning.startswith("Longer answers were judged better") for warning in made.warnings)


def test_totals_that_rest_on_no_score_are_not_ranked():
    made = report([replace(points(f"q{k}", one=9.0, other=8.0), scores={}) for k in range(3)])
    assert not [one for one in made.sections if one.name == "ranking"]


def test_of_few_items_it_is_not_said_which_is_probably_best():
    few, enough = (report([points(f"q{k}", a=9 + k % 2, b=5) for k in range(n)]) for n in (4, 5))
    assert [row[2] for row in ranking(few).rows] == ["—", "—"]
    assert ranking(few).data["leader"] is None
    assert any("fewer than 5" in note for note in ranking(few).notes)
    assert not any("No candidate" in warning for warning in few.warnings)
    assert "—" not in [row[2] for row in ranking(enough).rows]
    assert not any("fewer than 5" in note for note in ranking(enough).notes)


def test_an_order_that_is_not_that_of_the_top_table_is_said_to_be_so():
    both = [points(f"q{k}", a=9 + k % 2, b=8) for k in range(6)]
    made = report([*both, *(points(f"p{k}", b=20) for k in range(6))])
    assert [one.name for one in made.ranking] == ["b", "a"]
    assert ranking(made).rows[0][0] == "1. a"
    assert any("not that of the table at the top" in note for note in ranking(made).notes)
    assert not any("table at the top" in note for note in ranking(report(both)).notes)


def test_equal_candidates_share_a_rank_and_none_leads():
    level = [points(f"q{k}", bad=9 + k % 2, good=9 + k % 2, best=10 - k % 2) for k in range(6)]
    made = report(level)
    assert [row[0] for row in ranking(made).rows] == ["1. bad", "1. best", "1. good"]
    told = "bad, best, good are level: none can be told to be the best."
    assert told in made.warnings and not any("leads" in warning for warning in made.warnings)
    other = report([points(f"q{k}", a=9 + k % 2, b=9 + k % 2, c=3 + k % 2, d=4 - k % 2) for k in range(6)])
    assert [row[0] for row in ranking(other).rows] == ["1. a", "1. b", "3. c", "3. d"]
    assert any(warning.startswith("a, b are level") for warning in other.warnings)
    assert not any("not that of the table" in note for note in ranking(other).notes)


def test_the_dust_of_sums_is_no_lead():
    made = report([points(f"q{k}", a=(0.1, 0.2, 0.3)[k % 3], b=(0.3, 0.2, 0.1)[k % 3]) for k in range(9)])
    assert [row[0] for row in ranking(made).rows] == ["1. a", "1. b"]
    assert ranking(made).rows[0][1] == "—"


def test_level_candidates_are_told_in_russian_too():
    judge = bundled("rag-answers", "ru")
    made = build(judge, state(judge, 6), [points(f"q{k}", a=9 + k % 2, b=9 + k % 2) for k in range(6)])
    assert "a, b наравне: нельзя сказать, кто из них лучший." in made.warnings


def test_where_level_candidates_differ_over_all_items_the_order_is_no_other():
    both = [points(f"q{k}", a=9, b=9, c=8 - k % 2) for k in range(6)]
    made = report([*both, *(points(f"p{k}", b=20) for k in range(6))])
    assert not any("table at the top" in note for note in ranking(made).notes)
