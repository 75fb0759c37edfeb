"""Items that share their source: the intervals of a report take items as independent, and these are not."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import texts_key
from adjudge.report.words import words

#: Reading a row takes longer than counting an outcome: the first judged items are looked at.
ITEMS_MAX = 2_000
#: A source that comes twice now and then hardly moves an interval; below so many sources an item there is a warning.
FEWER = 2 / 3


class Shared:
    """Counts the sources of judged items."""

    def __init__(self, judge: Judge, _: RunState) -> None:
        self._say = words(judge.lang)
        self._sources, self._queries, self._systems = (
            [field.name for field in judge.with_role(role)] for role in ("source", "query", "system")
        )
        self._items, self._found, self._by_system = 0, set[int](), set[tuple[int, str]]()

    def add(self, outcome: Outcome, row: Row) -> None:
        """Note the source of one item."""
        if self._items >= ITEMS_MAX or not isinstance(outcome, Verdict) or (item := row.item) is None:
            return
        key = texts_key(item, self._sources, self._queries)
        self._items += 1
        self._found.add(key)
        self._by_system.add((key, "/".join(item.text(name).strip() for name in self._systems)))

    def section(self) -> None:
        """There is no table: a warning says it all."""

    def warnings(self) -> Iterator[str]:
        """One where sources are clearly fewer; several systems on the same sources are paired in their own table."""
        if len(self._by_system) < FEWER * self._items:
            say = self._say
            yield say("warn_shared", n=say.number(self._items, 0), sources=say.number(len(self._found), 0))
