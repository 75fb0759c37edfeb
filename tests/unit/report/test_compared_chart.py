"""The differences of two sides as a chart."""

from __future__ import annotations

import re
from pathlib import Path

from adjudge.api.compare import compare
from adjudge.report.compared_chart import difference_chart
from adjudge.report.words import words
from tests.fakes.verdicts import a_run


def spots(chart: str) -> list[float]:
    return [float(x) for x in re.findall(r'<circle class="dot g\d" cx="([\d.]+)"', chart)]


def test_right_is_better_whichever_end_is_the_good_one(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    before = [{"hallucination": 3.0, "quality": 60.0, "relevancy": n % 3} for n in range(6)]
    after = [{"hallucination": 2.0, "quality": 50.0, "relevancy": n % 3} for n in range(6)]
    runs = [a_run(url, "search-summary", given, name=name) for name, given in (("old", before), ("new", after))]
    found = compare(runs).found
    chart = difference_chart(found, words("en"))
    assert chart is not None
    middle = float(re.findall(r'class="zero" x1="([\d.]+)"', chart)[0])
    where = dict(zip([one.axis.name for one in found.contrasts], spots(chart), strict=True))
    assert where["hallucination"] > middle > where["quality"]
    assert where["relevancy"] == middle
    told = {
        title: (float(low), float(high)) for title, low, high in re.findall(r"(\w+): \S+ % \[(\S+), (\S+)\]", chart)
    }
    assert "Hallucination: +33.3 % [" in chart
    assert "Summary quality: -10.0 % [" in chart
    assert told["Hallucination"][0] < 33.3 < told["Hallucination"][1], "turned with the difference"


def test_without_a_difference_there_is_no_chart(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/a.db"
    given = {"hallucination": 3.0, "quality": 60.0, "relevancy": 1}
    runs = [
        a_run(url, "search-summary", [given, None], name="old"),
        a_run(url, "search-summary", [None, given], name="new"),
    ]
    assert difference_chart(compare(runs).found, words("en")) is None
