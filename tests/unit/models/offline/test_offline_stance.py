"""Denying, disclaiming, framing and opposite words."""

from __future__ import annotations

import pytest

from adjudge.models.offline.stance import adds, counted, denies, opposites, silent, stems_of
from adjudge.models.offline.text import Sentence, analyse, stem


def one(text: str) -> Sentence:
    return analyse(text).sentences[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Unable to answer based on the given passages.", True),
        ("The article does not mention a price.", True),
        ("The article mentions a price.", False),
        ("The sources do not say how high the tower is.", True),
        ("The sources say nothing about the tower.", True),
        ("The sources do not say.", True),
        ("No, the sources say that the tower is high.", False),
        ("Нет, в статье указана цена.", False),
        ("A source says that he did not leave the tower.", False),
        ("The hotel does not provide towels.", False),
        ("В статье не указано, кто платил.", True),
        ("Капитан не покинул корабль.", False),
    ],
)
def test_silence_of_the_sources(text: str, expected: bool) -> None:
    assert silent(one(text)) is expected


@pytest.mark.parametrize("text", ["He did not come.", "He refused to come.", "Он не пришёл.", "Он отказался прийти."])
def test_denials_with_and_without_a_negation(text: str) -> None:
    assert denies([one("He came."), one(text)])
    assert not denies([one("He came."), one("Он пришёл.")])


@pytest.mark.parametrize("text", ["It is not only a cat.", "Это не только кот.", "Es ist nicht nur eine Katze."])
def test_a_negation_that_adds(text: str) -> None:
    assert adds(one(text))
    assert not adds(one("It is not a cat, only a dog."))


def test_opposites_go_both_ways_and_never_meet_themselves() -> None:
    pairs = opposites()
    assert stem("decrease", "en") in pairs[stem("increase", "en")]
    assert all(one not in others and all(one in pairs[other] for other in others) for one, others in pairs.items())


def test_ordinals_and_months_are_numbers_too() -> None:
    assert counted(analyse("The second quarter ended in March.")) == {"2", "3"}
    assert counted(analyse("Второй квартал закончился в конце марта.")) == {"2", "3"}
    assert stems_of("framing").isdisjoint({stem("harbour", "en"), stem("гавань", "ru")})
