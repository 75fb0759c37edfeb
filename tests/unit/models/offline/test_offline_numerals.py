from __future__ import annotations

import pytest

from adjudge.models.offline.numerals import added, by_sentence, lost, spelled
from adjudge.models.offline.text import analyse
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.linear import assert_linear
from tests.unit.models.offline.asking import segment

JUDGE = load_judge("translation", "en")


def view(src: str, trg: str, ref: str | None = None, others: tuple[str, ...] = ()):
    return Case(JUDGE, segment(src, trg, ref, others=others)).view("")


@pytest.mark.parametrize(
    ("src", "trg", "missing", "extra"),
    [
        ("Built in 1968.", "Построен в 1986 году.", ["1968"], ["1986"]),
        ("The best and last of 1968.", "Лучшее из 1968 и 1986 годов.", [], ["1986"]),
        ("It is 1,500 kilos.", "Это 1500 кило.", [], []),
        ("It costs 4.5 euros.", "Стоит 4,5 евро.", [], []),
        ("At 0200 sharp.", "Ровно в 02:00.", [], []),
        ("It is 200 feet high.", "Высота 60 метров.", [], []),
        ("At 8 p.m. it shut.", "В 20:00 закрылось.", [], []),
        ("He came 2 times.", "Он приходил дважды.", [], []),
        ("9月23日来了60万人。", "On 23 September 600,000 people came.", [], []),
        ("1. First of 40.", "1. Первый из 40.", [], []),
        ("Twenty-five people came.", "Пришли 25 человек.", [], []),
        ("Twenty-five people came.", "Пришли 26 человек.", [], ["26"]),
        ("He is 42.", "Ему сорок два.", [], []),
        ("He is 42.", "Ему сорок три.", ["42"], []),
    ],
)
def test_numbers_lost_and_added_unless_a_language_writes_them_its_own_way(src, trg, missing, extra):
    seen = view(src, trg)
    assert [number.text for _, number in lost(seen)] == missing
    assert [number.text for _, number in added(seen)] == extra


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Twenty-five came.", {25}),
        ("Two hundred and six bones.", {206}),
        ("Three thousand five hundred men.", {3500}),
        ("Two million five hundred thousand.", {2_500_000}),
        ("Twelve hundred and ten.", {1210}),
        ("In nineteen ninety-five.", {19, 95, 1995}),
        ("The twenty-first of them.", {21}),
        ("Five, six and seven.", {5, 6, 7}),
        ("Twenty. Five.", {20, 5}),
        ("Сто сорок два дня и тысяча двести ночей.", {142, 1200}),
        ("Шестьсот двадцать овец, девятьсот коз и около восьмисот кур.", {620, 900, 800}),
        ("No number at all.", set()),
        ("二十五", set()),
    ],
)
def test_number_words_that_stand_together_are_one_number(text, numbers):
    assert spelled(analyse(text)) == set(map(str, numbers))


def test_many_number_words_take_time_in_step_with_their_length():
    def work(text: str) -> object:
        seen = view("It is 25 and 26.", text)
        return lost(seen), added(seen)

    assert_linear(work, lambda size: ("two hundred 34 and twenty " * size)[:size], 10_000)


def test_others_tell_whether_a_small_number_was_due():
    src, trg = "He came 2 times.", "Он приходил."
    assert [number.text for _, number in lost(view(src, trg, "Он приходил 2 раза."))] == ["2"]
    assert not lost(view(src, trg, "Он приходил дважды."))
    assert [n.text for _, n in lost(view(src, trg, None, ("Он был 2 раза.", "Пришёл 2 раза.")))] == ["2"]
    assert not added(view("A century of it.", "Ему 100 лет.", "Ему 100 лет."))


def test_numbers_are_told_by_sentence():
    seen = view("There were 40 men and 50 women. In 1990 it ended.", "Были люди. Кончилось.")
    assert [numbers for _, numbers in by_sentence(lost(seen))] == [["40", "50"], ["1990"]]


@pytest.mark.parametrize(
    ("src", "trg", "gone", "new"),
    [
        ("He bought 3 apples.", "Он купил 5 яблок.", ["3"], ["5"]),
        ("On 3 June she left.", "Она уехала 5 июня.", ["3"], ["5"]),
        ("He bought 3 apples.", "Он купил несколько яблок.", [], []),
        ("He came twice.", "Он приходил 2 раза.", [], []),
        ("He bought 3 apples.", "Он купил три яблока.", [], []),
    ],
)
def test_a_small_number_with_another_in_its_place_is_wrong(src, trg, gone, new):
    seen = view(src, trg, None, ())
    assert [number.text for _, number in lost(seen)] == gone
    assert [number.text for _, number in added(seen)] == new
