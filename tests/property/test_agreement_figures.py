"""Whatever scores a judge and people give, with whatever gaps: figures in range, reasons for what is not known."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.agreement import FIGURES, agreement
from adjudge.stats.board import Axis, generator
from adjudge.stats.raters import KINDS

AXIS = Axis(name="coverage", title="Coverage", low=1, high=5, better="higher")
points = st.integers(1, 5).map(float)
gap = st.just(math.nan)
measured = st.integers(10, 50).map(lambda value: value / 10)


@st.composite
def tables(draw):
    """Rows of the judge's score, those of up to four annotators, and the source."""
    annotators = draw(st.integers(1, 4))
    row = st.tuples(
        st.one_of(measured, points, gap),
        st.lists(st.one_of(points, points, gap), min_size=annotators, max_size=annotators),
        st.integers(0, 6),
    )
    rows = draw(st.lists(row, max_size=25))
    judge = np.array([row[0] for row in rows], float)
    people = np.array([row[1] for row in rows], float).reshape(len(rows), annotators)
    return judge, people, np.array([row[2] for row in rows], np.int64)


def figures_of(found):
    yield from found.figures.items()
    if found.people is not None:
        for part in ("persons", "judge", "pairs", "alphas", "with_judge"):
            yield from getattr(found.people, part).items()


@given(tables())
def test_figures_are_in_range_or_unknown_with_a_reason(table):
    found = agreement(*table, axis=AXIS, rng=generator(0, "agree"))
    assert tuple(found.figures) == FIGURES
    for name, one in figures_of(found):
        assert (one.reason is None) == (one.value is not None and one.ci95 is not None), name
        assert one.value is not None or one.ci95 is None
        low, high = {"share": (0, 1), "coefficient": (-math.inf, 1), "mean": (-4, 4)}[KINDS[name]]
        if one.value is not None:
            assert low - 1e-9 <= one.value <= high + 1e-9, name
        if one.value is not None and one.ci95 is not None:
            assert one.ci95[0] - 1e-9 <= one.value <= one.ci95[1] + 1e-9, name


@given(tables())
def test_a_label_more_from_nobody_changes_nothing(table):
    judge, people, clusters = table
    empty = np.column_stack([people, np.full(len(judge), np.nan)])
    one = agreement(judge, people, clusters, axis=AXIS, rng=generator(0, "agree"))
    assert agreement(judge, empty, clusters, axis=AXIS, rng=generator(0, "agree")) == one
