"""The verdict in the judge's own shape."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.core.judge import Judge
from adjudge.core.records import Claim, Opinion, Question, Score, Source
from adjudge.reply.native import native
from tests.unit.reply.judges import ANSWERS, SEARCH, SUMMARY, TRANSLATION


def scored(judge: Judge, value: float | None, who: tuple[str, ...] = ("",)) -> dict[str, dict[str, Score]]:
    return {one.name: {name: Score(value=value, reason="r") for name in who} for one in judge.scored}


def test_points_of_the_scale_with_reasons():
    found = native(SUMMARY, Opinion(scores=scored(SUMMARY, 3.5), texts={"conclusion": "c"}), {"average_score": 4}, ())
    assert found["coverage"] == {"score": 4, "justification": "r"}
    assert found["overall"] == {"average_score": 4, "conclusion": "c"}


def test_what_was_not_judged_is_null_with_its_reason():
    found = native(SUMMARY, Opinion(scores=scored(SUMMARY, None)), {"average_score": None}, ())
    assert found["coverage"] == {"score": None, "justification": "r"}
    assert found["overall"] == {"average_score": None, "conclusion": ""}
    assert native(TRANSLATION, Opinion(scores=scored(TRANSLATION, None)), {}, ()) == {
        "adequacy": [None, "r"],
        "fluency": [None, "r"],
    }


def test_a_tuple_is_an_array():
    found = native(TRANSLATION, Opinion(scores=scored(TRANSLATION, 4.4)), {}, ())
    assert found == {"adequacy": [4, "r"], "fluency": [4, "r"]}


def test_candidates_winner_and_ties():
    derived = {"total": {"B": 7.0, "A": 7.0}, "winner": {"winner": None, "tied": ["B", "A"]}}
    found = native(ANSWERS, Opinion(scores=scored(ANSWERS, 3.5, ("B", "A"))), derived, ())
    assert list(found["scores"]["depth"]) == ["B", "A"]
    assert found["scores"]["depth"]["A"] == {"score": 4, "justification": "r"}
    assert (found["totals"], found["winner"], found["tied"]) == ({"B": 7, "A": 7}, None, ["B", "A"])


@pytest.mark.parametrize(
    ("value", "shown"),
    [(4.125, 4.13), (2.675, 2.68), (1.005, 1.01), (7 / 3, 2.33), (4.0, 4), (3.999, 4), (0.1 + 0.2, 0.3), (None, None)],
)
def test_figures_have_two_decimals_and_halves_go_up(value, shown):
    found = native(SUMMARY, Opinion(scores=scored(SUMMARY, 3)), {"average_score": value}, ())
    assert found["overall"]["average_score"] == shown
    assert type(found["overall"]["average_score"]) is type(shown)


def test_sources_are_shown_by_address_or_id():
    sources = (
        Source(id="1", text="t", url="https://a"),
        Source(id="2", text="t"),
        Source(id="3", text="t", url="https://a"),
    )
    claim = Claim(text="c", supported=True, sources=("1", "2", "9"), quote="q", quote_found=False)
    questions = (
        Question(source="2", text="a?", answered=True, reason="r"),
        Question(source="1", text="b?", answered=False),
        Question(source="3", text="c?", answered=False),
        Question(source="2", text="d?", answered=False),
    )
    opinion = Opinion(
        scores=scored(SEARCH, 1),
        claims={"hallucination": (claim,)},
        questions={"quality": questions},
        selected={"relevant_sources": ("2", "1")},
    )
    found: Any = native(SEARCH, opinion, {}, sources)
    assert found["hallucination_evaluation"]["claims"] == [
        {
            "text": "c",
            "supported": True,
            "severity": None,
            "source_urls": ["https://a", "2", "9"],
            "quote": "q",
            "quote_found": False,
        }
    ]
    listed = found["summary_quality_evaluation"]["questions_and_answers"]
    assert [(entry["text_url"], [one["question"] for one in entry["questions"]]) for entry in listed] == [
        ("2", ["a?", "d?"]),
        ("https://a", ["b?"]),
        ("https://a", ["c?"]),
    ]
    assert found["answer_relevancy_evaluation"]["relevant_search_result_urls"] == ["2", "https://a"]


def test_findings_that_nobody_made_are_empty_lists():
    found = native(SEARCH, Opinion(scores=scored(SEARCH, None)), {}, ())
    assert found["hallucination_evaluation"] == {
        "hallucination_score": None,
        "hallucination_justification": "r",
        "claims": [],
    }
    assert found["answer_relevancy_evaluation"]["relevant_search_result_urls"] == []
