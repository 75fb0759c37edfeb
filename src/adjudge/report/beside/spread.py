"""How far the scores of one text spread: over the probabilities of their tokens, and over repeats if there are any."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Outcome, Verdict
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.tables import Section
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import words
from adjudge.stats.interval import Moments


class _Seen:
    """What is known of one criterion."""

    def __init__(self) -> None:
        self.spreads = Moments()
        self.judged = self.probabilities = self.repeats = self.neither = 0


class Spread:
    """Says of each criterion what its scores are means of, and how far they spread."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._run = judge, state.run
        self._scored = tuple(judge.scored)
        self._seen = {criterion.name: _Seen() for criterion in self._scored}
        self._missed = 0

    def add(self, outcome: Outcome, row: Row) -> None:
        """Count one verdict."""
        if not isinstance(outcome, Verdict):
            return
        self._missed += any(flag.startswith("no_probabilities:") for flag in outcome.flags)
        repeated = len({trial.get("repeat") for trial in outcome.trials}) > 1
        for criterion in self._scored:
            if criterion.name not in outcome.scores:
                continue
            seen, likely = self._seen[criterion.name], self._likely(criterion, outcome)
            seen.judged += 1
            seen.probabilities += likely
            seen.repeats += repeated
            seen.neither += not likely and not repeated
            if spreads := outcome.spreads and by_candidate(outcome.spreads.get(criterion.name)).values():
                seen.spreads.add(fsum(spreads) / len(spreads))

    def _likely(self, criterion: Criterion, verdict: Verdict) -> bool:
        """Whether the score is the expected one; only a score that the reply itself states has a token."""
        if not self._run.settings.probabilities or criterion.kind != "rating" or criterion.checks:
            return False
        return f"no_probabilities:{criterion.name}" not in verdict.flags

    def section(self) -> Section | None:
        """A line for each criterion; nothing without probabilities: what repeats tell stands in a table of its own."""
        shown = [(one, self._seen[one.name]) for one in self._judge.scored if self._seen[one.name].judged]
        if not shown or not self._run.settings.probabilities:
            return None
        say, of = words(self._judge.lang), self._run.items
        columns = ("criterion", "spread_mean", "coverage", "spread_probabilities", "spread_repeats", "spread_neither")
        return Section(
            name="spread",
            title=say("spread"),
            columns=tuple(map(say, columns)),
            rows=tuple(
                (
                    one.title or one.name,
                    say.number(seen.spreads.mean),
                    say.n_of(seen.spreads.n, of),
                    *(say.number(count, 0) for count in (seen.probabilities, seen.repeats, seen.neither)),
                )
                for one, seen in shown
            ),
            notes=(say("spread_note"),),
            data={
                one.name: {
                    "spread": seen.spreads.mean,
                    "n": seen.spreads.n,
                    "of": of,
                    "probabilities": seen.probabilities,
                    "repeats": seen.repeats,
                    "neither": seen.neither,
                }
                for one, seen in shown
            },
        )

    def warnings(self) -> Iterable[str]:
        """That probabilities were wanted and not to be had."""
        if self._missed:
            say = words(self._judge.lang)
            yield say("warn_no_probabilities", n=say.number(self._missed, 0), of=say.number(self._run.items, 0))
