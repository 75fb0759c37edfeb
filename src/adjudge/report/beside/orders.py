"""What the order of the candidates did to their totals, and how often it decided who leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import EMBEDDED, Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.models.choose import kind_of
from adjudge.report.basis import Pool, rests_on, total_of
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.tally import derived_span
from adjudge.report.verdicts import by_candidate, candidates_of, separable, trials_of
from adjudge.report.warn import few_orders
from adjudge.report.words import Words, words
from adjudge.stats.interval import Interval, Moments, mean_interval, wilson
from adjudge.stats.orders import balanced, by_place

#: A place that moves a total by less of its scale than this decides little.
BIAS_MATTERS = 0.03
#: Items are told apart by how many orders and candidates they have, and not without end.
KINDS_COUNTED = 100


#: Fewer items say nothing of what a place is worth: their interval would be as wide as the scale.
INTERVAL_MIN = 5


class _Counts:
    """What is known of the items whose totals rest on the same criteria."""

    def __init__(self) -> None:
        self.places: list[Moments] = []
        self.items = self.flips = self.open = self.single = 0
        self.unbalanced: Counter[tuple[int, int]] = Counter()


class Orders:
    """Items that were judged more than once: totals by place, flips, and leaders that were once behind."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say, self._run = judge, words(judge.lang), state.run
        # the embedded judge gives the same scores in every order: what a place holds is who stood there
        compared = judge.layout == "compare" and kind_of(state.run.settings.model) != EMBEDDED
        self._total = total_of(judge) if compared else None
        self._pool = Pool()
        self._by_basis: dict[frozenset[str], _Counts] = {}
        self._sizes: Counter[int] = Counter()

    def add(self, outcome: Outcome, row: Row) -> None:
        if not isinstance(outcome, Verdict):
            return
        if self._run.orders:
            self._sizes[len(candidates_of(outcome))] += 1
        if self._total is None:
            return
        scores = {one.name: by_candidate(outcome.scores.get(one.name)) for one in self._judge.scored}
        basis = rests_on(self._judge, self._total, scores)
        self._pool.add(basis, [name for name in self._total.of if scores.get(name)], {})
        counts = self._by_basis.setdefault(basis, _Counts())
        trials = trials_of(self._judge, outcome)
        if len(trials) < 2:
            counts.single += 1
            return
        counts.items += 1
        counts.flips += "order_flip" in outcome.flags
        counts.open += not separable(outcome)
        orders, names = [trial.order for trial in trials], trials[0].totals.keys()
        if not names or any(trial.totals.keys() != names or set(trial.order) != names for trial in trials):
            return
        for place, effect in enumerate(by_place(orders, [trial.totals for trial in trials])):
            if place == len(counts.places):
                counts.places.append(Moments())
            counts.places[place].add(effect)
        kind = (len(set(orders)), len(names))
        if not balanced(orders) and (kind in counts.unbalanced or len(counts.unbalanced) < KINDS_COUNTED):
            counts.unbalanced[kind] += 1

    @property
    def _counts(self) -> _Counts:
        """Those of the items that the mean total is over."""
        return self._by_basis.get(self._pool.standard) or _Counts()

    @property
    def _width(self) -> float:
        assert self._total is not None
        span = derived_span(self._judge, self._total, self._pool.standard)
        return span.max - span.min

    def _effects(self) -> Iterator[tuple[int, Moments, float, Interval | None]]:
        for place, moments in enumerate(self._counts.places, start=1):
            assert moments.mean is not None
            enough = moments.n >= INTERVAL_MIN
            yield place, moments, moments.mean, mean_interval(moments, -self._width, self._width) if enough else None

    def section(self) -> Section | None:
        say, counts = self._say, self._counts
        if counts.single and not counts.items and self._run.ask == "rating":
            notes: tuple[str, ...] = (say("orders_one"),)
        elif counts.items:
            notes = tuple(self._notes())
        else:
            return None
        rows = tuple(
            (say("place", n=place), _effect(say, bias, ends), say.n_of(moments.n, counts.items))
            for place, moments, bias, ends in self._effects()
        )
        return Section(
            name="orders",
            title=say("orders"),
            columns=(say("shown_at"), say("place_bias"), say("coverage")),
            rows=rows,
            notes=notes,
            data={
                "n": counts.items,
                "balanced": not counts.unbalanced if counts.places else None,
                "places": [
                    {"place": place, "bias": bias, "ci95": ends and list(ends), "n": moments.n}
                    for place, moments, bias, ends in self._effects()
                ],
                "flips": self._share(counts.flips),
                "not_separable": self._share(counts.open),
            },
        )

    def _share(self, count: int) -> dict[str, Any]:
        items = self._counts.items
        ends = wilson(count, items)
        return {"count": count, "n": items, "rate": count / items if items else None, "ci95": ends and list(ends)}

    def _notes(self) -> Iterator[str]:
        say, counts = self._say, self._counts
        for key, count in (("flips_note", counts.flips), ("open_note", counts.open)):
            low, high = wilson(count, counts.items) or (0.0, 1.0)
            share, ends = say.number(100 * count / counts.items, 0), say.interval((100 * low, 100 * high), 0)
            yield say(key, n=say.n_of(count, counts.items), share=f"{share} % {ends}")
        for (orders, candidates), items in sorted(counts.unbalanced.items(), key=lambda pair: (-pair[1], pair[0]))[:1]:
            yield say("unbalanced_note", n=say.n_of(items, counts.items), orders=orders, candidates=candidates)
        if any(moments.n < INTERVAL_MIN for moments in counts.places):
            yield say("orders_few", least=INTERVAL_MIN)

    def warnings(self) -> Iterator[str]:
        say = self._say
        yield from few_orders(self._run.orders, self._sizes, say)
        found = [
            (abs(bias), place, bias, ends)
            for place, _, bias, ends in self._effects()
            if ends and not ends[0] <= 0 <= ends[1] and abs(bias) >= BIAS_MATTERS * self._width
        ]
        if found:
            _, place, bias, ends = max(found, key=lambda one: (one[0], -one[1]))
            yield say("warn_place", n=place, bias=_effect(say, bias, ends))


def _effect(say: Words, bias: float, ends: Interval | None) -> str:
    return f"{say.signed(bias)} {say.interval(ends)}" if ends else say.signed(bias)
