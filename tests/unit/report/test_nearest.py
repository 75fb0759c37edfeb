"""What terminals without UTF-8 are shown."""

from __future__ import annotations

import pytest

from adjudge.report.build import build
from adjudge.report.nearest import NEAREST
from adjudge.report.text import text
from tests.unit.report.sample import compare as compare_judge
from tests.unit.report.sample import seed_comparisons, single, state, summaries


def test_no_sign_of_the_report_is_lost_where_there_is_only_ascii():
    judges = (single(), summaries("en")), (compare_judge(), seed_comparisons("en"))
    for judge, outcomes in judges:
        page = text(build(judge, state(judge, len(outcomes)), outcomes))
        shown = page.encode("ascii", NEAREST).decode("ascii")
        assert "?" not in shown
        assert [len(line) for line in shown.splitlines()] == [len(line) for line in page.splitlines()]


def test_a_terminal_shows_the_letters_that_it_has():
    assert "Мотылёк ↑ 0–25 ··━●━·".encode("koi8-r", NEAREST).decode("koi8-r") == "Мотылёк ^ 0-25 ··=O=·"
    assert "日本".encode("ascii", NEAREST) == b"??"


def test_what_cannot_be_decoded_is_an_error_still():
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("utf-8", NEAREST)
