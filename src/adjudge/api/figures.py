"""The figures of a run by the names that people type, held against fixed bounds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cached_property

import numpy as np

from adjudge.api.boards import boards
from adjudge.api.stored import StoredRun
from adjudge.core.errors import ConfigError
from adjudge.core.runs import RunState
from adjudge.core.scale import Better
from adjudge.report.gated import Held, Kind
from adjudge.report.tables import Measure, Report
from adjudge.spec.strict import suggestion
from adjudge.stats.board import Board
from adjudge.stats.interval import Interval, wilson

_SHARE = re.compile(r"(?P<figure>.+?)(?P<sign>>=|<=)(?P<point>-?\d+(?:\.\d+)?)", re.DOTALL)
_TURNED: dict[Better, Better] = {"higher": "lower", "lower": "higher"}


class Figures:
    """Finds figures of a run; what is needed is read from the store once.

    `make` is Held with what all bounds of a gate have in common; `rows` says whether items go together by source.
    """

    def __init__(self, run: StoredRun, make: Callable[..., Held], *, rows: bool) -> None:
        self.run, self.make, self._rows = run, make, rows

    @cached_property
    def state(self) -> RunState:
        """How far the run came; with its answer, where it was to end with one."""
        return self._report.state if self.run.state.run.until else self.run.state

    @cached_property
    def boards(self) -> list[Board]:
        """The scores of every item."""
        return boards(self.run, rows=self._rows, languages=False)

    @cached_property
    def _report(self) -> Report:
        return self.run.report()

    @cached_property
    def by_name(self) -> dict[str, tuple[Measure, str]]:
        """By the name to type, the figure as the report of the run has it, and the candidate it is of."""
        report = self._report
        found = {one.name: (one, "") for one in (*report.criteria, *report.derived)}
        for who in report.candidates:
            of_one = [*who.criteria, who.total, who.win_rate]
            found |= {f"{one.name}:{who.name}": (one, who.name) for one in of_one}
        return found

    def figure(self, name: str) -> tuple[Measure, str]:
        """The figure of a name, and the candidate it is of."""
        if name in self.by_name:
            return self.by_name[name]
        hint = suggestion(name, self.by_name)
        if name.endswith((">", "<")):
            hint = f"a share of items has the point and then the bound: {name}=4=0.9"
        raise ConfigError(f"run {self.run.id} has no figure `{name}`", hint=hint)

    def per_item(self, measure: Measure) -> bool:
        """Whether single items have the figure: a win rate is of all of them."""
        return measure.name in {one.name for one in (*self._report.criteria, *self._report.derived)}

    def bounded(self, kind: Kind, name: str, limit: float) -> Held:
        """A figure of the run against a fixed value."""
        if name not in self.by_name and (share := _SHARE.fullmatch(name)) is not None:
            return self._share(kind, share, limit)
        measure, candidate = self.figure(name)
        within(limit, measure.min, measure.max, kind, name)
        return self.make(
            kind=kind,
            figure=name,
            limit=limit,
            title=measure.title,
            candidate=candidate,
            value=measure.mean,
            ci95=self._ends(measure, candidate),
            n=measure.n,
            of=min(measure.of, self.state.wanted),
            better=measure.better,
            fine=measure.digits > 1,
        )

    def _ends(self, measure: Measure, candidate: str) -> Interval | None:
        """The interval of the report; that of the question of --until holds whenever the run ends."""
        answer = self.state.answer
        if answer is not None and not answer.sides and answer.name == measure.name and not candidate:
            return answer.interval
        return measure.ci95 if measure.n > 1 else None

    def _share(self, kind: Kind, share: re.Match[str], limit: float) -> Held:
        """How many of the judged items are at a point of the scale or beyond it."""
        measure, candidate = self.figure(share["figure"])
        point, above = float(share["point"]), share["sign"] == ">="
        if not self.per_item(measure) or (self._report.candidates and not candidate):
            raise ConfigError(
                f"`{share[0]}` is no share of items",
                hint="it takes a criterion or a derived value, and beside several candidates one of them: "
                "correctness:ModelA>=4",
            )
        within(point, measure.min, measure.max, kind, share["figure"])
        within(limit, 0, 1, kind, share[0])
        columns = [one.columns[measure.name] for one in self.boards if one.candidate == candidate]
        values = columns[0][~np.isnan(columns[0])] if columns else np.empty(0)
        n, hits = len(values), int(np.sum(values >= point if above else values <= point))
        return self.make(
            kind=kind,
            figure=share[0],
            limit=limit,
            title=measure.title,
            candidate=candidate,
            point=f"{'≥' if above else '≤'} {share['point']}",
            value=hits / n if n else None,
            ci95=wilson(hits, n) if n > 1 else None,
            n=n,
            of=min(measure.of, self.state.wanted),
            better=measure.better if above else _TURNED[measure.better],
        )


def within(limit: float, low: float, high: float, kind: str, name: str) -> None:
    """A bound beyond the scale would always be met, or never."""
    if math.isfinite(limit) and low <= limit <= high:
        return
    option = f"--{kind} {name}={limit:g}" if name else f"--{kind} {limit:g}"
    raise ConfigError(f"{option} is out of range", hint=f"give a number between {low:g} and {high:g}")
