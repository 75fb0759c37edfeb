"""Who beats everybody, and circles, against every permutation of the candidates."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from adjudge.stats.cycles import circles, condorcet


def a_table(seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    size = int(draw.integers(2, 7))
    wins = draw.integers(0, draw.integers(1, 5) + 1, size=(size, size)).astype(float)
    np.fill_diagonal(wins, 0)
    return wins


def every_circle(wins: np.ndarray) -> list[tuple[int, ...]]:
    """All circles of majorities, by trying every way."""
    size = len(wins)
    return [
        way
        for length in range(3, size + 1)
        for way in permutations(range(size), length)
        if all(wins[a, b] > wins[b, a] for a, b in zip(way, (*way[1:], way[0]), strict=True))
    ]


@pytest.mark.parametrize("seed", range(200))
def test_circles_are_circles_and_none_is_missed(seed):
    wins = a_table(seed)
    found, all_of_them = circles(wins), every_circle(wins)
    assert bool(found) == bool(all_of_them)
    assert set(found) <= set(all_of_them)
    for circle in found:
        assert len(circle) == min(len(one) for one in all_of_them if one[0] == circle[0])
    # groups are apart, and every candidate that stands in a circle belongs to one of them
    reach = np.linalg.matrix_power(np.eye(len(wins)) + (wins > wins.T), len(wins)) > 0
    together = reach & reach.T
    firsts = [circle[0] for circle in found]
    assert not any(together[a, b] for a in firsts for b in firsts if a != b)
    assert all(any(together[one, first] for first in firsts) for way in all_of_them for one in way)


@pytest.mark.parametrize("seed", range(200))
def test_the_winner_beats_everybody(seed):
    wins = a_table(seed)
    size = len(wins)
    winners = [i for i in range(size) if sum(wins[i, j] > wins[j, i] for j in range(size)) == size - 1]
    assert condorcet(wins) == (winners[0] if winners else None)
    if winners:
        assert all(winners[0] not in circle for circle in circles(wins))


def test_the_circle_of_the_three_voters():
    wins = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0.0]])
    assert (circles(wins), condorcet(wins)) == ([(0, 1, 2)], None)
