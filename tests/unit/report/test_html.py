"""The HTML file: whole, closed to the network, and built of escaped parts only."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from adjudge.core.records import Item
from adjudge.report.build import build
from adjudge.report.element import element
from adjudge.report.html import html, script
from adjudge.report.markdown import markdown
from tests.unit.report import sample


def single_page(lang: str = "en", **options) -> str:
    judge, outcomes = sample.single(lang), sample.summaries(lang)
    items = {"s-11": Item(id="s-11", fields={"content": "the source", "text": "the judged text"})}
    return "".join(html(build(judge, sample.state(judge, 12), outcomes), outcomes, items, judge, **options))


def compare_page(lang: str = "en") -> str:
    judge, outcomes = sample.compare(lang), sample.seed_comparisons(lang)
    report = build(judge, sample.state(judge, 2), outcomes)
    return "".join(html(report, outcomes, sample.seed_items(lang).get, judge))


def test_elements_escape_text_and_attributes():
    drawn = element("p", "<script>", [element("b", "&")], None, 7, title='"><img>', hidden=True, lang=None)
    assert drawn == '<p title="&quot;&gt;&lt;img&gt;" hidden>&lt;script&gt;<b>&amp;</b>7</p>'


@pytest.mark.parametrize("page", [single_page, compare_page])
def test_the_page_runs_its_own_script_alone_and_asks_for_nothing(page):
    text = page()
    assert text.count("<script>") == text.count("</script>") == 1
    rest = text.replace(f"<script>{script()}</script>", "")
    assert not re.search(r"<script|<img|<link|<iframe|<form|\ssrc=|\sstyle=|\son\w+=|url\(|@import", rest)
    # what can be clicked leads to places of the page
    assert set(re.findall(r'\shref="(.)', rest)) <= {"#"}


@pytest.mark.parametrize("page", [single_page, compare_page])
def test_only_its_own_style_sheet_and_script_are_let_in(page):
    text = page()
    allowed = {}
    for name in ("style", "script"):
        (inside,) = re.findall(f"<{name}>(.*?)</{name}>", text, re.DOTALL)
        allowed[name] = f"{name}-src &#x27;sha256-{b64encode(sha256(inside.encode()).digest()).decode()}&#x27;"
    rules = f"default-src &#x27;none&#x27;; {allowed['style']}; {allowed['script']}; base-uri &#x27;none&#x27;"
    assert f'content="{rules}; form-action &#x27;none&#x27;"' in text


def test_our_script_puts_content_into_the_page_as_text_only():
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|eval|document\.write|Function\(|fetch|</", script())


def test_items_come_worst_first_with_their_texts_and_reasons():
    text = single_page()
    names = re.findall('<span class="name">([^<]+)</span>', text)
    assert (names[0], names[-1], len(names)) == ("s-11", "s-12", 12)  # the last one failed
    assert text.count('<details class="item') == 12
    for part in ("the source", "the judged text", "The ending is missing"):
        assert part in text


def test_the_limit_stands_on_the_page():
    text = single_page(limit=3)
    assert text.count('<details class="item') == 3
    assert "In this file: 3 of 12 items, the worst first." in text


def test_a_comparison_shows_candidates_by_rank_and_reasons_by_name():
    text = compare_page("ru")
    ranked = re.findall('<tr><th scope="row">(Model.)</th>', text)
    assert ranked == ["ModelB", "ModelA", "ModelC"]
    assert '<html lang="ru">' in text
    assert "<b>ModelA: </b>мелкая ошибка в дате" in text
    assert "13,0" in text


def test_claims_are_marked_by_word_and_not_by_colour_alone():
    judge = sample.single()
    claims: list[Any] = [
        {"text": "invented", "supported": False, "severity": "significant"},
        {"text": "stretched", "supported": False, "severity": "minor"},
        {"text": "odd", "supported": False, "severity": "<b>"},
        {"text": "true", "supported": True, "quote": "words"},
        "noise",
    ]
    outcome = sample.verdict("i", {"coverage": 2.0}, claims=claims, conclusion="so it is")
    text = "".join(html(build(judge, sample.state(judge, 1), [outcome]), [outcome], {}, judge))
    assert '<li class="no"><b>✗ not supported, significant. </b>invented</li>' in text
    assert "<b>✗ not supported, minor. </b>stretched" in text
    assert "<b>✗ not supported. </b>odd" in text
    assert "<b>✓ supported. </b>true" in text
    assert "so it is" in text


def test_a_long_text_is_cut_and_the_page_says_so():
    judge, outcome = sample.single(), sample.verdict("i", {"coverage": 2.0})
    items = {"i": Item(id="i", fields={"content": "x" * 50_000, "text": "short"})}
    text = "".join(html(build(judge, sample.state(judge, 1), [outcome]), [outcome], items, judge))
    assert "20,000 of 50,000 characters" in text
    assert "x" * 20_000 in text
    assert "x" * 20_001 not in text


def test_a_run_without_verdicts_still_has_a_page():
    judge, outcomes = sample.single(), [sample.failure("i")]
    text = "".join(html(build(judge, sample.state(judge, 1), outcomes), outcomes, {}, judge))
    assert "No item was judged." in text
    assert "no object in the reply" in text


def test_a_shared_report_names_the_file_and_not_its_folder():
    judge, outcomes = sample.single(), sample.summaries("en")
    state = sample.state(judge, 12)
    moved = replace(state, run=replace(state.run, data="/home/someone/private/data.jsonl"))
    report = build(judge, moved, outcomes)
    for page in ("".join(html(report, outcomes, {}, judge)), markdown(report, outcomes, judge)):
        assert "data.jsonl" in page
        assert "someone" not in page


def reasoned(reason: str) -> str:
    judge = sample.single()
    outcome = sample.verdict("i", {"coverage": 2.0, "accuracy": 4.0}, reasons={"coverage": reason})
    return "".join(html(build(judge, sample.state(judge, 1), [outcome]), [outcome], {}, judge))


def test_a_cited_source_is_shown_by_its_title_and_leads_nowhere():
    text = reasoned("Draws on [Page 1](https://example.org/1) [1], [x](javascript:alert(1)).")
    assert "Draws on Page 1 [1], [x](javascript:alert(1))." in text
    assert "example.org" not in text
    assert set(re.findall(r'<a [^>]*?href="(.)', text)) == {"#"}


def test_an_option_is_kept_in_one_piece():
    assert 'use a language model (<span class="option">--model</span>)' in reasoned("use a language model (--model)")


def test_an_item_shows_its_average_and_what_it_rests_on():
    text = reasoned("x")
    assert '<th scope="row">Average score</th><td class="score"><b>3</b></td><td class="soft small"></td>' in text
    judge = sample.single()
    outcome = sample.verdict("i", {"accuracy": 4.0})
    text = "".join(html(build(judge, sample.state(judge, 1), [outcome]), [outcome], {}, judge))
    assert '<b>4</b></td><td class="soft small">over what was judged: Accuracy</td>' in text


def test_the_reasons_of_many_candidates_stand_below_their_scores():
    judge, names = sample.compare(), [f"m{n}" for n in range(8)]
    scores = {"correctness": dict.fromkeys(names, 3.0)}
    outcome = sample.comparison("q", scores, reasons={"correctness": {name: f"why {name}" for name in names}})
    text = "".join(html(build(judge, sample.state(judge, 1), [outcome]), [outcome], {}, judge))
    table, _, below = text.partition('<div class="inside">')[2].partition("</table>")
    assert "why" not in table
    assert [f"<b>{name}: </b>why {name}" in below for name in names] == [True] * 8
