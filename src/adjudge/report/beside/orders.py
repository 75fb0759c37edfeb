"""What the order of the candidates did to their totals, and how often it decided who leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Outcome, RunState, Verdict
from adjudge.report.basis import total_of
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.tally import derived_span
from adjudge.report.verdicts import by_candidate, separable, trials_of
from adjudge.report.words import words
from adjudge.stats.interval import Interval, Moments, mean_interval, wilson
from adjudge.stats.orders import balanced, by_place

#: A place that moves a total by less of its scale than this decides little.
BIAS_MATTERS = 0.03
#: Items are told apart by how many orders and candidates they have, and not without end.
KINDS_COUNTED = 100


class Orders:
    """Items that were judged more than once: totals by place, flips, and leaders that were once behind."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say, self._run = judge, words(judge.lang), state.run
        self._total = total_of(judge) if judge.layout == "compare" else None
        self._places: list[Moments] = []
        self._items = self._flips = self._open = self._single = 0
        self._unbalanced: Counter[tuple[int, int]] = Counter()
        self._criteria: set[str] = set()

    def add(self, outcome: Outcome, row: Row) -> None:
        if self._total is None or not isinstance(outcome, Verdict):
            return
        trials = trials_of(self._judge, outcome)
        if len(trials) < 2:
            self._single += 1
            return
        self._items += 1
        self._flips += "order_flip" in outcome.flags
        self._open += not separable(outcome)
        self._criteria.update(name for name in self._total.of if by_candidate(outcome.scores.get(name)))
        orders, names = [trial.order for trial in trials], trials[0].totals.keys()
        if not names or any(trial.totals.keys() != names or set(trial.order) != names for trial in trials):
            return
        for place, effect in enumerate(by_place(orders, [trial.totals for trial in trials])):
            if place == len(self._places):
                self._places.append(Moments())
            self._places[place].add(effect)
        kind = (len(set(orders)), len(names))
        if not balanced(orders) and (kind in self._unbalanced or len(self._unbalanced) < KINDS_COUNTED):
            self._unbalanced[kind] += 1

    @property
    def _width(self) -> float:
        assert self._total is not None
        span = derived_span(self._judge, self._total, self._criteria)
        return span.max - span.min

    def _effects(self) -> Iterator[tuple[int, Moments, float, Interval | None]]:
        for place, moments in enumerate(self._places, start=1):
            assert moments.mean is not None
            yield place, moments, moments.mean, mean_interval(moments, -self._width, self._width)

    def section(self) -> Section | None:
        say = self._say
        if self._single and not self._items and self._run.ask == "rating":
            notes: tuple[str, ...] = (say("orders_one"),)
        elif self._items:
            notes = tuple(self._notes())
        else:
            return None
        rows = tuple(
            (say("place", n=place), f"{say.signed(bias)} {say.interval(ends)}", say.n_of(moments.n, self._items))
            for place, moments, bias, ends in self._effects()
        )
        return Section(
            name="orders",
            title=say("orders"),
            columns=(say("shown_at"), say("place_bias"), say("coverage")),
            rows=rows,
            notes=notes,
            data={
                "n": self._items,
                "balanced": not self._unbalanced if self._places else None,
                "places": [
                    {"place": place, "bias": bias, "ci95": ends and list(ends), "n": moments.n}
                    for place, moments, bias, ends in self._effects()
                ],
                "flips": self._share(self._flips),
                "not_separable": self._share(self._open),
            },
        )

    def _share(self, count: int) -> dict[str, Any]:
        ends = wilson(count, self._items)
        return {
            "count": count,
            "n": self._items,
            "rate": count / self._items if self._items else None,
            "ci95": ends and list(ends),
        }

    def _notes(self) -> Iterator[str]:
        say = self._say
        for key, count in (("flips_note", self._flips), ("open_note", self._open)):
            low, high = wilson(count, self._items) or (0.0, 1.0)
            share, ends = say.number(100 * count / self._items, 0), say.interval((100 * low, 100 * high), 0)
            yield say(key, n=say.n_of(count, self._items), share=f"{share} % {ends}")
        for (orders, candidates), items in sorted(self._unbalanced.items(), key=lambda pair: (-pair[1], pair[0]))[:1]:
            yield say("unbalanced_note", n=say.n_of(items, self._items), orders=orders, candidates=candidates)

    def warnings(self) -> Iterator[str]:
        say = self._say
        found = [
            (abs(bias), place, bias, ends)
            for place, _, bias, ends in self._effects()
            if ends and not ends[0] <= 0 <= ends[1] and abs(bias) >= BIAS_MATTERS * self._width
        ]
        if found:
            _, place, bias, ends = max(found, key=lambda one: (one[0], -one[1]))
            yield say("warn_place", n=place, bias=f"{say.signed(bias)} {say.interval(ends)}")
