"""Candidates with hostile names in a question, through every way a report is drawn."""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.runs import Answer
from adjudge.report.build import build
from adjudge.report.html import html
from adjudge.report.markdown import markdown
from adjudge.report.plain import width
from adjudge.report.tables import Report
from adjudge.report.text import text
from tests.hostile.test_report_hostile import every_payload, harmless, skeleton
from tests.unit.report import sample

JUDGE = sample.single()


def case(hostile: str) -> Report:
    name = hostile[:150]
    answer = Answer(
        name="coverage",
        sides=(name, "B"),
        answered=True,
        better=name,
        items=9,
        counted=8,
        mean=1.5,
        interval=(0.5, 2.5),
        calls=9,
    )
    state = sample.state(JUDGE, 20)
    run = replace(state.run, items=20, until=f'better("{name}", B, coverage)')
    return build(JUDGE, replace(state, run=run, answer=answer, calls=12), [])


@every_payload
def test_names_in_a_question_stay_text(payload: str):
    pages = ["".join(html(case(word), [], {}, JUDGE)) for word in ("plain", payload)]
    harmless(pages[1])
    assert skeleton(pages[1]) == skeleton(pages[0])
    marked = [markdown(case(word), [], JUDGE, items={}) for word in ("plain", payload)]
    harmless(marked[1])
    benign, page = (
        [line.count("|") for line in one.splitlines() if not line.startswith("Signature: `")] for one in marked
    )
    assert page == benign
    for columns in (80, 60):
        shown = text(case(payload), width=columns)
        harmless(shown)
        assert max(map(width, shown.splitlines())) <= columns
