"""What tokens cost: a dated price file that users can extend. An unknown price is said, never guessed as zero."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from adjudge.core.errors import BudgetSpent, ConfigError
from adjudge.core.records import Reply, Settings

_OWN = Path(__file__).with_name("prices.yaml")
_SHAPE = 'prices: {"openai:my-model": {input: 0.5, output: 1.5, seen: "2026-01-31"}}   in dollars per million tokens'
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """Dollars per million tokens, and where and when that was seen."""

    input: float
    output: float
    seen: str

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.input + tokens_out * self.output) / 1e6


def price_of(settings: Settings, extra: str | None = None) -> Price | None:
    """The price of a model, from the user's file first; a dated name (`…-2025-04-14`) has the price of its family.

    A server of one's own (`--base-url`) sells at its own price: only the user's file can know it.
    """
    own = _read(Path(extra)) if extra else {}
    known = own if settings.base_url else {**_read(_OWN), **own}
    return known.get(settings.model) or known.get(_DATED.sub("", settings.model))


def _read(path: Path) -> dict[str, Price]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return {str(model): _price(entry) for model, entry in data["prices"].items()}
    except OSError as error:
        raise ConfigError(f"{path}: the price file can't be read: {error.strerror}", hint="check --prices") from None
    except (yaml.YAMLError, UnicodeDecodeError, TypeError, KeyError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: not a price file ({error})", hint=_SHAPE) from None


def _price(entry: Mapping[str, Any]) -> Price:
    costs = {name: float(entry[name]) for name in ("input", "output")}
    if any(not 0 <= cost < 1e6 for cost in costs.values()) or set(entry) - {"input", "output", "seen"}:
        raise ValueError("a price has input, output and seen, in dollars per million tokens")
    return Price(**costs, seen=str(entry.get("seen", "")))


@dataclass(kw_only=True)
class Budget:
    """A ceiling over the whole run, resumes included: spent is never more than it plus what is in flight.

    Runs that are carried out together have one ceiling; `beside` are the budgets of the others.
    """

    ceiling_usd: float | None = None
    spent_usd: float = 0.0
    price: Price | None = None
    uncounted: bool = False
    beside: Sequence[Budget] = field(default=(), repr=False, compare=False)

    def check(self) -> None:
        """Called before every request."""
        if self.ceiling_usd is None:
            return
        if self.uncounted or any(other.uncounted for other in self.beside):
            raise BudgetSpent(
                "the cost of some calls is not known (the server states no tokens, or they were made without a price), "
                "so the ceiling can't be kept"
            )
        spent_usd = self.spent_usd + sum(other.spent_usd for other in self.beside)
        if spent_usd >= self.ceiling_usd:
            # no sum: it grows by what is still in flight
            raise BudgetSpent(f"the ceiling of ${self.ceiling_usd:.4f} is reached")

    def charged(self, reply: Reply) -> Reply:
        """The reply with what it cost, where tokens and price are known; the sum is kept."""
        cost = reply.cost_usd
        if cost is None:
            cost = self.charge(reply.tokens_in, reply.tokens_out)
        else:
            self.purse.spent_usd += cost
        return reply if cost is reply.cost_usd else replace(reply, cost_usd=cost)

    def charge(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """What an answer of so many tokens costs, if that is known; the sum is kept."""
        known = self.price is not None and tokens_in is not None and tokens_out is not None
        cost = self.price.of(tokens_in, tokens_out) if known else None  # type: ignore[union-attr, arg-type]
        self.purse.spent_usd += cost or 0.0
        self.purse.uncounted |= cost is None
        return cost

    @property
    def purse(self) -> Budget:
        """Where what is spent is counted."""
        return self


@dataclass(kw_only=True)
class Share(Budget):
    """What another model of a run costs: by its own price, out of the budget of the run."""

    of: Budget

    @property
    def purse(self) -> Budget:
        return self.of

    def check(self) -> None:
        replace(self.of, ceiling_usd=self.ceiling_usd).check()
