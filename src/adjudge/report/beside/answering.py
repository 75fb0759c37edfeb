"""How the candidates fared that were asked for their answers: what came, what did not, how long it took."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.verdicts import number
from adjudge.report.warn import NAME_COLUMNS
from adjudge.report.words import words

WHERE_COLUMNS = 24
_REVISION = re.compile(r"#[0-9a-f]{12}\Z")
_PROGRAMS = ("cmd:", "http:", "https:")


class _Fared:
    """One candidate over all items."""

    def __init__(self) -> None:
        self.seconds = array("d")
        self.failures: Counter[str] = Counter()
        self.cost_usd: float | None = 0.0

    @property
    def asked(self) -> int:
        return len(self.seconds) + self.failures.total()

    def add(self, told: Mapping[str, Any]) -> None:
        if "failed" in told:
            self.failures[str(told["failed"])] += 1
        elif (seconds := number(told.get("seconds"))) is not None:
            self.seconds.append(seconds)
            self._paid(number(told.get("cost_usd")))

    def _paid(self, cost: float | None) -> None:
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost


class Answering:
    """Runs in which candidates were asked, from what their rows say of it."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._say, self._run = words(judge.lang), state.run
        asked = (one.partition("=") for one in state.run.candidates)
        self._where = {name: _REVISION.sub("", where) for name, _, where in asked}
        self._fared = {name: _Fared() for name in self._where}

    def add(self, outcome: Outcome, row: Row) -> None:
        if not self._fared or row.item is None:
            return
        told = row.item.extra.get("answering")
        if not isinstance(told, Mapping):
            return
        for name, fared in self._fared.items():
            if isinstance(one := told.get(name), Mapping):
                fared.add(one)

    def section(self) -> Section | None:
        if not any(fared.asked for fared in self._fared.values()):
            return None
        say, paid = self._say, any(fared.cost_usd != 0 for fared in self._fared.values())
        rows = tuple(
            (
                fit(name, NAME_COLUMNS),
                fit(self._where[name], WHERE_COLUMNS),
                say.n_of(len(fared.seconds), fared.asked),
                ", ".join(f"{kind} {n}" for kind, n in sorted(fared.failures.items())) or "—",
                say.duration(median(fared.seconds)) if fared.seconds else "—",
                *([say.cost(fared.cost_usd)] if paid else []),
            )
            for name, fared in self._fared.items()
        )
        titles = ("candidate", "answering_where", "answering_answered", "answering_failures", "answering_time")
        programs = any(where.startswith(_PROGRAMS) for where in self._where.values())
        return Section(
            name="answering",
            title=say("answering"),
            columns=(*map(say, titles), *([say("answering_cost")] if paid else [])),
            rows=rows,
            notes=(say("answering_note"), *((say("answering_programs"),) if programs else ())),
            data={name: self._plain(name, fared) for name, fared in self._fared.items()},
        )

    def _plain(self, name: str, fared: _Fared) -> dict[str, Any]:
        return {
            "model": self._where[name],
            "asked": fared.asked,
            "answered": len(fared.seconds),
            "failures": dict(sorted(fared.failures.items())),
            "seconds": median(fared.seconds) if fared.seconds else None,
            "cost_usd": fared.cost_usd,
        }

    def warnings(self) -> Iterator[str]:
        say, settings = self._say, self._run.settings
        judge = f"{settings.model}@{settings.base_url}" if settings.base_url else settings.model
        for name, fared in self._fared.items():
            shown = fit(name, NAME_COLUMNS)
            if fared.failures:
                kinds = ", ".join(f"{kind} {n}" for kind, n in fared.failures.most_common())
                n, of = say.number(fared.failures.total(), 0), say.number(fared.asked, 0)
                yield say("warn_no_answer", name=shown, n=n, of=of, kinds=kinds)
            if self._where[name] == judge:
                yield say("warn_own_judge", name=shown)
