"""Majorities between candidates: who beats everybody, and where they go in a circle."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from adjudge.stats.board import Floats


def condorcet(wins: Floats) -> int | None:
    """The candidate that is better than each other one in most items that tell the two apart, if there is one."""
    everybody = range(len(wins))
    return next((one for one in everybody if all(wins[one, j] > wins[j, one] for j in everybody if j != one)), None)


def circles(wins: Floats) -> list[tuple[int, ...]]:
    """One shortest circle of majorities for each group of candidates that beat one another in a circle.

    Condorcet, Essai sur l'application de l'analyse à la probabilité des décisions (1785): majorities need not be
    transitive. A group is a strongly connected part of "beats"; its circle begins with its first candidate.
    """
    everybody = range(len(wins))
    beats = [[j for j in everybody if wins[one, j] > wins[j, one]] for one in everybody]
    found, seen = [], set[int]()
    for one in everybody:
        if one not in seen and (circle := _circle(one, beats)):
            found.append(circle)
            seen |= {j for j in everybody if _way(one, j, beats) and _way(j, one, beats)}
    return found


def _circle(start: int, beats: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The shortest way from a candidate through those that it beats back to itself, or nothing."""
    ways = [way for first in beats[start] if (way := _way(first, start, beats))]
    return (start, *min(ways, key=len)[:-1]) if ways else ()


def _way(start: int, end: int, beats: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The shortest way along "beats", both ends included; nothing where there is none."""
    before, waiting = {start: start}, deque([start])
    while waiting:
        one = waiting.popleft()
        if one == end:
            way = [one]
            while way[-1] != start:
                way.append(before[way[-1]])
            return tuple(reversed(way))
        for other in beats[one]:
            if other not in before:
                before[other] = one
                waiting.append(other)
    return ()
