"""The judge against people: circles at their points, the diagonal, the plain figures."""

from __future__ import annotations

import pytest

from adjudge.report.charts import people_chart, people_told
from adjudge.report.people import Against
from adjudge.report.words import words
from tests.unit.report.charts.geometry import checked, texts, titles


def against(counts: dict[tuple[int, int], int], low: float = 1, high: float = 5, title: str = "Coverage") -> Against:
    return Against(title=title, min=low, max=high, counts=counts, bias=0.25)


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(
    "one",
    [
        against({(1, 1): 1}),
        against({(people, judge): people * judge for people in range(1, 6) for judge in range(1, 6)}),
        against({(0, 1): 3, (1, 1): 100_000}, 0, 1),
        against({(point, 100 - point): 1 for point in range(101)}, 0, 100),
        against({(0, 0): 5, (10, 10): 5}, 0, 10),
        against({(3, 3): 2}, 3, 3),
        # points that are off the scale, as data may be
        against({(9, -4): 2}),
    ],
)
def test_circles_stay_in_the_square(one: Against, lang: str) -> None:
    tree = checked(people_chart(one, words(lang)))
    assert len(list(tree.iter("circle"))) == len(one.counts)
    assert len(titles(tree)) == len(one.counts)


def test_people_go_across_the_judge_upwards_and_agreement_lies_on_the_diagonal() -> None:
    tree = checked(people_chart(against({(1, 5): 1, (2, 2): 4, (4, 4): 1}), words("en")))
    (line,) = (part for part in tree.iter("line") if part.attrib["class"] == "diagonal")
    x1, y1, x2, y2 = (float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
    circles: dict[str, list[float]] = {part.attrib["class"]: [] for part in tree.iter("circle")}
    for part in tree.iter("circle"):
        x, y = float(part.attrib["cx"]), float(part.attrib["cy"])
        circles[part.attrib["class"]].append((x - x1) / (x2 - x1) - (y - y1) / (y2 - y1))
    assert circles["same"] == pytest.approx([0, 0], abs=1e-3)
    assert circles["apart"][0] < -0.7  # far to the left, far up
    assert {"People", "Judge"} <= set(texts(tree))
    assert "people 1, judge 5: 1" in titles(tree)


def test_every_circle_has_its_number_where_points_are_few() -> None:
    tree = checked(people_chart(against({(1, 1): 1, (5, 5): 40}), words("en")))
    assert {"1", "40"} <= {part.text for part in tree.iter("text") if part.attrib.get("class") == "in"}


def test_the_plain_figures() -> None:
    one = against({(1, 1): 3, (2, 1): 1})
    assert (one.n, one.same) == (4, 3)
    assert people_told(one, words("en")) == "n = 4, same point 75 %, judge minus people +0.25"
    assert people_told(one, words("ru")) == "n = 4, та же оценка — 75 %, судья минус люди +0,25"
    assert people_chart(against({}), words("en")) is None


def test_a_hostile_title_stays_text() -> None:
    tree = checked(people_chart(against({(1, 1): 1}, title="</svg><script>" * 50), words("en")))
    assert tree.attrib["aria-label"].startswith("</svg><script>")
