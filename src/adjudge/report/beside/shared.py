"""Items that share their source: the intervals of a report take items as independent, and these are not."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import Share, texts_key
from adjudge.report.words import words

#: Of more sources, a share is counted, whole sources each.
SOURCES_MAX = 2_000
#: Further systems of a source are taken for one.
SYSTEMS_MAX = 200
#: A source that comes twice now and then hardly moves an interval; below so many sources an item there is a warning.
FEWER = 2 / 3


class Shared:
    """Counts the sources of judged items."""

    def __init__(self, judge: Judge, _: RunState) -> None:
        self._say = words(judge.lang)
        self._sources, self._queries, self._systems = (
            [field.name for field in judge.with_role(role)] for role in ("source", "query", "system")
        )
        self._share = Share()
        #: How many items each system has of a source.
        self._found: dict[int, dict[str, int]] = {}

    def add(self, outcome: Outcome, row: Row) -> None:
        """Note the source of one item."""
        if not isinstance(outcome, Verdict) or (item := row.item) is None:
            return
        key = texts_key(item, self._sources, self._queries)
        if not self._share.holds(key):
            return
        of = self._found.setdefault(key, {})
        system = "/".join(item.text(name).strip() for name in self._systems)
        system = system if system in of or len(of) < SYSTEMS_MAX else ""
        of[system] = of.get(system, 0) + 1
        while len(self._found) > SOURCES_MAX:
            self._share.halve()
            self._found = {key: of for key, of in self._found.items() if self._share.holds(key)}

    def section(self) -> None:
        """There is no table: a warning says it all."""

    def warnings(self) -> Iterator[str]:
        """One where sources are clearly fewer; several systems on the same sources are paired in their own table."""
        items, pairs = (sum(map(count, self._found.values())) for count in (lambda of: sum(of.values()), len))
        if pairs < FEWER * items:
            say, some = self._say, "shared_all" if self._share.whole else "shared_some"
            counts = say(some, n=say.number(items, 0), sources=say.number(len(self._found), 0))
            yield say("warn_shared", counts=counts)
