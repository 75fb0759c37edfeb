"""Systems compared: means, paired differences against scipy, warnings, and bounds."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from scipy import stats

from adjudge.core.judge import Field
from adjudge.core.records import Failure, Verdict
from adjudge.report.beside import systems as module
from adjudge.report.beside.row import Row
from adjudge.report.beside.systems import Systems
from tests.unit.report import sample

JUDGE = replace(
    sample.single(), fields=(*sample.single().fields, Field(name="system", type="name", role="system", required=False))
)


def verdict(item, coverage, accuracy=4.0, hallucination=0.0):
    scores = {"coverage": coverage, "accuracy": accuracy, "hallucination": hallucination}
    derived = {"average_score": (coverage + accuracy) / 2}
    return Verdict(item=item, scores=scores, reasons={}, derived=derived, native={})


def compared(rows, judge=JUDGE):
    """Rows are source, system and coverage; no coverage is a failure."""
    found = Systems(judge, sample.state(judge, len(rows)))
    for number, (source, system, coverage) in enumerate(rows):
        body = {"content": source, "text": "t", **({"system": system} if system else {})}
        outcome = (
            verdict(str(number), coverage)
            if coverage is not None
            else Failure(item=str(number), kind="timeout", stage="ask", message="")
        )
        found.add(outcome, Row(judge, json.dumps(body)))
    return found


def paired(n=40, gap=0.5):
    draw = random.Random(2)
    rows = []
    for source in range(n):
        level = draw.uniform(2, 4)
        rows += [(f"s{source}", "good", level + gap), (f"s{source}", "bad", level + draw.gauss(0, 0.3))]
    return rows


def test_differences_are_those_of_a_paired_test_over_sources():
    rows = paired()
    section = compared(rows).section()
    good = [value for _, system, value in rows if system == "good"]
    bad = [value for _, system, value in rows if system == "bad"]
    theirs = stats.ttest_rel(bad, good).confidence_interval(0.95)
    one = section.data["differences"]["coverage"]["from"]["bad"]
    assert section.data["differences"]["coverage"]["best"] == "good"
    assert one["ci95"] == pytest.approx([theirs.low, theirs.high], abs=1e-9)
    assert (one["n"], one["apart"]) == (40, True)
    mean = section.data["differences"]["average_score"]["from"]["bad"]["mean"]
    assert mean == pytest.approx(one["mean"] / 2), "the derived value follows"
    assert section.data["systems"]["bad"]["criteria"]["coverage"]["mean"] == pytest.approx(sum(bad) / 40)
    assert section.data["sources"] == {"seen": 40, "by_all": 40, "sampled": False}
    assert list(compared(rows).warnings()) == []


@pytest.mark.parametrize(("lang", "said"), [("en", "tests them together"), ("ru", "проверяет их вместе")])
def test_words_on_single_intervals_lead_to_the_tests_together(lang, said):
    section = compared(paired(), replace(JUDGE, lang=lang)).section()
    assert any(said in note and "adjudge compare RUN" in note for note in section.notes)


def test_an_interval_that_holds_0_tells_nothing_apart():
    section = compared(paired(gap=0.02)).section()
    assert section.data["differences"]["coverage"]["from"].popitem()[1]["apart"] is False
    assert "can't be told apart" in {row[4] for row in section.rows}


def test_where_low_is_good_the_lowest_is_best():
    found = Systems(JUDGE, sample.state(JUDGE, 40))
    for number in range(40):
        system, fault = ("a", 2.0) if number % 2 else ("b", float(number % 4 == 0))
        row = Row(JUDGE, json.dumps({"content": f"s{number // 2}", "text": "t", "system": system}))
        found.add(verdict(str(number), 3.0, hallucination=fault), row)
    section = found.section()
    assert section is not None
    assert section.data["differences"]["hallucination"]["best"] == "b"
    assert section.columns[-1] == "Hallucination"
    assert {row[0]: row[-1] for row in section.rows} == {"a": "2.00*", "b": "0.50"}, "a is told apart from the best"


def test_a_line_for_each_system_and_all_criteria_in_it():
    section = compared(paired()).section()
    assert section.columns[:2] == ("System", "Average score, 95 %")
    assert section.columns[5:] == ("Coverage", "Accuracy", "Hallucination")
    assert [row[0] for row in section.rows] == ["good", "bad"], "the best first"
    assert [row[4] for row in section.rows] == ["best mean", "worse"]
    assert section.rows[1][5].endswith("*") and section.rows[1][6:] == ("4.00", "0.00")


def test_one_system_or_none_is_no_comparison():
    assert compared([("s", "a", 3.0)] * 3).section() is None
    assert compared([("s", "", 3.0)] * 3).section() is None
    assert Systems(sample.single(), sample.state(sample.single(), 1)).section() is None
    assert Systems(sample.compare(), sample.state(sample.compare(), 1)).section() is None


def test_different_sources_are_warned_of():
    found = compared([("s1", "a", 3.0), ("s2", "b", 4.0), ("s3", "a", 4.0), ("s3", "b", 3.0), ("s4", "", 1.0)])
    (warning,) = found.warnings()
    assert "only 1 of 3" in warning
    assert any("1 rows name no system" in note for note in found.section().notes)


def test_failures_count_in_n_of_n_alone():
    section = compared([("s1", "a", 3.0), ("s1", "b", 4.0), ("s2", "a", None), ("s2", "b", 2.0)]).section()
    assert section.data["systems"]["a"]["of"] == 2
    assert section.data["systems"]["a"]["criteria"]["coverage"]["n"] == 1
    assert section.data["differences"]["coverage"]["from"]["b"]["n"] == 1


def test_a_share_of_the_sources_is_paired_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(module, "PAIRS_MAX", 60)
    rows = paired(200)
    one, other = compared(rows).section(), compared(rows[::-1]).section()
    assert one.data == other.data, "whatever the order of the rows"
    assert one.data["sources"]["sampled"] and 0 < one.data["sources"]["seen"] <= 30
    assert one.data["systems"]["bad"]["criteria"]["coverage"]["n"] == 200, "means are over all"


def test_names_without_end_are_no_systems():
    section = compared([(f"s{n}", f"system {n}", 3.0) for n in range(300)]).section()
    assert section.rows == () and section.notes


def test_the_same_source_again_weighs_once():
    rows = [("s1", "a", 1.0), ("s1", "a", 3.0), ("s1", "b", 4.0), ("s2", "a", 2.0), ("s2", "b", 4.0)]
    one = compared(rows).section().data["differences"]["coverage"]["from"]["a"]
    assert (one["n"], one["mean"]) == (2, -2.0)


def test_the_order_of_the_rows_decides_not_even_the_order_of_names():
    rows = [(f"s{source}", system, 3.0) for source in range(4) for system in ("b", "c", "a")]
    rows += [("s1", "a", 1.1), ("s1", "a", 2.3), ("s1", "a", 4.7), ("s1", "a", 0.1)]  # sums of which differ by order
    one, other = compared(rows).section(), compared(rows[::-1]).section()
    assert json.dumps(one.data) == json.dumps(other.data) and one.rows == other.rows


def test_systems_of_which_nothing_was_judged_are_not_compared():
    found = Systems(JUDGE, sample.state(JUDGE, 4))
    for number, system in enumerate(("a", "a", "b", "b")):
        row = Row(JUDGE, json.dumps({"content": f"s{number}", "text": "t", "system": system}))
        found.add(Verdict(item=str(number), scores={}, reasons={}, derived={}, native={}), row)
    assert found.section() is None
    assert list(found.warnings()) == []
