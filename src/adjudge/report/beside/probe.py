"""Whether batches change the verdicts: items of batches that were judged by themselves too, criterion by criterion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState, in_batches
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import words
from adjudge.stats.correlation import by_rank
from adjudge.stats.interval import Interval, Moments, mean_interval

#: A difference matters from this share of the scale on, and is certain where its interval leaves zero out.
SHIFT_SHARE = 0.05
#: An order is lost where the correlation is below this, over this many items, and this share of them really differ:
#: where nearly all scores are equal, a single item decides the correlation.
LOW_CORRELATION = 0.7
ENOUGH_PAIRS = 20
CHANGED_SHARE = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """The scores of one criterion in batches and by themselves, over the same items."""

    n: int
    batch: float | None
    single: float | None
    difference: float | None
    ci95: Interval | None
    correlation: float | None
    correlation_ci95: Interval | None
    changed: int
    shifted: bool
    reordered: bool


def compared(criterion: Criterion, pairs: list[tuple[float, float]]) -> Compared:
    """What (batch, single) scores of one criterion say."""
    assert criterion.scale is not None
    span = criterion.scale.max - criterion.scale.min
    differences, batch, single = Moments(), Moments(), Moments()
    for one, other in pairs:
        batch.add(one)
        single.add(other)
        differences.add(other - one)
    mean, ci95 = differences.mean, mean_interval(differences, -span, span)
    order = by_rank([one for one, _ in pairs], [other for _, other in pairs])
    n, changed = len(pairs), sum(abs(other - one) >= 1.0 for one, other in pairs)
    return Compared(
        n=n,
        batch=batch.mean,
        single=single.mean,
        difference=mean,
        ci95=ci95,
        correlation=order.value,
        correlation_ci95=order.ci95,
        changed=changed,
        shifted=ci95 is not None and not ci95[0] <= 0.0 <= ci95[1] and abs(mean or 0.0) >= SHIFT_SHARE * span,
        reordered=(order.value is not None and order.value < LOW_CORRELATION)
        and (n >= ENOUGH_PAIRS and changed >= CHANGED_SHARE * n),
    )


class Probe:
    """The table of the batch probe; in memory are the scores of the sampled items."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._say = judge, words(judge.lang)
        run = state.run
        self._asked = min(run.probe_batch or 0, in_batches(run.items, run.batch_size or 1))
        self._done = 0
        self._pairs: dict[str, list[tuple[float, float]]] = {criterion.name: [] for criterion in judge.scored}

    def add(self, outcome: Outcome, row: Row) -> None:
        if isinstance(outcome, Verdict) and outcome.probe:
            self._done += 1
            for name, pairs in self._pairs.items():
                batch, single = (by_candidate(scores.get(name)).get("") for scores in (outcome.scores, outcome.probe))
                if batch is not None and single is not None:
                    pairs.append((batch, single))

    def _compared(self) -> list[tuple[Criterion, Compared]]:
        return [(criterion, compared(criterion, self._pairs[criterion.name])) for criterion in self._judge.scored]

    def section(self) -> Section | None:
        if not self._asked:
            return None
        say, found = self._say, self._compared()
        columns = ("criterion", "probe_difference", "probe_correlation", "probe_changed")
        rows = [
            (
                criterion.title or criterion.name,
                f"{say.signed(one.difference)} {say.interval(one.ci95)}",
                f"{say.number(one.correlation)} {say.interval(one.correlation_ci95)}",
                say.n_of(one.changed, one.n),
            )
            for criterion, one in found
        ]
        return Section(
            name="probe",
            title=say("probe"),
            columns=tuple(map(say, columns)),
            rows=tuple(rows) if self._done else (),
            notes=tuple(self._notes()),
            data={
                "asked": self._asked,
                "judged": self._done,
                "criteria": {criterion.name: _plain(one) for criterion, one in found},
            },
        )

    def _notes(self) -> Iterator[str]:
        say, asked = self._say, self._say.number(self._asked, 0)
        if not self._done:
            yield say("probe_none", asked=asked)
            return
        yield say("probe_note", n=say.number(self._done, 0), asked=asked)
        if self._done < self._asked:
            yield say("probe_lost", n=say.number(self._asked - self._done, 0), asked=asked)

    def warnings(self) -> Iterator[str]:
        say = self._say
        for criterion, one in self._compared():
            title = criterion.title or criterion.name
            if one.shifted:
                told = {"difference": say.signed(one.difference), "interval": say.interval(one.ci95), "n": one.n}
                yield say("warn_probe_shift", title=title, **told)
            elif one.reordered:
                told = {"correlation": say.number(one.correlation), "interval": say.interval(one.correlation_ci95)}
                yield say("warn_probe_order", title=title, n=one.n, changed=one.changed, **told)


def _plain(one: Compared) -> dict[str, Any]:
    return {
        "n": one.n,
        "batch_mean": one.batch,
        "single_mean": one.single,
        "difference": one.difference,
        "ci95": None if one.ci95 is None else list(one.ci95),
        "rank_correlation": one.correlation,
        "rank_ci95": None if one.correlation_ci95 is None else list(one.correlation_ci95),
        "changed": one.changed,
        "changes_verdicts": one.shifted or one.reordered,
    }
