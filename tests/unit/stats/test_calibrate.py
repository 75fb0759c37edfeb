"""What calibration keeps, what it refuses, and what its intervals hold."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from adjudge.stats.calibrate import CALIBRATED, LENGTH, PLAIN, Case, calibrate
from adjudge.stats.monotone import predicted

Label = Callable[[random.Random, list[float], float, float], float]


def cases(seed: int, label: Label, *, groups: int = 40, per_group: int = 4) -> list[Case]:
    """Texts of sources with an effect of their own; the plain composite is the mean of four parts."""
    generator = random.Random(seed)
    made = []
    for group in range(groups):
        effect = generator.gauss(0, 0.1)
        for _ in range(per_group):
            length = generator.gauss(6, 0.5)
            parts = [generator.random() for _ in range(3)]
            parts.append(min(1.0, max(0.0, (length - 5) / 2 + generator.gauss(0, 0.1))))
            plain = sum(parts) / 4
            target = min(1.0, max(0.0, label(generator, parts, length, effect)))
            made.append(Case(group=str(group), target=target, parts=(plain, *parts), plain=plain, length=length))
    return made


def noise(generator: random.Random, parts: list[float], length: float, effect: float) -> float:
    return 0.6 + effect + generator.gauss(0, 0.2)


def by_length(generator: random.Random, parts: list[float], length: float, effect: float) -> float:
    return (length - 5) / 2 + effect + generator.gauss(0, 0.1)


def by_part(generator: random.Random, parts: list[float], length: float, effect: float) -> float:
    return 0.2 + 0.5 * parts[0] + 0.1 * parts[1] + effect + generator.gauss(0, 0.15)


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
    assert calibrate(made).refused == (PLAIN,)


def test_the_intervals_hold_labels_of_sources_never_seen():
    held, stated = [], []
    for seed in range(30):
        found = calibrate(cases(seed, by_part), seed=seed)
        stated.append(found.coverage)
        for case in cases(10_000 + seed, by_part):
            held.append(abs(predicted(found.base, found.weights, case.parts) - case.target) <= found.half)
    assert sum(held) / len(held) == pytest.approx(0.81, abs=0.03)
    assert sum(stated) / len(stated) == pytest.approx(0.81, abs=0.03)


def test_the_same_seed_gives_the_same_fit_whatever_the_order_of_rows():
    made = cases(3, by_part)
    mixed = random.Random(1).sample(made, len(made))
    one, other = calibrate(made, seed=5), calibrate(mixed, seed=5)
    assert one.half == pytest.approx(other.half)
    assert one.weights == pytest.approx(other.weights)
    assert one.figures[CALIBRATED].spearman == pytest.approx(other.figures[CALIBRATED].spearman)


def test_labels_that_never_vary_are_refused():
    assert set(calibrate(cases(0, lambda *_: 1.0)).refused) == {LENGTH, PLAIN}
