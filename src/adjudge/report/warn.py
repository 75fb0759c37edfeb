"""What a reader must know before trusting the figures, in the language of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adjudge.core.records import RunState
from adjudge.report.plain import fit
from adjudge.report.tables import Candidate, Measure
from adjudge.report.tally import Tally
from adjudge.report.words import Words

FEW_ITEMS = 30
#: Below this many scores, equal ones are no wonder.
ENOUGH_SCORES = 5
ONE_END_SHARE = 0.9
REASON_COLUMNS = 200
NAME_COLUMNS = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What the pass over the outcomes noticed beside the figures."""

    judged: int
    failed: int
    tallies: Mapping[str, Tally]
    unjudged: Mapping[str, str]


def warnings(
    state: RunState, say: Words, criteria: tuple[Measure, ...], candidates: tuple[Candidate, ...], seen: Seen
) -> Iterator[str]:
    """The warnings, the gravest first."""
    of = state.run.items
    if not seen.judged:
        yield say("warn_none")
    if seen.failed:
        yield say("warn_failed", n=say.number(seen.failed, 0), of=say.number(of, 0))
    if (missing := of - seen.judged - seen.failed) > 0:
        run = fit(state.run.id, NAME_COLUMNS)
        yield say("warn_unfinished", n=say.number(missing, 0), of=say.number(of, 0), run=run)
    if 0 < seen.judged < FEW_ITEMS:
        yield say("warn_few", n=seen.judged)
    yield from _uneven(say, candidates)
    for measure in criteria:
        if measure.n < seen.judged:
            yield _unjudged(say, measure, seen.judged, seen.unjudged.get(measure.name, ""))
        if measure.n:
            yield from _flat(say, measure, seen.tallies[measure.name])
    if state.cost_usd is None and state.calls:
        yield say("warn_cost")


def _uneven(say: Words, candidates: tuple[Candidate, ...]) -> Iterator[str]:
    coverage = zip(*((one.total.n, *(measure.n for measure in one.criteria)) for one in candidates), strict=True)
    for counts in coverage:
        if len(set(counts)) > 1:
            shown = (f"{fit(one.name, NAME_COLUMNS)}: {n}" for one, n in zip(candidates, counts, strict=True))
            yield say("warn_coverage", counts=", ".join(shown))
            return


def _unjudged(say: Words, measure: Measure, judged: int, reason: str) -> str:
    title, short = fit(measure.title, NAME_COLUMNS), fit(reason, REASON_COLUMNS)
    if measure.n == 0:
        return say("warn_unjudged", title=title, reason=short).rstrip()
    return say("warn_partly", title=title, n=measure.n, of=judged, reason=short).rstrip()


def _flat(say: Words, measure: Measure, tally: Tally) -> Iterator[str]:
    if tally.scores < ENOUGH_SCORES:
        return
    title = fit(measure.title, NAME_COLUMNS)
    if tally.lowest == tally.highest:
        yield say("warn_equal", title=title, n=tally.scores, value=say.score(tally.lowest))
        return
    for count, end in ((tally.at_min, measure.min), (tally.at_max, measure.max)):
        share = count / tally.scores
        if share >= ONE_END_SHARE:
            key = "warn_ceiling" if measure.goodness(end) == 1.0 else "warn_floor"
            yield say(key, title=title, share=say.number(100 * share, 0), end=say.score(end))
