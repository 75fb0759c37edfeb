"""What stands beside the scores: each table is made by one class, which sees every outcome once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, RunState
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section


class Beside(Protocol):
    """Gathers what one table shows; memory must not grow with the items where it can be helped."""

    def add(self, outcome: Outcome, row: Row) -> None:
        """One outcome with its item."""

    def section(self) -> Section | None:
        """The table; None where there is nothing to show."""

    def warnings(self) -> Iterable[str]:
        """What a reader of the scores must know of it."""


#: The tables in the order of the report.
BESIDE: tuple[Callable[[Judge, RunState], Beside], ...] = ()
