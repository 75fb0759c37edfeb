from __future__ import annotations

import pytest

from adjudge.models.offline.judge import measure_all
from adjudge.models.offline.questions import gap, questions
from adjudge.models.offline.text import analyse
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import ask, search


def fact(text: str):
    return analyse(text).sentences[0]


@pytest.mark.parametrize(
    ("text", "asked", "value"),
    [
        ("The ferry carried 40 passengers to the harbour.", "The ferry carried ___ passengers to the harbour", "40"),
        ("The dose is 10–15 mg per kg of body weight [2].", "The dose is ___ mg per kg of body weight", "10–15"),
        ("In two towns the tower burnt down in 1902.", "In two towns the tower burnt down in ___", "1902"),
        ("Паром вёз сорок пассажиров в гавань.", "Паром вёз ___ пассажиров в гавань", "сорок"),
        ("Таблетка содержит 0,5 мг мелатонина днём.", "Таблетка содержит ___ мг мелатонина днём", "0,5"),
        ("Yesterday Anna Holm lit the old lamp.", "Yesterday ___ lit the old lamp", "Anna Holm"),
        ("The Sula ferry found the old harbour.", "The ___ ferry found the old harbour", "Sula"),
        ("Вчера смотрительница Анна Холм зажгла лампу.", "Вчера смотрительница ___ зажгла лампу", "Анна Холм"),
    ],
)
def test_a_number_or_a_name_is_left_out(text, asked, value):
    left = gap(fact(text))
    assert left is not None
    assert (left.text, left.value) == (asked, value)
    assert (left.number is None) == value[:1].isalpha() or value == "сорок"


@pytest.mark.parametrize(
    "text",
    [
        "It can harm the kidneys.",
        "It is 40 kg.",
        "The jet was an old SU-27 of the fleet.",
        "Е\u0301ли 40 разных котлет.",
    ],
)
def test_where_nothing_or_too_little_would_be_left_there_is_no_gap(text):
    assert gap(fact(text)) is None


PAGE = (
    "The ferry Sula carried 40 passengers to the harbour. The keeper of the tower was Anna Holm. "
    "The storm did not break the old lamp."
)


def listed(text: str, lang: str = "en", page: str = PAGE) -> dict[str, tuple[bool, str]]:
    found, _ = questions(Case(load_judge("search-summary", lang), search(text, [page], "Who?")).view(""))
    assert found is not None
    return {q["question"]: (q["is_answered"], q["answer_justification"]) for part in found for q in part["questions"]}


NUMBER = "What number stands in the gap: “The ferry Sula carried ___ passengers to the harbour”?"
NAME = "What name stands in the gap: “The keeper of the tower was ___”?"
PLAIN = "Does the text say that: “The storm did not break the old lamp”?"


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        (PAGE, {NUMBER, NAME, PLAIN}),
        (
            "The ferry Sula carried forty passengers to the harbour. The old lamp was not broken by the storm.",
            {NUMBER, PLAIN},
        ),
        ("The ferry Sula carried 90 passengers to the harbour. Anna was the keeper of the tower.", {NAME}),
        ("The keeper of the tower was Viktor. The storm did break the old lamp.", set()),
        ("Cats sleep.", set()),
    ],
)
def test_answered_means_that_the_value_stands_near_the_words_of_the_fact(text, answered):
    found = listed(text)
    assert set(found) == {NUMBER, NAME, PLAIN}
    assert {question for question, (yes, _) in found.items() if yes} == answered


def test_the_justification_says_what_is_there_and_what_is_not():
    found = listed("The ferry Sula carried 90 passengers to the harbour. Anna Holm was the keeper of the tower.")
    assert found[NUMBER][1].startswith("“40” is not there; the nearest the text comes: “The ferry Sula carried 90")
    assert found[NAME][1].startswith("“Anna Holm”: “Anna Holm was the keeper")
    assert listed("Cats sleep.")[PLAIN][1] == "No, there is nothing like it in the text."


def test_questions_in_russian():
    page = "Паром вёз сорок пассажиров в гавань. Смотрительницей башни была Анна Холм."
    found = listed("Паром вёз 40 пассажиров в гавань.", "ru", page)
    assert {question: yes for question, (yes, _) in found.items()} == {
        "Какое число стоит на месте пропуска: «Паром вёз ___ пассажиров в гавань»?": True,
        "Какое имя или название стоит на месте пропуска: «Смотрительницей башни была ___»?": False,
    }


def test_an_open_question_is_a_finding_with_its_place_in_the_source():
    text = "The ferry Sula carried 40 passengers to the harbour."
    measured = measure_all(load_judge("search-summary", "en"), search(text, ["Hello.", PAGE], "Who?"))[""]["quality"]
    said, *opened = measured.findings
    assert said.kind == "questions_answered" and not said.against
    facts = {PAGE[slice(*finding.source_at)] for finding in opened if finding.source_at and finding.source == "2"}
    assert facts == {"The keeper of the tower was Anna Holm.", "The storm did not break the old lamp."}
    assert all(finding.kind == "question_open" and finding.against for finding in opened)
    assert measured.quality == pytest.approx(1 / (1 + len(opened)))


def test_a_part_of_a_sentence_is_placed_in_it():
    page = "The ferry Sula carried 40 passengers, the storm broke the tower window, the keeper held a lantern."
    opened = measure_all(load_judge("search-summary", "en"), search("Cats.", [page], "Who?"))[""]["quality"].findings[
        1:
    ]
    places = [page[slice(*finding.source_at)] for finding in opened if finding.source_at]
    assert "the keeper held a lantern." in places
    assert len(places) == len(set(places)) == len(opened)


def test_the_verdict_lists_the_same_questions():
    found = ask(load_judge("search-summary", "en"), search(PAGE, [PAGE], "Who?"))["summary_quality_evaluation"]
    asked = [q["question"] for part in found["questions_and_answers"] for q in part["questions"]]
    assert asked == [NUMBER, NAME, PLAIN]
