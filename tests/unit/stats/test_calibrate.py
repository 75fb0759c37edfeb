"""What calibration keeps, what it refuses, and what its intervals hold."""

from __future__ import annotations

import random
import statistics

import pytest
from eval.embedded.simulate import by_length, by_part, by_source, cases, held, noise

from adjudge.stats.calibrate import CALIBRATED, LENGTH, PLAIN, Case, calibrate


def against_part(generator: random.Random, parts: list[float], length: float, effect: float) -> float:
    return 0.8 - 0.5 * parts[0] + effect + generator.gauss(0, 0.1)


def test_noise_is_refused():
    kept = [seed for seed in range(60) if not calibrate(cases(seed, noise, groups=30), seed=seed).refused]
    assert kept == []


def test_labels_that_follow_length_are_refused_and_length_is_named():
    for seed in range(10):
        assert LENGTH in calibrate(cases(seed, by_length), seed=seed).refused


def test_labels_that_go_against_the_parts_are_refused():
    for seed in range(10):
        assert calibrate(cases(seed, against_part), seed=seed).refused


def test_a_signal_is_kept():
    for seed in range(10):
        found = calibrate(cases(seed, by_part), seed=seed)
        assert not found.refused
        mine, plain, length = (found.figures[name] for name in (CALIBRATED, PLAIN, LENGTH))
        assert mine.spearman is not None and plain.spearman is not None
        assert mine.spearman > plain.spearman
        assert mine.mae < min(plain.mae, length.mae)


def test_a_composite_that_is_right_already_is_not_replaced():
    made = [
        Case(group=case.group, target=case.plain, parts=case.parts, plain=case.plain, length=case.length)
        for case in cases(0, noise)
    ]
    assert calibrate(made).refused == {PLAIN: ("error",)}


def test_a_better_level_whose_order_got_worse_is_refused_for_the_order():
    """The composite has the order on another level; the only part that may be weighed has but a quarter of it."""
    made = [
        Case(group=case.group, target=case.plain / 4, parts=case.parts[1:2], plain=case.plain, length=case.length)
        for case in cases(0, noise)
    ]
    found = calibrate(made)
    assert found.figures[CALIBRATED].mae < found.figures[PLAIN].mae / 2
    assert found.refused[PLAIN] == ("order lost",)


@pytest.mark.parametrize(("groups", "per_group"), [(10, 10), (20, 5)])
def test_what_is_shown_to_hold_is_what_holds_for_sources_never_seen(groups, per_group, monkeypatch):
    """Sources differ more than their texts: whatever a source left out has a part in would flatter the share."""
    monkeypatch.setattr("adjudge.stats.calibrate.RESAMPLES", 1)  # they decide what is kept, not what holds

    shown, real = [], []
    for seed in range(80):
        found = calibrate(cases(seed, by_source, groups=groups, per_group=per_group), seed=seed)
        shown.append(found.coverage)
        real.append(held(found, cases(10_000 + seed, by_source, per_group=2)))
    assert statistics.fmean(shown) == pytest.approx(statistics.fmean(real), abs=0.02)
    assert 0.79 < statistics.fmean(real) < 0.9


def test_the_same_seed_gives_the_same_fit_whatever_the_order_of_rows():
    made = cases(3, by_part)
    mixed = random.Random(1).sample(made, len(made))
    one, other = calibrate(made, seed=5), calibrate(mixed, seed=5)
    assert one.half == pytest.approx(other.half)
    assert one.weights == pytest.approx(other.weights)
    assert one.figures[CALIBRATED].spearman == pytest.approx(other.figures[CALIBRATED].spearman)


def test_labels_that_never_vary_are_refused():
    assert set(calibrate(cases(0, lambda *_: 1.0)).refused) == {LENGTH, PLAIN}
