"""The terminal report: its width, its marks, its colours."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from adjudge.report.build import build
from adjudge.report.plain import width
from adjudge.report.text import text
from tests.unit.report.sample import compare, comparison, seed_comparisons, single, state, summaries

CRITERIA = ("correctness", "completeness", "depth")


def lines(report, **options) -> list[str]:
    return text(report, **options).splitlines()


def summary_report(lang: str = "en", **changes):
    judge = single(lang)
    return build(judge, state(judge, 12, **changes), summaries(lang))


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("lang", ["ru", "en"])
def test_no_line_is_wider_than_asked(columns, lang):
    for report in (summary_report(lang), build(compare(lang), state(compare(lang), 2), seed_comparisons(lang))):
        assert max(map(width, lines(report, width=columns))) <= columns


@pytest.mark.parametrize("count", range(2, 9))
def test_any_number_of_candidates_fits_eighty_columns(count):
    names = [f"a-candidate-with-a-long-name-{place}" for place in range(count)]
    scores = {name: {one: float(place % 6) for place, one in enumerate(names)} for name in CRITERIA}
    page = lines(build(compare(), state(compare(), 1), [comparison("q", scores)]))
    assert max(map(width, page)) <= 80
    assert sum(line.startswith(f"{count}. a-candidate") for line in page) == 1


def test_wide_letters_keep_the_columns_aligned():
    judge = single()
    wide = replace(judge, criteria=(replace(judge.criteria[0], title="網羅性の評価"), *judge.criteria[1:]))
    rows = [line for line in lines(build(wide, state(wide, 12), summaries("en"))) if "11/12" in line]
    assert len({width(line) for line in rows}) == 1


def test_the_bar_and_the_blocks_show_mean_interval_and_scores():
    row = next(line for line in lines(summary_report()) if line.startswith("Coverage"))
    assert re.search(r"↑ 1–5  3\.73 \[2\.93, 4\.53\]  ·+━+●━+·+  ▃▁▇█▇  11/12$", row)
    assert "↓ 0–3" in next(line for line in lines(summary_report()) if line.startswith("Hallucination"))


def test_what_was_not_judged_shows_no_figure():
    outcome = comparison("q", {"correctness": {"A": 1.0, "B": 2.0}})
    row = next(
        line for line in lines(build(compare(), state(compare(), 1), [outcome])) if line.startswith("Philosophical")
    )
    assert row.split()[2:] == ["—", "—", "0/1"]


def test_colour_adds_only_escapes():
    report = summary_report()
    coloured = text(report, colour=True)
    assert "\x1b[" in coloured
    stripped = re.sub("\x1b\\[[0-9]+m", "", coloured)
    assert [line.rstrip() for line in stripped.splitlines()] == lines(report)
    assert "\x1b" not in text(report)


def test_a_batch_shows_its_summary():
    judge = replace(single(), layout="batch")
    report = build(judge, state(judge, 12, summary={"coverage": "Endings are lost."}), summaries("en"))
    assert "Coverage: Endings are lost." in text(report)
    assert report.as_json()["summary"] == {"coverage": "Endings are lost."}


def test_an_empty_run_still_has_a_report():
    page = text(build(single(), state(single(), 3, status="interrupted"), []))
    assert "judged 0 of 3" in page
    assert "Nothing was judged" in page
