"""Who beats whom: strengths beside mean totals, winners of all pairs, circles."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from adjudge.core.records import Verdict
from adjudge.report.beside.strengths import ITEMS_MIN, MOST
from adjudge.report.html import html
from adjudge.report.tables import Report
from adjudge.report.text import text
from adjudge.stats.bradley_terry import strengths
from tests.hostile.test_report_hostile import PAYLOADS
from tests.unit.report.beside.test_ranking import CRITERIA, JUDGE, points, report
from tests.unit.report.sample import comparison


def beats(made: Report) -> Any:
    return next((one for one in made.sections if one.name == "strengths"), None)


def drawn(n: int = 30, seed: int = 1, **levels: float) -> list[Verdict]:
    draw = random.Random(seed)
    worth = [{name: level + draw.gauss(0, 3) for name, level in levels.items()} for _ in range(n)]
    return [points(f"q{number}", **one) for number, one in enumerate(worth)]


def totals(verdicts: list[Verdict]) -> list[dict[str, float]]:
    return [verdict.derived["total"] for verdict in verdicts]


def test_strengths_stand_beside_the_mean_totals():
    verdicts = drawn(a=15, b=18, c=21)
    made = report(verdicts)
    section, worth = beats(made), totals(verdicts)
    direct = strengths(np.array([[one[name] for name in "abc"] for one in worth]))
    assert direct is not None
    for place, name in enumerate("abc"):
        found = section.data["candidates"][name]
        assert found["total"] == pytest.approx(sum(one[name] for one in worth) / 30, abs=1e-12)
        assert found["strength"] == {"mean": direct.log[place], "ci95": [direct.low[place], direct.high[place]]}
        chances = 1 / (1 + np.exp(-np.array([direct.log[place], direct.low[place], direct.high[place]])))
        assert [found["beats"]["mean"], *found["beats"]["ci95"]] == pytest.approx(chances.tolist(), abs=1e-12)
        assert found["better"] == direct.wins[place].sum() and found["n"] == 30
    assert list(section.data["candidates"]) == ["c", "b", "a"]
    assert (section.data["condorcet"], section.data["cycles"]) == ("c", [])
    assert [row[0] for row in section.rows] == ["1. c", "2. b", "3. a"]
    assert section.rows[0][2].endswith("]") and "%" in section.rows[0][2]
    assert "c is better than each other candidate" in section.notes[1]


def test_candidates_that_never_stood_in_one_item_together_are_ranked():
    draw, worth = random.Random(2), {"a": 20.0, "b": 17.0, "c": 14.0, "d": 11.0}
    pairs = [draw.sample(sorted(worth), 2) for _ in range(60)]
    made = report(
        [points(f"q{k}", **{who: worth[who] + draw.gauss(0, 2) for who in pair}) for k, pair in enumerate(pairs)]
    )
    assert list(beats(made).data["candidates"]) == ["a", "b", "c", "d"]
    assert beats(made).data["n"] == 60
    ranking = next(one for one in made.sections if one.name == "ranking")
    assert ranking.data["n"] == 0


def test_majorities_in_a_circle_are_shown():
    ways = [{"a": 3, "b": 2, "c": 1}, {"b": 3, "c": 2, "a": 1}, {"c": 3, "a": 2, "b": 1}]
    made = report([points(f"q{k}", **ways[k % 3]) for k in range(12)])
    section = beats(made)
    assert (section.data["condorcet"], section.data["cycles"]) == (None, [["a", "b", "c"]])
    assert "No candidate is better than each other one" in section.notes[1]
    (told,) = [warning for warning in made.warnings if "circle" in warning]
    assert "a beats b 8:4, b beats c 8:4, c beats a 8:4" in told
    assert told.split()[0] in text(made, width=80)


def test_another_order_by_mean_totals_is_told():
    # a is better by a little in most questions, b by much in few
    made = report([points(f"q{k}", a=10, b=9 if k % 3 else 25, c=2) for k in range(12)])
    assert next(iter(beats(made).data["candidates"])) == "a"
    assert any("the order is another" in note for note in beats(made).notes)
    assert not any("the order is another" in note for note in beats(report(drawn(a=5, b=15, c=25))).notes)


def test_equal_strengths_are_in_the_order_of_mean_totals():
    # a and b are better than one another equally often, b by more
    made = report([points(f"q{k}", a=10 if k % 2 else 4, b=9 if k % 2 else 20, c=2) for k in range(12)])
    assert [row[0] for row in beats(made).rows] == ["1. b", "2. a", "3. c"]
    assert not any("the order is another" in note for note in beats(made).notes)


def test_candidates_that_are_equal_in_all_share_a_rank():
    made = report([points(f"q{k}", a=9 + k % 2, b=9 + k % 2, c=9 + k % 2, d=1) for k in range(12)])
    assert [row[0] for row in beats(made).rows] == ["1. a", "1. b", "1. c", "4. d"]
    assert not any("the order is another" in note for note in beats(made).notes)


def test_two_candidates_few_items_and_too_many_candidates_have_no_such_table():
    assert beats(report(drawn(a=15, b=18))) is None
    assert beats(report(drawn(ITEMS_MIN - 1, a=15, b=18, c=20))) is None
    assert beats(report(drawn(ITEMS_MIN, a=15, b=18, c=20))) is not None
    many = {f"m{number}": 10.0 for number in range(MOST + 1)}
    assert beats(report([points("q", **many), *drawn(10, a=1, b=2, c=3)])) is None


def test_a_candidate_that_was_compared_with_nobody_has_no_strength():
    verdicts = [*drawn(10, a=15, b=18, c=21), points("alone", d=30.0)]
    section = beats(report(verdicts))
    assert list(section.data["candidates"]) == ["c", "b", "a"] and (section.data["n"], section.data["of"]) == (10, 11)
    fewer = [comparison(f"p{k}", {name: {"a": 5.0, "e": 1.0} for name in CRITERIA[:2]}) for k in range(5)]
    assert "e" not in beats(report([*verdicts, *fewer])).data["candidates"], "only on other criteria"
    assert beats(report([*drawn(10, a=15, b=18), points("alone", d=30.0)])) is None


def test_of_many_items_a_share_is_compared(monkeypatch):
    verdicts = drawn(400, a=15, b=18, c=21)
    whole = beats(report(verdicts)).data
    monkeypatch.setattr("adjudge.report.beside.strengths.TOTALS_MAX", 300)
    section = beats(report(verdicts))
    assert 10 < section.data["n"] == section.data["of"] <= 100
    assert section.data == beats(report(verdicts[::-1])).data, "by their ids"
    assert "These items were drawn by their ids from 400." in section.notes
    for name, found in section.data["candidates"].items():
        assert found["total"] == pytest.approx(whole["candidates"][name]["total"], abs=1.5)
        assert found["strength"]["mean"] == pytest.approx(whole["candidates"][name]["strength"]["mean"], abs=0.5)


def test_only_totals_over_the_same_criteria_compare():
    whole = drawn(10, a=15, b=18, c=21)
    fewer = [comparison(f"p{k}", {name: {"a": 5.0, "b": 1.0, "c": 1.0} for name in CRITERIA[:2]}) for k in range(5)]
    assert beats(report([*fewer, *whole])).data["candidates"] == beats(report(whole)).data["candidates"]


def test_the_order_of_rows_decides_nothing():
    verdicts = drawn(25, a=15, b=15.5, c=16, d=12)
    turned = beats(report(verdicts[::-1]))
    assert (turned.rows, dict(turned.data)) == (beats(report(verdicts)).rows, dict(beats(report(verdicts)).data))


@pytest.mark.parametrize("hostile", PAYLOADS)
def test_hostile_names_stay_text(hostile):
    ways = [{"a": 3, hostile: 2, "c": 1}, {hostile: 3, "c": 2, "a": 1}, {"c": 3, "a": 2, hostile: 1}]
    made = report([points(f"q{k}", **ways[k % 3]) for k in range(6)])
    assert beats(made).data["cycles"]
    page = "".join(html(made, [], {}, JUDGE))
    assert "<script>alert" not in page and "<svg onload" not in page and "<img src=x" not in page
    assert not {"\x1b", "\x00", "\u202e", "\x9b"} & {*page, *text(made, width=80)}
