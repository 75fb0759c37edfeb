"""The table of quotations: how many stand in the sources, by criterion and together."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from adjudge.core.records import Failure, Verdict
from adjudge.report.beside.evidence import Evidence, state_of
from adjudge.report.beside.row import Row
from adjudge.report.build import build
from adjudge.report.side_by_side import side_by_side
from adjudge.report.side_text import side_text
from tests.unit.report import sample

NO_ROW = Row(sample.single(), None)


def judged(**kinds: list[str]) -> Verdict:
    found = tuple({"criterion": name, "kind": kind, "reason": "q"} for name, own in kinds.items() for kind in own)
    return replace(sample.verdict("a", {"coverage": 3.0, "accuracy": 4.0}), findings=found)


def gathered(*verdicts: Verdict, lang: str = "en") -> Evidence:
    judge = sample.single(lang)
    table = Evidence(judge, sample.state(judge, len(verdicts)))
    for one in verdicts:
        table.add(one, NO_ROW)
    return table


GOOD, BAD = ["quote_verified"] * 3 + ["quote_repaired"], ["quote_misattributed", "quote_not_found", "quote_not_found"]


def test_quotes_are_counted_by_criterion_and_together():
    found = gathered(judged(coverage=GOOD, accuracy=BAD), judged(coverage=GOOD)).section()
    assert found is not None and found.name == "evidence"
    assert [line[:6] for line in found.rows] == [
        ("Coverage", "8", "6", "2", "0", "0"),
        ("Accuracy", "3", "0", "0", "1", "2"),
        ("Together", "11", "6", "2", "1", "2"),
    ]
    assert found.rows[2][6] == "73 % [43, 90]"
    assert found.data["criteria"]["accuracy"]["found"] == 0
    assert found.data["together"] | {"ci95": None, "found": None} == {
        "quotes": 11, "verified": 6, "repaired": 2, "misattributed": 1, "not_found": 2, "found": None, "ci95": None,
    }  # fmt: skip
    assert found.data["together"]["found"] == pytest.approx(8 / 11)


def test_where_opinions_were_several_the_quotes_of_all_are_counted():
    counts = {"coverage": {"quote_verified": 4, "quote_not_found": 8, "k": 9}, "accuracy": {"quote_repaired": 2}}
    several = replace(judged(coverage=["quote_verified"] * 4, accuracy=["quote_repaired"]), quotes=counts)
    table = gathered(several, judged(coverage=GOOD))
    found = table.section()
    assert found is not None
    assert [line[1:6] for line in found.rows] == [
        ("16", "7", "1", "0", "8"),
        ("2", "0", "2", "0", "0"),
        ("18", "7", "3", "0", "8"),
    ]
    assert [warning[:18] for warning in table.warnings()] == ["8 of 18 quotes do "]


def test_several_opinions_stored_before_quotes_were_counted_count_the_findings():
    old = replace(judged(coverage=GOOD), trials=({"repeat": 0, "scores": {}}, {"repeat": 1, "scores": {}}))
    found = gathered(old).section()
    assert found is not None and found.rows[0][1:6] == ("4", "3", "1", "0", "0")


@pytest.mark.parametrize("broken", [{"coverage": 5}, {"coverage": {"quote_verified": "5", "quote_not_found": None}}])
def test_counts_that_are_none_break_no_report(broken):
    assert gathered(replace(judged(), quotes=broken)).section() is None


def test_one_criterion_needs_no_sum():
    found = gathered(judged(coverage=GOOD), lang="ru").section()
    assert found is not None
    assert [line[0] for line in found.rows] == ["Полнота охвата"]
    assert found.title == "Цитаты, сверенные с источниками"


def test_other_findings_and_failures_are_no_quotes():
    failure = Failure(item="b", kind="k", stage="s", message="m")
    table = gathered(judged(coverage=["span_minor", "quote_", "quote_other", "k"], other=GOOD))
    table.add(failure, NO_ROW)
    assert table.section() is None and list(table.warnings()) == []
    assert [state_of(kind) for kind in ("quote_repaired", "repaired", None, 5)] == ["repaired", "", "", ""]


def test_a_model_that_loses_many_quotes_is_warned_of():
    assert list(gathered(judged(coverage=GOOD * 10)).warnings()) == []
    assert list(gathered(judged(coverage=GOOD, accuracy=BAD[:1])).warnings()) == [], "one of five may be chance"
    (warning,) = gathered(judged(coverage=GOOD, accuracy=BAD * 3)).warnings()
    assert warning.startswith("9 of 13 quotes do not stand")


def test_models_side_by_side_have_their_rates():
    judge = sample.single()
    runs = [[judged(coverage=GOOD)], [judged(coverage=BAD)], [judged()]]
    reports = [build(judge, sample.state(judge, 1), run) for run in runs]
    sides = side_by_side(judge, reports, [list(enumerate(run)) for run in runs])
    assert {label: one["found"] for label, one in sides.evidence.items()} == {"A": 1.0, "B": 0.0}
    assert sides.as_json()["evidence"]["B"]["not_found"] == 2
    page = side_text(sides)
    assert "Quotes looked up in the sources" in page and max(map(len, page.splitlines())) <= 80
    assert re.search(r"^ *A +4 +3 +1 +0 +0 +100 % \[", page, re.MULTILINE)
    alone = side_by_side(judge, reports[2:], [list(enumerate(runs[2]))])
    assert "evidence" not in alone.as_json() and "Quotes" not in side_text(alone)


def test_criteria_of_one_title_have_a_line_each():
    judge = sample.single()
    alike = replace(judge, criteria=tuple(replace(one, title="The same") for one in judge.criteria))
    table = Evidence(alike, sample.state(alike, 1))
    table.add(judged(coverage=GOOD, accuracy=BAD), NO_ROW)
    found = table.section()
    assert found is not None and [line[1] for line in found.rows] == ["4", "3", "7"]


def test_few_quotes_are_no_warning():
    assert not list(gathered(judged(coverage=["quote_not_found"] * 4)).warnings())
    assert list(gathered(judged(coverage=["quote_not_found"] * 5)).warnings())
