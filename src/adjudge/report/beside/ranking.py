"""Which candidate is best, how surely, and whether longer answers are judged better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from typing import Any

from adjudge.core.judge import Derived, Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.basis import Pool, rests_on, total_of
from adjudge.report.beside.row import Row
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.tally import Span, derived_span
from adjudge.report.verdicts import by_candidate
from adjudge.report.warn import NAME_COLUMNS
from adjudge.report.words import words
from adjudge.stats.interval import Interval, Moments
from adjudge.stats.joint import Joint
from adjudge.stats.orders import Length
from adjudge.stats.ranking import best, difference, leader, rounding

#: Of more candidates the covariances would take long to draw from; no comparison of one item has so many.
RANKED_MAX = 20
#: Of fewer items it is not said how probably a candidate is the best: a probability from two of them is no knowledge.
BEST_MIN = 5
#: From here on a candidate is called the best.
SURE = 0.95
#: From here on length explains a quarter of what differs between the answers to a question.
LENGTH_MATTERS = 0.5


class Ranking:
    """The totals of all candidates on the items in which all were judged on the same criteria."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say, self._seed = judge, words(judge.lang), state.run.seed
        self._total = total_of(judge) if judge.layout == "compare" else None
        self._names: set[str] = set()
        self._pool = Pool()
        self._joints: dict[frozenset[str], Joint] = {}
        self._length, self._lengths = Length(), dict[str, Moments]()
        self._judged = 0

    def add(self, outcome: Outcome, row: Row) -> None:
        if self._total is None or not isinstance(outcome, Verdict):
            return
        totals = by_candidate(outcome.derived.get(self._total.name))
        basis = self._basis(self._total, outcome, totals)
        if not basis or not totals:
            return
        self._judged += 1
        if not totals.keys() <= self._names:
            # what was added lacks a candidate: only items with all of them compare
            self._names |= totals.keys()
            self._joints.clear()
        if totals.keys() == self._names and len(totals) <= RANKED_MAX:
            joint = self._joints.setdefault(basis, Joint(len(totals)))
            joint.add([totals[name] for name in sorted(totals)])
        self._measure(totals, row)

    def _basis(self, total: Derived, verdict: Verdict, totals: Mapping[str, float]) -> frozenset[str]:
        scores = {one.name: by_candidate(verdict.scores.get(one.name)) for one in self._judge.scored}
        basis = rests_on(self._judge, total, scores)
        self._pool.add(basis, [name for name in total.of if scores.get(name)], totals)
        return basis

    def _measure(self, totals: Mapping[str, float], row: Row) -> None:
        item = row.item
        if item is None or len(self._names) > RANKED_MAX:
            return
        answers = next((item.answers(field.name) for field in self._judge.fields if field.type == "answers"), {})
        lengths = {name: len(answers[name]) for name in totals if name in answers}
        for name, length in lengths.items():
            self._lengths.setdefault(name, Moments()).add(length)
        if len(lengths) > 1:
            sign = -1.0 if self._lowest else 1.0
            self._length.add(list(lengths.values()), [sign * totals[name] for name in lengths])

    @property
    def _span(self) -> Span:
        assert self._total is not None
        return derived_span(self._judge, self._total, self._pool.standard)

    @property
    def _lowest(self) -> bool:
        assert self._total is not None
        return derived_span(self._judge, self._total, self._total.of).better == "lower"

    @property
    def _joint(self) -> Joint | None:
        return self._joints.get(self._pool.standard)

    @property
    def _grain(self) -> float:
        """What rounding to whole points does to a total."""
        assert self._total is not None
        used = [self._judge.criterion(name).scale for name in self._pool.standard]
        whole = [scale for scale in used if scale is not None and scale.whole]
        share = {"sum": 1.0, "mean": 1.0 / len(used)}.get(self._total.operation)
        return rounding([100 / len(used) / (scale.max - scale.min) if share is None else share for scale in whole])

    @cached_property
    def _found(self) -> tuple[list[str], dict[str, dict[str, Any]]]:
        """The candidates, the best first, and what is known of each."""
        joint, names = self._joint, sorted(self._names)
        if joint is None or len(names) < 2:
            return [], {}
        first, sign = leader(joint, lowest=self._lowest), -1.0 if self._lowest else 1.0
        enough = joint.n >= BEST_MIN
        chances = enough and best(joint, seed=f"{self._seed}/ranking", lowest=self._lowest, grain=self._grain)
        found: dict[str, dict[str, Any]] = {}
        for place, name in enumerate(names):
            pair = (first, place) if not self._lowest else (place, first)
            behind, interval = difference(joint, *pair, grain=self._grain, most=self._span.max - self._span.min)
            found[name] = {
                "total": joint.mean(place),
                "behind": None if place == first else {"mean": behind, "ci95": interval and list(interval)},
                "best": chances[place] if chances else None,
                "length": self._lengths[name].mean if name in self._lengths else None,
            }
        return sorted(names, key=lambda name: (-sign * round(found[name]["total"], 9), name)), found

    @cached_property
    def _ranks(self) -> dict[str, int]:
        """The rank of each candidate, which those with equal totals share."""
        order, found = self._found
        totals = [round(found[name]["total"], 9) for name in order]
        return {name: totals.index(total) + 1 for name, total in zip(order, totals, strict=True)}

    def section(self) -> Section | None:
        if not self._judged:
            return None
        say, (order, found) = self._say, self._found
        joint, correlation, doubled = self._joint, self._length.correlation, self._length.per_doubling
        n = joint.n if joint and found else 0
        notes = (
            [say("ranking_note", n=say.n_of(n, self._judged))] if n > 1 else [say("ranking_few", n=n, least=BEST_MIN)]
        )
        if 1 < n < BEST_MIN:
            notes.append(say("ranking_unsure", least=BEST_MIN))
        if n > 1 and self._differs(order):
            notes.append(say("ranking_other"))
        if len(self._names) > RANKED_MAX:
            notes = [say("ranking_many", n=len(self._names), most=RANKED_MAX)]
        if correlation and correlation[1] and doubled and self._says_something(doubled[1]):
            shown = (_said(say.signed(value), say.interval(ends)) for value, ends in (correlation, doubled))
            notes.append(say("length_note", correlation=next(shown), doubled=next(shown)))
        rows = tuple(self._row(name, found[name]) for name in order) if n > 1 else ()
        return Section(
            name="ranking",
            title=say("ranking"),
            columns=(say("candidate"), say("behind"), say("best"), say("characters")),
            rows=rows,
            notes=tuple(notes),
            data={
                "n": n,
                "of": self._judged,
                "leader": order[0] if self._leads(found, order) else None,
                "candidates": {name: found[name] for name in order},
                "length": {
                    "n": self._length.n,
                    "correlation": _estimate(correlation),
                    "per_doubling": _estimate(doubled),
                },
            },
        )

    def _differs(self, order: list[str]) -> bool:
        """Whether the mean totals over all items put some two candidates that are not level the other way round."""
        means, ranks = {name: self._pool.tally(name).mean or 0.0 for name in order}, self._ranks
        sign = -1.0 if self._lowest else 1.0
        pairs = ((one, other) for one, other in combinations(order, 2) if ranks[one] < ranks[other])
        return any(sign * (means[other] - means[one]) > 1e-9 for one, other in pairs)

    def _says_something(self, ends: Interval) -> bool:
        """Where lengths hardly differ, what twice the length would give is anybody's guess."""
        return ends[1] - ends[0] <= self._span.max - self._span.min

    def _leads(self, found: Mapping[str, Mapping[str, Any]], order: list[str]) -> bool:
        return bool(order) and (found[order[0]]["best"] or 0.0) >= SURE

    def _row(self, name: str, one: Mapping[str, Any]) -> tuple[str, ...]:
        say, behind = self._say, one["behind"]
        apart = "—" if behind is None else _said(say.number(behind["mean"]), say.interval(behind["ci95"]))
        return f"{self._ranks[name]}. {name}", apart, say.chance(one["best"]), say.number(one["length"], 0)

    def warnings(self) -> Iterator[str]:
        say, (order, found) = self._say, self._found
        level = [fit(name, NAME_COLUMNS) for name in order if self._ranks[name] == 1]
        if order and found[order[0]]["best"] is not None and len(level) > 1:
            yield say("warn_level", names=", ".join(level))
        elif order and found[order[0]]["best"] is not None and not self._leads(found, order):
            yield say("warn_no_best", name=fit(order[0], NAME_COLUMNS), chance=say.chance(found[order[0]]["best"]))
        r, ends = self._length.correlation or (0.0, None)
        if abs(r) >= LENGTH_MATTERS and ends and not ends[0] <= 0 <= ends[1]:
            shown = _said(say.signed(r), say.interval(ends))
            yield say("warn_longer" if r > 0 else "warn_shorter", correlation=shown)


def _said(value: str, interval: str) -> str:
    return f"{value} {interval}"


def _estimate(found: tuple[float, Interval | None] | None) -> dict[str, Any]:
    value, ends = found or (None, None)
    return {"mean": value, "ci95": ends and list(ends)}
