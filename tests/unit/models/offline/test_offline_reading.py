"""Numbers of several words, short units, one-letter words, and what there is none of."""

from __future__ import annotations

import pytest

from adjudge.models.offline.text import analyse, stem


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Денег на библиотеку в бюджете нет.", {"деньги"}),
        ("В бюджете нет денег на библиотеку.", {"деньги"}),
        ("Нет в бюджете денег на библиотеку.", {"деньги"}),
        ("Свободных мест у входа нет, но рядом есть стоянка.", {"свободных", "мест"}),
        ("У входа нет свободных мест.", {"свободных", "мест"}),
        ("Ремонт начнётся в мае, а денег нет.", {"деньги"}),
        ("Нет, ремонт начнётся в мае.", set()),
        ("Неясно, начнётся ремонт или нет.", set()),
    ],
)
def test_what_there_is_none_of_may_stand_before_the_negation(text, denied):
    assert analyse(text).sentences[0].negated == {stem(word, "ru") for word in denied}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("No, the warranty covers falls.", False),
        ("**No** - the warranty covers falls.", False),
        ("No: the warranty covers falls.", False),
        ("No", False),
        ("Yes — the warranty covers falls.", True),
        ("Нет - гарантия покрывает падения.", False),
        ("Нет: гарантия покрывает падения.", False),
        ("Да, гарантия покрывает падения.", True),
        ("Да и гарантия покрывает падения.", None),
    ],
)
def test_a_yes_or_no_set_apart_answers_and_denies_nothing(text, said):
    (sentence,) = analyse(text).sentences
    assert sentence.answers is said
    assert not sentence.negated


@pytest.mark.parametrize("text", ["No warranty covers falls.", "No, no warranty covers falls.", "No-fault cover."])
def test_a_no_that_leads_its_word_denies_it(text):
    (sentence,) = analyse(text).sentences
    assert sentence.negated in ({stem("warranty", "en")}, {stem("fault", "en")})


def test_scripts_without_spaces_beside_a_negation():
    assert stem("деньги", "ru") in analyse("漢字漢字 и денег нет.", "ru").sentences[0].negated


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("It cost $12.5 million.", "It cost 12,500,000 dollars."),
        ("It cost 1.25 million.", "It cost 1,250,000 dollars."),
        ("It has 3 thousand trees.", "It has 3000 trees."),
        ("Twenty-five men came.", "25 men came."),
        ("It has two hundred trees.", "It has 200 trees."),
        ("It has twenty-one trees.", "It has 21 trees."),
        ("Завод сделал 3,5 тыс. машин.", "Завод сделал 3500 машин."),
        ("Истрачено 25 млн рублей.", "Истрачено 25 000 000 рублей."),
        ("Там сто двадцать пять дворов.", "Там 125 дворов."),
        ("Там две тысячи триста дворов.", "Там 2300 дворов."),
    ],
)
def test_a_number_of_several_words_is_one(written, other):
    (one,), (two,) = (analyse(text).sentences[0].numbers for text in (written, other))
    assert one.readings[0] in two.readings
    assert set(analyse(written).stems) & set(analyse(other).stems) >= {one.cut}
    assert (one.shown or one.text) in written


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("It was on 03.02.2020.", "It was on 3 February 2020."),
        ("Это было 03.02.2020.", "Это было 3 февраля 2020 года."),
        ("Take 1.5 tablets.", "Take one and a half tablets."),
        ("По 1,5 таблетки.", "По полторы таблетки."),
        ("It was stage 3.", "It was stage III."),
        ("Стадия 2.", "У него II стадия."),
    ],
)
def test_a_source_knows_its_dates_fractions_and_roman_numerals_in_digits(text, source):
    known = analyse(source).numbers
    assert all(number.within(known) for number in analyse(text).sentences[0].numbers)


def test_a_month_is_no_number_of_its_own_and_a_letter_no_numeral():
    assert "5" not in analyse("You may go. I like type and class.").numbers
    assert "1" not in analyse("You may go. I like type and class.").numbers


def test_numbers_that_only_stand_side_by_side_are_two():
    for text in ("Two or three men came.", "Three, four men came.", "In 2018 two men came.", "At 15:45 million men"):
        assert len(analyse(text).sentences[0].numbers) == 2 - ("million" in text)
    assert "25" in analyse("25 million").numbers


def test_a_long_number_with_a_magnitude_is_left_as_it_is():
    (number,) = analyse("9" * 5000 + " million men").sentences[0].numbers
    assert number.shown == ""


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("Высота горы 5642 м.", "Высота горы 5642 метра."),
        ("Билет стоит 600 р.", "Билет стоит 600 рублей."),
        ("До села 12 км.", "До села 12 километров."),
        ("He came 5th in 1931.", "He came 5 in 1931."),
        ("В 2018-м году", "В 2018 году"),
        ("С 2018-го года", "С 2018 года"),
    ],
)
def test_short_units_and_endings_of_ordinals(short, full):
    assert analyse(short).stems == analyse(full).stems


def test_one_letter_is_content_only_where_it_is_a_word():
    assert analyse("г. Омск, б Иван, x").stems == analyse("Омск Иван").stems
    assert analyse("山 川").stems == ("山", "川")
