"""What stands beside the scores: each table is made by one class, which sees every outcome once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome
from adjudge.core.runs import RunState
from adjudge.report.beside.answering import Answering
from adjudge.report.beside.claims import Claims
from adjudge.report.beside.errors import Errors
from adjudge.report.beside.evidence import Evidence
from adjudge.report.beside.failing import Failing
from adjudge.report.beside.long import LongSources
from adjudge.report.beside.metrics import Metrics
from adjudge.report.beside.noise import Noise
from adjudge.report.beside.orders import Orders
from adjudge.report.beside.places import Places
from adjudge.report.beside.probe import Probe
from adjudge.report.beside.questions import Questions
from adjudge.report.beside.ranking import Ranking
from adjudge.report.beside.retrieval import Retrieval
from adjudge.report.beside.row import Row
from adjudge.report.beside.shared import Shared
from adjudge.report.beside.spread import Spread
from adjudge.report.beside.strengths import Strengths
from adjudge.report.beside.systems import Systems
from adjudge.report.beside.until import Until
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
BESIDE: tuple[Callable[[Judge, RunState], Beside], ...] = (
    Until,
    Systems,
    Ranking,
    Strengths,
    Orders,
    Evidence,
    Claims,
    Answering,
    Questions,
    Errors,
    Retrieval,
    Metrics,
    Probe,
    Places,
    Noise,
    Spread,
    LongSources,
    Failing,
    Shared,
)
