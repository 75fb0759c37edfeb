"""Intervals that hold at every moment of a run, so that looking after each item and stopping when one likes is honest.

Betting, as in I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the
Royal Statistical Society B 86 (2024): whoever bets against a mean, at fair odds for it, multiplies what he has by 20 at
any time with a probability of 1 in 20 at most if that is the mean (J. Ville, 1939). The means against which nobody has
become that rich are the interval, at every moment at once.

Only products, quotients and roots are taken, which every machine rounds alike: the same draws, the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from adjudge.stats.board import Floats
from adjudge.stats.interval import CONFIDENCE, Interval

Some: TypeAlias = "float | Floats"

#: Bets on the mean being higher and on its being lower share the chance of an error.
_RICH = 2.0 / (1.0 - CONFIDENCE)
#: The part of what he has that the gambler may lose in one draw.
_STAKE = 0.9
#: Where the effect is not known, a quarter of the money is bet on each of these, in standard deviations.
_EFFECTS = (0.1, 0.2, 0.4, 0.8)
_POINTS_MIN, _POINTS_MAX = 2_000, 20_000
#: Steps of the grid that a wanted half-width is worth.
_STEPS = 20


class Wealth:
    """What was won by betting against each of some means between 0 and 1, draw after draw.

    `draws` is how many there are in all where they are taken without being put back: the mean is then that of just
    these, and what is left of it after each draw is known (section 4 of the paper). `aim` is the half-width that is
    wanted: a bet of aim / variance makes the most of the draws that it takes. Without one the money is spread over
    bets for several effects. Arrays go along: the last axis of `means` may be a grid, or a stream for each mean.
    """

    def __init__(self, means: Floats, *, draws: int | None = None, aim: float | None = None) -> None:
        self._means, self._draws, self._aim = means, draws, aim
        bets = 1 if aim else len(_EFFECTS)
        self._up, self._down = np.full((2, bets, *means.shape), 1.0 / bets)
        self._seen = 0
        self._sum: Some = 0.0
        self._count: Some = 0.0
        self._squares: Some = 0.25
        #: What there is now of the bets against each mean, in one direction or the other.
        self.capital = np.ones(means.shape)
        #: The means that are out, for good.
        self.rejected = np.zeros(means.shape, dtype=bool)

    def add(self, total: Some, count: Some) -> None:
        """One draw: the sum of its values, and the share of it that has one; both between 0 and 1, total <= count.

        What has no value counts as the mean, whichever it is: it then speaks neither for a mean nor against it.
        """
        self._seen += 1
        drift: Some = 0.0
        if self._draws is not None:
            drift = (self._count * self._means - self._sum) / (self._draws - self._seen + 1)
        centre = self._means + drift
        gap = total - count * self._means - drift
        bets = self._bets()
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            # a mean that is impossible by now is ruled out by `Anytime`, whatever was bet against it
            self._up *= 1.0 + np.minimum(bets, _STAKE / np.maximum(centre, 0.0)) * gap
            self._down *= 1.0 - np.minimum(bets, _STAKE / np.maximum(1.0 - centre, 0.0)) * gap
            self.capital = np.maximum(self._up.sum(axis=0), self._down.sum(axis=0))
            self.rejected |= self.capital >= _RICH
        self._sum, self._count = self._sum + total, self._count + count
        mean = (self._sum + 0.5) / (self._count + 1.0)
        self._squares = self._squares + (total - count * mean) ** 2

    def _bets(self) -> Floats:
        """By what is known before the draw: the variance of the draws so far, begun with that of a coin."""
        variance = np.asarray(self._squares / self._seen)
        if self._aim is None:
            return np.stack([effect / np.sqrt(variance) for effect in _EFFECTS])[(..., *self._new_axes(variance))]
        left = 1.0 if self._draws is None else self._draws / (self._draws - self._seen + 1)
        return np.asarray(self._aim * left / variance)

    def _new_axes(self, variance: Floats) -> tuple[Any, ...]:
        return (None,) * (self._means.ndim - variance.ndim)

    def narrow(self, first: int, last: int) -> None:
        """Go on with the means from the first to the last of the grid only; the others are out."""
        some = slice(first, last + 1)
        self._means, self.rejected = self._means[some], self.rejected[some]
        self._up, self._down = self._up[:, some], self._down[:, some]

    @property
    def left(self) -> tuple[Some, Some, float]:
        """The sum of the values so far, the share of draws that had one, and the draws that are left."""
        return self._sum, self._count, math.inf if self._draws is None else float(self._draws - self._seen)


class Anytime:
    """A 95 % interval of a mean that holds after every draw at once.

    A draw is one item, or all items of a batch or of a source: `most` at once. The values lie between `low` and `high`.
    """

    def __init__(
        self, low: float, high: float, *, most: int = 1, draws: int | None = None, aim: float | None = None
    ) -> None:
        self._low, self._span, self._most = low, high - low, most
        unit = None if aim is None else aim / self._span
        wanted = _POINTS_MIN if unit is None else min(max(_POINTS_MIN, math.ceil(_STEPS / unit)), _POINTS_MAX)
        self._steps = wanted + wanted % 2  # so that the middle, no difference, is a point
        self._wealth = Wealth(np.arange(self._steps + 1) / self._steps, draws=draws, aim=unit)
        #: Where the part of the grid that is not out begins.
        self._first = 0
        self._ends: tuple[float, float] = (0.0, 1.0)

    def add(self, values: Sequence[float]) -> None:
        """One draw with the values that its items have; those that failed have none."""
        inside = [min(1.0, max(0.0, (value - self._low) / self._span)) for value in values]
        self._wealth.add(math.fsum(inside) / self._most, len(inside) / self._most)
        self._narrow()

    def _narrow(self) -> None:
        """The ends so far and those of now, the narrower; a point of the grid gives way to the one outside it."""
        low, high = self._ends
        if (held := np.flatnonzero(~self._wealth.rejected)).size:
            first, last = int(held[0]), int(held[-1])
            low = max(low, (self._first + first - 1) / self._steps)
            high = min(high, (self._first + last + 1) / self._steps)
            if 2 * (last - first) < len(self._wealth.rejected):
                self._wealth.narrow(first, last)
                self._first += first
        total, count, left = self._wealth.left
        if math.isfinite(left) and (whole := float(count) + left):
            # as if all that is left were the worst, or the best
            low, high = max(low, float(total) / whole), min(high, (float(total) + left) / whole)
        if low <= high:  # else the 1 of 20 has come about, and what was said stands
            self._ends = low, high

    @property
    def interval(self) -> Interval:
        low, high = self._ends
        return self._low + low * self._span, self._low + high * self._span

    @property
    def half_width(self) -> float:
        low, high = self._ends
        return (high - low) / 2 * self._span
