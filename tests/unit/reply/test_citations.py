"""Citations in a text, and which of them a passage rests on."""

from __future__ import annotations

import pytest

from adjudge.core.numbering import numbering
from adjudge.core.records import Source
from adjudge.reply.citations import citations, cited_by
from tests.linear import assert_linear


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("One [1].", [(1,)]),
        ("Two [1, 3] and [2;4].", [(1, 3), (2, 4)]),
        ("A range [2-4], [2–4] and [ 7 ].", [(2, 3, 4), (2, 3, 4), (7,)]),
        ("Raised text.¹ and more¹²", [(1,), (12,)]),
        ("Markdown [1](https://a.example) too", [(1,)]),
        ("A year [1999], a word [sic], a list [a, 1], nothing [].", []),
        ("5 m², 3 km², 10² and x²⁺ are no citations", []),
        ("A range backwards [4-2] or endless [1-900] names nothing", []),
        ("[0] is a number all the same", [(0,)]),
        ("Ссылка [1] и степень 5 км²", [(1,)]),
    ],
)
def test_what_is_a_citation(text, numbers):
    found = citations(text)
    assert [one.numbers for one in found] == numbers
    for one in found:
        assert text[slice(*one.at)].strip("[] ") != ""


TEXT = "Tea has caffeine [1] and tannin [2]. Coffee has more.[3][4] Milk is white\nBread is old [5]. Wine. [6] Oil."


@pytest.mark.parametrize(
    ("passage", "numbers"),
    [
        ("Tea has caffeine", (1,)),
        ("Tea has", (1,)),
        ("tannin", (2,)),
        ("Tea has caffeine [1] and tannin [2].", (1, 2)),
        ("Coffee has more", (3, 4)),
        ("Coffee has more.", (3, 4)),
        ("Milk is white", ()),
        ("Wine", (6,)),
        ("Oil.", ()),
    ],
)
def test_a_passage_cites_what_stands_in_it_or_next_in_its_sentence(passage, numbers):
    at = TEXT.index(passage)
    assert cited_by(TEXT, citations(TEXT), (at, at + len(passage))) == numbers


def test_what_is_far_behind_is_not_cited():
    text = "Tea " + "is " * 1_000 + "good [1]."
    assert cited_by(text, citations(text), (0, 3)) == ()


@pytest.mark.parametrize("unit", ["[1 ", "[1,", "[", "[1][", "[1]. ", "a¹ ", "[1-", " " * 50 + "["])
def test_finding_citations_takes_time_in_proportion(unit):
    assert_linear(citations, lambda size: unit * (size // len(unit)), 100_000)


SOURCES = [Source(id="1", text="a", url="https://a.example"), Source(id="2", text="b", url="https://b.example")]


@pytest.mark.parametrize(
    ("given", "places"),
    [
        (None, {1: 1, 2: 2}),
        ("https://b.example", {1: 1, 2: 2}),
        ([], {1: 1, 2: 2}),
        (["https://other.example"], {1: 1, 2: 2}),
        (["https://b.example", "https://a.example"], {1: 2, 2: 1}),
        (["https://other.example", {"url": "https://a.example"}, None, 7], {2: 1}),
        ({"3": "https://b.example", "x": "https://a.example"}, {3: 2}),
    ],
)
def test_a_row_may_say_what_its_numbers_stand_for(given, places):
    assert numbering(SOURCES, given) == places
