from __future__ import annotations

import math

import pytest

from adjudge.core.errors import NoVerdict
from adjudge.core.records import Reply
from adjudge.reply.odds import log_odds, mapped, opinion, quality, read_answer, read_reason
from adjudge.spec.load import load_judge


def test_every_spelling_counts() -> None:
    words = {"Yes": math.log(0.3), " yes": math.log(0.2), "YES": math.log(0.1), "No": math.log(0.2), "The": -1.6}
    assert log_odds(words) == pytest.approx(math.log(0.6 / 0.2))


@pytest.mark.parametrize(
    "word", ["Yes", " yes", "YES", "▁Yes", "ĠYes", "Yes.", "**Yes", '"Yes"', "\nYes", "Да", " да", "Д"]
)
def test_a_spelling_of_yes(word: str) -> None:
    assert log_odds({word: -0.1, "x": -4.0}) > 0


@pytest.mark.parametrize("word", ["No", " no", "NO,", "Нет", " нет", "Не", "Н", "«Нет"])
def test_a_spelling_of_no(word: str) -> None:
    assert log_odds({word: -0.1, "x": -4.0}) < 0


def test_a_word_that_is_not_listed_is_no_likelier_than_the_last_one_that_is() -> None:
    assert log_odds({"Yes": -0.1, "The": -2.0, "A": -5.0}) == pytest.approx(4.9)
    assert log_odds({"No": -0.1, "The": -2.0}) == pytest.approx(-1.9)


@pytest.mark.parametrize(
    "words", [{}, {"The": -0.1, "Yesterday": -1.0, "None": -2.0, "nope": -3.0, "": -4.0, "Y": -5.0}]
)
def test_without_either_there_is_no_number(words: dict[str, float]) -> None:
    with pytest.raises(NoVerdict, match="neither yes nor no"):
        log_odds(words)


def test_low_is_good_where_the_scale_says_so() -> None:
    judge = load_judge("search-summary", lang="en")
    criterion = judge.criterion("hallucination")
    sure, _ = read_answer(judge, criterion, Reply(text="Yes", odds={"Yes": -0.001, "No": -9.0}))
    unsure, _ = read_answer(judge, criterion, Reply(text="No", odds={"Yes": -9.0, "No": -0.001}))
    assert sure.value is not None and unsure.value is not None
    assert 0 <= sure.value < 1 and 2 < unsure.value <= 3
    for score in (sure, unsure):
        assert score.interval is not None
        low, high = score.interval
        assert 0 <= low <= (score.value or 0) <= high <= 3


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "No with probability 0.75 to: Is the translation fluent"),
        ("ru", "«Нет» с вероятностью 0.75 на вопрос: Читается"),
    ],
)
def test_the_reason_says_what_was_asked_and_how_sure_the_answer_is(lang: str, said: str) -> None:
    judge = load_judge("translation", lang=lang)
    odds = {"No": math.log(0.75), "Yes": math.log(0.25)}
    score, step = read_answer(judge, judge.criterion("fluency"), Reply(text="No", odds=odds))
    assert score.reason.startswith(said)
    assert step == "odds"


def test_what_has_no_question_is_not_judged_and_says_why() -> None:
    judge = load_judge("search-summary", lang="ru")
    asked = {
        c.name: {"": read_answer(judge, c, Reply(text="Да", odds={"Да": -0.1}))[0]} for c in judge.scored if c.question
    }
    found = opinion(judge, asked, ("",))
    assert found.scores["quality"][""].value is None
    assert "нет вопроса" in found.scores["quality"][""].reason
    assert found.scores["relevancy"][""].value is not None
    assert opinion(load_judge("summary"), {c.name: {} for c in load_judge("summary").scored}, ("",)).texts["conclusion"]


def test_the_mapping_rises_and_its_data_say_where_they_are_from() -> None:
    assert mapped().slope > 0
    assert 0 < mapped().spread < 1
    assert quality(0.0) == pytest.approx(1 / (1 + math.exp(-mapped().shift)))
    assert set(mapped().words["en"]) == set(mapped().words["ru"])
    assert mapped().say("de", "answer_yes") == "Yes"


@pytest.mark.parametrize(
    ("text", "finish", "told"),
    [
        ("It rained.\n Twice.", "stop", "It rained. Twice."),
        ("<<<7a0a0a It rained. 7a0a0a>>>", "stop", "It rained."),
        ("It rained and it ra", "length", "It rained and it ra…"),
        ("word " * 1000, "stop", ("word " * 400).rstrip() + "…"),
        (" \n", "length", ""),
    ],
)
def test_a_reason_is_one_line_without_marks(text, finish, told):
    assert read_reason(Reply(text=text, finish=finish)) == (told, "reason")
