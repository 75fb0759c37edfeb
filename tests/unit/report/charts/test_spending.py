"""What a run had spent when: a curve over the time it worked."""

from __future__ import annotations

import pytest

from adjudge.core.runs import Spent
from adjudge.report.charts import pauses_told, spending_chart, spending_told
from adjudge.report.charts.spending import measured
from adjudge.report.words import words
from tests.unit.report.charts.geometry import checked, texts, titles


def spent(seconds: float, cost: float | None = None, tokens: int = 0, calls: int = 1, paused: float = 0) -> Spent:
    return Spent(seconds=seconds, paused=paused, calls=calls, tokens=tokens, cost_usd=cost)


def curve(seconds: float, top: float, points: int = 50) -> list[Spent]:
    return [spent(seconds * at / (points - 1), cost=top * (at + 1) / points) for at in range(points)]


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(
    "points",
    [
        curve(1, 0.000001),
        curve(2.3, 0.5, points=2),
        curve(59, 3),
        curve(61, 1000),
        curve(3_600, 12.34, points=200),
        curve(86_400 * 9, 99_999.99),
        [spent(0, cost=1.0), spent(5, cost=1.0)],
        [spent(at, tokens=1_000_000 * (at + 1)) for at in range(20)],
        [spent(at, calls=at + 1, paused=at % 2 * 5_000.0) for at in range(4)],
    ],
)
def test_the_curve_stays_in_its_frame(points: list[Spent], lang: str) -> None:
    tree = checked(spending_chart(points, words(lang)))
    assert 3 <= len(texts(tree)) <= 14


def test_the_curve_only_rises_and_ends_at_the_whole() -> None:
    chart = spending_chart([spent(0, cost=0.5), spent(10, cost=1.0), spent(20, cost=2.0)], words("en")) or ""
    (line,) = (part for part in checked(chart).iter("path") if part.attrib["class"] == "curve")
    assert line.attrib["d"] == "M 49.0 132.0 H 49.0 V 102.0 H 235.5 V 72.0 H 422.0 V 12.0"
    assert [text for text in texts(checked(chart)) if "$" in text] == ["$0.00", "$0.50", "$1.00", "$1.50", "$2.00"]
    assert "Cost over time: $2.00 in 20 s of work from the first reply on; half of it after 10 s." in chart


@pytest.mark.parametrize(
    ("last", "word"),
    [
        (spent(9, cost=1.0, tokens=7), "charts_cost"),
        (spent(9, cost=None, tokens=7), "charts_tokens"),
        (spent(9, cost=0.0, tokens=7), "charts_tokens"),
        (spent(9, cost=0.0), "charts_calls"),
    ],
)
def test_what_has_no_price_is_shown_in_tokens_and_else_in_calls(last: Spent, word: str) -> None:
    found = measured([last])
    assert found is not None and found[0] == word


def test_no_curve_of_nothing_or_of_a_moment() -> None:
    say = words("en")
    for points in ([], [spent(0, cost=1.0)], [spent(0, calls=0), spent(9, calls=0)], [spent(0.5, cost=1.0)]):
        assert spending_chart(points, say) is None
    assert spending_told([], say) == ""


@pytest.mark.parametrize(("lang", "told"), [("en", "no reply for 1 h 0 min"), ("ru", "ответов не было 1 ч 0 мин")])
def test_a_pause_is_marked_and_told(lang: str, told: str) -> None:
    points = [spent(0, cost=0.5), spent(10, cost=1.0), spent(10, cost=2.0, paused=3600), spent(20, cost=3.0)]
    tree = checked(spending_chart(points, words(lang)))
    assert titles(tree) == [told]
    (mark,) = (part for part in tree.iter("line") if part.attrib["class"] == "pause")
    assert mark.attrib["x1"] == "235.5"
    assert words(lang).duration(3600) in pauses_told(points, words(lang))
    assert pauses_told(points[:2], words(lang)) == ""
