"""Whatever the numbers and the titles, a chart is well formed and all of it lies in its box."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.runs import Spent
from adjudge.report.charts import histogram_chart, interval_chart, people_chart, spending_chart
from adjudge.report.people import Against
from adjudge.report.tables import Measure
from adjudge.report.words import words
from tests.unit.report.charts.geometry import checked

LANGS = st.sampled_from(["en", "ru"])
TITLES = st.sampled_from(["</svg><script>", "\"'>&", "\x00\ud800\u202e"]) | st.text(max_size=30)
SCALES = st.tuples(st.integers(-10, 10), st.integers(0, 200)).map(lambda pair: (pair[0], pair[0] + pair[1]))
COUNTS = st.lists(st.integers(0, 10) | st.integers(0, 10**6), min_size=1, max_size=11)


@given(SCALES, st.floats(-300, 300), st.floats(0, 300), st.sampled_from(["higher", "lower"]), TITLES, LANGS)
@settings(max_examples=200, deadline=None)
def test_intervals(scale, mean, wide, better, title, lang):
    low, high = scale
    ends = (mean - wide, mean + wide)
    one = Measure(name="m", title=title, mean=mean, ci95=ends, n=3, of=3, min=low, max=high, better=better)
    checked(interval_chart(one, words(lang)))


@given(COUNTS, TITLES, st.booleans(), LANGS)
@settings(max_examples=200, deadline=None)
def test_histograms(counts, title, linked, lang):
    bars = tuple((str(at), count) for at, count in enumerate(counts))
    high = len(counts) - 1
    one = Measure(
        name="m", title=title, mean=0.0, ci95=None, n=1, of=1, min=0, max=high, better="higher", histogram=bars
    )
    chart = histogram_chart(one, words(lang), (lambda label: f"#{label}") if linked else None)
    if any(counts):
        checked(chart)
    else:
        assert chart is None


@given(SCALES, st.lists(st.tuples(st.integers(-20, 220), st.integers(-20, 220)), max_size=30), TITLES, LANGS)
@settings(max_examples=200, deadline=None)
def test_judges_and_people(scale, pairs, title, lang):
    counts = {pair: pairs.count(pair) for pair in pairs}
    chart = people_chart(Against(title=title, min=scale[0], max=scale[1], counts=counts, bias=0.1), words(lang))
    if pairs:
        checked(chart)
    else:
        assert chart is None


@given(
    st.lists(
        st.tuples(st.floats(0, 1e6), st.floats(0, 1e5), st.integers(0, 10**9), st.none() | st.floats(0, 1e5, width=32)),
        max_size=30,
    ),
    LANGS,
)
@settings(max_examples=200, deadline=None)
def test_what_was_spent(steps, lang):
    times = accumulate(step[0] for step in steps)
    tokens = list(accumulate(step[2] for step in steps))
    costs = list(accumulate(step[3] or 0.0 for step in steps))
    priced = all(step[3] is not None for step in steps)
    points = [
        Spent(seconds=seconds, paused=step[1], calls=at, tokens=tokens[at], cost_usd=costs[at] if priced else None)
        for at, (seconds, step) in enumerate(zip(times, steps, strict=True))
    ]
    chart = spending_chart(points, words(lang))
    if chart is not None:
        checked(chart)
