"""The page on how many items are needed has what the command makes, and the simulation counts what it says."""

from __future__ import annotations

import pytest
from eval.compare_sims import (
    PAGE,
    alike,
    behind,
    failing,
    measured,
    percent,
    rated,
    simulated,
    smallest,
    sources,
    written,
    yes_no,
)

from adjudge.stats.board import generator


def test_the_page_has_the_table_of_smallest_differences() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, "smallest", smallest()) == page


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(SystemExit, match="no lines"):
        written("nothing", "rates", "")


@pytest.mark.parametrize("draw", [rated, alike, failing, behind, measured, yes_no])
@pytest.mark.parametrize("true", [0.0, 0.2])
def test_made_up_scores_have_the_difference_that_they_are_said_to_have(draw, true: float) -> None:
    a, b = draw(200_000, true, generator(0, draw.__name__))
    assert (b - a).mean() == pytest.approx(true, abs=0.02)


def test_items_of_a_source_have_its_number() -> None:
    (a, b), clusters = sources(200, generator(0))
    assert len(a) == len(b) == len(clusters) == 200
    assert 20 <= len(set(clusters.tolist())) <= 80


def test_few_repeats_are_counted() -> None:
    rates = simulated(rated, 8, 20)
    assert rates.held >= 0.7
    assert rates.named <= rates.shown <= 0.3
    assert percent(rates.held).endswith(" %")
