"""The order in which a run with `--until` judges: draws, each of an item, of a batch, or of the rows of a source."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256

from adjudge.core.judge import Judge
from adjudge.core.records import Item, Outcome, digest
from adjudge.core.runs import Answer, Run
from adjudge.run.until import Question, Stopping, parse
from adjudge.store.store import Store


class Draws:
    """Which positions are judged together, in which order: by a hash of the seed and of what is drawn.

    The order of the rows decides nothing but what shares a batch, and no item is sooner drawn than another.
    """

    def __init__(self, positions: array[int], ends: array[int], most: int, sides: bytearray | None = None) -> None:
        self._positions, self._ends, self.most, self._sides = positions, ends, most, sides

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def items(self) -> int:
        return len(self._positions)

    def positions(self, number: int) -> Sequence[int]:
        """The positions of a draw, in dataset order."""
        return self._positions[self._ends[number - 1] if number else 0 : self._ends[number]]

    def side(self, position: int) -> int | None:
        """Which of the systems that are compared a row is of: 0 or 1; None where of neither."""
        found = 2 if self._sides is None else self._sides[position]
        return None if found == 2 else found


def draws_of(run: Run, question: Question, judge: Judge, store: Store, item: Callable[[str], Item]) -> Draws:
    """The draws of a run, from its dataset in the store."""
    if question.systems:
        items = ((place, item(body)) for place, _, body in store.items(run.data_digest))
        return _by_source(run, question, judge, items)
    size = run.batch_size or 1
    firsts = array("Q", (_key(run.seed, name) for place, name in store.item_ids(run.data_digest) if place % size == 0))
    order = sorted(range(len(firsts)), key=firsts.__getitem__)
    return _cut(([*range(first * size, min((first + 1) * size, run.items))] for first in order), size)


def _by_source(run: Run, question: Question, judge: Judge, items: Iterable[tuple[int, Item]]) -> Draws:
    fields = [field.name for field in judge.with_role("source")]
    (system,) = judge.with_role("system")[:1]
    assert question.sides is not None
    number = {name: side for side, name in enumerate(question.sides)}
    groups: dict[int, list[int]] = {}
    sides = bytearray(run.items)
    for place, one in items:
        source = digest([one.fields.get(name) for name in fields])
        groups.setdefault(_key(run.seed, source), []).append(place)
        sides[place] = number.get(one.text(system.name).strip(), 2)
    return _cut((groups[key] for key in sorted(groups)), 1, sides)


def _key(seed: int, name: str) -> int:
    return int.from_bytes(sha256(f"{seed}/{name}".encode("utf-8", "surrogatepass")).digest()[:8], "big")


def _cut(groups: Iterable[Sequence[int]], most: int, sides: bytearray | None = None) -> Draws:
    positions, ends = array("q"), array("q")
    for group in groups:
        positions.extend(group)
        ends.append(len(positions))
    return Draws(positions, ends, most, sides)


def answer_of(run: Run, judge: Judge, store: Store, item: Callable[[str], Item]) -> Answer:
    """What the stored outcomes of a run say to its question; computed again, with no call."""
    question = parse(run.until, judge)
    stopping = Stopping(question, draws_of(run, question, judge, store, item))
    calls = 0
    for place, outcome, new in _with_calls(store.placed_outcomes(run.id)):
        stopping.note(place, outcome)
        calls += new
    stopping.look()
    return stopping.answer(calls)


def _with_calls(outcomes: Iterable[tuple[int, Outcome]]) -> Iterator[tuple[int, Outcome, int]]:
    """Each outcome with the number of calls that it does not share with the one before it, as items of a batch do."""
    before: set[str] = set()
    for place, outcome in outcomes:
        calls = set(outcome.calls)
        yield place, outcome, len(calls - before)
        before = calls
