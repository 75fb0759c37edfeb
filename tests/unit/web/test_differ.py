"""Two texts and what differs between them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.limits import COMPARED_LINES, COMPARED_WORDS
from adjudge.web.differ import drawn_apart, lines_apart, words_apart


def test_words_that_only_one_text_has_are_told():
    assert words_apart("The ferry leaves at ten.", "The ferry left at ten.") == [
        ("both", "The ferry "),
        ("gone", "leaves "),
        ("new", "left "),
        ("both", "at ten."),
    ]
    drawn = "".join(drawn_apart([("both", "a "), ("gone", "<b>"), ("new", "c")]))
    assert drawn == "a <del>&lt;b&gt;</del><ins>c</ins>"


@given(st.text(max_size=200), st.text(max_size=200))
def test_both_texts_can_be_read_from_the_pieces(before: str, after: str):
    pieces = words_apart(before, after)
    assert pieces is not None
    assert "".join(text for kind, text in pieces if kind != "new") == before
    assert "".join(text for kind, text in pieces if kind != "gone") == after


def test_texts_that_are_too_long_are_not_compared():
    assert words_apart("a " * COMPARED_WORDS, "b") is not None
    assert words_apart("a " * (COMPARED_WORDS + 1), "b") is None
    assert lines_apart("en.yaml", "a\n" * (COMPARED_LINES + 1), "b") is None


def test_lines_that_differ_stand_with_those_around_them():
    before = "\n".join(f"line {n}" for n in range(20))
    lines = lines_apart("en.yaml", before, before.replace("line 9", "row 9"))
    assert lines is not None
    shown = list(lines)
    assert [line for line in shown if line[0] in "+-"] == ["-line 9", "+row 9"]
    assert len(shown) == 9, "three lines before and after, and the place"
