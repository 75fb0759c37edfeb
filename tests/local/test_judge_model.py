"""A real if weak judge in a file: it tells a subtle error from a faithful text. Run by `make test-local`.

The texts are our own. Each pair differs in one fact; both sides are fluent, of one length, and on the subject.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

import pytest

from adjudge.core.records import Call, Item, Request, Settings
from adjudge.models.local import Local
from adjudge.reply.odds import log_odds
from adjudge.spec.load import load_judge
from adjudge.spec.prompt import render
from tests.fakes import gguf

pytestmark = pytest.mark.skipif(
    not os.environ.get("ADJUDGE_TEST_JUDGE"), reason="a model of 1.1 GB, minutes of work: make test-local"
)

ENGLISH = [
    ("The museum opens at ten and closes at six, and admission is free on the first Sunday of each month.",
     "Admission to the museum is free on the first Sunday of each month.",
     "Admission to the museum is free on the last Sunday of each month."),
    ("After the storm the ferry to the island was cancelled for two days, and forty passengers stayed at the school.",
     "The ferry was cancelled for two days after the storm.",
     "The ferry was cancelled for five days after the storm."),
    ("The council rejected the plan for a new car park because residents wanted to keep the old chestnut trees.",
     "Residents wanted to keep the old chestnut trees.",
     "Residents wanted to cut down the old chestnut trees."),
    ("Mira sold the bakery to her cousin Tomas in spring and now teaches children to paint.",
     "Mira sold the bakery to her cousin Tomas.",
     "Tomas sold the bakery to his cousin Mira."),
    ("The drug lowered blood pressure in adults, but it had no effect in children under twelve.",
     "The drug had no effect in children under twelve.",
     "The drug lowered blood pressure in children under twelve."),
    ("The bridge was built in 1931, bombed in 1944 and opened again in 1950 with a lane for cyclists.",
     "The bridge was opened again in 1950.",
     "The bridge was opened again in 1944."),
    ("Sales of electric bicycles rose by a third last year, while sales of cars fell slightly.",
     "Sales of electric bicycles rose by a third last year.",
     "Sales of electric bicycles fell by a third last year."),
    ("The orchestra will tour Norway and Finland in May; the concerts in Denmark have been put off until autumn.",
     "The concerts in Denmark have been put off until autumn.",
     "The concerts in Finland have been put off until autumn."),
    ("The mine employs nine hundred people, most of whom live in the valley and travel to work by bus.",
     "Most of the people who work in the mine travel by bus.",
     "Most of the people who work in the mine travel by train."),
    ("The river is safe to swim in above the mill, but the water below it has been dirty since the flood.",
     "The water below the mill has been dirty since the flood.",
     "The water below the mill has been clean since the flood."),
]  # fmt: skip
RUSSIAN = [
    ("Библиотека открыта по воскресеньям до июня, а летом работает только по будням.",
     "Летом библиотека работает только по будням.",
     "Летом библиотека работает только по воскресеньям."),
    ("Поезд на Омск отходит в девять утра с третьего пути и прибывает на следующий день вечером.",
     "Поезд на Омск отходит в девять утра.",
     "Поезд на Омск отходит в девять вечера."),
    ("Завод сократил выбросы вдвое, но число жалоб от жителей не изменилось.",
     "Число жалоб от жителей не изменилось.",
     "Число жалоб от жителей уменьшилось вдвое."),
    ("Анна продала дом брату и уехала учить детей рисованию в Самару.",
     "Анна продала дом брату.",
     "Брат продал дом Анне."),
]  # fmt: skip


def odds(model: str, lang: str, pairs: Sequence[tuple[str, str, str]]) -> list[tuple[float, float]]:
    """The odds that the faithful and the other text of each pair agree with the source."""
    judge = load_judge("summary", lang=lang)

    async def one(local: Local, source: str, text: str) -> float:
        item = Item(id="1", fields={"content": source, "text": text})
        call = Call(key="k", stage="judge", items=("1",), criterion="accuracy")
        prompt = render(judge, call, [item])
        request = Request(call=call, prompt=prompt, judge=judge, items=(item,), settings=Settings(model="local"))
        return log_odds((await local.answer(request)).odds)

    async def run() -> list[tuple[float, float]]:
        local = Local(model)
        try:
            return [(await one(local, source, good), await one(local, source, bad)) for source, good, bad in pairs]
        finally:
            await local.close()

    return asyncio.run(run())


def auc(found: Sequence[tuple[float, float]]) -> float:
    """How often a faithful text has better odds than one with an error, over all of them."""
    above = [float(good > bad) + 0.5 * (good == bad) for good, _ in found for _, bad in found]
    return sum(above) / len(above)


@pytest.mark.parametrize(("lang", "pairs", "least"), [("en", ENGLISH, 0.7), ("ru", RUSSIAN, 0.6)])
def test_it_tells_a_subtle_error_from_a_faithful_text(lang, pairs, least):
    found = odds(gguf.model("judge"), lang, pairs)
    assert auc(found) >= least, found
