"""Items → calls. A call's key is a hash of all that decides the answer: resuming is the plan minus the stored keys."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice, permutations
from math import factorial
from operator import attrgetter

from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import Ask, Call, Item, Orders, Prompt, Reply, Settings, Source, Stage, digest
from adjudge.spec.criteria import STAGED

DEFAULT_ORDERS = 2
DEFAULT_BATCH = 10
_ALL_ORDERS_MAX = 120
_id = attrgetter("id")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What of a run's options decides the plan."""

    repeat: int = 1
    orders: Orders | None = None
    batch_size: int | None = None
    ask: Ask = "rating"
    reasons: bool = False
    staged: bool = False
    window: int | None = None
    probe_batch: int | None = None
    candidates: tuple[str, ...] = ()
    until: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("repeat", "orders", "batch_size", "window", "probe_batch"):
            value = getattr(self, name)
            if isinstance(value, int) and value < 1:
                raise ConfigError(f"--{name.replace('_', '-')} must be at least 1, not {value}")
        if isinstance(self.orders, str) and self.orders not in ("all", "balanced"):
            raise ConfigError(f"--orders is a number, `balanced` or `all`, not `{self.orders}`")


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """What is judged together: one item with all its calls, or the items of a batch."""

    positions: tuple[int, ...]
    items: tuple[Item, ...]
    calls: tuple[Call, ...]

    @classmethod
    def of(cls, place: int, item: Item) -> Unit:
        """An item whose calls can't be planned yet."""
        return cls(positions=(place,), items=(item,), calls=())


@dataclass(frozen=True, kw_only=True, slots=True)
class Planner:
    """Makes calls for one judge, one model and one set of options."""

    judge: Judge
    settings: Settings
    options: Options
    _settings: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = asdict(self.settings)
        if not self.settings.probabilities:  # as keys were before there were any
            del settings["probabilities"]
        object.__setattr__(self, "_settings", digest(settings))

    def units(self, items: Iterable[tuple[int, Item]]) -> Iterator[Unit]:
        """The whole plan, one unit at a time, in dataset order."""
        size = (self.options.batch_size or DEFAULT_BATCH) if self.batched else 1
        source = iter(items)
        while group := list(islice(source, size)):
            # what is to be judged is known when the candidates have answered
            yield self._unit(group) if not self.options.candidates else Unit.of(*group[0])

    def planned(self, place: int, item: Item) -> Unit:
        """The plan for one item whose candidates have answered."""
        return self._unit([(place, item)])

    @property
    def batched(self) -> bool:
        """Whether several items go into one call; questions are asked of one text at a time."""
        return self.judge.layout == "batch" and self.options.ask == "rating"

    def _unit(self, group: list[tuple[int, Item]]) -> Unit:
        if self.batched:
            # a fixed place in the batch would give every item the same neighbours and the same fatigue
            _drawing(f"{self.options.seed}/{group[0][1].id}").shuffle(group)
        positions, items = zip(*group, strict=True)
        if self.options.ask == "yes-no":
            return Unit(positions=positions, items=items, calls=tuple(self._questions(items[0])))
        orders = self._orders(items[0]) if self.judge.layout == "compare" else [()]
        if self.options.staged and all(criterion.kind in STAGED for criterion in self.judge.criteria):
            return Unit(positions=positions, items=items, calls=())  # what follows from the stages is all there is
        stage: Stage = "rest" if self.options.staged else "judge"
        calls = [
            self.call(stage, items, order=order, repeat=repeat)
            for repeat in range(self.options.repeat)
            for order in orders
        ]
        return Unit(positions=positions, items=items, calls=tuple(calls))

    def _questions(self, item: Item) -> Iterator[Call]:
        """One call for each text and criterion, those that share most of their prompt one after another."""
        names = candidates(self.judge, item)
        for repeat in range(self.options.repeat):
            for name in names:
                order = (name,) if self.judge.layout == "compare" else ()
                for criterion in self.judge.scored:
                    if criterion.question:
                        yield self.call("judge", (item,), order=order, repeat=repeat, criterion=criterion.name)

    def call(
        self,
        stage: Stage,
        items: Sequence[Item],
        *,
        order: tuple[str, ...] = (),
        repeat: int = 0,
        after: object = None,
        criterion: str = "",
        about: Sequence[Item] = (),
    ) -> Call:
        """A call with its keys; `after` is what it follows from (a reply to mend, summaries to merge).

        `about` are items that it is asked for without their deciding the answer: they are no part of the key.
        """
        content = self._content(stage, items, order, repeat, after, criterion)
        return Call(
            key=hashlib.sha256(f"{content}/{self._settings}".encode()).hexdigest(),
            content=content,
            stage=stage,
            items=tuple(map(_id, (*items, *about))),
            order=order,
            repeat=repeat,
            criterion=criterion,
        )

    def _content(
        self, stage: Stage, items: Sequence[Item], order: tuple[str, ...], repeat: int, after: object, criterion: str
    ) -> str:
        """A hash of all that decides the answer but the model's settings."""
        judged = [(item.id, item.fields) for item in items]
        parts = (self.judge.digest, stage, judged, order, repeat, after)
        return digest((*parts, criterion) if criterion else parts)

    def _orders(self, item: Item) -> list[tuple[str, ...]]:
        return candidate_orders(candidates(self.judge, item), self.options.orders, f"{self.options.seed}/{item.id}")


def _drawing(seed: str) -> random.Random:
    """Random numbers of a text, which may hold lone surrogates: an id may be anything."""
    return random.Random(seed.encode("utf-8", "surrogatepass"))  # noqa: S311


def candidate_orders(names: Sequence[str], wanted: Orders | None, seed: str) -> list[tuple[str, ...]]:
    """The orders in which candidates are shown, seeded.

    A number of them is rotations of one shuffle, each followed by its reverse: 2n orders put each of n candidates
    equally often at each place.
    """
    base = sorted(names)
    _drawing(seed).shuffle(base)
    everything = factorial(len(base))
    if wanted == "all":
        if everything > _ALL_ORDERS_MAX:
            raise ConfigError(
                f"--orders all would make {everything:,} calls for each item with {len(base)} candidates",
                hint="--orders balanced shows each candidate equally often at each place",
            )
        return list(permutations(base))
    if wanted == "balanced":
        return _balanced(base)
    rotations = [tuple(base[turn:] + base[:turn]) for turn in range(len(base))]
    pairs = [order for rotation in rotations for order in (rotation, rotation[::-1])]
    # items with few candidates have fewer orders than were asked for; all they have is then shown
    return list(dict.fromkeys(pairs))[: wanted or DEFAULT_ORDERS]


def _balanced(base: Sequence[str]) -> list[tuple[str, ...]]:
    """As many orders as candidates, each of them once at each place.

    Steps to and fro (0, 1, n - 1, 2, n - 2, …) instead of plain rotations: of an even number of candidates each also
    stands once behind each other one, so that no neighbour favours anyone (E. J. Williams, 1949).
    """
    n = len(base)
    steps = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(n)]
    return [tuple(base[(turn + step) % n] for step in steps) for turn in range(n)]


def candidates(judge: Judge, item: Item) -> tuple[str, ...]:
    """The names of the candidates in the order of the dataset; one nameless text outside the compare layout."""
    if judge.layout != "compare":
        return ("",)
    field = next(field for field in judge.fields if field.type == "answers")
    return tuple(item.answers(field.name))


def numbered_sources(judge: Judge, item: Item) -> tuple[Source, ...]:
    """What the judge may cite, in the order of its numbers: the sources as shown in the prompt."""
    found: list[Source] = []
    for shown in judge.with_role("source"):
        if shown.name in item.fields:
            if shown.type == "text":
                found.append(Source(id=shown.name, text=item.text(shown.name)))
            else:
                found.extend(item.sources(shown.name))
    return tuple(found)


def judged_text(judge: Judge, item: Item) -> str | None:
    """The text in which errors are looked up, where there is exactly one."""
    fields = judge.with_role("output")
    return item.text(fields[0].name) if len(fields) == 1 and fields[0].type == "text" else None


def roomier(settings: Settings, cut: Reply) -> Settings:
    """Settings that give a reply that the server cut off more room; the same where there is no more, or it did not.

    What the server claims is believed up to the most that is ever asked for: beyond, its own limit is left to hold.
    """
    if cut.finish != "length":
        return settings
    # without a number of ours the server's limit held, which the reply shows also where its tokens are stated wrongly
    had = settings.max_tokens or max(cut.tokens_out or limits.ROOM_FIRST_TOKENS, len(cut.text) // 4)
    if had >= limits.ROOM_TOKENS:
        return settings
    return replace(settings, max_tokens=max(had, min(max(2 * had, limits.ROOM_FIRST_TOKENS), limits.ROOM_TOKENS)))


#: A rough mean over English and Russian text and the tokenizers in use.
CHARACTERS_PER_TOKEN = 3.5


def estimate_tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has."""
    return round((len(prompt.system) + len(prompt.user)) / CHARACTERS_PER_TOKEN)
