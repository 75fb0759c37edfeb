"""Findings and intervals as a reader sees them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.records import Item, Source, Verdict
from adjudge.report.build import build
from adjudge.report.chips import chips
from adjudge.report.element import element
from adjudge.report.found import SHOWN, against, found_lines, found_list, marked, quoted
from adjudge.report.html import html
from adjudge.report.markdown import comparison, markdown
from adjudge.report.text import text
from adjudge.report.texts import sides
from adjudge.report.words import words
from tests.unit.report import sample
from tests.unit.spec.rows import bundled

SAY = words("en")


def finding(reason: str, *, against: bool = True, at: Any = None, **more: Any) -> dict[str, Any]:
    place = {"at": at, "source": None, "source_at": None}
    return {"criterion": "coverage", "kind": "k", "reason": reason, **place, "against": against, **more}


def judged(**changes: Any) -> Verdict:
    made = sample.verdict("a", {"coverage": 3.42, "accuracy": 5.0}, reasons={"coverage": "why", "hallucination": "no"})
    return replace(made, **changes)


def pages(verdict: Verdict, lang: str = "en") -> dict[str, str]:
    judge = sample.single(lang)
    outcomes = [verdict, replace(verdict, item="b")]
    report = build(judge, sample.state(judge, 2), outcomes)
    items = {"a": Item(id="a", fields={"content": "source", "text": "Seven ships left."})}
    return {
        "text": text(report),
        "markdown": markdown(report, outcomes, judge),
        "html": "".join(html(report, outcomes, items, judge)),
    }


@pytest.mark.parametrize(("lang", "shown"), [("en", "3.42 (2.6–4.2)"), ("ru", "3,42 (2,6–4,2)")])
def test_a_score_is_shown_with_its_interval_and_what_that_is_is_said_once(lang, shown):
    for name, page in pages(judged(intervals={"coverage": [2.61, 4.23]}), lang).items():
        assert shown in page, name
        assert page.count(words(lang)("interval_note")) == 1, name
        assert name != "text" or max(map(len, page.splitlines())) <= 80


def test_without_intervals_nothing_is_said_of_them():
    for page in pages(judged()).values():
        assert SAY("interval_note") not in page
        assert "3.42" in page


def test_what_was_not_judged_says_so_with_its_reason():
    found = pages(judged())
    assert '<td class="score">not judged</td><td class="reason" dir="auto"><div>no</div></td>' in found["html"]
    row = next(line for line in found["markdown"].splitlines() if line.startswith("Hallucination") and "no" in line)
    assert "not judged" in row
    assert "Hallucination: not judged. no" in found["text"]
    line = next(line for line in found["text"].splitlines() if line.startswith("Hallucination "))
    assert "not judged" in line
    assert "0/2" in line


def test_a_total_over_less_than_all_criteria_says_so():
    verdict = sample.comparison("q", {"correctness": {"A": 1.0, "B": 2.0}, "completeness": {"A": 1.0, "B": 2.0}})
    drawn = list(comparison(sample.compare(), verdict))
    assert "over what was judged: Correctness, Completeness" in drawn
    depth = next(line for line in drawn if line.startswith("Philosophical"))
    assert depth.count("not judged") == 2


def test_what_speaks_against_the_text_comes_first():
    verdict = judged(findings=(finding("fine", against=False), finding("bad", at=[0, 5]), finding("worse")))
    drawn = "".join(found_list(sample.single(), verdict, SAY))
    assert [drawn.index(word) for word in ("bad", "worse", "fine")] == sorted(
        drawn.index(word) for word in ("bad", "worse", "fine")
    )
    assert "characters 0–5" in drawn


def test_places_in_sources_are_named():
    near = finding("x", source="2", source_at=[3, 9])
    golden = finding("y", source="reference")
    drawn = "".join(found_list(sample.single(), judged(findings=(near, golden)), SAY))
    assert "source 2, characters 3–9" in drawn
    assert '<div class="soft small">reference</div>' in drawn


def test_the_place_is_marked_in_the_text_itself():
    page = pages(judged(findings=(finding("bad", at=[6, 11]), finding("fine", at=[0, 5], against=False))))["html"]
    assert 'Seven <mark title="bad">ships</mark> left.' in page


def drawn_marks(*kinds: Any, text: str = "abcdef", upto: int | None = None) -> str:
    return str(element("p", marked(text, *kinds, upto=upto)))


def test_places_that_overlap_are_one_mark_that_says_all_and_none_is_outside():
    places = [(0, 3, "one"), (2, 4, "two"), (1, 2, "one"), (4, 5, "next"), (5, 99, "out"), (4, 4, "none")]
    assert drawn_marks((places, None)) == '<p><mark title="one; two">abcd</mark><mark title="next">e</mark>f</p>'


def test_marks_of_two_kinds_stand_in_one_text():
    kinds = ([(0, 2, "a"), (4, 6, "c")], "quoted"), ([(1, 3, "b")], "missing")
    assert drawn_marks(*kinds) == (
        '<p><mark title="a" class="quoted">ab</mark><mark title="b" class="missing">c</mark>'
        'd<mark title="c" class="quoted">ef</mark></p>'
    )


def test_a_text_that_is_cut_is_marked_as_far_as_it_is_shown():
    assert drawn_marks(([(1, 4, "in"), (5, 6, "beyond")], None), upto=3) == '<p>a<mark title="in">bc</mark></p>'


def test_what_the_text_lacks_is_marked_in_the_source_and_the_reference():
    lacks = finding("Not covered", source="1", source_at=[0, 3])
    near = finding("Not in it", at=[0, 2], source="1", source_at=[4, 6])
    found = pages(judged(findings=(lacks, near, quote("verified", "ce", source="content", source_at=[4, 6]))))["html"]
    source = '<mark title="Not covered" class="missing">sou</mark>r<mark title="stands there letter for letter" '
    assert f'{source}class="quoted">ce</mark></div>' in found
    assert '<span class="swatch missing"></span>missing from the text' in found


def test_what_candidates_lack_of_the_reference_is_marked_there_with_their_names():
    judge = bundled("rag-answers")
    fields = {"question": "q", "sources": (), "reference": "Nine o'clock.", "answers": {"A": "ten", "B": "nine"}}
    lacks = finding("Not said", source="reference", source_at=[0, 4], candidate="A")
    verdict = Verdict(item="a", scores={}, reasons={}, derived={}, native={}, findings=(lacks,))
    drawn = sides(judge, verdict, Item(id="a", fields=fields), SAY)
    assert '<mark title="A: Not said" class="missing">Nine</mark>' in drawn
    assert "missing from some of the texts" in drawn


def test_many_findings_are_counted():
    drawn = "".join(found_list(sample.single(), judged(findings=tuple(map(finding, map(str, range(SHOWN + 3))))), SAY))
    assert drawn.count("<li") == SHOWN
    assert "and 3 more" in drawn


def test_hostile_findings_are_text_or_nothing():
    bad = '<script>alert(1)</script>" onmouseover="x'
    odd: Any = (
        finding(bad, at=[0, 5], candidate=bad, source=bad),
        {"criterion": bad},
        {"criterion": ["coverage"]},
        "no object",
        finding("odd", at=["0", {}], source=3, source_at=[-1, 2]),
    )
    page = pages(judged(findings=odd, intervals={"coverage": [float("nan"), "5"], "accuracy": "x"}))["html"]
    assert page.count("<script") == 1  # our own
    assert "onmouseover=&quot;x" in page
    assert "odd" in page


def quote(state: str, reason: str, **more: Any) -> dict[str, Any]:
    lost = state in ("misattributed", "not_found")
    return finding(reason, against=lost, kind=f"quote_{state}", **more)


def test_quotes_are_marked_in_their_source_and_nowhere_else():
    found = pages(
        judged(
            findings=(
                quote("verified", "our", source="content", source_at=[1, 4]),
                quote("repaired", "Our", source="content", source_at=[2, 4]),
                quote("misattributed", "x", source="other", source_at=[0, 1]),
                finding("the nearest place", source="content", source_at=[4, 6], against=False),
            )
        )
    )["html"]
    both = "stands there letter for letter; stands there in other typesetting"
    assert f's<mark title="{both}" class="quoted">our</mark>ce</div>' in found
    assert found.count("<mark") == 1


def test_what_came_of_a_quote_is_told_with_it_those_lost_first():
    states = ("verified", "repaired", "not_found")
    made = judged(findings=tuple(quote(state, f"q{n}") for n, state in enumerate(states)))
    (_, listed) = found_list(sample.single(), made, SAY)
    said = [
        '<li class="no"><b>✗ </b>Quote: q2 (stands in no source)</li>',
        "<li><b>✓ </b>Quote: q0 (stands there letter for letter)</li>",
        "<li><b>✓ </b>Quote: q1 (stands there in other typesetting)</li>",
    ]
    assert listed == f'<ul class="claims">{"".join(said)}</ul>'


def test_a_terminal_has_them_a_line_each_without_doubled_quotes():
    claims = [
        finding("Supported: “a”", against=False, kind="claim_supported", at=[0, 5], source="1", source_at=[2, 7]),
        finding("a", against=False, kind="quote_verified", source="1", source_at=[2, 7]),
        finding("b", kind="quote_not_found"),
    ]
    lines = list(found_lines(sample.single(), judged(findings=tuple(claims)), SAY))
    assert lines == [
        "Findings: Coverage",
        "  ✗ Quote: b (stands in no source)",
        "  ✓ Supported: “a” (characters 0–5; source 1, characters 2–7)",
    ]
    alone = list(found_lines(sample.single(), judged(findings=(claims[1],)), SAY))
    assert alone[1] == "  ✓ Quote: a (stands there letter for letter) (source 1, characters 2–7)"


@pytest.mark.parametrize(("lang", "grave"), [("en", "Critical"), ("ru", "Критическая")])
def test_an_error_is_listed_with_its_severity(lang, grave):
    judge = bundled("translation-mqm", lang)
    found = (finding("a wrong number.", criterion="errors", kind="span_critical"),)
    verdict = Verdict(item="a", scores={"errors": 25.0}, reasons={}, derived={}, native={}, findings=found)
    assert any(f"{grave}, a wrong number." in line for line in found_lines(judge, verdict, words(lang)))
    assert any(f"{grave}, a wrong number." in part for part in found_list(judge, verdict, words(lang)))


def test_errors_are_coloured_by_their_gravity_and_not_by_the_scale():
    judge = bundled("translation-mqm")
    scores = {"clean": 0.0, "comma": 0.1, "minor": 1.0, "major": 5.0, "critical": 25.0, "worse": 60.0}
    outcomes = [
        Verdict(item=item, scores={"errors": value}, reasons={}, derived={}, native={})
        for item, value in scores.items()
    ]
    tones = {
        one.item: re.search(r'class="chip c(\d)"', "".join(chips(judge, one, SAY))).group(1)  # type: ignore[union-attr]
        for one in outcomes
    }
    assert tones == {"clean": "4", "comma": "4", "minor": "3", "major": "1", "critical": "0", "worse": "0"}
    page = "".join(html(build(judge, sample.state(judge, 1), outcomes[4:5]), outcomes[4:5], {}, judge))
    assert 'class="dot g0"' in page
    bars = re.findall(
        r'<title>(\d+)-\d+: 1</title><rect class="hit"[^>]*></rect><rect class="(g\d)"',
        "".join(html(build(judge, sample.state(judge, 6), outcomes[4:]), outcomes[4:], {}, judge)),
    )
    assert bars == [("20", "g1"), ("60", "g0")]


def claimed(text: str, supported: bool) -> dict[str, Any]:
    return {"text": text, "supported": supported}


def marks(
    claims: list[Any], findings: tuple[Any, ...] = (), said: str = "Seven ships left. «Два» корабля вернулись."
) -> Any:
    judge = sample.single()
    verdict = replace(sample.verdict("a", {"coverage": 2.0}, claims=claims), findings=findings)
    return against(judge, verdict, Item(id="a", fields={"content": "c", "text": said}), SAY)[""]


def test_a_claim_that_is_not_supported_is_marked_where_its_words_stand():
    found = marks([claimed("seven  SHIPS left", False), claimed("Два корабля", False), claimed("left", True)])
    assert found == [(0, 16, "not supported: seven  SHIPS left"), (19, 31, "not supported: Два корабля")]


def test_a_claim_that_no_sentence_makes_is_marked_nowhere_and_odd_ones_are_passed_over():
    odd: list[Any] = [claimed("A fleet departed", False), {"supported": False}, claimed("", False), "x", {"text": 3}]
    assert marks(odd) == []


def test_a_claim_whose_place_is_known_is_marked_once():
    known = (finding("Unsupported: seven ships", at=[0, 11]),)
    assert marks([claimed("Seven ships", False)], known) == [(0, 11, "Unsupported: seven ships")]


def test_a_marked_text_says_what_the_marks_mean():
    page = pages(
        judged(findings=(finding("bad", at=[6, 11]), quote("verified", "our", source="content", source_at=[1, 4])))
    )
    assert '<span class="swatch"></span>held against the text' in page["html"]
    assert '<span class="swatch quoted"></span>quoted by the judge' in page["html"]
    assert 'class="swatch' not in pages(judged())["html"].partition("</style>")[2]


def test_the_quote_of_a_claim_is_marked_in_its_source_where_no_finding_has_its_place():
    judge = bundled("search-summary")
    sources = (Source(id="1", text="Tea holds caffeine."), Source(id="2", text="Caffeine delays sleep."))
    item = Item(id="a", fields={"user_query": "q", "search_results": sources, "summary": "Tea delays sleep."})
    claims = [claimed("x", True) | {"quote": "caffeine delays  sleep"}, claimed("y", True) | {"quote": "not there"}]
    native = {"hallucination_evaluation": {"claims": [*claims, {"quote": 7}]}}
    verdict = Verdict(item="a", scores={}, reasons={}, derived={}, native=native)
    assert quoted(judge, verdict, item, SAY) == {"2": [(0, 21, "stands there in other typesetting")]}
    known = replace(verdict, findings=(quote("verified", "Tea", source="1", source_at=[0, 3], criterion="x"),))
    assert quoted(judge, known, item, SAY) == {"1": [(0, 3, "stands there letter for letter")]}
