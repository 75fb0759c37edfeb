"""What a run uses: calls, tokens, money."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from adjudge.core.records import Reply


@dataclass(kw_only=True)
class Usage:
    """What a run has used so far, for the progress line."""

    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cost_known: bool = True
    #: Called when a reply that an item needs beside others is on its way to the store.
    told: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self.tokens_in += reply.tokens_in or 0
        self.tokens_out += reply.tokens_out or 0
        self.cost_known &= reply.cost_usd is not None
        self.cost_usd += reply.cost_usd or 0.0


@dataclass(kw_only=True)
class Wasted:
    """What answers that held no reply have cost."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0

    def add(self, tokens_in: int, tokens_out: int, cost_usd: float | None) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost_usd = None if cost_usd is None or self.cost_usd is None else self.cost_usd + cost_usd
