"""Looking a quotation up takes linear time, whatever the quotation and the source."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.core.records import Source
from adjudge.reply.evidence import locate
from tests.linear import assert_linear

#: A source of so many characters and a quotation of as many more, parted by a tab.
SHAPES: dict[str, Callable[[int], str]] = {
    "one long word": lambda n: "a" * n + "\ta",
    "a word that is everywhere but nowhere whole": lambda n: "banana " * (n // 7) + "\tan",
    "words that repeat, the last one in another case": lambda n: "a " * (n // 2) + "\t" + "a " * (n // 8) + "A",
    "words that repeat, but for the last": lambda n: "a " * (n // 2) + "\t" + "a " * (n // 8) + "b",
    "half of it, with a change": lambda n: "ab " * (n // 3) + "\t" + "ab " * (n // 6) + "ba",
    "numbers that repeat": lambda n: "1 000 " * (n // 6) + "\t" + "1 000 " * (n // 30) + "1",
    "signs": lambda n: "-." * (n // 2) + "\t-.5",
    "points between digits": lambda n: "1." * (n // 2) + "\t" + "1." * (n // 4) + "2",
    "marks upon one letter": lambda n: "e" + "\u0301\u0323" * (n // 2) + "\te\u0323\u0301",
    "invisible characters": lambda n: "\u00ad\u200b" * (n // 2) + "\ta",
    "apostrophes": lambda n: "a'" * (n // 2) + "\t" + "a'" * (n // 4) + "b",
    "blanks": lambda n: " \n" * (n // 2) + "\ta" + " " * n + "b",
    "ellipses alone": lambda n: "a b" + "\t" + "…" * n,
    "dots alone": lambda n: "a b" + "\t" + "." * n,
    "more parts than people make": lambda n: "a b " * (n // 4) + "\t" + "a b … " * (n // 6),
    "parts too far from one another": lambda n: ("x y " + "z " * 700) * (n // 1404) + "\tx y … y x",
    "parts that are never near": lambda n: ("x y " * 300 + "z " * 700 + "v w ") * (n // 2604) + "\tx y … v w … x z",
    "dashes": lambda n: "—" * n + "\t" + "—" * n + "a",
    "quotation marks": lambda n: "«" * n + "\t«" + "»" * n,
}  # fmt: skip


def look_up(text: str) -> None:
    source, _, quote = text.partition("\t")
    locate(quote, [Source(id="1", text=source), Source(id="2", text=source[::-1])], ["2"])


@pytest.mark.parametrize("shape", SHAPES)
def test_looking_up_is_linear(shape: str):
    assert_linear(look_up, SHAPES[shape], 40_000)


@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_is_found_lies_within_its_source(shape: str):
    source, _, quote = SHAPES[shape](3_000).partition("\t")
    found = locate(quote, [Source(id="1", text=source)])
    if found is not None and found.at is not None:
        assert 0 <= found.at[0] < found.at[1] <= len(source)
