"""Selected sources: only addresses of the web become links, and numbers are those of the citations."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.core.records import Item, Source, Verdict
from adjudge.report.build import build
from adjudge.report.cited import CITED_SHOWN, Cited, cited, web_address
from adjudge.report.markdown import markdown
from adjudge.report.page import inside
from adjudge.report.words import words
from adjudge.spec.load import load_judge
from tests.hostile.test_report_hostile import PAYLOADS, skeleton
from tests.unit.report import sample

JUDGE = load_judge("search-summary")
SOURCES = (
    Source(id="1", text="a", url="https://one.example/", title="One"),
    Source(id="2", text="b", url="https://two.example/", title=None),
    Source(id="3", text="c", url=None, title="Three"),
)


def verdict(*selected: Any) -> Verdict:
    native = {"answer_relevancy_evaluation": {"relevant_search_result_urls": [*selected]}}
    return Verdict(item="i", scores={"relevancy": 3.0}, reasons={}, derived={}, native=native)


def listed(*selected: Any, sources: tuple[Source, ...] = SOURCES, **fields: Any) -> list[Cited]:
    item = Item(id="i", fields={"search_results": sources, **fields})
    ((title, found),) = cited(JUDGE, verdict(*selected), item)
    assert title == "Relevant sources"
    return found


def test_each_has_its_title_address_and_number_among_the_results():
    assert listed("https://two.example/", "3", "https://one.example/") == [
        Cited(title="https://two.example/", url="https://two.example/", number=2),
        Cited(title="Three", number=3),
        Cited(title="One", url="https://one.example/", number=1),
    ]


@pytest.mark.parametrize(
    ("citations", "numbers"),
    [
        (["https://two.example/", "https://one.example/"], [2, 1]),
        ([{"url": "https://two.example/"}, {"id": "1"}], [2, 1]),
        ({"7": "https://one.example/", "x": "https://two.example/", "²": "2"}, [7, None]),
        (["https://one.example/", "https://one.example/"], [1, None]),
        ([], [1, 2]),
        ("https://one.example/", [1, 2]),
        ([None, 5, {"url": 3}], [1, 2]),
    ],
)
def test_citations_give_the_numbers_where_the_row_has_them(citations, numbers):
    found = listed("https://one.example/", "https://two.example/", citations=citations)
    assert [one.number for one in found] == numbers


def test_without_its_item_a_source_is_shown_by_its_address():
    ((_, found),) = cited(JUDGE, verdict("https://one.example/", "7", ["odd"], 3), None)
    assert found == [
        Cited(title="https://one.example/", url="https://one.example/"), Cited(title="7"), Cited(title="3"),
    ]  # fmt: skip
    assert list(cited(JUDGE, verdict(), None)) == []
    ((_, many),) = cited(JUDGE, verdict(*map(str, range(100))), None)
    assert len(many) == CITED_SHOWN


def test_on_a_terminal_it_is_one_line():
    assert Cited(title="One", url="https://one.example/", number=1).told == "One [1] https://one.example/"
    assert Cited(title="https://one.example/", url="https://one.example/").told == "https://one.example/"


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)", "JAVASCRIPT:alert(1)", " https://a.example/", "https://", "https:///x", "//a.example/",
        "http://a.example/ onclick=x", 'https://a.example/"x', "https://a.example/<b>", "https://a.example/\\x",
        "data:text/html,x", "file:///etc/passwd", "ftp://a.example/", "https://user@a.example/", "https://a.example/\u202e",
        "https://a.example/\n", "https://a.example/\ud800", "https://a.example/" + "x" * 3_000, "", None,
    ],
)  # fmt: skip
def test_what_is_no_address_of_the_web_becomes_no_link(text):
    assert web_address(text) is None


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("http://a.example", "http://a.example"),
        ("HTTPS://a.example:8080/x?y=1&z=%20#t", "HTTPS://a.example:8080/x?y=1&z=%20#t"),
        ("https://a.example/(x)[y]*z|$1", "https://a.example/%28x%29%5By%5D%2Az%7C%241"),
        ("https://a.example/ёж", "https://a.example/%D1%91%D0%B6"),
    ],
)
def test_an_address_is_left_with_nothing_that_could_end_it(text, link):
    assert web_address(text) == link


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_hostile_sources_stay_text(payload: str):
    pages = []
    for words_of in ("plain", payload):
        url = web_address(words_of)
        source = Source(id="s", text="t", url="plain" if url else words_of, title=words_of)
        item = Item(id="i", fields={"search_results": (source,), "citations": [words_of]})
        pages.append(inside(JUDGE, verdict("plain" if url else words_of), item, words("en")))
    assert skeleton(pages[1]) == skeleton(pages[0])
    assert "<a " not in pages[1]


def test_markdown_links_hold_nothing_but_the_address():
    source = Source(id="s", text="t", url="https://a.example/x_(y)?a=1&b=|", title="T](javascript:x) | ![i](u)")
    item = Item(id="i", fields={"search_results": (source,)})
    outcomes = [verdict(source.url)]
    page = markdown(build(JUDGE, sample.state(JUDGE, 1), outcomes), outcomes, JUDGE, items={"i": item})
    (line,) = [line for line in page.splitlines() if "Relevant sources" in line]
    address = "(https://a.example/x_%28y%29?a=1&amp;b=%7C)"
    assert line == rf"**Relevant sources:** [T\](javascript:x) &#124; !\[i\](u)]{address} \[1\]"
