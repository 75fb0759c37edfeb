"""A run: its manifest, whose signature changes with whatever decides its numbers, and how far it came."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.core.records import Ask, Orders, Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A run's manifest: everything that decides its numbers, and a name people can type."""

    id: str
    judge: str
    judge_digest: str
    lang: str
    data: str
    data_digest: str
    items: int
    settings: Settings
    repeat: int = 1
    orders: Orders | None = None
    batch_size: int | None = None
    ask: Ask = "rating"
    reasons: bool = False
    staged: bool = False
    #: Tokens that fit into the model, prompt and answer; None where it is not known.
    window: int | None = None
    #: How many items of batches are judged by themselves too.
    probe_batch: int | None = None
    #: NAME=MODEL of the candidates that are asked for their answers.
    candidates: tuple[str, ...] = ()
    #: The question that ends it when it is answered.
    until: str = ""
    seed: int = 0
    name: str = ""
    version: str = ""
    started: str = ""

    @property
    def shown(self) -> str:
        """Its name with the id beside it, or the id alone."""
        return f"{self.name} ({self.id})" if self.name else self.id

    @property
    def data_name(self) -> str:
        """The name of the dataset's file; what is shared does not tell the folders of somebody's machine."""
        return re.split(r"[\\/]", self.data)[-1]

    @property
    def parts(self) -> dict[str, object]:
        """Everything that decides the numbers, by the names that it has in the signature."""
        parts = {
            "adjudge": self.version,
            "judge": f"{self.judge}@{self.judge_digest[:12]}",
            "lang": self.lang,
            "data": self.data_digest[:12],
            "n": self.items,
            "model": self.settings.model,
            "revision": self.settings.revision,
            "url": self.settings.base_url,
            "temperature": self.settings.temperature,
            "max_tokens": self.settings.max_tokens,
            "repeat": self.repeat,
            "orders": self.orders,
            "batch": self.batch_size,
            "ask": self.ask if self.ask != "rating" else None,
            "reasons": self.reasons or None,
            "staged": self.staged or None,
            "window": self.window,
            "probe_batch": self.probe_batch,
            "candidates": ",".join(self.candidates) or None,
            "until": self.until or None,
            "probabilities": self.settings.probabilities or None,
            "seed": self.seed,
        }
        return {name: value for name, value in parts.items() if value is not None}

    @property
    def signature(self) -> str:
        """One line that changes when anything that decides the numbers changes."""
        return "|".join(f"{name}:{value}" for name, value in self.parts.items())


def in_batches(items: int, size: int) -> int:
    """How many items share their batch with others: the last batch may be of one."""
    return 0 if size == 1 else items - (items % size == 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a run has to say to its question: the answer, or what is known so far.

    `items` were looked at in the order drawn, `counted` of them or of their pairs had a value; `interval` holds at
    every moment of the run, of the mean or of the first side's less the second's. `calls` is what the items took.
    """

    name: str
    sides: tuple[str, ...]
    answered: bool
    better: str
    items: int
    counted: int
    mean: float | None
    interval: tuple[float, float]
    calls: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What a run had spent after so many seconds of work, counted from its first reply; no cost where it is unknown.

    `paused` is how long nothing had come right before: that time is no work, and not in `seconds`.
    """

    seconds: float
    paused: float
    calls: int
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunState:
    """A run as it stands: its manifest, how far it came, the calls it made and the replies it had from the store."""

    run: Run
    status: str
    judged: int = 0
    failed: int = 0
    calls: int = 0
    cached: int = 0
    asked_again: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    finished: str | None = None
    steps: Mapping[str, int] = field(default_factory=dict)
    summary: Mapping[str, str] = field(default_factory=dict)
    #: Why there is no summary, where a call to merge those of the batches got no reply.
    no_summary: str = ""
    #: What it has to say to the question of --until, where one was asked.
    answer: Answer | None = None
    #: The ceiling on what it may cost that it was begun with, in dollars.
    ceiling_usd: float | None = field(default=None, compare=False)
    #: The URL of its store, as it may be shown: a command about the run needs it.
    store: str = field(default="", compare=False)

    @property
    def spent(self) -> bool:
        """Whether it has reached the ceiling on its cost: to go on, it needs a higher one."""
        return None not in (self.ceiling_usd, self.cost_usd) and (self.cost_usd or 0.0) >= (self.ceiling_usd or 0.0)

    @property
    def wanted(self) -> int:
        """How many items it was to judge: all, or those that the answer to its question took."""
        return self.answer.items if self.answer is not None and self.answer.answered else self.run.items
