"""One run with its labels: what people would have said of all items, value by value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.api.boards import boards
from adjudge.api.sample import strata_of
from adjudge.api.stored import StoredRun, open_run
from adjudge.core.errors import AdjudgeError, ConfigError, DataError
from adjudge.core.judge import Judge
from adjudge.core.labels import Label
from adjudge.data.sampled import CODE, Chosen, Place
from adjudge.reply.derive import derive
from adjudge.report.corrected import CorrectedRun, MeanOf
from adjudge.report.corrected_rates import ShareOf
from adjudge.stats.board import Axis, Board, Floats, Ints, generator
from adjudge.stats.bootstrap import resampled_interval
from adjudge.stats.correct import LEAST_ITEMS, LEAST_SOURCES, Slice, alike, estimate, joined, labels_needed
from adjudge.stats.rates import corrected_rate
from adjudge.stats.sampling import Strata
from adjudge.store.codec import load_object
from adjudge.store.store import open_store
from adjudge.store.url import with_store

#: Half the width of an interval that is asked for where nobody says another: this part of the scale.
HALF = 0.05
#: How much people differ from what the judge lets expect, as a part of the scale, where too few labels tell it.
_SPREAD = 0.25
#: So few labels say nothing of how many are needed.
_GUESSED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Bound:
    """What passes: values of this name on this side of a bound."""

    text: str
    name: str
    sign: str
    bound: float

    def passes(self, values: Floats) -> Floats:
        """1 for what passes, 0 for what does not, a gap for a gap."""
        held = values >= self.bound if self.sign == ">=" else values <= self.bound
        return np.where(np.isnan(values), np.nan, held.astype(float))


class Corrector:
    """One run with its labels: every value of every candidate."""

    def __init__(
        self,
        run: StoredRun,
        labels: Sequence[Label],
        choice: Chosen | None,
        bounds: Sequence[Bound],
        half: float | None,
        seed: int,
    ) -> None:
        self._run, self._labels, self._choice, self._half, self._seed = run, labels, choice, half, seed
        self._boards = boards(run, rows=True)
        if not self._boards:
            raise DataError(f"run {run.id} has no verdict yet", hint=with_store(f"adjudge resume {run.id}", run.store))
        self._items = {item: place for place, item in enumerate(self._boards[0].items)}
        self._strata = self._frame()
        self._chosen = np.array([self._was_chosen(item) for item in self._items], dtype=bool)
        # by id: the order of rows decides nothing
        self._order = np.array([self._items[item] for item in sorted(self._items)], dtype=np.int64)
        self._yes_no = {
            one.name: Bound(
                text=f"{one.name}>={(one.scale.min + one.scale.max) / 2:g}",
                name=one.name,
                sign=">=",
                bound=(one.scale.min + one.scale.max) / 2,
            )
            for one in run.judge.scored
            if one.scale is not None and one.scale.max - one.scale.min == 1 and one.kind == "rating"
        }
        self._bounds = [*self._yes_no.values(), *bounds]
        for one in bounds:
            low, high = (axis := self._boards[0].axis(one.name)).low, axis.high
            if not low <= one.bound <= high:
                raise ConfigError(
                    f"--pass {one.text}: every item is on one side of it",
                    hint=f"{one.name} is between {low:g} and {high:g}",
                )

    def _frame(self) -> Ints:
        """The stratum of each item; -1 where `adjudge sample` could not have chosen it."""
        if self._choice is None:
            return np.zeros(len(self._items), dtype=np.int64)
        sampled, items, strata = self._sampled(self._choice.run)
        known = {item: int(own) for item, own in zip(items, strata.of.tolist(), strict=True)}
        for item, own in known.items():
            if (told := self._choice.code(item)) is None:
                continue
            place = Place(run=sampled, seed=0, stratum=strata.names[own], size=int(strata.sizes[own]))
            if own >= 0 and told == place.code(item):
                continue
            raise DataError(
                f"`{CODE}` of item `{item[:80]}` is not what it is in run {sampled}",
                hint="was the run resumed since? Sample again; or leave the columns sample_… out, "
                "and the labels are taken as a random choice",
            )
        return np.array([known.get(item, -1) for item in self._items], dtype=np.int64)

    def _sampled(self, name: str) -> tuple[str, Sequence[str], Strata]:
        """The run that the items were chosen from, its items and their strata."""
        try:
            run = self._run if name == self._run.id else open_run(name, store=self._run.store)
            found = self._boards if run is self._run else boards(run, rows=True)
        except AdjudgeError:
            raise DataError(
                f"the labelled items were chosen from run {name[:80]}, which is not in this store",
                hint="give the store that has it, or leave the columns sample_… out: "
                "the labels are then taken as a random choice",
            ) from None
        if run is not self._run:
            self._check_texts(run)
        items, _, strata = strata_of(found)
        return run.id, items, strata

    def _check_texts(self, other: StoredRun) -> None:
        """Labels are of the texts of the run that was sampled: another run has them only where its texts are the same.

        Fields that one of the two lacks, and candidates, do not count.
        """
        judge = self._run.judge
        with open_store(self._run.store, create=False) as store:
            for item in sorted({one.item for one in self._labels if self._was_chosen(one.item)}):
                ours, theirs = (load_object(store.judged_body(run.id, item) or "{}") for run in (self._run, other))
                for field in judge.fields:
                    one, another = ours.get(field.name), theirs.get(field.name)
                    if field.type == "answers" and one and another:
                        both = one.keys() & another.keys()
                        one, another = ({who: texts[who] for who in both} for texts in (one, another))
                    if one is not None and another is not None and one != another:
                        raise DataError(
                            f"item `{item[:80]}` was chosen and labelled in run {other.id} with another "
                            f"`{field.name}` than it has in run {self._run.id}",
                            hint="labels hold for the texts that people read: sample this run, and label its texts",
                        )

    def found(self, elsewhere: int) -> CorrectedRun:
        labelled = {one.item for one in self._labels}
        judged = {
            item
            for board in self._boards
            for item, *gaps in zip(board.items, *(np.isnan(board.columns[one.name]) for one in board.axes), strict=True)
            if not all(gaps)
        }
        outside = {item for item in labelled & self._items.keys() if not self._was_chosen(item)}
        people = [_people(self._run.judge, board, self._labels) for board in self._boards]
        both = list(zip(self._boards, people, strict=True))
        return CorrectedRun(
            # where it was to end with an answer, the report knows it
            state=self._run.report().state if self._run.state.run.until else self._run.state,
            means=tuple(one for board, said in both for one in self._means(board, said)),
            shares=tuple(one for board, said in both for one in self._shares(board, said)),
            labelled=len(labelled & judged - outside),
            annotators=len({one.annotator for one in self._labels}),
            chosen=self._choice.run if self._choice else "",
            strata=len(set(self._strata.tolist()) - {-1}),
            elsewhere=elsewhere,
            not_chosen=len(outside),
            unjudged=len(labelled - judged),
        )

    def _was_chosen(self, item: str) -> bool:
        return self._choice is None or self._choice.code(item) is not None

    def _slice(self, board: Board, judge: Floats, people: Floats) -> Slice:
        """What both sides said of the items that could be chosen."""
        said = np.where(self._chosen, people, np.nan)
        order = self._order[~np.isnan(judge[self._order]) & (self._strata[self._order] >= 0)]
        clusters = board.clusters if board.clusters is not None else np.arange(len(judge))
        strata = joined(self._strata[order], ~np.isnan(said[order]))
        return Slice(judge=judge[order], people=said[order], clusters=clusters[order], strata=strata)

    def _means(self, board: Board, people: Mapping[str, Floats]) -> Iterator[MeanOf]:
        for axis in board.axes:
            if axis.name not in people or axis.name in self._yes_no:
                continue
            data = self._slice(board, board.columns[axis.name], people[axis.name])
            if not len(data.judge):
                continue
            low, high, half = axis.low, axis.high, self._half or HALF * axis.span
            told = _enough(data)
            about = generator(self._seed, "correct", board.candidate, axis.name)
            yield MeanOf(
                axis=axis,
                candidate=board.candidate,
                n=data.n,
                of=len(data.judge),
                sources=data.sources,
                judge=float(data.judge.mean()),
                # the resamples of the report of the run: both say the same
                judge_ci95=resampled_interval(data.judge, low, high, generator(self._run.state.run.seed, "mean")),
                labelled_judge=float(data.judge[data.labelled].mean()) if data.n else None,
                labels=estimate(data, low, high, use_judge=False) if told else None,
                corrected=estimate(data, low, high) if told else None,
                needed=_needed(data, axis, half),
                half=half,
                alike=alike(data, about) if told and self._choice is None else None,
            )

    def _shares(self, board: Board, people: Mapping[str, Floats]) -> Iterator[ShareOf]:
        for bound in self._bounds:
            if bound.name not in people:
                continue
            judge, said = bound.passes(board.columns[bound.name]), bound.passes(people[bound.name])
            data = self._slice(board, judge, said)
            if not len(data.judge):
                continue
            axis, half = board.axis(bound.name), HALF if self._half is None or self._half >= 1 else self._half
            share = Axis(name=axis.name, title=axis.title, low=0.0, high=1.0, better=axis.better)
            told = _enough(data)
            found = corrected_rate(data) if told else None
            yield ShareOf(
                axis=axis,
                candidate=board.candidate,
                name=bound.text,
                sign={">=": "≥", "<=": "≤"}[bound.sign],
                bound=bound.bound,
                n=data.n,
                of=len(data.judge),
                sources=data.sources,
                found=found,
                unseen=told and found is None,
                needed=_needed(data, share, half),
                half=half,
            )


def _people(judge: Judge, board: Board, labels: Iterable[Label]) -> dict[str, Floats]:
    """By value, what people gave each item: the mean of the annotators, and derived values of these means."""
    place = {item: number for number, item in enumerate(board.items)}
    given: dict[str, dict[str, list[float]]] = {}
    for one in labels:
        if one.item in place and one.candidate == board.candidate and isinstance(one.value, int | float):
            given.setdefault(one.item, {}).setdefault(one.criterion, []).append(float(one.value))
    names = {name for scores in given.values() for name in scores}
    derived = [one for one in judge.derived if board.bases.get(one.name) and board.bases[one.name] <= names]
    found = {name: np.full(len(place), np.nan) for name in [*sorted(names), *(one.name for one in derived)]}
    for item, scores in given.items():
        # summed exactly: the order of the rows decides nothing
        means = {name: math.fsum(values) / len(values) for name, values in scores.items()}
        for name, mean in means.items():
            found[name][place[item]] = mean
        for rule in derived:
            basis, who = board.bases[rule.name], board.candidate
            if basis <= means.keys():
                value = derive(judge, {name: {who: means[name]} if who else means[name] for name in basis})[rule.name]
                found[rule.name][place[item]] = value[who] if who else value
    return found


def _enough(data: Slice) -> bool:
    return data.n >= LEAST_ITEMS and data.sources >= LEAST_SOURCES


def _needed(data: Slice, axis: Axis, half: float) -> int | None:
    """How many labels would do, from what the labels so far differ from the verdicts, or from a guess at it."""
    every = len(data.judge)
    if data.n < _GUESSED:
        return min(every, max(LEAST_ITEMS, int(np.ceil((1.96 * _SPREAD * axis.span / half) ** 2))))
    wanted = labels_needed(estimate(data, axis.low, axis.high), data.n, every, half)
    return None if wanted is None else max(LEAST_ITEMS, wanted)
