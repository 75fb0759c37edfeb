"""Means on their scales and histograms: right is better, bars lead to items, nothing leaves its box."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.scale import Better
from adjudge.report.charts import histogram_chart, interval_chart, shade
from adjudge.report.tables import Measure
from adjudge.report.tally import Span, Tally
from adjudge.report.words import words
from tests.unit.report.charts.geometry import checked, texts, titles

HOSTILE = "\"><script>alert(1)</script> '&' " + "long " * 60


def measure(low: float = 1, high: float = 5, better: Better = "higher", **changes: Any) -> Measure:
    one = Measure(
        name="c", title="Coverage", mean=(low + high) / 2, ci95=(low, high), n=9, of=9, min=low, max=high, better=better
    )
    return replace(one, **changes)


def dot(chart: str) -> float:
    (found,) = checked(chart).iter("circle")
    return float(found.attrib["cx"])


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(
    "one",
    [
        measure(),
        measure(0, 3, "lower"),
        measure(0, 100, unit="%"),
        measure(0, 1, mean=0.0, ci95=(0.0, 0.3)),
        measure(2, 2, mean=2.0, ci95=(2.0, 2.0)),
        measure(mean=5.0, ci95=(5.0, 5.0)),
        measure(ci95=None, n=1),
        measure(mean=None, ci95=None, n=0),
        measure(0, 25, "lower", penalties=(1.0, 5.0)),
        measure(-3, 3),
        measure(0.5, 2.5),
        # a stored mean is data, and a scale may have changed since
        measure(mean=50.0, ci95=(-50.0, 50.0)),
    ],
)
def test_an_interval_stays_on_its_scale(one: Measure, lang: str) -> None:
    checked(interval_chart(one, words(lang)))


def test_a_band_stands_under_its_first_point_also_below_nought() -> None:
    span = Span(min=-100, max=100, better="higher")
    tally = Tally(span)
    tally.add([-100.0])
    chart = histogram_chart(tally.measure("c", "Coverage", 1, span), words("en"))
    assert texts(checked(chart or ""))[:3] == ["1", "-100", "-80"]


def test_right_is_better_and_the_ends_say_so() -> None:
    say = words("en")
    up, down = interval_chart(measure(1, 5, mean=4.0), say), interval_chart(measure(0, 3, "lower", mean=0.75), say)
    assert dot(up) == dot(down)
    assert texts(checked(up)) == ["1", "5"] and texts(checked(down)) == ["3", "0"]
    assert 'aria-label="Mean 0.75 [0.00, 3.00]"' in down


def bars(*counts: int) -> Measure:
    return measure(1, len(counts), histogram=tuple((str(at), count) for at, count in enumerate(counts, 1)))


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(
    "counts", [(1,), (0, 7), (3, 0, 1), (1, 2, 3, 4, 5), tuple(range(11)), (100_000,) * 11, (1, 1_000_000)]
)
def test_bars_stay_in_their_chart(counts: tuple[int, ...], lang: str) -> None:
    tree = checked(histogram_chart(bars(*counts), words(lang)))
    assert len(titles(tree)) == sum(count > 0 for count in counts)
    assert "a" not in {part.tag for part in tree.iter()}


def test_bars_are_as_high_as_their_counts_and_each_has_its_number() -> None:
    tree = checked(histogram_chart(bars(10, 5, 0, 20), words("en")))
    heights = [float(part.attrib["height"]) for part in tree.iter("rect")]
    assert heights == [heights[2] / 2, heights[2] / 4, heights[2]]
    assert texts(tree) == ["10", "1", "5", "2", "3", "20", "4"]
    assert tree.attrib["aria-label"] == "Coverage. Distribution: 1: 10, 2: 5, 3: 0, 4: 20"


def test_no_scores_no_chart() -> None:
    assert histogram_chart(measure(histogram=()), words("en")) is None
    assert histogram_chart(bars(0, 0), words("en")) is None


def test_a_bar_with_a_count_leads_to_its_items() -> None:
    chart = histogram_chart(bars(10, 0, 3), words("en"), lambda label: f"#bar-{label}")
    tree = checked(chart)
    links = list(tree.iter("a"))
    assert [one.attrib["href"] for one in links] == ["#bar-1", "#bar-3"]
    assert links[1].attrib["aria-label"] == "Coverage, 3: 3 scores, show the items"
    assert tree.attrib["role"] == "group"
    (wide,) = {float(one.attrib["width"]) for one in tree.iter("rect") if one.attrib["class"] == "hit"}
    assert wide >= 24


@pytest.mark.parametrize("bars_count", [2, 5, 10, 11])
def test_a_bar_is_wide_enough_for_a_finger(bars_count: int) -> None:
    tree = checked(histogram_chart(bars(*[1] * bars_count), words("en"), lambda label: "#x"))
    assert min(float(one.attrib["width"]) for one in tree.iter("rect") if one.attrib["class"] == "hit") >= 24


def test_a_hostile_title_stays_text() -> None:
    one = replace(bars(1, 2), title=HOSTILE)
    for chart in (histogram_chart(one, words("en"), lambda label: HOSTILE), histogram_chart(one, words("ru"))):
        assert checked(chart).attrib["aria-label"].startswith('"><script>')
        assert not re.search(r"<script|onerror", chart or "")


def test_bars_are_coloured_by_how_good_their_point_is() -> None:
    def tones(one: Measure) -> list[str]:
        return [part.attrib["class"] for part in checked(histogram_chart(one, words("en"))).iter("rect")]

    assert tones(bars(1, 1, 1, 1, 1)) == ["g0", "g1", "g2", "g3", "g4"]
    assert tones(replace(bars(1, 1, 1, 1, 1), better="lower")) == ["g4", "g3", "g2", "g1", "g0"]
    assert [shade(good) for good in (-1, 0, 0.5, 1, 2)] == ["g0", "g0", "g2", "g4", "g4"]
