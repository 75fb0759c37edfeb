"""A report that is kept says what it said, exactly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.report import codec
from adjudge.report.build import build
from adjudge.report.tables import Section
from tests.unit.report.sample import compare, seed_comparisons, single, state, summaries

HOSTILE = "\x00\x1a\ud800 \U0001f600 <script> ёЖ"


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(("judge", "outcomes"), [(single, summaries), (compare, seed_comparisons)])
def test_a_report_comes_back_as_it_was(judge, outcomes, lang):
    section = Section(
        name="s", title=HOSTILE, columns=("a", HOSTILE), rows=(("1", HOSTILE), ()), data={"n": 0.1 + 0.2, HOSTILE: [1]}
    )
    found, run = outcomes(lang), state(judge(lang), 40)
    made = replace(build(judge(lang), run, found), sections=(section, section), flags=((HOSTILE, 2),))
    assert made.worst and made.criteria
    assert codec.load(codec.dump(made), run) == made


def test_the_state_is_that_of_the_run_that_shows_it():
    judge, outcomes = single(), summaries("en")
    made = build(judge, state(judge, len(outcomes)), outcomes)
    other = replace(made.state, calls=0, cached=40, summary={"a": HOSTILE})
    assert codec.load(codec.dump(made), other) == replace(made, state=other, summary=other.summary)
    assert made.state.run.id not in codec.dump(made)
