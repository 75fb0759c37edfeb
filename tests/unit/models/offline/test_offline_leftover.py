from __future__ import annotations

import pytest

from adjudge.models.offline.leftover import left, rendered, told, translated
from adjudge.models.offline.view import Case
from adjudge.spec.load import load_judge
from tests.unit.models.offline.asking import segment

JUDGE = load_judge("translation", "en")


def view(src: str, trg: str, ref: str | None = None, others: tuple[str, ...] = ()):
    return Case(JUDGE, segment(src, trg, ref, others=others)).view("")


@pytest.mark.parametrize(
    ("src", "trg", "ref", "others", "found"),
    [
        ("He has ageusia.", "У него ageusia.", None, (), [("ageusia", True)]),
        ("He has ageusia.", "У него ageusia.", "У него ageusia.", (), []),
        ("Mean CIMT was low.", "Среднее CIMT низкое.", None, (), [("CIMT", False)]),
        ("Mean CIMT was low.", "Среднее CIMT низкое.", "Среднее ТКИМ низкое.", (), [("CIMT", True)]),
        ("Mean CIMT was low.", "Среднее CIMT низкое.", None, ("Среднее CIMT мало.", "CIMT низкое."), []),
        ("Mean CIMT was low.", "Среднее CIMT низкое.", None, ("Среднее ТКИМ мало.", "ТКИМ низкое."), [("CIMT", True)]),
        ("The city of Bath sleeps.", "Город City of Bath спит.", None, (), [("City of Bath", False)]),
        ("After COVID-19 and IL-6.", "После COVID-19 и IL-6.", None, (), []),
        ("Write to a.b@example.org now.", "Пишите на a.b@example.org сейчас.", None, (), []),
        ("Stage III is late.", "Стадия III поздняя.", None, (), []),
        ("the red house stands", "das red house stands da", None, (), [("red house stands", True)]),
        ("the red house stands", "das red Haus steht da", None, (), []),
        ("Use std::vector and run() here.", "Возьмите std::vector и run() здесь.", None, (), []),
        ("Type `pip install it` now.", "Введите `pip install it` now.", None, (), [("now", True)]),
        ("Пароход ушёл.", "The пароход left.", None, (), [("пароход", True)]),
    ],
)
def test_what_was_left_untranslated(src, trg, ref, others, found):
    seen = view(src, trg, ref, others)
    runs = left(seen)
    assert [(trg[slice(*run.at)], run.sure) for run in runs] == found
    assert [(trg[slice(*(finding.at or ()))], finding.against) for finding in told(seen, runs)] == found
    assert (translated(seen, runs) < 1) == bool(found)


RED = "The red house stands."


@pytest.mark.parametrize(
    ("src", "trg", "ref", "others", "kept"),
    [
        (RED, "Das red Haus steht.", "Das rote Haus steht.", (), 1),
        (RED, "Das red house steht.", "Das rote Haus steht.", (), 2),
        (RED, "Das red Haus steht.", "Das red Haus steht noch.", (), 0),
        (RED, "Das red Haus steht.", None, ("Das rote Haus steht.", "Das rote Haus."), 1),
        (RED, "Das red Haus steht.", None, ("Das rote Haus steht.", "Das red Haus."), 0),
        (RED, "Das red Haus steht.", None, ("Das rote Haus steht.",), 0),
        (RED, "Das red Haus steht.", None, (), 0),
        (RED, "Дом red стоит.", "Красный дом стоит.", (), 0),
        (RED, RED, RED, (), 0),
        ("Das rote Haus.", "The rote house.", "The red house.", (), 1),
    ],
)
def test_single_words_of_the_source_are_no_finding_and_cost_where_others_leave_them(src, trg, ref, others, kept):
    assert rendered(view(src, trg, ref, others)) == 1 - 0.25 * kept


def test_more_left_is_worse():
    few, many = (view("one two three four", f"один {rest} пять") for rest in ("two", "two three four"))
    assert translated(many, left(many)) < translated(few, left(few)) < 1
