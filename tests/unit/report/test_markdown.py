"""Markdown: the layout of comparisons, and text that stays text."""

from __future__ import annotations

import pytest

from adjudge.core.records import Item
from adjudge.report.build import build
from adjudge.report.markdown import comparison, escape, markdown
from tests.unit.report import sample


def page(names: list[str], lang: str = "en", **options) -> str:
    judge = sample.compare(lang)
    scores = {name: {one: float(place % 6) for place, one in enumerate(names)} for name in ("correctness", "depth")}
    outcome = sample.comparison("q", scores, conclusion="said")
    return markdown(build(judge, sample.state(judge, 1), [outcome]), [outcome], judge, **options)


@pytest.mark.parametrize("count", range(2, 9))
@pytest.mark.parametrize(("lang", "head"), [("ru", "Критерий"), ("en", "Criterion")])
def test_any_number_of_candidates_has_a_column_each(count, lang, head):
    letters = "ABCDEFGH"[:count]
    table = (
        page([f"Model{letter}" for letter in letters], lang).split("## q")[1].split("Signature")[0].split("Подпись")[0]
    )
    top = next(line for line in table.splitlines() if line.startswith(head))
    cells = [cell.strip() for cell in top.split("|")]
    assert cells[1:-1] == [f"Model{letter}" for letter in letters]
    assert cells[-1].endswith(f"({' / '.join(letters)})")
    rows = [line for line in table.splitlines() if "|" in line]
    assert {line.count("|") for line in rows} == {count + 1}


def test_names_without_a_letter_of_their_own_are_written_out():
    assert "(gpt / gpt-2)" in page(["gpt", "gpt-2"])
    assert "(1 / 2)" in page(["run 1", "run 2"])


def test_the_order_is_that_of_the_row():
    judge = sample.compare()
    outcome = sample.comparison("q", {"correctness": {"a": 1.0, "b": 2.0}})
    item = Item(id="q", fields={"question": "why?", "answers": {"b": "…", "a": "…"}})
    drawn = list(comparison(judge, outcome, item))
    assert "**Question:** why?" in drawn
    assert next(line for line in drawn if line.startswith("Criterion")).split(" | ")[1:3] == [
        "b         ",
        "a         ",
    ]


def test_a_tie_and_an_undecided_comparison_are_said_in_words():
    judge = sample.compare()
    tied = sample.comparison("q", {"correctness": {"A": 1.0, "B": 1.0}})
    assert "**Winner:** none, a tie between A, B  " in list(comparison(judge, tied))
    empty = sample.comparison("q", {"correctness": {"A": 1.0, "B": 1.0}})
    undecided = type(empty)(item="q", scores=empty.scores, reasons={}, derived={}, native={})
    assert "**Winner:** not decided  " in list(comparison(judge, undecided))


def test_a_limit_is_stated():
    judge, outcomes = sample.single(), sample.summaries("en")
    text = markdown(build(judge, sample.state(judge, 12), outcomes), outcomes, judge, limit=2)
    assert "Shown: 2 of 11 judged items, the worst first." in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## s-11", "## s-03"]


def test_cost_flags_and_averages_are_said():
    judge = sample.single()
    outcomes = [sample.verdict("i", {"coverage": 2.0, "accuracy": 3.0}, flags=("repaired:json5",))]
    text = markdown(build(judge, sample.state(judge, 1, cost_usd=None), outcomes), outcomes, judge)
    assert "Cost: unknown" in text
    assert r"Flags: repaired (the reply was mended) × 1" in text
    assert [part.strip() for part in text.split("Average score")[-1].split("|")[1:2]] == ["2.5"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a|b", "a&#124;b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("![x](http://y)", r"!\[x\](http\://y)"),
        ("`code` *bold* _it_ ~no~ $x$", r"\`code\` \*bold\* \_it\_ \~no\~ \$x\$"),
        ("one\n\n# two", "one # two"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("> quote", "&gt; quote"),
        ("www.example.org me@example.org", r"www\.example.org me@&#8203;example.org"),
        (
            "@team, see #12, a/b#7, !3, GH-9 :+1:",
            "@&#8203;team, see #&#8203;12, a/b#&#8203;7, !&#8203;3, GH-&#8203;9 :&#8203;+1:",
        ),
        ("at 10:30:15 & 12 | 13 @ 5 EUR, C# 7", "at 10:30:15 &amp; 12 &#124; 13 @ 5 EUR, C# 7"),
        ("4.5 is plain", "4.5 is plain"),
        ("\\", "\\\\"),
    ],
)
def test_escape_leaves_only_text(text, written):
    assert escape(text) == written


def test_a_cited_source_is_shown_by_its_title_and_stays_text():
    judge = sample.single()
    said = "See [Green tea](https://tea.example/a_b) and [x](javascript:alert) <b>."
    outcomes = [sample.verdict("a", {"coverage": 3.0}, reasons={"coverage": said}, conclusion=said)]
    page = markdown(build(judge, sample.state(judge, 1), outcomes), outcomes, judge)
    assert page.count(r"See Green tea and \[x\](javascript:alert) &lt;b&gt;.") == 2
    assert "tea.example" not in page
