"""The terminal report: its width, its marks, its colours."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from adjudge.report.build import build
from adjudge.report.plain import width
from adjudge.report.text import text
from tests.unit.report.sample import compare, comparison, seed_comparisons, single, state, summaries, verdict

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


def many(count: int, name: str = "a-candidate-with-a-long-name-{}"):
    names = [name.format(place) for place in range(count)]
    scores = {one: {who: 4.75 - place / 4 for place, who in enumerate(names)} for one in CRITERIA}
    return build(compare(), state(compare(), 1), [comparison("q", scores)])


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("name", ["a-candidate-with-a-long-name-{}", "m{}", "模型{}"])
@pytest.mark.parametrize("count", range(2, 9))
def test_every_figure_of_any_number_of_candidates_is_whole(count, name, columns):
    page = lines(many(count, name), width=columns)
    assert max(map(width, page)) <= columns
    assert any(line.startswith(f"{count}. ") for line in page)
    rows = [line for line in page if line.startswith("Correctness")]
    figures = [figure for line in rows for figure in re.findall(r"\d\.\d\d(?!\d)", line)]
    assert figures == [f"{4.75 - place / 4:.2f}" for place in range(count)]
    assert all("…" not in line and line.endswith("1/1") for line in rows)
    heads = " ".join(line for line in page if line.startswith("Criterion")).split()
    assert [head for head in heads if head not in ("Criterion", "n/N")] in (
        [name.format(place) for place in range(count)],
        [f"{place}." for place in range(1, count + 1)],
    )


def test_names_that_are_cut_alike_are_written_out():
    assert "a-candidate-with-a-long-name-7" in text(many(8), width=40).replace("\n  ", "")
    assert text(many(8, "m{}"), width=40).count("m7") == 1 + text(many(8, "m{}"), width=40).count(": m7")


def test_coverage_beside_the_candidates_is_theirs():
    uneven = {"correctness": {"A": 4.0, "B": 3.0}, "completeness": {"A": 4.0}}
    whole = {"correctness": {"A": 4.0, "B": 3.0}, "completeness": {"A": 4.0, "B": 1.0}}
    page = lines(build(compare(), state(compare(), 2), [comparison("q1", uneven), comparison("q2", whole)]))
    assert next(line for line in page if line.startswith("Completeness")).endswith("  1–2/2")


@pytest.mark.parametrize(("columns", "there"), [(80, True), (40, False)])
def test_the_legend_goes_with_its_columns(columns, there):
    page = text(many(3), width=columns)
    assert ("wins/ties" in page) == there == bool(re.search(r"\d/\d +\d+ %", page))


@pytest.mark.parametrize("columns", [80, 60, 50, 40])
def test_the_spread_is_explained_where_it_is_shown(columns):
    page = text(summary_report(), width=columns)
    assert ("SD: the standard deviation" in " ".join(page.split())) == bool(re.search(r"\bSD +n/N", page))
    assert ("SD" in page) == (columns > 50)


def test_flags_are_counted_with_plain_words_for_the_important_ones():
    report = replace(summary_report(), flags=(("order_flip", 3), ("stated_total_differs", 2), ("duplicate_id", 1)))
    page = " ".join(text(report).split())
    assert "Flags: order_flip (the winner changed with the order shown) × 3; stated_total_differs (the model" in page
    assert "; duplicate_id × 1 " in page
    assert "Flags" not in text(replace(report, flags=()))
    assert "and 8 more" in text(replace(report, flags=tuple((f"flag{n}", 1) for n in range(20))))


def test_an_unknown_cost_is_said_once():
    report = summary_report(cost_usd=None)
    assert "· cost unknown ·" in text(report)


def test_no_bad_item_means_no_list_of_them():
    scores = {"coverage": 5.0, "accuracy": 5.0, "hallucination": 0}
    report = build(single(), state(single(), 2), [verdict(f"i{n}", scores) for n in range(2)])
    assert "Worst items" not in text(report)


def test_wide_letters_keep_the_columns_aligned():
    judge = single()
    wide = replace(judge, criteria=(replace(judge.criteria[0], title="網羅性の評価"), *judge.criteria[1:]))
    rows = [line for line in lines(build(wide, state(wide, 12), summaries("en"))) if "11/12" in line]
    assert len({width(line) for line in rows}) == 1


def test_the_bar_and_the_blocks_show_mean_interval_and_scores():
    row = next(line for line in lines(summary_report()) if line.startswith("Coverage"))
    assert re.search(r"↑ 1–5  3\.73 \[2\.73, 4\.36\]  ·+━+●━+·+  ▃▁▇█▇  1\.19  11/12$", row)
    assert "↓ 0–3" in next(line for line in lines(summary_report()) if line.startswith("Hallucination"))


def test_a_long_title_gives_way_to_the_bar():
    judge = single()
    long = replace(judge, criteria=tuple(replace(one, title=f"{one.name} {'x' * 30}") for one in judge.criteria))
    rows = [line for line in lines(build(long, state(long, 12), summaries("en"))) if line.startswith("coverage")]
    assert "━" in rows[0]
    assert "…" in rows[0]


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
