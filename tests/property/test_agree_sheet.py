"""Whatever two sides gave, there is an answer in every format: gaps, ties, constants, one text or none."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.data.export import dumps
from adjudge.report.agree_answers import Named
from adjudge.report.agreed import Agreed
from adjudge.report.plain import width
from adjudge.stats.agreement import agreement
from adjudge.stats.board import Axis, generator
from tests.unit.report import sample

POINTS = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, float("nan")]) | st.floats(1, 5)
TABLES = st.integers(1, 4).flatmap(
    lambda people: st.lists(st.lists(POINTS, min_size=people + 2, max_size=people + 2), max_size=12)
)


def named(rows: list[list[float]], low: int, high: int) -> Named:
    """The first of a row is its source, the second the judge's score, the others are people's."""
    table = np.array(rows, dtype=float).reshape(len(rows), -1 if rows else 3)
    axis = Axis(name="coverage", title="Coverage", low=low, high=high, better="higher")
    clusters = np.nan_to_num(table[:, 0]).astype(np.int64)
    found = agreement(table[:, 1], table[:, 2:], clusters, axis=axis, rng=generator(0, "test"))
    return Named(agreement=found, title="Coverage", annotators=tuple(map(str, range(table.shape[1]))))


@settings(deadline=None)
@given(
    rows=TABLES,
    more=TABLES,
    kind=st.sampled_from(["people", "judge", "repeats"]),
    lang=st.sampled_from(["en", "ru"]),
    ends=st.sampled_from([(1, 5), (0, 100)]),
)
def test_there_is_always_an_answer(rows, more, kind, lang, ends):
    state = sample.state(sample.single(), 20)
    state = replace(state, run=replace(state.run, lang=lang))
    one, other = named(rows, *ends), named(more, *ends)
    languages = {"en": (one,), "ru": (other,)}
    sheet = Agreed(kind=kind, state=state, found=(one, other), languages=languages, other=state.run).sheet()
    assert sheet.answers
    assert max(map(width, sheet.text().splitlines())) <= 80
    for page in (sheet.text(), sheet.markdown(), "".join(sheet.html())):
        assert "nan" not in page.lower()
        assert "None" not in page
    json.loads(dumps(sheet.data), parse_constant=lambda word: (_ for _ in ()).throw(AssertionError(word)))
