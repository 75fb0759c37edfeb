from __future__ import annotations

import pytest

from adjudge.models.offline.numerals import added, by_sentence, lost, spelled
from adjudge.models.offline.text import analyse
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.linear import LARGE, assert_linear
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


@pytest.mark.parametrize(
    ("src", "trg", "missing", "extra"),
    [
        ("Take 0.5 mg daily.", "Принимать 5 мг в день.", ["0.5"], ["5"]),
        ("It weighs 2.5 kg.", "Масса 25 кг.", ["2.5"], ["25"]),
        ("The score was 8.4 then.", "Балл тогда был 84.", ["8.4"], ["84"]),
        ("It held (p = 0.003).", "Это верно (p = 0,03).", ["0.003"], ["0,03"]),
        ("The ratio is 1.5 here.", "Отношение здесь 15.", ["1.5"], ["15"]),
        ("Масса 2,5 кг.", "It weighs 25 kg.", ["2,5"], ["25"]),
        ("Принимать 0,5 мг в день.", "Take 0.05 mg daily.", ["0,5"], ["0.05"]),
        ("The dose is 0.50 mg.", "Доза 0,5 мг.", [], []),
        ("It held (p < .05).", "Это верно (p < 0,05).", [], []),
        ("It held (p<.05).", "Это верно (p<0,5).", [".05"], ["0,5"]),
        ("Room 05 of 40.", "Комната 5 из 40.", [], []),
        ("It is 1,234 g.", "Это 1234 г.", [], []),
        ("It is 1,234 g.", "Это 1,234 г.", [], []),
        ("It is 1,234.5 g.", "Это 1 234,5 г.", [], []),
        ("Это 1 234,5 г.", "It is 12,345 g.", ["1 234,5"], ["12,345"]),
        ("It is 1,000,000 g.", "Это 1 000 000 г.", [], []),
        ("It shuts at 18:30.", "Закрывается в 18.30.", [], []),
        ("Закрывается в 18.30.", "It shuts at 18:30.", [], []),
    ],
)
@pytest.mark.parametrize("told", [False, True], ids=["alone", "with a reference"])
def test_a_decimal_mark_lost_or_moved_makes_another_number(src, trg, missing, extra, told):
    seen = view(src, trg, src if told else None)
    assert [number.text for _, number in lost(seen)] == missing
    assert [number.text for _, number in added(seen)] == extra


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Осмотр был 03.02.2020.", "The visit was on 3 February 2020."),
        ("Осмотр был 15.11.2019, повторный — 20.11.2019.", "The visits were on Nov 15 and 20, 2019."),
        ("Принимать по 1,5 таблетки.", "Take one and a half tablets."),
        ("Принимать полторы таблетки.", "Take 1.5 tablets."),
        ("Принимать половину таблетки.", "Take 0.5 tablet."),
        ("Принимать 0,5 таблетки.", "Take half a tablet."),
        ("Прошло два с половиной года.", "It took 2.5 years."),
        ("Потрачено два с половиной миллиона.", "It cost 2.5 million."),
        ("Стадия 3, из 40 больных у 20.", "Stage III, 20 of 40 patients."),
        ("У 40 больных тип 1, у 20 класс 5.", "Type I in 40 patients, class V in 20."),
        ("У 40 больных I стадия, у 20 XV группа.", "Stage 1 in 40 patients, group 15 in 20."),
    ],
)
@pytest.mark.parametrize("back", [False, True], ids=["to English", "to Russian"])
def test_a_date_or_a_fraction_written_otherwise_is_kept(one, other, back):
    seen = view(other, one) if back else view(one, other)
    assert not lost(seen)
    assert not added(seen)


@pytest.mark.parametrize(
    ("src", "trg", "missing"),
    [
        ("Осмотр был 03.02.2020.", "The visit was on 4 February 2020.", ["03.02.2020"]),
        ("Осмотр был 03.02.2020.", "The visit was on 3 April 2020.", ["03.02.2020"]),
        ("Принимать по 1,5 таблетки.", "Take half a tablet.", ["1,5"]),
        ("Take 2.5 tablets.", "Принимать полторы таблетки.", ["2.5"]),
    ],
)
def test_another_date_or_fraction_is_not(src, trg, missing):
    assert [number.text for _, number in lost(view(src, trg))] == missing


@pytest.mark.parametrize(
    ("src", "trg"),
    [
        ("Read https://clinicaltrials.gov/ct2/show/NCT01234567 on it.", "Прочтите об этом."),
        ("Прочтите https://clinicaltrials.gov/ct2/show/NCT01234567 об этом.", "Read on it."),
        ("Write to lab25@example.org now.", "Напишите сейчас."),
    ],
)
def test_numbers_inside_addresses_go_with_the_address(src, trg):
    assert not lost(view(src, trg))
    assert not added(view(trg, src))
    assert [n.text for _, n in lost(view(f"{src} It is 47.", trg))] == ["47"]


def test_many_number_words_take_time_in_step_with_their_length():
    def work(text: str) -> object:
        seen = view("It is 25 and 26.", text)
        return lost(seen), added(seen)

    assert_linear(work, lambda size: ("two hundred 34 and twenty " * size)[:size], 10_000, ratio=LARGE)


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
