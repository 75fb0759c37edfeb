"""The judge against itself: what repeats of the same calls tell of its noise."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import fsum, isnan, nan
from typing import TYPE_CHECKING, Any

from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Outcome, Verdict, digest
from adjudge.core.runs import RunState
from adjudge.report.beside.row import Row
from adjudge.report.beside.sources import Share
from adjudge.report.plain import fit
from adjudge.report.tables import Section
from adjudge.report.verdicts import by_candidate
from adjudge.report.words import Words, words

if TYPE_CHECKING:  # numpy takes a tenth of a second to import, which no command pays at its start
    from adjudge.stats.noise import Noise as Found

#: So many texts are compared with themselves; where there are more, those of a share of the items.
TEXTS_MAX = 20_000
#: A judge whose single scores are sure to be more chance than text is warned of.
UNRELIABLE = 0.5
NAME_COLUMNS = 40


class _Kept:
    """The repeats of one criterion: a row per text, the item of each, and how many items have several scores."""

    def __init__(self) -> None:
        self.values, self.items, self.several = array("d"), array("Q"), 0

    def halved(self, share: Share, repeats: int) -> None:
        kept = [place for place, item in enumerate(self.items) if share.holds(item)]
        self.values = array("d", (one for at in kept for one in self.values[at * repeats : (at + 1) * repeats]))
        self.items = array("Q", (self.items[place] for place in kept))


class Noise:
    """Says of each criterion how far repeats agree, and the least difference that can be seen through their noise."""

    def __init__(self, judge: Judge, state: RunState) -> None:
        self._judge, self._run, self._say = judge, state.run, words(judge.lang)
        self._kept = {criterion.name: _Kept() for criterion in judge.scored}
        self._share = Share()
        # a comparison is judged in several orders: what repeats is their mean, not a call
        orders = judge.layout == "compare"
        self._sd, self._told = (
            ("noise_sd_repeat", "noise_told_repeat") if orders else ("noise_sd_call", "noise_told_call")
        )

    def add(self, outcome: Outcome, row: Row) -> None:
        """Keep the repeats of one verdict."""
        if self._run.repeat < 2 or not isinstance(outcome, Verdict):
            return
        item = int(digest(outcome.item)[:16], 16)
        repeats = repeats_of(outcome, self._run.repeat)
        # a score whose other repeats were lost says nothing of noise
        for name in {name for (_, name), values in repeats.items() if sum(not isnan(one) for one in values) > 1}:
            if name in self._kept:
                self._kept[name].several += 1
        if not self._share.holds(item):
            return
        for (_, name), values in sorted(repeats.items()):
            if name in self._kept:
                self._kept[name].values.extend(values)
                self._kept[name].items.append(item)
        while any(len(one.items) > TEXTS_MAX for one in self._kept.values()):
            self._share.halve()
            for one in self._kept.values():
                one.halved(self._share, self._run.repeat)

    @cached_property
    def _found(self) -> list[tuple[Criterion, _Kept, Found]]:
        if not any(one.items for one in self._kept.values()):
            return []
        import numpy as np

        from adjudge.stats.noise import noise

        found = []
        for criterion in self._judge.scored:
            kept = self._kept[criterion.name]
            items = np.array(kept.items, dtype=np.uint64)
            # texts of one item stand in a fixed order; the order of the rows decides nothing
            order = np.argsort(items, kind="stable")
            table = np.array(kept.values, dtype=np.float64).reshape(len(items), self._run.repeat)[order]
            clusters = np.unique(items[order], return_inverse=True)[1].reshape(-1).astype(np.int64)
            if (one := noise(table, clusters)) is not None:
                found.append((criterion, kept, one))
        return found

    def section(self) -> Section | None:
        """A line for each criterion; nothing without repeats."""
        if not self._found:
            return None
        say = self._say
        columns = ("criterion", "coverage", "noise_equal", "noise_near", self._sd, "noise_reliability")
        return Section(
            name="noise",
            title=say("noise"),
            columns=(*map(say, columns), say("noise_smallest")),
            rows=tuple(self._row(criterion, kept, one) for criterion, kept, one in self._found),
            notes=tuple(self._notes()),
            data={criterion.name: self._data(kept, one) for criterion, kept, one in self._found},
        )

    def _row(self, criterion: Criterion, kept: _Kept, one: Found) -> tuple[str, ...]:
        say = self._say
        return (
            criterion.title or criterion.name,
            say.n_of(kept.several, self._run.items),
            f"{say.number(100 * one.equal, 0)} %",
            f"{say.number(100 * one.near, 0)} %",
            say.number(one.sd),
            _reliability(say, one),
            say.number(one.smallest(kept.several, self._run.repeat)),
        )

    def _notes(self) -> Iterator[str]:
        say = self._say
        yield say("noise_note", sd=say(self._told))
        yield say("noise_floor")
        if not self._share.whole:
            yield say("noise_sampled", n=say.number(max(one.items for _, _, one in self._found), 0))

    def _data(self, kept: _Kept, one: Found) -> Mapping[str, Any]:
        return {
            "n": kept.several,
            "of": self._run.items,
            "texts": one.items,
            "pairs": one.pairs,
            "equal": one.equal,
            "within_one": one.near,
            "steady": {"n": one.steady, "of": one.items, "ci95": _listed(one.steady95), "interval": "wilson"},
            "sd": one.sd,
            "sd_of_mean": one.sd_of_mean(self._run.repeat),
            "reliability": {"value": one.reliability, "ci95": _listed(one.reliability95)},
            "smallest_difference": one.smallest(kept.several, self._run.repeat),
        }

    def warnings(self) -> Iterable[str]:
        """Criteria on which single scores are more chance than text."""
        for criterion, _, one in self._found:
            if one.reliability95 is not None and one.reliability95[1] < UNRELIABLE:
                yield self._say(
                    "warn_noise",
                    title=fit(criterion.title or criterion.name, NAME_COLUMNS),
                    reliability=self._say.number(one.reliability),
                    interval=self._say.interval(one.reliability95),
                )


def repeats_of(verdict: Verdict, repeats: int) -> dict[tuple[str, str], list[float]]:
    """By candidate ("" for the only text) and criterion a score for each repeat, the mean over its orders, or NaN."""
    sums: dict[tuple[str, str], list[list[float]]] = {}
    for trial in verdict.trials:
        repeat = trial.get("repeat")
        if not isinstance(repeat, int) or not 0 <= repeat < repeats:
            continue
        for name, value in trial.get("scores", {}).items():
            for who, score in by_candidate(value).items():
                sums.setdefault((who, name), [[] for _ in range(repeats)])[repeat].append(score)
    return {key: [fsum(one) / len(one) if one else nan for one in each] for key, each in sums.items()}


def _reliability(say: Words, one: Found) -> str:
    if one.reliability is None or one.reliability95 is None:
        return say.number(one.reliability)
    return f"{say.number(one.reliability)} {say.interval(one.reliability95)}"


def _listed(ends: tuple[float, float] | None) -> list[float] | None:
    return None if ends is None else list(ends)
