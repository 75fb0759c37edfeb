"""What a report says of the question of `--until`: the answer, after how many items, and what was saved."""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.runs import Answer
from adjudge.report.beside.until import Until
from adjudge.report.build import build
from adjudge.report.words import words
from tests.unit.report import sample

JUDGE = sample.single()
KNOWN = Answer(
    name="coverage",
    sides=(),
    answered=True,
    better="",
    items=140,
    counted=140,
    mean=3.82,
    interval=(3.73, 3.92),
    calls=280,
)


def section(answer, *, of=1000, calls=280, until="ci(coverage) < 0.1", judge=JUDGE):
    state = sample.state(judge, of)
    run = replace(state.run, until=until, items=of)
    return Until(judge, replace(state, run=run, answer=answer, calls=calls, cached=0)).section()


def test_nothing_is_said_where_nothing_was_asked():
    assert Until(JUDGE, sample.state(JUDGE, 4)).section() is None


def test_an_answer_and_what_it_saved():
    found = section(KNOWN)
    assert found.rows == (("ci(coverage) < 0.1", "known", "140 of 1,000", "3.82", "[3.73, 3.92] ±0.095"),)
    assert found.notes[0] == "Answered after 140 of 1,000 items; calls saved: about 1,720."
    assert len(found.notes) == 2
    assert found.data["calls_saved"] == 1720 and found.data["half_width"] == (3.92 - 3.73) / 2


def test_what_was_asked_beyond_is_not_saved_and_does_not_count():
    found = section(KNOWN, calls=300)
    assert found.data["calls_saved"] == 1700
    assert "Replies that came in after the answer are paid for" in found.notes[-1]
    assert section(KNOWN, of=141, calls=9999).data["calls_saved"] == 0


def test_items_without_a_value_are_said():
    found = section(replace(KNOWN, counted=130))
    assert any(note.startswith("130 of the 140 items looked at") for note in found.notes)


def test_a_question_may_stay_open_or_be_answered_with_the_last_item():
    ended = section(replace(KNOWN, answered=False, items=1000))
    assert ended.rows[0][1] == "open" and ended.notes[0].startswith("All 1,000 items were looked at")
    assert ended.data["calls_saved"] == 0
    begun = section(replace(KNOWN, answered=False))
    assert begun.notes[0] == "Not answered yet: 140 of 1,000 items were looked at."
    assert section(replace(KNOWN, items=1000)).notes[0].startswith("Answered with the last of 1,000 items")


def test_the_better_side_is_named_with_the_difference():
    sides = replace(KNOWN, sides=("A", "B"), better="B", mean=-2.25, interval=(-4.0, -0.5))
    found = section(sides, until="better(A, B, total)")
    assert found.rows[0][1:] == ("B", "140 of 1,000", "-2.25", "[-4.00, -0.50]")
    assert found.columns[3] == "Difference" and found.data["better"] == "B"
    assert any("items like these" in note for note in found.notes)


def test_in_russian():
    found = section(KNOWN, judge=replace(JUDGE, lang="ru"))
    say = words("ru")
    assert found.title == say("until") and found.rows[0][1] == "известно"
    assert found.notes[0] == say("until_answered", n="140", of=say.number(1000, 0), calls=say.number(1720, 0))


def test_a_run_that_has_its_answer_is_not_called_unfinished():
    state = sample.state(JUDGE, 4)
    state = replace(state, run=replace(state.run, items=1000, until="ci(coverage) < 0.1"))
    outcomes = list(sample.summaries("en"))
    unfinished = build(JUDGE, state, outcomes)
    assert any("not finished" in warning for warning in unfinished.warnings)
    ended = build(JUDGE, replace(state, answer=replace(KNOWN, items=len(outcomes))), outcomes)
    assert not any("not finished" in warning for warning in ended.warnings)
    still_open = build(JUDGE, replace(state, answer=replace(KNOWN, answered=False)), [])
    assert any("not finished" in warning for warning in still_open.warnings)
