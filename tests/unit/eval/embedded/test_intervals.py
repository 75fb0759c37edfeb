"""The widths of fixed intervals and how their coverage is counted."""

from __future__ import annotations

import pytest
from eval.embedded import intervals
from eval.embedded.intervals import Graded, Known, rows, spread


def graded(name: str) -> Graded:
    return Graded(measure="m", score="j.m", set=name, label="l", load=list)


def texts(residuals: list[float]) -> tuple[Known, ...]:
    return tuple(
        Known(source=str(at), target=0.5, quality=0.5 + residual, parts={}, chars=9)
        for at, residual in enumerate(residuals)
    )


SETS = {"large": texts([0.01 * at for at in range(50)]), "small": texts([0.1, 0.2, 0.3, 0.4, -0.45])}


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setattr(intervals, "known", lambda one: SETS[one.set])
    monkeypatch.setattr(intervals, "GRADED", (graded("large"), graded("small")))


def test_every_set_weighs_alike():
    assert spread([graded("large")]) == pytest.approx(0.39)
    assert spread([graded("small")]) == pytest.approx(0.4)
    # 0.8 of both: 40 of 50 and 4 of 5
    assert spread([graded("large"), graded("small")]) == pytest.approx(0.4)


def test_a_set_is_covered_by_the_width_of_the_others():
    found = {row.set: row.figures["all"] for row in rows()}
    assert found["large"].value == pytest.approx(41 / 50)
    assert found["small"].value == pytest.approx(3 / 5)
    assert intervals.spreads() == {"m": 0.4}
