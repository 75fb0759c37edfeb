"""The table of questions in stages: shares in full, in part and not at all, as means over items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.records import Failure, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.questions import Questions
from adjudge.report.beside.row import Row
from adjudge.report.page import inside
from adjudge.report.words import words
from adjudge.spec.load import load_judge
from tests.unit.report import sample

JUDGES = {lang: load_judge("search-summary", lang=lang) for lang in ("en", "ru")}


def verdict(item: str, states: str) -> Verdict:
    """A verdict of one source: a letter for each question, y(es), p(artly) or n(o)."""
    asked = [
        {"question": f"Is there {n}?", "is_answered": state != "n", "answer_justification": f"why {n}"}
        for n, state in enumerate(states)
    ]
    kinds = {"p": "question_partly", "n": "question_unanswered"}
    findings = [
        {"criterion": "quality", "kind": kinds[state], "reason": f"Is there {n}? why {n}", "against": state == "n"}
        for n, state in enumerate(states)
        if state in kinds
    ]
    share = {"criterion": "quality", "kind": "questions_answered", "reason": "so many of so many", "against": False}
    native = {"summary_quality_evaluation": {"questions_and_answers": [{"text_url": "u", "questions": asked}]}}
    return Verdict(
        item=item, scores={"quality": 50.0}, reasons={}, derived={}, native=native, findings=(share, *findings)
    )


def state(lang: str, *, staged: bool = True) -> RunState:
    found = sample.state(JUDGES[lang], 3)
    return replace(found, run=replace(found.run, staged=staged))


def gathered(*outcomes: Any, lang: str = "en", staged: bool = True) -> Questions:
    table = Questions(JUDGES[lang], state(lang, staged=staged))
    for one in outcomes:
        table.add(one, Row(JUDGES[lang], None))
    return table


@pytest.mark.parametrize(
    ("lang", "first", "shown"),
    [("en", "answers in full", "50.0 %"), ("ru", "отвечает полностью", "50,0 %")],
)
def test_shares_are_means_over_items(lang, first, shown):
    found = gathered(verdict("a", "yyyn"), verdict("b", "ynnpnnpn"), verdict("c", "yypp"), lang=lang).section()
    assert found is not None
    data = found.data["quality"]
    assert (data["items"], data["sources"], data["questions"]) == (3, 3, 16)
    assert [data[name]["mean"] for name in ("full", "partly", "unanswered")] == pytest.approx(
        [100 * (3 / 4 + 1 / 8 + 2 / 4) / 3, 100 * (0 + 2 / 8 + 2 / 4) / 3, 100 * (1 / 4 + 5 / 8 + 0) / 3]
    )
    low, high = data["full"]["ci95"]
    assert 0 <= low < data["full"]["mean"] < high <= 100
    assert found.rows[0][1] == first and shown.rstrip(" %")[-2] in found.rows[0][2]
    assert len(found.rows) == 3 and "16" in found.notes[0]


def test_there_is_no_table_without_stages_or_without_questions():
    assert gathered(verdict("a", "yn"), staged=False).section() is None
    assert gathered(Failure(item="a", kind="missing", stage="read", message="")).section() is None
    assert gathered(replace(verdict("a", ""), native=None)).section() is None
    assert list(gathered(verdict("a", "yn")).warnings()) == []


def test_one_item_has_no_interval():
    found = gathered(verdict("a", "yp")).section()
    assert found is not None
    assert found.data["quality"]["full"] == {"mean": 50.0, "ci95": None}


@pytest.mark.parametrize(("lang", "partly"), [("en", "◐ answered in part"), ("ru", "◐ частичный ответ")])
def test_the_page_of_an_item_tells_the_three_states_apart_and_shows_the_shares_once(lang, partly):
    drawn = str(inside(JUDGES[lang], verdict("a", "ypn"), None, words(lang)))
    assert drawn.count(partly) == 1
    assert (drawn.count("✓"), drawn.count("◐"), drawn.count("✗")) == (1, 1, 1)
    assert drawn.count("so many of so many") == 1
    assert drawn.count("Is there 2?") == 1, "an open question stands in the list of questions alone"
