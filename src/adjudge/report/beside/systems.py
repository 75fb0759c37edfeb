"""Systems compared: the means of each, and its differences from the best one over the sources that both rendered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.reply.derive import derive
from adjudge.report.basis import Pool, rests_on
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import Share, source_key
from adjudge.report.tables import Measure, Section
from adjudge.report.tally import Tally, criterion_span, derived_span
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import Words, words
from adjudge.stats.interval import Interval, Moments, mean_interval

#: With more names than this the field is no name of a system.
SYSTEMS_MAX = 100
#: So many of them are shown, the best first; the JSON has all.
SYSTEMS_SHOWN = 20
#: Sums are kept for so many pairs of source and system; above, for a share of the sources.
PAIRS_MAX = 20_000
#: Sums are whole numbers of this part of a point, so that the order of the rows decides no bit.
_UNIT = 2**60


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """How a system differs from the best one over the sources that both rendered."""

    mean: float | None
    ci95: Interval | None
    n: int

    @property
    def apart(self) -> bool | None:
        """Whether the two can be told apart; unknown without an interval."""
        return None if self.ci95 is None else not self.ci95[0] <= 0.0 <= self.ci95[1]

    def as_json(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "n": self.n,
            "apart": self.apart,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compared:
    """One measure of every system, the systems by it from the best on, and how the others differ from the best."""

    measures: Mapping[str, Measure]
    ranked: list[str]
    apart: Mapping[str, Difference]

    @property
    def title(self) -> str:
        return self.measures[self.ranked[0]].title


class Systems:
    """Gathers the scores by system, and by source and system."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say, self._seed = judge, words(judge.lang), state.run.seed
        fields = judge.with_role("system") if judge.layout != "compare" else ()
        self._field = fields[0].name if fields else None
        self._sources = [field.name for field in judge.with_role("source")]
        self._names = [criterion.name for criterion in judge.scored]
        self._of: dict[str, int] = {}
        self._unnamed = 0
        self._tallies: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
        self._pools = {one.name: Pool() for one in judge.derived if one.operation != "winner"}
        self._cells: dict[int, dict[str, list[int]]] = {}
        self._size = 0
        self._share = Share()

    def add(self, outcome: Outcome, row: Row) -> None:
        """Count one outcome for its system."""
        if self._field is None or len(self._of) > SYSTEMS_MAX:
            return
        item = row.item if row.may_hold(self._field) else None
        system = item.text(self._field).strip() if item is not None else ""
        if item is None or not system:
            self._unnamed += 1
            return
        self._of[system] = self._of.get(system, 0) + 1
        if isinstance(outcome, Verdict):
            scores = {name: by_candidate(outcome.scores.get(name)) for name in self._names}
            self._judged(system, outcome, scores)
            self._paired(source_key(item, self._sources), system, scores)

    def _judged(self, system: str, verdict: Verdict, scores: Mapping[str, Mapping[str, float]]) -> None:
        for name, values in scores.items():
            self._tallies[system, name].add(values.values())
        for one in self._judge.derived:
            if one.name in self._pools:
                value = by_candidate(verdict.derived.get(one.name)).get("")
                judged = [name for name in one.of if scores.get(name)]
                own = {} if value is None else {system: value}
                self._pools[one.name].add(rests_on(self._judge, one, scores), judged, own)

    def _paired(self, source: int, system: str, scores: Mapping[str, Mapping[str, float]]) -> None:
        """Sums, then counts, of the criteria for one source and system."""
        if not self._share.holds(source):
            return
        cells = self._cells.setdefault(source, {})
        if system not in cells:
            cells[system] = [0] * (2 * len(self._names))
            self._size += 1
        for place, values in enumerate(scores.values()):
            for value in values.values():
                cells[system][place] += round(value * _UNIT)
                cells[system][place + len(self._names)] += 1
        while self._size > PAIRS_MAX:
            self._share.halve()
            self._cells = {key: cells for key, cells in self._cells.items() if self._share.holds(key)}
            self._size = sum(map(len, self._cells.values()))

    def section(self) -> Section | None:
        """A line for each system; nothing where no two systems have two items each."""
        say = self._say
        if not self._several:
            return None
        if len(self._of) > SYSTEMS_MAX:
            return Section(
                name="systems",
                title=say("systems"),
                columns=(),
                rows=(),
                notes=(say("systems_many", n=SYSTEMS_MAX),),
                data={"systems": {}, "differences": {}},
            )
        systems: dict[str, dict[str, Any]] = {
            name: {"of": of, "criteria": {}, "derived": {}} for name, of in sorted(self._of.items())
        }
        differences: dict[str, Any] = {}
        compared: list[_Compared] = []
        for kind, measures in self._measures():
            for name, measure in measures.items():
                systems[name][kind][measure.name] = measure.as_json()
            ranked = sorted(measures, key=lambda name: (-_goodness(measures[name]), name))
            best, measure = ranked[0], measures[ranked[0]]
            if measure.mean is not None:
                one = _Compared(measures=measures, ranked=ranked, apart=self._differences(kind, measure, best))
                differences[measure.name] = {"best": best, "from": {name: d.as_json() for name, d in one.apart.items()}}
                compared.append(one)
        if not compared:
            return None
        columns, rows = self._table(*compared)
        return Section(
            name="systems",
            title=say("systems"),
            columns=columns,
            rows=rows,
            notes=tuple(self._notes()),
            data={"systems": systems, "differences": differences, "sources": self._shared()},
        )

    def _table(self, main: _Compared, *others: _Compared) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """A line for each system, ordered by the first measure, of which all is told; of the others the mean."""
        say = self._say
        columns = (
            say("system"),
            f"{main.title}, 95 %",
            say("coverage"),
            say("systems_difference"),
            say("systems_verdict"),
            *(one.title for one in others),
        )
        rows = [
            (name, *self._whole(main, name), *(self._mean(one, name) for one in others))
            for name in main.ranked[:SYSTEMS_SHOWN]
        ]
        return columns, tuple(rows)

    def _whole(self, main: _Compared, name: str) -> tuple[str, ...]:
        say, measure, one = self._say, main.measures[name], main.apart.get(name)
        told, mean = "—", say("not_judged")
        if measure.mean is not None:
            mean = f"{say.number(measure.mean, measure.digits)} {say.interval(measure.ci95, measure.digits)}"
        if one is not None and one.mean is not None:
            told = f"{say.signed(one.mean, measure.digits)} {say.interval(one.ci95, measure.digits)}"
        coverage = f"{say.number(measure.n, 0)}/{say.number(measure.of, 0)}"
        return mean, coverage, told, _verdict(say, measure, name == main.ranked[0], one)

    def _mean(self, one: _Compared, name: str) -> str:
        measure, difference = one.measures[name], one.apart.get(name)
        mark = "*" if difference is not None and difference.apart else ""
        return self._say.number(measure.mean, measure.digits) + mark

    @property
    def _several(self) -> bool:
        """Whether there is anything to compare: one item of each system tells nothing of them."""
        return sum(of > 1 for of in self._of.values()) > 1 or len(self._of) > SYSTEMS_MAX

    def _measures(self) -> Iterator[tuple[str, dict[str, Measure]]]:
        """Every measure of every system: derived values, then criteria."""
        for one in self._judge.derived:
            if one.name in self._pools:
                pool = self._pools[one.name]
                span = derived_span(self._judge, one, pool.standard)
                title = one.title or self._say("total")
                found = {
                    name: pool.tally(name).measure(one.name, title, of, span, self._seed)
                    for name, of in self._of.items()
                }
                yield "derived", found
        for criterion in self._judge.scored:
            yield (
                "criteria",
                {
                    name: self._tallies[name, criterion.name].measure(
                        criterion.name, criterion.title, of, criterion_span(criterion), self._seed
                    )
                    for name, of in self._of.items()
                },
            )

    def _differences(self, kind: str, measure: Measure, best: str) -> dict[str, Difference]:
        """Every other system's difference from the best, paired by source."""
        sums: dict[str, Moments] = {name: Moments() for name in sorted(self._of) if name != best}
        for cells in self._cells.values():
            if best in cells and (top := self._value(kind, measure.name, cells[best])) is not None:
                for name, cell in cells.items():
                    if name != best and (value := self._value(kind, measure.name, cell)) is not None:
                        sums[name].add(value - top)
        width = measure.max - measure.min
        return {
            name: Difference(mean=one.mean, ci95=mean_interval(one, -width, width), n=one.n)
            for name, one in sums.items()
        }

    def _value(self, kind: str, name: str, cell: list[int]) -> float | None:
        """A criterion's or derived value's mean over what a system made of one source."""
        width = len(self._names)
        if kind == "criteria":
            place = self._names.index(name)
            return cell[place] / (cell[place + width] * _UNIT) if cell[place + width] else None
        wanted = [place for place, one in enumerate(self._names) if one in self._pools[name].standard]
        counts = {cell[place + width] for place in wanted}
        if len(counts) != 1 or counts == {0}:
            return None
        means = {self._names[place]: cell[place] / (cell[place + width] * _UNIT) for place in wanted}
        value = derive(self._judge, means)[name]
        return None if value is None else float(value)

    def _shared(self) -> dict[str, Any]:
        everyone = sum(len(cells) == len(self._of) for cells in self._cells.values())
        return {"seen": len(self._cells), "by_all": everyone, "sampled": not self._share.whole}

    def _notes(self) -> Iterator[str]:
        say, shared = self._say, self._shared()
        yield say("systems_note", n=say.number(shared["by_all"], 0), of=say.number(shared["seen"], 0))
        yield say("compare_note_systems")
        if shared["sampled"]:
            yield say("systems_sampled", n=say.number(shared["seen"], 0), limit=say.number(PAIRS_MAX, 0))
        if len(self._of) > SYSTEMS_SHOWN:
            yield say("systems_shown", n=SYSTEMS_SHOWN, of=len(self._of))
        if self._unnamed:
            yield say("systems_unnamed", n=say.number(self._unnamed, 0))

    def warnings(self) -> Iterable[str]:
        """That the systems did not render the same sources."""
        shared, judged = self._shared(), any(tally.n for tally in self._tallies.values())
        if judged and self._several and len(self._of) <= SYSTEMS_MAX and shared["by_all"] < shared["seen"]:
            say = self._say
            yield say("warn_systems", n=say.number(shared["by_all"], 0), of=say.number(shared["seen"], 0))


def _goodness(measure: Measure) -> float:
    return -1.0 if measure.mean is None else measure.goodness(measure.mean)


def _verdict(say: Words, measure: Measure, best: bool, one: Difference | None) -> str:
    if best:
        return say("systems_best")
    if one is None or one.apart is None or one.mean is None:
        return say("systems_unpaired")
    if not one.apart:
        return say("systems_same")
    return say("systems_better" if (one.mean > 0) == (measure.better == "higher") else "systems_worse")
