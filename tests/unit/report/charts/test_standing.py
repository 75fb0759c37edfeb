"""Items won, tied, led and lost, as one bar."""

from __future__ import annotations

import pytest

from adjudge.report.charts import standing_chart, standing_legend, standings
from adjudge.report.tables import Candidate, Measure
from adjudge.report.words import words
from tests.unit.report.charts.geometry import checked, texts, titles


def candidate(wins: int, ties: int, led: int, decided: int, name: str = "A") -> Candidate:
    total = Measure(name="t", title="Total", mean=1.0, ci95=None, n=1, of=1, min=0, max=5, better="higher")
    rate = Measure(name="r", title="", mean=0.5, ci95=None, n=decided, of=decided, min=0, max=1, better="higher")
    return Candidate(name=name, total=total, wins=wins, ties=ties, not_separable=led, win_rate=rate, criteria=())


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(
    "given", [(1, 0, 0, 1), (0, 0, 0, 3), (3, 2, 1, 10), (1, 1, 1, 100_000), (0, 5, 0, 5), (1, 0, 0, 1_000_000)]
)
def test_parts_fill_the_bar_and_no_more(given: tuple[int, int, int, int], lang: str) -> None:
    tree = checked(standing_chart(candidate(*given), words(lang)))
    assert sum(standings(candidate(*given))) == given[3]
    assert len(titles(tree)) == sum(count > 0 for count in standings(candidate(*given)))
    ends = [float(part.attrib["x"]) + float(part.attrib["width"]) for part in tree.iter("rect")]
    assert ends == sorted(ends)


def test_each_part_has_its_number_and_its_name() -> None:
    tree = checked(standing_chart(candidate(30, 20, 10, 100), words("en")))
    assert texts(tree) == ["30", "20", "10", "40"]
    assert titles(tree) == ["Wins: 30", "Ties: 20", "Not separable: 10", "Losses: 40"]
    wide = [float(part.attrib["width"]) + 1.5 for part in tree.iter("rect")]
    assert wide == pytest.approx([96, 64, 32, 128])


def test_a_part_without_room_has_its_number_in_its_title_alone() -> None:
    tree = checked(standing_chart(candidate(1, 0, 0, 100), words("en")))
    assert texts(tree) == ["99"] and titles(tree)[0] == "Wins: 1"


def test_nothing_decided_no_bar() -> None:
    assert standing_chart(candidate(0, 0, 0, 0), words("en")) is None


def test_the_legend_names_every_part_in_both_languages() -> None:
    assert all(word in standing_legend(words("en")) for word in ("Wins", "Ties", "Not separable", "Losses"))
    assert all(word in standing_legend(words("ru")) for word in ("Победы", "Ничьи", "Неразличимо", "Поражения"))


def test_a_hostile_name_stays_text() -> None:
    tree = checked(standing_chart(candidate(1, 0, 0, 2, name="<b>&\"'"), words("en")))
    assert tree.attrib["aria-label"].startswith("<b>&\"'. Wins: 1")
