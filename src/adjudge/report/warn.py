"""What a reader must know before trusting the figures, in the language of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from adjudge.core.judge import Judge
from adjudge.core.records import Orders
from adjudge.core.runs import RunState
from adjudge.report.basis import Pool, narrowed, titles, total_of
from adjudge.report.plain import fit
from adjudge.report.tables import Candidate, Measure
from adjudge.report.tally import Tally
from adjudge.report.words import Words
from adjudge.stats.orders import most_orders
from adjudge.store.url import with_store

FEW_ITEMS = 30
#: Below this many scores, equal ones are no wonder.
ENOUGH_SCORES = 5
ONE_END_SHARE = 0.9
REASON_COLUMNS = 200
WHY_COLUMNS = 400
NAME_COLUMNS = 40
KINDS_SHOWN = 5
#: From here on the order shown decides too much of who wins.
FLIPS_SHARE = 0.2


class Unjudged:
    """Why a criterion was not judged: the reason that all items share, or that of the least item that has one."""

    def __init__(self) -> None:
        self.example = ("", "")
        self.alike = True
        self._first: str | None = None

    def add(self, item: str, reasons: frozenset[str]) -> None:
        """The reasons of one item, one for each of its texts."""
        if self._first is None:
            self._first = min(reasons)
        self.alike = self.alike and reasons == {self._first}
        if said := max(reasons):
            self.example = min(self.example, (item, said)) if self.example[1] else (item, said)


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What the pass over the outcomes noticed beside the figures."""

    judge: Judge
    judged: int
    failed: Mapping[str, int]
    tallies: Mapping[str, Tally]
    unjudged: Mapping[str, Unjudged]
    derived: Mapping[str, Pool]
    flips: int = 0


def warnings(
    state: RunState, say: Words, criteria: tuple[Measure, ...], candidates: tuple[Candidate, ...], seen: Seen
) -> Iterator[str]:
    """The warnings, the gravest first."""
    yield from _coverage(state, say, seen)
    if seen.judged == 1:
        yield say("warn_one")
    elif 0 < seen.judged < FEW_ITEMS:
        yield say("warn_few", n=seen.judged)
    if seen.judged and seen.flips >= FLIPS_SHARE * seen.judged:
        key = "warn_flip_repeats" if state.run.repeat > 1 else "warn_flip"
        yield say(key, n=say.number(seen.flips, 0), of=say.number(seen.judged, 0))
    yield from _uneven(say, candidates, seen.judged)
    yield from _left_out(say, seen)
    for measure in criteria:
        if measure.n < seen.judged:
            yield _unjudged(say, measure, seen.judged, seen.unjudged.get(measure.name))
        if measure.n:
            yield from _flat(say, measure, seen.tallies[measure.name])


def unfinished(state: RunState, missing: int, say: Words) -> str:
    """That items have no outcome yet, and the command that goes on."""
    more = " --max-cost USD" if state.spent else ""
    command = with_store(f"adjudge resume {fit(state.run.id, NAME_COLUMNS)}{more}", state.store)
    return say("warn_unfinished", n=say.number(missing, 0), of=say.number(state.run.items, 0), command=command)


def few_orders(wanted: Orders | None, items: Mapping[int, int], say: Words) -> Iterator[str]:
    """That there are fewer orders than were asked for; `items` counts them by the number of their candidates."""
    if isinstance(wanted, int):
        fewer = {many: count for many, count in items.items() if many > 1 and most_orders(many) < wanted}
        if fewer:
            many = max(fewer, key=lambda one: (fewer[one], -one))
            shown = say.n_of(fewer[many], sum(items.values()))
            yield say("warn_orders", wanted=wanted, candidates=many, orders=most_orders(many), n=shown)


def warn_over(title: str, names: Iterable[str], say: Words) -> str:
    """That a derived value rests on a part of its criteria."""
    shown = (fit(name, NAME_COLUMNS) for name in names)
    return say("warn_over", title=fit(title, NAME_COLUMNS), names=", ".join(shown))


def _coverage(state: RunState, say: Words, seen: Seen) -> Iterator[str]:
    """What has no verdict, and a batch without its summary."""
    of, failed = state.run.items, sum(seen.failed.values())
    if not seen.judged:
        yield say("warn_none")
    if failed:
        most = sorted(seen.failed, key=lambda kind: (-seen.failed[kind], kind))[:KINDS_SHOWN]
        kinds = ", ".join(f"{fit(kind, NAME_COLUMNS)} {say.number(seen.failed[kind], 0)}" for kind in most)
        yield say("warn_failed", n=say.number(failed, 0), of=say.number(of, 0), kinds=kinds)
    if (missing := state.wanted - seen.judged - failed) > 0:
        yield unfinished(state, missing, say)
    elif seen.judged and seen.judge.layout == "batch" and not state.summary:
        why = fit(state.no_summary, WHY_COLUMNS)
        yield say("warn_summary_why", reason=why) if why else say("warn_summary")


def _uneven(say: Words, candidates: tuple[Candidate, ...], judged: int) -> Iterator[str]:
    """Where candidates have different numbers of scores: the criteria, and the numbers."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for measures in zip(*((*one.criteria, one.total) for one in candidates), strict=True):
        counts = tuple(measure.n for measure in measures)
        if len(set(counts)) > 1:
            alike.setdefault(counts, []).append(fit(measures[0].title, NAME_COLUMNS))
    for counts, names in alike.items():
        shown = (
            f"{fit(one.name, NAME_COLUMNS)} {say.n_of(n, judged)}" for one, n in zip(candidates, counts, strict=True)
        )
        yield say("warn_coverage", title=", ".join(names), counts=", ".join(shown))


def _left_out(say: Words, seen: Seen) -> Iterator[str]:
    """Derived values whose mean leaves items out, and why."""
    decides = any(one.operation == "winner" for one in seen.judge.derived)
    ranked = total_of(seen.judge) if decides and seen.judge.layout == "compare" else None
    for derived in seen.judge.derived:
        pool = seen.derived.get(derived.name)
        if pool is None or not pool.standard:
            continue
        wins = f" {say('warn_wins')}" if derived == ranked else ""
        title, n = fit(derived.title or derived.name, NAME_COLUMNS), pool.items[pool.standard]
        if pool.items.keys() == {pool.every}:
            if over := narrowed(seen.judge, derived.name, pool.every):
                yield warn_over(title, over, say)
        elif pool.standard == pool.every:
            missed = pool.missed
            names = (
                f"{fit(one.title or one.name, NAME_COLUMNS)} ({missed[one.name]})"
                for one in seen.judge.criteria
                if one.name in missed
            )
            yield say("warn_left_out", title=title, n=seen.judged - n, of=seen.judged, names=", ".join(names)) + wins
        else:
            names = (fit(name, NAME_COLUMNS) for name in titles(seen.judge, pool.standard))
            yield say("warn_common", title=title, n=n, of=seen.judged, names=", ".join(names)) + wins


def _unjudged(say: Words, measure: Measure, judged: int, why: Unjudged | None) -> str:
    title, (item, reason) = fit(measure.title, NAME_COLUMNS), why.example if why else ("", "")
    short = fit(reason, REASON_COLUMNS)
    if why and short and not why.alike:
        short = say("unjudged_example", item=fit(item, NAME_COLUMNS), reason=short)
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
