"""The judge against itself, in a report."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.records import Failure, Verdict
from adjudge.report.beside import noise as module
from adjudge.report.beside.noise import Noise, repeats_of
from adjudge.report.beside.row import Row
from adjudge.stats.noise import noise
from tests.unit.report import sample

JUDGE = sample.single()
ROW = Row(JUDGE, None)


def verdict(item, *repeats):
    """One text, with a score of coverage for each repeat; None: that reply had none."""
    trials = tuple(
        {"repeat": at, "scores": {} if score is None else {"coverage": score}} for at, score in enumerate(repeats)
    )
    scores = {"coverage": 3.0}
    return Verdict(item=str(item), scores=scores, reasons={}, derived={}, native={}, trials=trials)


def seen(*outcomes, judge=JUDGE, repeat=3, items=None):
    state = sample.state(judge, items or len(outcomes))
    found = Noise(judge, replace(state, run=replace(state.run, repeat=repeat)))
    for outcome in outcomes:
        found.add(outcome, ROW)
    return found


def noisy(n, spread, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        own = rng.gauss(3, 0.7)
        yield [min(5, max(1, round(own + rng.gauss(0, spread)))) for _ in range(3)]


def test_without_repeats_nothing_is_said():
    one = seen(verdict(1, 3), verdict(2, 4), repeat=1)
    assert one.section() is None and list(one.warnings()) == []
    assert seen(Failure(item="1", kind="timeout", stage="ask", message="")).section() is None


def test_the_table_has_the_figures_of_the_repeats():
    rows = list(noisy(40, 0.5))
    found = seen(*(verdict(item, *row) for item, row in enumerate(rows)), items=50)
    expected = noise(np.array(rows, dtype=float))
    assert expected is not None and expected.reliability95 is not None
    data = found.section().data["coverage"]
    assert (data["n"], data["of"], data["texts"], data["pairs"]) == (40, 50, 40, 120)
    assert data["equal"] == expected.equal and data["within_one"] == expected.near
    assert data["sd"] == pytest.approx(expected.sd, abs=1e-12)
    assert data["reliability"]["ci95"] == pytest.approx(list(expected.reliability95), abs=1e-9)
    assert data["smallest_difference"] == pytest.approx(expected.smallest(40, 3), abs=1e-12)
    assert json.loads(json.dumps(dict(found.section().data), allow_nan=False))
    (row,) = found.section().rows
    assert row[:2] == ("Coverage", "40 of 50")
    assert list(found.warnings()) == []


def test_the_order_of_the_items_decides_nothing():
    verdicts = [verdict(item, *row) for item, row in enumerate(noisy(30, 0.5))]
    first = seen(*verdicts).section()
    random.Random(1).shuffle(verdicts)
    assert seen(*verdicts).section() == first


def test_a_judge_that_is_mostly_chance_is_warned_of():
    (warning,) = seen(*(verdict(item, *row) for item, row in enumerate(noisy(60, 2.5)))).warnings()
    assert warning.startswith("Coverage: the judge hardly agrees with itself")


def test_a_judge_that_never_wavers_has_no_floor():
    data = seen(*(verdict(item, 2 + item % 3, 2 + item % 3) for item in range(20))).section().data["coverage"]
    assert (data["sd"], data["smallest_difference"], data["equal"]) == (0.0, 0.0, 1.0)
    assert data["steady"]["n"] == 20 and data["steady"]["ci95"][0] < 0.9, "twenty are no certainty"


def test_gaps_are_left_out():
    data = seen(verdict(1, 3, None, 4), verdict(2, None, None, 4), verdict(3, 2, 2, 2)).section().data["coverage"]
    assert (data["n"], data["texts"], data["pairs"]) == (2, 2, 4)


def test_orders_of_one_repeat_are_averaged_first():
    judge = sample.compare()
    trials = tuple(
        {"repeat": repeat, "order": order, "scores": {"depth": {"A": score, "B": 1.0}}}
        for repeat, order, score in ((0, ["A", "B"], 2.0), (0, ["B", "A"], 4.0), (1, ["A", "B"], 3.0), (9, [], 5.0))
    )
    one = Verdict(item="1", scores={"depth": {"A": 3.0, "B": 1.0}}, reasons={}, derived={}, native={}, trials=trials)
    assert repeats_of(one, 2) == {("A", "depth"): [3.0, 3.0], ("B", "depth"): [1.0, 1.0]}
    data = seen(one, judge=judge, repeat=2).section().data["depth"]
    assert (data["texts"], data["n"]) == (2, 1)
    lost = replace(one, item="2", trials=trials[:2])
    assert seen(one, lost, judge=judge, repeat=2).section().rows[0][1] == "1 of 2"


@pytest.mark.parametrize(("lang", "call", "repeat"), [
    ("en", "SD of one call", "SD of one repeat"), ("ru", "СКО одного вызова", "СКО одного повтора"),
])  # fmt: skip
def test_where_a_repeat_has_several_calls_the_spread_is_that_of_a_repeat(lang, call, repeat):
    alone = seen(verdict(1, 3, 4, 3), verdict(2, 2, 2, 3), judge=sample.single(lang)).section()
    assert call in alone.columns and call in alone.notes[0] and repeat not in alone.notes[0]
    trials = tuple({"repeat": at, "scores": {"depth": {"A": 3.0 + at, "B": 1.0}}} for at in range(2))
    beside = [replace(verdict(item), scores={"depth": {"A": 3.5, "B": 1.0}}, trials=trials) for item in range(2)]
    compared = seen(*beside, judge=sample.compare(lang), repeat=2).section()
    assert repeat in compared.columns and repeat in compared.notes[0] and call not in compared.notes[0]


def test_of_many_texts_a_share_is_kept_whatever_their_order(monkeypatch):
    monkeypatch.setattr(module, "TEXTS_MAX", 50)
    verdicts = [verdict(item, *row) for item, row in enumerate(noisy(200, 0.5))]
    found = seen(*verdicts)
    assert 20 <= found.section().data["coverage"]["texts"] <= 50
    assert found.section().data["coverage"]["n"] == 200
    assert any("drawn by their ids" in note for note in found.section().notes)
    first = found.section()
    random.Random(1).shuffle(verdicts)
    assert seen(*verdicts).section() == first
