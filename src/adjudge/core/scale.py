"""A scale: its ends, its direction and what each point means, stated once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Better = Literal["higher", "lower"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """Points from `min` to `max`, whole ones unless said otherwise; `better` says which end is good.

    >>> Scale(min=0, max=3, better="lower").normalised(0)
    1.0
    """

    min: int
    max: int
    better: Better = "higher"
    unit: str = ""
    whole: bool = True
    labels: Mapping[int, str] = field(default_factory=dict)

    @property
    def points(self) -> range:
        return range(self.min, self.max + 1)

    @property
    def best(self) -> int:
        return self.max if self.better == "higher" else self.min

    @property
    def worst(self) -> int:
        return self.min if self.better == "higher" else self.max

    def holds(self, value: float) -> bool:
        return self.min <= value <= self.max

    def normalised(self, value: float) -> float:
        """The value's place between worst (0) and best (1)."""
        share = (value - self.min) / (self.max - self.min)
        return share if self.better == "higher" else 1.0 - share

    def point(self, value: float) -> float:
        """The nearest point of the scale; halves go up, as people round. Every value is a point if not `whole`."""
        return self.nearest(value) if self.whole else value

    def nearest(self, value: float) -> int:
        """The nearest whole number."""
        return math.floor(value + 0.5)
