"""Two small sources of our own with good summaries, and what the embedded judge measures in a summary of them."""

from __future__ import annotations

from functools import cache

from adjudge.core.judge import Judge
from adjudge.core.records import Item
from adjudge.models.offline.findings import Measured
from adjudge.models.offline.judge import measure_all
from adjudge.spec.load import load_judge

#: Some sentences stand apart from the middle ones on purpose: they matter least.
MILL = {
    "en": (
        "The mill of Arnby burned down on Sunday night, and the miller Olof Berg lost his whole harvest. "
        "The fire began in the drying room of the mill, where a stove had been left alone. "
        "Forty neighbours of the miller carried water from the river until the morning. "
        "The mill had stood by the river for 210 years. "
        "Olof Berg wants to build the mill again, and the village of Arnby will give him the timber. "
        "A cat was seen on the roof."
    ),
    "ru": (
        "Мельница в селе Арнби сгорела в ночь на воскресенье, и мельник Олоф Берг потерял весь урожай. Пожар начался в "
        "сушильне мельницы, где без присмотра оставили печь. Сорок соседей мельника носили воду из реки до самого "
        "утра. Мельница простояла у реки 210 лет. Олоф Берг хочет построить мельницу снова, и село Арнби даст ему "
        "брёвна. На крыше видели кошку."
    ),
}
GOOD = {
    "en": (
        "The mill of Arnby burned down on Sunday night, and the miller Olof Berg lost his harvest. The fire began at a "
        "stove in the drying room of the mill. Olof Berg wants to build the mill again with timber from the village."
    ),
    "ru": (
        "Мельница в Арнби сгорела в ночь на воскресенье, и мельник Олоф Берг потерял урожай. Пожар начался у печи в "
        "сушильне мельницы. Олоф Берг хочет построить мельницу снова из брёвен, которые даст село."
    ),
}
BOTH = ("en", "ru")


@cache
def _judge(lang: str) -> Judge:
    return load_judge("summary", lang)


def measured(criterion: str, text: str, content: str, lang: str = "en") -> Measured:
    item = Item(id="1", fields={"content": content, "text": text})
    return measure_all(_judge(lang), item)[""][criterion]


def quality(criterion: str, text: str, content: str, lang: str = "en") -> float:
    found = measured(criterion, text, content, lang).quality
    assert found is not None
    return found


def kinds(measured_: Measured) -> list[str]:
    return [finding.kind for finding in measured_.findings]
