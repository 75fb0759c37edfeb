"""Models side by side: paired differences, no verdict on unequal coverage, and harmless lines that fit."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Settings
from adjudge.report.build import build
from adjudge.report.plain import width
from adjudge.report.side_by_side import SideBySide, side_by_side
from adjudge.report.side_text import side_text
from adjudge.report.tables import Section
from adjudge.stats.board import generator
from adjudge.stats.bootstrap import resampled_interval
from tests.unit.report.sample import compare, comparison, failure, single, state, verdict


def sides(judge: Judge, *runs: Sequence[Outcome | None], models: Sequence[str] = ()) -> SideBySide:
    """Runs by position; None is an item without an outcome yet."""
    reports = []
    for number, run in enumerate(runs):
        given = state(judge, len(run), tokens_in=1200, tokens_out=30)
        settings = Settings(model=models[number] if models else f"openai:m{number}")
        outcomes = [one for one in run if one is not None]
        reports.append(build(judge, replace(given, run=replace(given.run, settings=settings)), outcomes))
    placed = [[(place, one) for place, one in enumerate(run) if one is not None] for run in runs]
    return side_by_side(judge, reports, placed)


def rated(coverage: Sequence[float | None], **more: Any) -> list[Outcome | None]:
    return [
        None if one is None else verdict(f"i{n}", {"coverage": one, "accuracy": 3.0, "hallucination": 1, **more})
        for n, one in enumerate(coverage)
    ]


def against(found: SideBySide, name: str, number: int = 1) -> dict[str, Any]:
    row = next(row for row in (*found.criteria, *found.derived) if row.measures[0].name == name)
    return row.against[number - 1].as_json()


def test_the_difference_is_over_pairs():
    rng = random.Random(7)
    first = [rng.choice([1.0, 2.0, 3.0]) for _ in range(40)]
    second = [one + rng.choice([0.0, 1.0, 1.0]) for one in first]
    found = against(sides(single(), rated(first), rated(second)), "coverage")
    assert found["mean"] == pytest.approx(sum(second) / 40 - sum(first) / 40, abs=1e-12)
    expected = resampled_interval(np.array(second) - np.array(first), -4, 4, generator(0, "mean"))
    assert found["ci95"] == pytest.approx(expected, abs=1e-9)
    fewer = against(sides(single(), rated(first[:8]), rated(second[:8])), "coverage")
    expected = stats.ttest_rel(second[:8], first[:8]).confidence_interval(0.95)
    assert fewer["ci95"] == pytest.approx([expected.low, expected.high], abs=1e-9), "Student's of few"
    assert (found["n"], found["unpaired"], found["rates"]) == (40, 0, "better")


def test_where_low_is_good_more_is_worse():
    low = [verdict(f"i{n}", {"hallucination": n % 2}) for n in range(20)]
    high = [verdict(f"i{n}", {"hallucination": n % 2 + 1 + (n == 0)}) for n in range(20)]
    assert against(sides(single(), low, high), "hallucination")["rates"] == "worse"
    assert against(sides(single(), high, low), "hallucination")["rates"] == "better"


def test_equal_scores_and_single_items_are_not_separable():
    same = sides(single(), rated([3.0] * 9), rated([3.0] * 9))
    assert against(same, "coverage")["rates"] == "not_separable"
    one = against(sides(single(), rated([3.0]), rated([5.0])), "coverage")
    assert (one["mean"], one["ci95"], one["rates"]) == (2.0, None, None)


def test_unequal_coverage_is_counted_and_no_word_is_said():
    first = rated([2.0 + n % 2 for n in range(20)])
    second = rated([4.0 + n % 2 for n in range(20)])
    second[3], second[4], first[5] = failure("i3"), None, failure("i5")
    first[6] = second[6] = failure("i6")
    found = sides(single(), first, second)
    assert against(found, "coverage") | {"ci95": None} == {
        "mean": 2.0, "ci95": None, "n": 16, "unpaired": 3, "rates": None,
    }  # fmt: skip
    text = side_text(found)
    assert "3 unpaired" in text and "milder" not in text.partition("Differences")[0]


def test_items_are_matched_by_place_not_by_count():
    first: list[Outcome | None] = [None, *rated([1.0, 2.0])]
    second: list[Outcome | None] = [*rated([5.0]), None, *rated([2.0])]
    found = against(sides(single(), first, second), "coverage")
    assert (found["n"], found["mean"], found["unpaired"]) == (1, 0.0, 2)


def test_candidates_count_once_an_item_and_only_where_both_judged_the_same():
    one = {"correctness": {"X": 1.0, "Y": 3.0}, "completeness": {"X": 2.0, "Y": 2.0}, "depth": {"X": 0.0, "Y": 0.0}}
    two = {**one, "correctness": {"X": 2.0, "Y": 5.0}}
    part = {**one, "correctness": {"X": 5.0}}
    first = [comparison(f"q{n}", one) for n in range(3)]
    second = [comparison("q0", two), comparison("q1", two), comparison("q2", part)]
    found = sides(compare(), first, second)
    assert against(found, "correctness") | {"ci95": None} == {
        "mean": 1.5, "ci95": None, "n": 2, "unpaired": 1, "rates": None,
    }  # fmt: skip
    assert against(found, "completeness")["n"] == 3


def test_derived_values_pair_only_on_the_same_criteria():
    first = rated([3.0] * 4)
    second = [verdict(f"i{n}", {"coverage": 3.0}) for n in range(4)]
    found = against(sides(single(), first, second), "average_score")
    assert (found["n"], found["unpaired"], found["rates"]) == (0, 4, None)


def test_runs_are_read_as_they_are_needed():
    read: list[tuple[int, int]] = []

    def stream(number: int) -> Iterator[tuple[int, Outcome]]:
        for place in range(50):
            read.append((place, number))
            yield place, verdict(f"i{place}", {"coverage": 3.0})

    judge = single()
    reports = [build(judge, state(judge, 50), ()) for _ in range(2)]
    side_by_side(judge, reports, [stream(0), stream(1)])
    assert max(abs(read[n][0] - read[n + 1][0]) for n in range(len(read) - 1)) <= 1


HOSTILE = "openai:\x1b[31m\u202e<script>|*`\n# x" + "w" * 150


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("judge", [single("en"), single("ru")], ids=["en", "ru"])
def test_lines_fit_and_hostile_names_are_harmless(judge, columns):
    big = rated([1.0 + n % 5 for n in range(30)])
    found = sides(judge, big, rated([5.0 - n % 3 for n in range(30)]), [None] * 30, models=["offline", HOSTILE, "x"])
    text = side_text(found, width=columns)
    assert max(map(width, text.splitlines())) <= columns
    assert "\x1b" not in text and "\u202e" not in text
    # a figure is never cut
    pair = found.criteria[0].against[0].difference
    assert pair.mean is not None
    assert f"{pair.mean:+.2f}".replace(".", "," if judge.lang == "ru" else ".") in text
    assert "\x1b[1m" in side_text(found, width=columns, colour=True)


def test_json_is_plain_and_names_every_model():
    found = sides(single(), rated([3.0, 4.0]), rated([4.0, 4.0]), rated([4.0, None]))
    shape = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert list(shape["models"]) == list(shape["criteria"]["coverage"]) == ["A", "B", "C"]
    assert list(shape["criteria"]) == ["coverage", "accuracy", "hallucination"] and list(shape["derived"])
    assert shape["criteria"]["coverage"]["C"]["against_first"]["unpaired"] == 1
    assert {"mean", "ci95", "n", "of", "min", "max", "better"} <= set(shape["criteria"]["coverage"]["A"])


def test_many_models_have_labels_of_their_own():
    found = sides(single(), *([rated([3.0])] * 30))
    assert len(set(found.labels)) == 30
    assert max(map(width, side_text(found).splitlines())) <= 80


def test_quotes_stand_in_columns_and_no_figure_is_cut():
    found = sides(single(), rated([3.0, 4.0]), rated([3.0, 4.0]))
    figures = {"quotes": 1234, "verified": 1000, "repaired": 200, "misattributed": 30, "not_found": 4, "found": 0.97}
    told = [{**figures, "quotes": quotes, "ci95": [0.96, 0.98]} for quotes in (1234, 7)]
    sections = (Section(name="evidence", title="", columns=(), rows=(), data={"together": one}) for one in told)
    reports = [replace(one, sections=(next(sections),)) for one in found.reports]
    made = replace(found, reports=tuple(reports))
    for columns in (40, 80, 120):
        lines = side_text(made, width=columns).splitlines()
        start = lines.index("Quotes looked up in the sources")
        table = lines[start : next(n for n, line in enumerate(lines) if line.startswith("Exact: letter"))]
        assert max(map(width, table)) <= columns
        assert not any("…" in line for line in table)
        head = next(line for line in table if "Quotes" in line and line != table[0])
        rows = [line for line in table[table.index(head) :] if line[:2] in ("A ", "B ")][:2]
        end = head.index("Quotes") + len("Quotes")
        assert [line[:end].split()[-1] for line in rows] == ["1,234", "7"], "under its heading"
