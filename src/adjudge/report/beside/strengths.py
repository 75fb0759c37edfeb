"""How strong three candidates or more are, from who was better than whom, beside their mean totals."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict, digest
from adjudge.core.runs import RunState
from adjudge.report.basis import Pool, rests_on, total_of
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import Share
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.tally import derived_span
from adjudge.report.verdicts import by_candidate
from adjudge.report.warn import NAME_COLUMNS
from adjudge.report.words import words

if TYPE_CHECKING:
    from adjudge.stats.board import Floats
    from adjudge.stats.bradley_terry import Strengths as Fit

#: With two candidates the win rate says it all.
FEWEST = 3
#: All pairs of more would take long, and nobody reads such a table.
MOST = 50
#: Below so many items with two totals there is nothing to be said of strengths.
ITEMS_MIN = 5
#: So many totals are compared; where there are more, those of a share of the items.
TOTALS_MAX = 500_000


class _Totals:
    """Totals as (item, candidate, value), which fit however many candidates an item has."""

    def __init__(self) -> None:
        self.items, self.who, self.values = array("Q"), array("q"), array("d")

    def halved(self, share: Share) -> None:
        kept = [at for at, item in enumerate(self.items) if share.holds(item)]
        self.items = array("Q", (self.items[at] for at in kept))
        self.who = array("q", (self.who[at] for at in kept))
        self.values = array("d", (self.values[at] for at in kept))


class Strengths:
    """The totals of every item that compares two candidates or more, by the criteria that they rest on."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say = judge, words(judge.lang)
        self._total = total_of(judge) if judge.layout == "compare" else None
        self._names: dict[str, int] = {}
        self._pool = Pool()
        self._share = Share()
        self._totals: dict[frozenset[str], _Totals] = {}

    def add(self, outcome: Outcome, row: Row) -> None:
        if self._total is None or not isinstance(outcome, Verdict):
            return
        totals = by_candidate(outcome.derived.get(self._total.name))
        scores = {one.name: by_candidate(outcome.scores.get(one.name)) for one in self._judge.scored}
        basis = rests_on(self._judge, self._total, scores)
        if not basis or not totals:
            return
        self._pool.add(basis, [name for name in self._total.of if scores.get(name)], {})
        for name in totals:
            self._names.setdefault(name, len(self._names))
        if len(self._names) > MOST:
            self._totals.clear()
        elif self._share.holds(item := int(digest(outcome.item)[:16], 16)):
            into = self._totals.setdefault(basis, _Totals())
            into.items.extend([item] * len(totals))
            into.who.extend(self._names[name] for name in totals)
            into.values.extend(totals.values())
            while sum(len(one.items) for one in self._totals.values()) > TOTALS_MAX:
                self._share.halve()
                for one in self._totals.values():
                    one.halved(self._share)

    @cached_property
    def _table(self) -> tuple[list[str], Floats] | None:
        """The candidates that were compared, by name, and items × candidates with what each was worth."""
        totals = self._totals.get(self._pool.standard)
        if self._total is None or totals is None or not FEWEST <= len(self._names) <= MOST:
            return None
        import numpy as np  # 0.1 s that only comparisons need

        names = sorted(self._names)
        place = np.empty(len(names), dtype=np.int64)
        place[[self._names[name] for name in names]] = np.arange(len(names))
        items, rows = np.unique(np.array(totals.items, dtype=np.uint64), return_inverse=True)
        table = np.full((len(items), len(names)), np.nan)
        table[rows.reshape(-1), place[np.asarray(totals.who)]] = np.asarray(totals.values)
        compared = ~np.isnan(table[np.sum(~np.isnan(table), axis=1) > 1]).all(axis=0)
        names = [name for name, one in zip(names, compared.tolist(), strict=True) if one]
        return (names, table[:, compared]) if len(names) >= FEWEST else None

    @property
    def _sign(self) -> float:
        assert self._total is not None
        return -1.0 if derived_span(self._judge, self._total, self._total.of).better == "lower" else 1.0

    @cached_property
    def _fit(self) -> Fit | None:
        if self._table is None:
            return None
        from adjudge.stats.bradley_terry import strengths

        found = strengths(self._sign * self._table[1])
        return found if found is not None and found.items >= ITEMS_MIN else None

    @cached_property
    def _found(self) -> dict[str, dict[str, Any]]:
        """What is known of each candidate, the strongest first."""
        model, found = self._fit, dict[str, dict[str, Any]]()
        if self._table is None or model is None:
            return found
        import numpy as np

        (names, table), logs = self._table, model.log.tolist()
        for place in range(len(names)):
            own = table[~np.isnan(table[:, place]), place]
            ends = float(model.low[place]), float(model.high[place])
            found[names[place]] = {
                "total": math.fsum(own.tolist()) / len(own),
                "n": len(own),
                "strength": {"mean": logs[place], "ci95": list(ends)},
                "beats": {"mean": _chance(logs[place]), "ci95": [_chance(end) for end in ends]},
                "better": int(model.wins[place].sum()),
                "worse": int(model.wins[:, place].sum()),
            }
        return dict(sorted(found.items(), key=lambda one: (*(-value for value in self._standing(one[1])), one[0])))

    def _standing(self, one: dict[str, Any]) -> tuple[float, float]:
        """What candidates stand in order by, more being better; the dust of sums parts nobody."""
        return round(one["strength"]["mean"], 9), self._sign * round(one["total"], 9)

    @cached_property
    def _circles(self) -> list[list[str]]:
        if self._table is None or self._fit is None:
            return []
        from adjudge.stats.cycles import circles

        names = self._table[0]
        return [[names[place] for place in circle] for circle in circles(self._fit.wins)]

    def section(self) -> Section | None:
        found, say = self._found, self._say
        if self._table is None or self._fit is None or not found:
            return None
        from adjudge.stats.cycles import condorcet

        first = condorcet(self._fit.wins)
        winner = None if first is None else self._table[0][first]
        of, standings = len(self._table[1]), [self._standing(one) for one in found.values()]
        notes = [say("strengths_note", n=say.n_of(self._fit.items, of))]
        told = say("strengths_nobody") if winner is None else say("strengths_winner", name=fit(winner, NAME_COLUMNS))
        notes.append(told)
        if not self._share.whole:
            notes.append(say("strengths_sampled", of=say.number(self._pool.items[self._pool.standard], 0)))
        if self._differs:
            notes.append(say("strengths_other"))
        return Section(
            name="strengths",
            title=say("strengths"),
            columns=(
                say("candidate"),
                say("strengths_total"),
                say("strengths_beats"),
                say("strengths_pairs"),
                say("coverage"),
            ),
            rows=tuple(
                self._row(standings.index(one) + 1, name, of) for name, one in zip(found, standings, strict=True)
            ),
            notes=tuple(notes),
            data={
                "n": self._fit.items,
                "of": of,
                "candidates": found,
                "condorcet": winner,
                "cycles": self._circles,
            },
        )

    @property
    def _differs(self) -> bool:
        """Whether mean totals put some two candidates of different strength the other way round."""
        pairs = combinations(map(self._standing, self._found.values()), 2)
        return any(one[0] > other[0] and other[1] > one[1] for one, other in pairs)

    def _row(self, number: int, name: str, of: int) -> tuple[str, ...]:
        say, one = self._say, self._found[name]
        low, high = (say.number(100 * end, 0) for end in one["beats"]["ci95"])
        beats = f"{say.number(100 * one['beats']['mean'], 0)} % [{low}{say.texts['range']}{high}]"
        pairs = f"{say.number(one['better'], 0)}:{say.number(one['worse'], 0)}"
        return f"{number}. {name}", say.number(one["total"]), beats, pairs, f"{one['n']}/{of}"

    def warnings(self) -> Iterator[str]:
        for circle in self._circles:
            yield self._say("strengths_circle", circle=self._drawn(circle))

    def _drawn(self, circle: list[str]) -> str:
        assert self._table is not None and self._fit is not None
        say, place = self._say, {name: number for number, name in enumerate(self._table[0])}
        steps = []
        for one, other in zip(circle, [*circle[1:], circle[0]], strict=True):
            wins = self._fit.wins[place[one], place[other]], self._fit.wins[place[other], place[one]]
            score = f"{say.number(wins[0], 0)}:{say.number(wins[1], 0)}"
            shown = fit(one, NAME_COLUMNS), fit(other, NAME_COLUMNS)
            steps.append(say("strengths_step", one=shown[0], other=shown[1], score=score))
        return ", ".join(steps)


def _chance(log: float) -> float:
    """How probably a candidate of this log strength is better than one of average strength."""
    return 1.0 / (1.0 + math.exp(-log))
