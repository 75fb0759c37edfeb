"""The widths of fixed intervals and how their coverage is counted."""

from __future__ import annotations

import pytest
from eval.embedded import intervals
from eval.embedded.aims import UNSEEN
from eval.embedded.intervals import Graded, Known, Residuals, covered, level, rows, spread


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
    large, small = SETS["large"], SETS["small"]
    assert Residuals([large]).width(0.8) == pytest.approx(0.39)
    assert Residuals([small]).width(0.8) == pytest.approx(0.4)
    # 0.8 of both: 40 of 50 and 4 of 5
    assert Residuals([large, small]).width(0.8) == pytest.approx(0.4)
    assert Residuals([large, small]).width(1.0) == pytest.approx(0.49)


def test_a_set_not_seen_is_held_as_often_as_promised_in_the_mean():
    sets = list(SETS.values())
    share = level(sets)
    widths = [Residuals([other]).width(share) for other in reversed(sets)]
    assert sum(covered(width, each) for width, each in zip(widths, sets, strict=True)) / 2 >= 0.8
    less = [Residuals([other]).width(share - 0.01) for other in reversed(sets)]
    assert sum(covered(width, each) for width, each in zip(less, sets, strict=True)) / 2 < 0.8
    assert spread(sets) == Residuals(sets).width(share) >= Residuals(sets).width(0.8)


def test_sets_that_are_off_alike_need_no_more_than_the_share_itself():
    alike = [texts([0.01 * at for at in range(100)]) for _ in range(3)]
    assert spread(alike) == pytest.approx(0.79)


def test_a_set_far_off_widens_what_the_others_promise():
    near, far = texts([0.01 * at for at in range(50)]), texts([0.6 + 0.001 * at for at in range(50)])
    assert spread([near, near, near, far]) > spread([near, near, near])


def test_the_mean_over_sets_stands_below_them_with_both_halves():
    *single, mean = rows()
    assert [row.set for row in single] == ["large", "small"]
    assert mean.set == UNSEEN
    values = [row.figures["all"].value for row in single]
    assert mean.figures["all"].value == pytest.approx(sum(values) / 2)
    assert mean.figures["all"].value >= 0.8
    assert mean.figures["all"].n == 55
    assert set(mean.figures) == {"all", "dev", "held"}
    assert all(0 <= figure.value <= 1 for figure in mean.figures.values())
    assert intervals.spreads() == {"m": round(spread(list(SETS.values())), 3)}
