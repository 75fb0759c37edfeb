"""Outcomes in, a report out: one pass, memory independent of the number of items."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from adjudge.core.judge import Derived, Judge
from adjudge.core.records import Failure, Outcome, Verdict
from adjudge.core.runs import Run, RunState
from adjudge.report.basis import Pool, rests_on, total_of
from adjudge.report.beside import BESIDE
from adjudge.report.beside.row import Row
from adjudge.report.tables import Candidate, FailureGroup, Measure, Report, Worst
from adjudge.report.tally import Tally, criterion_span, derived_span, rate
from adjudge.report.verdicts import (
    by_candidate,
    candidates_of,
    quality,
    reasons_of,
    remarks,
    separable,
    winner_of,
    worst_first,
)
from adjudge.report.warn import Seen, Unjudged, warnings
from adjudge.report.words import words

WORST_SHOWN = 10
EXAMPLES_SHOWN = 3
#: An item at the best point of every criterion is no bad one, however few there are.
BEST = 1.0 - 1e-9
#: Flags are words of adjudge with details after a colon; only the words are counted, and not without end.
FLAGS_COUNTED = 200


def build(judge: Judge, state: RunState, outcomes: Iterable[Outcome]) -> Report:
    """The report of a run, from its outcomes alone."""
    return build_with_rows(judge, state, ((outcome, None) for outcome in outcomes))


def build_with_rows(judge: Judge, state: RunState, outcomes: Iterable[tuple[Outcome, str | None]]) -> Report:
    """The report of a run, from its outcomes and their items as stored, read once."""
    return priced(figures(judge, state, outcomes))


def priced(report: Report) -> Report:
    """A report that says where the price of what was paid for is unknown."""
    state = report.state
    unknown = (words(report.lang)("warn_cost"),) if state.cost_usd is None and state.calls else ()
    return replace(report, warnings=(*report.warnings, *unknown))


def figures(judge: Judge, state: RunState, outcomes: Iterable[tuple[Outcome, str | None]]) -> Report:
    """All of a report but what was paid: the same for all runs that came to the same outcomes in the same way."""
    book, beside = _Book(judge), [make(judge, state) for make in BESIDE]
    for outcome, body in outcomes:
        book.add(outcome)
        row = Row(judge, body)
        for one in beside:
            one.add(outcome, row)
    report = book.report(state)
    sections = tuple(section for one in beside if (section := one.section()) is not None)
    warned = tuple(warning for one in beside for warning in one.warnings())
    return replace(report, sections=sections, warnings=(*report.warnings, *warned))


class _Contender:
    """What one candidate has gathered."""

    def __init__(self, judge: Judge, position: int) -> None:
        self.position = position
        self.criteria = {criterion.name: Tally(criterion.scale) for criterion in judge.scored}
        #: Wins, ties, leads that are not separable and decided items, by the criteria that the totals rest on.
        self.standing: dict[frozenset[str], _Standing] = {}


class _Standing:
    """How often one candidate came out on top."""

    def __init__(self) -> None:
        self.wins = self.ties = self.not_separable = self.decided = 0


class _Book:
    """The running totals of a report."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.criteria = {criterion.name: Tally(criterion.scale) for criterion in judge.scored}
        self.derived = {
            one.name: Pool(partial(derived_span, judge, one)) for one in judge.derived if one.operation != "winner"
        }
        self.total = total_of(judge) if judge.layout == "compare" else None
        self.winner = next((one for one in judge.derived if one.operation == "winner"), None)
        self.contenders: dict[str, _Contender] = {}
        self.judged = 0
        self.unjudged: dict[str, Unjudged] = {}
        self.kinds: Counter[str] = Counter()
        self.examples: dict[str, list[tuple[str, str]]] = {}
        self.flags: Counter[str] = Counter()
        self._key = worst_first(judge)
        self.worst: list[Verdict] = []

    def add(self, outcome: Outcome) -> None:
        for flag in outcome.flags:
            word = flag.partition(":")[0]
            if word in self.flags or len(self.flags) < FLAGS_COUNTED:
                self.flags[word] += 1
        if isinstance(outcome, Failure):
            self._failed(outcome)
        else:
            self._judged(outcome)

    def _failed(self, failure: Failure) -> None:
        self.kinds[failure.kind] += 1
        examples = self.examples.setdefault(failure.kind, [])
        if len(examples) < EXAMPLES_SHOWN:
            examples.append((failure.item, failure.message))

    def _judged(self, verdict: Verdict) -> None:
        self.judged += 1
        scores = {name: by_candidate(verdict.scores.get(name)) for name in self.criteria}
        for name, values in scores.items():
            self.criteria[name].add(values.values())
            if not values:
                self.unjudged.setdefault(name, Unjudged()).add(verdict.item, reasons_of(verdict, name))
        for one in self.judge.derived:
            if one.name in self.derived:
                values = by_candidate(verdict.derived.get(one.name))
                judged = [name for name in one.of if scores.get(name)]
                self.derived[one.name].add(rests_on(self.judge, one, scores), judged, values)
        if self.judge.layout == "compare":
            self._compared(verdict, scores)
        self.worst.append(verdict)
        if len(self.worst) >= 20 * WORST_SHOWN:
            self.worst = self._worst()

    def _compared(self, verdict: Verdict, scores: dict[str, dict[str, float]]) -> None:
        decision = winner_of(verdict, self.winner.name) if self.winner else None
        clear = separable(verdict)
        basis = rests_on(self.judge, self.total, scores) if self.total else frozenset[str]()
        for position, name in enumerate(candidates_of(verdict)):
            if name not in self.contenders:
                self.contenders[name] = _Contender(self.judge, position)
            one = self.contenders[name]
            # The least position, then the name: the order of rows decides nothing.
            one.position = min(one.position, position)
            for criterion, values in scores.items():
                one.criteria[criterion].add([values[name]] if name in values else [])
            if decision:
                winner, tied = decision
                standing = one.standing.setdefault(basis, _Standing())
                standing.decided += 1
                standing.wins += winner == name and clear
                standing.not_separable += winner == name and not clear
                standing.ties += winner is None and name in tied

    def _worst(self) -> list[Verdict]:
        return heapq.nsmallest(WORST_SHOWN, self.worst, key=self._key)

    def report(self, state: RunState) -> Report:
        run, say = state.run, words(self.judge.lang)
        criteria = tuple(
            self.criteria[one.name].measure(one.name, one.title, run.items, criterion_span(one), run.seed)
            for one in self.judge.scored
            if one.scale is not None
        )
        derived = tuple(self._over(one, run) for one in self.judge.derived if one.name in self.derived)
        candidates = tuple(self._candidates(run))
        seen = Seen(
            judge=self.judge,
            judged=self.judged,
            failed=self.kinds,
            tallies=self.criteria,
            unjudged=self.unjudged,
            derived=self.derived,
            flips=self.flags["order_flip"],
        )
        return Report(
            state=state,
            title=self.judge.title or self.judge.name,
            lang=self.judge.lang,
            layout=self.judge.layout,
            judged=self.judged,
            failed=self.kinds.total(),
            criteria=criteria,
            derived=derived,
            candidates=candidates,
            summary=state.summary,
            worst=tuple(
                note
                for note in map(self._noted, self._worst())
                if note.quality < BEST or any(one.value is None for one in note.remarks)
            ),
            failures=tuple(self._groups()),
            flags=tuple(sorted(self.flags.items(), key=lambda pair: (-pair[1], pair[0]))),
            warnings=tuple(warnings(state, say, criteria, candidates, seen)),
        )

    def _over(self, derived: Derived, run: Run, candidate: str = "") -> Measure:
        """A derived value over the items in which it rests on the same criteria."""
        pool = self.derived.get(derived.name) or Pool()
        title = derived.title or (words(self.judge.lang)("total") if candidate else "")
        span = derived_span(self.judge, derived, pool.standard)
        return replace(
            pool.tally(candidate).measure(derived.name, title, run.items, span, run.seed), basis=pool.standard
        )

    def _candidates(self, run: Run) -> Iterable[Candidate]:
        say, of = words(self.judge.lang), run.items
        total = self.total or Derived(name="total", operation="sum", of=tuple(self.criteria))
        # a win over fewer criteria is no part of what the mean total says
        basis = self.derived[total.name].standard if total.name in self.derived else frozenset[str]()
        for name, one in sorted(self.contenders.items(), key=lambda pair: (pair[1].position, pair[0])):
            standing = one.standing.get(basis) or _Standing()
            yield Candidate(
                name=name,
                total=self._over(total, run, name),
                wins=standing.wins,
                ties=standing.ties,
                not_separable=standing.not_separable,
                win_rate=rate("win_rate", say("win_rate"), standing.wins, standing.decided, of),
                criteria=tuple(
                    one.criteria[criterion.name].measure(
                        criterion.name, criterion.title, of, criterion_span(criterion), run.seed
                    )
                    for criterion in self.judge.scored
                    if criterion.scale is not None
                ),
            )

    def _noted(self, verdict: Verdict) -> Worst:
        marks, good = sorted(remarks(self.judge, verdict), key=lambda pair: pair[0]), quality(self.judge, verdict)
        return Worst(
            item=verdict.item,
            quality=1.0 if good is None else good,
            remarks=tuple(remark for _, remark in marks),
        )

    def _groups(self) -> Iterable[FailureGroup]:
        for kind, count in sorted(self.kinds.items(), key=lambda pair: (-pair[1], pair[0])):
            yield FailureGroup(kind=kind, count=count, examples=tuple(self.examples[kind]))
