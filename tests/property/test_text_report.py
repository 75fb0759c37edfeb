"""Whatever titles, names, ids and reasons are: no line of the terminal's report is too wide or ends with blanks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.judge import Judge
from adjudge.core.records import Failure, Outcome
from adjudge.report.build import build
from adjudge.report.plain import width
from adjudge.report.text import text
from tests.unit.report import sample

#: Any letters, with many that take two columns, none, or steer a terminal.
TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("漢字ｗ👩‍👧é\u0301\u0302\u200d\x1b[31m\t\n\u202e|·…")), max_size=120
)
COLUMNS = st.integers(40, 100)


def named(judge: Judge, title: str) -> Judge:
    criteria = tuple(replace(one, title=title and f"{title}{one.name}") for one in judge.criteria)
    return replace(judge, title=title, criteria=criteria)


def within(judge: Judge, outcomes: list[Outcome], about: str, columns: int) -> None:
    state = sample.state(judge, len(outcomes), model=about, steps={about: 1}, summary={"coverage": about})
    state = replace(state, run=replace(state.run, name=about, data=about))
    for colour in (False, True):
        page = text(build(judge, state, outcomes), width=columns, colour=colour)
        plain = page
        for code in ("1", "2", "31", "33", "0"):
            plain = plain.replace(f"\x1b[{code}m", "")
        assert "\x1b" not in plain
        assert colour or plain == page
        for line in plain.splitlines():
            assert width(line) <= columns
            assert colour or line == line.rstrip()


@given(title=TEXTS, about=TEXTS, item=TEXTS, reason=TEXTS, columns=COLUMNS)
def test_items_judged_alone(title, about, item, reason, columns):
    judge = named(sample.single(), title)
    scores = {"coverage": 2.0, "accuracy": 3.0, "hallucination": 1}
    judged = [sample.verdict(f"{item}{at}", scores, reasons={"coverage": reason}, flags=(reason,)) for at in range(2)]
    failed = Failure(item=item, kind="timed_out", stage="judge", message=reason)
    within(judge, [*judged, failed], about, columns)


@given(
    title=TEXTS, about=TEXTS, names=st.lists(TEXTS.filter(bool), min_size=2, max_size=8, unique=True), columns=COLUMNS
)
def test_candidates(title, about, names, columns):
    judge = named(sample.compare(), title)
    scores = {
        one: {name: float((at + place) % 6) for at, name in enumerate(names)}
        for place, one in enumerate(("correctness", "completeness", "depth"))
    }
    within(judge, [sample.comparison(f"q{at}", scores) for at in range(2)], about, columns)
