"""What a gate shows: rows that people can check, JUnit XML that build servers read."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from adjudge.core.runs import Answer
from adjudge.report.gated import Gated, Held
from tests.unit.report import sample

HELD = Held(
    kind="min",
    figure="coverage",
    limit=4.0,
    on="mean",
    least=1.0,
    title="Coverage",
    value=3.8,
    ci95=(3.5, 4.1),
    n=20,
    of=20,
)
JUDGED = Held(kind="min-judged", figure="", limit=1.0, on="mean", least=1.0, value=1.0, n=20, of=20)


def gated(*held: Held, lang: str = "en", **more) -> Gated:
    judge = sample.single()
    state = replace(sample.state(judge, 20), judged=20, failed=0)
    return Gated(state=state, lang=lang, held=(JUDGED, *held), **more)


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_every_form_says_met_or_missed(lang):
    met, missed = gated(replace(HELD, limit=3.5), lang=lang), gated(HELD, lang=lang)
    assert (met.met, missed.met) == (True, False)
    for draw in (lambda s: s.text(), lambda s: s.markdown(), lambda s: "".join(s.html())):
        one, other = draw(met.sheet()), draw(missed.sheet())
        assert met.sheet().title in one and missed.sheet().title in other
        assert met.sheet().title != missed.sheet().title


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_result_stands_beside_its_figure_however_narrow_the_terminal(lang):
    long = replace(HELD, title="A criterion with quite a long title", n=1200, of=1200)
    sheet = gated(long, lang=lang).sheet()
    (section,) = sheet.sections
    result = section.rows[1][1]
    assert result in {"missed", "не выдержан"}
    for columns in (60, 80):
        (line,) = (line for line in sheet.text(width=columns).splitlines() if result in line and "≥ 4" in line)
        assert line.startswith("A criterion")
    (row,) = (line for line in sheet.markdown().splitlines() if line.startswith("A criterion") and "|" in line)
    assert row.split("|")[1].strip() == result


def test_a_value_beside_its_bound_is_seen_to_lie_there():
    close = gated(replace(HELD, value=3.9996, ci95=(3.5, 4.1))).sheet()
    assert close.sections[0].rows[1][3] == "3.9996 [3.50, 4.10]"
    assert "3.9996" in close.answers[1]
    assert gated(replace(HELD, limit=0.995, value=0.5)).sheet().sections[0].rows[1][2] == "≥ 0.995"


@pytest.mark.parametrize(
    ("change", "why", "said"),
    [
        ({"value": None, "ci95": None, "n": 0}, "unjudged", "not judged in any item"),
        ({"value": 5.0, "ci95": None, "n": 1}, "few", "too few items for an interval (1)"),
        ({"value": 5.0, "ci95": None, "n": 5}, "few", "have one source in common"),
        ({"value": 5.0, "ci95": (4.5, 5.0), "n": 19}, "gaps", "judged in 19 of 20 items"),
        ({}, "value", "Coverage: 3.80, and the bound is ≥ 4."),
        ({"on": "ci", "value": 4.2}, "end", "reaches to 3.50"),
        ({"kind": "max", "limit": 3.7}, "value", "≤ 3.7"),
        ({"kind": "max", "limit": 4.0, "on": "ci"}, "end", "reaches to 4.10"),
        ({"kind": "max-drop", "limit": 0.1, "value": 0.2, "ci95": (0.1, 0.3)}, "value", "Drop of Coverage: 0.20"),
    ],
)
def test_each_reason_is_told_where_people_look(change, why, said):
    found = gated(replace(HELD, **change))
    assert found.held[1].why == why
    sheet = found.sheet()
    assert said in sheet.answers[1]
    (failure,) = ElementTree.fromstring(found.junit()).iter("failure")
    assert said in failure.get("message", "") and failure.get("type") == why
    assert sheet.data["bounds"][1]["reason"] == why


def test_sense_is_asked_for_where_a_bound_points_to_the_good_end():
    assert gated(replace(HELD, kind="max")).sheet().warnings[0].endswith("Is --min meant?")
    assert gated(replace(HELD, better="lower")).sheet().warnings[0].endswith("Is --max meant?")
    assert gated(HELD, replace(HELD, kind="max", better="lower"), replace(HELD, kind="max-drop")).sheet().warnings == ()


def test_a_baseline_judged_otherwise_is_a_warning():
    found = gated(HELD, baseline=sample.state(sample.single(), 3).run, differs=("judge", "settings"), apart=2).sheet()
    assert "another judge, other settings" in found.warnings[0]
    assert found.warnings[1].startswith("2 items")
    assert len(found.signatures) == 2


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_runs_are_shown_by_name_with_the_id_beside_it(lang):
    found = gated(HELD, lang=lang)
    assert found.sheet().facts[0] == found.state.run.id
    run, base = (replace(found.state.run, name=name, id=f"{name}-1") for name in ("branch", "main"))
    facts = replace(found, state=replace(found.state, run=run), baseline=base).sheet().facts
    assert facts[0] == "branch (branch-1)" and facts[-1].endswith("main (main-1)")


def test_the_sentences_are_in_the_json():
    sheet = gated(HELD).sheet()
    assert sheet.data["answers"] == list(sheet.answers)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        (
            "en",
            'The run stopped after 12 of 20 items, because its question was answered (--until "ci(coverage) < 0.2")',
        ),
        ("ru", 'Прогон остановился после 12 из 20 записей: ответ на его вопрос найден (--until "ci(coverage) < 0.2")'),
    ],
)
def test_a_run_that_stopped_with_its_answer_says_why_it_judged_fewer(lang, said):
    found = gated(HELD, lang=lang)
    answer = Answer(
        name="coverage",
        sides=(),
        answered=True,
        better="",
        items=12,
        counted=12,
        mean=4.0,
        interval=(3.9, 4.1),
        calls=12,
    )
    run = replace(found.state.run, until="ci(coverage) < 0.2")
    stopped = replace(found, state=replace(found.state, run=run, judged=12, answer=answer))
    assert any(said in line for line in stopped.sheet().answers)
    for other in (replace(answer, answered=False), replace(answer, items=20)):
        whole = replace(stopped, state=replace(stopped.state, answer=other))
        assert not any("--until" in line for line in whole.sheet().answers)


def structure(xml: str) -> None:
    """What readers of JUnit XML rely on: elements, their order, attributes, and counts that add up."""
    root = ElementTree.fromstring(xml.encode())
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    cases = suite.findall("testcase")
    assert [child.tag for child in suite] == ["properties"] + ["testcase"] * len(cases)
    failed = sum(case.find("failure") is not None for case in cases)
    for element in (root, suite):
        assert {"name", "tests", "failures", "errors", "time"} <= set(element.keys())
        assert (element.get("tests"), element.get("failures"), element.get("errors")) == (
            str(len(cases)),
            str(failed),
            "0",
        )
    for case in cases:
        assert set(case.keys()) == {"classname", "name", "time"} and all(case.get(key) for key in ("classname", "name"))
        assert [child.tag for child in case] in ([], ["failure"])
        for failure in case:
            assert set(failure.keys()) == {"message", "type"} and failure.text


def test_junit_has_a_test_case_for_each_bound():
    found = gated(HELD, replace(HELD, kind="max"), replace(HELD, figure="coverage>=4", limit=0.9, value=0.5))
    structure(found.junit())
    names = [case.get("name") for case in ElementTree.fromstring(found.junit()).iter("testcase")]
    assert names == ["--min-judged 1", "--min coverage=4", "--max coverage=4", "--min coverage>=4=0.9"]
