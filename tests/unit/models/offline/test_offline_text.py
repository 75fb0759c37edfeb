from __future__ import annotations

import pytest

from adjudge.models.offline.text import analyse, citations, language, stem
from tests.linear import LARGE, assert_linear


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Mr. Smith met Dr. Jones. They talked.", 2),
        ("А. С. Пушкин родился в г. Москве. Он писал стихи.", 2),
        ("Цена 3.5 руб. за штуку, т.е. дорого. Да.", 2),
        ("- one thing\n- another thing\n1. third thing", 3),
        ("It rains [1]. It snows. [2] Then it stops", 3),
        ("日本語の文。次の文。", 2),
        ("日本語の文。[1]次の文。[2]", 2),
        ("Вход 1200 р. [1], детский — 600 р. [2]. Касса закрыта.", 2),
        ("Дом стоил пять зол. [1], сарай — два. [2] Двор даром.", 2),
        ("no capitals here . and none here . done", 3),
        ("", 0),
        ("🙂 … !", 0),
    ],
)
def test_sentences(text, count):
    assert len(analyse(text).sentences) == count


@pytest.mark.parametrize(
    ("lang", "one", "other"),
    [
        ("ru", "станция", "станции"),
        ("ru", "красный", "красного"),
        ("ru", "решение", "решить"),
        ("ru", "останавливается", "останавливаются"),
        ("en", "stopped", "stops"),
        ("en", "houses", "house"),
        ("en", "studies", "study"),
    ],
)
def test_inflected_forms_meet(lang, one, other):
    assert stem(one, lang) == stem(other, lang)


HARD = ("", "а", "у", "ом", "е", "ы", "ов", "ам", "ами", "ах")
CASES = {
    HARD: "метформин инсулин аспирин варфарин гемоглобин креатинин амоксициллин апиксабан антиген экран орган член",
    ("а", "ы", "е", "у", "ой", "ою", "", "ам", "ами", "ах"): "вакцин медицин причин мужчин стран замен охран длин стен",
    ("ие", "ия", "ию", "ием", "ии", "ий", "иям", "иями", "иях"): "лечен давлен отделен заболеван исследован",
    ("я", "и", "е", "ю", "ей", "ям", "ями", "ях"): "княгин героин",
    ("ый", "ая", "ое", "ые", "ого", "ой", "ому", "ым", "ую", "ых", "ыми"): "зелен един кожан",
}


@pytest.mark.parametrize(("cases", "noun"), [(cases, noun) for cases, nouns in CASES.items() for noun in nouns.split()])
def test_all_cases_of_a_russian_noun_meet(cases, noun):
    assert len({stem(noun + ending, "ru") for ending in cases}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("креатин", "креатинина"), ("степень", "степь"), ("вакцина", "вакуум"), ("органы", "организм"), ("план", "плата")],
)
def test_different_russian_words_stay_apart(one, other):
    assert stem(one, "ru") != stem(other, "ru")


def test_a_verb_meets_its_noun_and_participle():
    forms = ("распространить", "распространение", "распространен", "распространена", "распространенный")
    assert {stem(form, "ru") for form in forms} == {"распростран"}


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("1,000", "1 000"),
        ("1.000.000", "1000000"),
        ("3,5", "3.5"),
        ("3.50", "3,5"),
        ("007", "7"),
        ("1,000.50", "1000.5"),
        ("1 234,5", "1,234.5"),
        ("1.234.567,89", "1,234,567.89"),
        (".5", "0,50"),
        ("18.30", "18:30"),
    ],
)
def test_one_number_in_two_spellings(written, other):
    (number,) = analyse(f"It is {written} now").sentences[0].numbers
    assert number.within(analyse(f"Это {other} м").numbers)


@pytest.mark.parametrize(
    ("written", "other"),
    [("0.5", "5"), ("2.5", "25"), ("61.3", "613"), ("0.003", "3"), ("0,003", "0,03"), ("12", "1.2"), ("5", "2.5")],
)
def test_a_decimal_mark_is_part_of_the_number(written, other):
    (number,) = analyse(f"It is {written} now").sentences[0].numbers
    assert not number.within(analyse(f"Это {other} м").numbers)
    (number,) = analyse(f"Это {other} м").sentences[0].numbers
    assert not number.within(analyse(f"It is {written} now").numbers)


def test_a_time_is_all_of_its_parts():
    (number,) = analyse("at 15:45").sentences[0].numbers
    assert not number.within(analyse("at 17:45").numbers)


@pytest.mark.parametrize(("one", "other"), [("0/0", "0"), ("12:12", "12"), ("2.5", "25"), ("0,5", "5")])
def test_numbers_that_differ_have_stems_that_differ(one, other):
    assert analyse(f"It is {one} now").stems != analyse(f"It is {other} now").stems


def test_words_for_numbers_are_numbers():
    assert "12" in analyse("В посёлке двенадцать дворов").numbers


def test_negation_reaches_the_next_content_word():
    assert analyse("He did not go home.").sentences[0].negated == {"go"}
    assert analyse("Nothing in it is broken.").sentences[0].negated == {stem("broken", "en")}
    assert stem("убил", "ru") in analyse("Он не убил старуху").sentences[0].negated


def test_what_asks_is_no_content():
    for text in ("Какова высота?", "Каков он?", "Сколько их?", "Что такое высота?", "Зачем и почему?", "Но чья?"):
        assert set(analyse(text).stems) <= {stem("высота", "ru")}


def test_spelling_variants_are_one():
    assert analyse("Пётр’s ёлка").known == analyse("Петр's елка").known


def test_citations():
    assert citations("a [1], b [2, 4] and c [6-8]") == (1, 2, 4, 6, 7, 8)
    assert citations("a [1999], b [123456]") == (1999,)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Где находится станция?", "ru"),
        ("¿Dónde está la estación de los trenes?", "es"),
        ("Where is it", "en"),
        ("Die Sonne scheint und der Wind ist kalt", "de"),
        ("漢字", "other"),
    ],
)
def test_language(text, lang):
    assert language(text) == lang


@pytest.mark.parametrize(
    "piece",
    [
        ".",
        ". ",
        "a. ",
        "[1",
        "1 ",
        "1.1",
        "'",
        "\n ",
        "1 000",
        "[1,1",
        "a'",
        "—\n",
        "нет ",
        "денег, нет ",
        "two ",
        "2 million ",
        ". [1]",
        "5th ",
        " .5",
        "1 000,5 ",
    ],
)
def test_time_is_linear_on_hostile_shapes(piece):
    assert_linear(analyse, lambda size: (piece * size)[:size], 25_000, ratio=LARGE)
