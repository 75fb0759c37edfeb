"""Text in columns, and text made harmless."""

from __future__ import annotations

import pytest

from adjudge.report.plain import block, fit, fit_name, pad, plain, unwrapped, width, wrap


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("абв", 3), ("漢字", 4), ("е\u0301", 1), ("👍", 2), ("", 0), ("ｆｕ", 4)]
)
def test_width_counts_terminal_columns(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "shown"),
    [("abcdef", "abc…"), ("漢字漢字", "漢…"), ("абвг", "абвг"), ("a\nb", "a b"), ("е\u0301жик в тумане", "е\u0301жи…")],
)
def test_fit_cuts_to_columns(text, shown):
    assert fit(text, 4) == shown
    assert width(fit(text, 4)) <= 4


def test_pad_fills_to_columns():
    assert pad("漢", 4) == "漢  "
    assert pad("7", 3, right=True) == "  7"


def test_escapes_bidi_and_invisible_characters_are_shown_as_harmless():
    hostile = "\x1b[31mred\x07\u202egpj.exe\u2066\u200b\x00\ud800\U000e0041\x9b2J\u2028end"
    assert block(hostile) == "\ufffd[31mred\ufffd\ufffdgpj.exe\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd2J\nend"
    assert plain("a\r\nb\tc\x85d") == "a b c d"


def test_joiners_that_spell_words_stay():
    assert plain("می\u200cخواهم") == "می\u200cخواهم"


def test_a_tower_of_marks_is_cut():
    assert len(fit("a" + "\u0301" * 1000, 10)) == 4
    assert max(len(line) for line in wrap("a" + "\u0301" * 1000, 10)) == 4


def test_wrap_keeps_within_columns_and_loses_nothing():
    text = "слово " * 30 + "x" * 50 + " 漢字" * 20
    lines = list(wrap(text, 20, indent="  "))
    assert all(width(line) <= 20 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert list(wrap("", 20)) == []


def test_a_command_is_not_broken_where_a_line_holds_it():
    text = "Not finished.  Go on with: adjudge resume slow-1a --store 'sqlite:///my runs.db' or wait."
    command = "adjudge resume slow-1a --store 'sqlite:///my runs.db'"
    assert list(wrap(text, 56, indent="  ")) == ["Not finished. Go on with:", f"  {command}", "  or wait."]
    assert " ".join(wrap(text, 30)) == "Not finished. Go on with: " + command + " or wait."
    assert list(wrap("say adjudge show RUN tells it", 16)) == ["say", "adjudge show RUN", "tells it"]


def test_long_names_that_begin_alike_can_be_told_apart():
    first, second = ("a-very-long-name-of-a-dataset-" + end for end in ("first", "second"))
    assert fit_name(first, 24) == "a-very-long-nam…et-first"
    assert fit_name(second, 24) == "a-very-long-nam…t-second"
    assert fit_name("short", 24) == "short"
    hostile = ("漢字" * 20, "e\u0301" * 50, "x\n" * 50, "\x1b[31m" * 9)
    assert all(width(fit_name(name, 9)) <= 9 for name in hostile)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one line", ["one line"]),
        (
            "Broken where the line\nwas full, and then\nsome more.",
            ["Broken where the line was full, and then some more."],
        ),
        (
            "Give two things.\nThe first: what it is, at\nlength.\n",
            ["Give two things.", "The first: what it is, at length."],
        ),
        ("A paragraph.\n\nAnother one, and longer.", ["A paragraph.", "", "Another one, and longer."]),
        (
            "Entries of a list are:\n- one\n- two, which goes\n  on",
            ["Entries of a list are:", "- one", "- two, which goes on"],
        ),
        ("", [""]),
    ],
)
def test_lines_that_were_full_are_joined_and_meant_breaks_stay(text, lines):
    assert unwrapped(text).split("\n") == lines
