"""Bounds on the figures of a run: met or missed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from adjudge.api.boards import boards
from adjudge.api.stored import StoredRun, open_run
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.runs import Run, RunState
from adjudge.core.scale import Better
from adjudge.report.gated import Difference, Gated, Held, Kind, On
from adjudge.report.tables import Measure, Report
from adjudge.spec.strict import suggestion
from adjudge.stats.board import Axis, Board, Floats, generator
from adjudge.stats.interval import Interval, wilson
from adjudge.stats.paired import Paired, compare_pair

#: In the place of a name: every criterion that the baseline judged.
EVERY = "*"
_SHARE = re.compile(r"(?P<figure>.+?)(?P<sign>>=|<=)(?P<point>-?\d+(?:\.\d+)?)", re.DOTALL)
_TURNED: dict[Better, Better] = {"higher": "lower", "lower": "higher"}


def gate(
    run: StoredRun | str,
    *,
    minimum: Mapping[str, float] | None = None,
    maximum: Mapping[str, float] | None = None,
    max_drop: float | Mapping[str, float] | None = None,
    baseline: StoredRun | str | None = None,
    on: On = "mean",
    min_judged: float = 1.0,
    store: str | None = None,
) -> Gated:
    """Hold figures of a run against bounds, and against a baseline run item by item.

    A figure is a criterion, a derived value, either of one candidate (`correctness:ModelA`), `win_rate:ModelA`, or a
    share of items (`coverage>=4`). `max_drop` is for every criterion, or by name.
    """
    found = _opened(run, store)
    base = None if baseline is None else _opened(baseline, store)
    drops = {EVERY: max_drop} if isinstance(max_drop, int | float) else dict(max_drop or {})
    if drops and base is None:
        raise ConfigError("a drop needs a run to drop from", hint="add --baseline RUN")
    if base is not None and not drops:
        raise ConfigError("a baseline is given, and no bound on the drop from it", hint="add --max-drop 0.1")
    _within(min_judged, 0, 1, "min-judged", "")
    desk = _Desk(found, base, on, min_judged)
    state = desk.state
    judged = Held(
        kind="min-judged",
        figure="",
        limit=min_judged,
        on=on,
        least=min_judged,
        value=state.judged / state.wanted if state.wanted else 0.0,
        n=state.judged,
        of=state.wanted,
    )
    held = [judged]
    held += [desk.bounded("min", name, limit) for name, limit in (minimum or {}).items()]
    held += [desk.bounded("max", name, limit) for name, limit in (maximum or {}).items()]
    held += desk.drops(drops)
    return Gated(
        state=state,
        lang=found.judge.lang,
        held=tuple(held),
        baseline=None if base is None else base.state.run,
        differs=() if base is None else tuple(_differences(state.run, base.state.run)),
        apart=desk.apart,
    )


def _opened(run: StoredRun | str, store: str | None) -> StoredRun:
    return open_run(run, store=store) if isinstance(run, str) else run


class _Desk:
    """Finds figures in a run and its baseline; what is needed is read from the store once."""

    def __init__(self, run: StoredRun, base: StoredRun | None, on: On, least: float) -> None:
        self._run, self._base, self._on, self._least = run, base, on, least

    @cached_property
    def state(self) -> RunState:
        """How far the run came; with its answer, where it was to end with one."""
        return self._report.state if self._run.state.run.until else self._run.state

    @cached_property
    def _report(self) -> Report:
        return self._run.report()

    @cached_property
    def _figures(self) -> dict[str, tuple[Measure, str]]:
        """By the name to type, the figure as the report of the run has it, and the candidate it is of."""
        report = self._report
        found = {one.name: (one, "") for one in (*report.criteria, *report.derived)}
        for who in report.candidates:
            of_one = [*who.criteria, who.total, who.win_rate]
            found |= {f"{one.name}:{who.name}": (one, who.name) for one in of_one}
        return found

    def bounded(self, kind: Kind, name: str, limit: float) -> Held:
        """A figure of the run against a fixed value."""
        if name not in self._figures and (share := _SHARE.fullmatch(name)) is not None:
            return self._share(kind, share, limit)
        measure, candidate = self._figure(name)
        _within(limit, measure.min, measure.max, kind, name)
        return Held(
            kind=kind,
            figure=name,
            limit=limit,
            on=self._on,
            least=self._least,
            title=measure.title,
            candidate=candidate,
            value=measure.mean,
            ci95=self._ends(measure, candidate),
            n=measure.n,
            of=min(measure.of, self.state.wanted),
            better=measure.better,
            fine=measure.digits > 1,
        )

    def _ends(self, measure: Measure, candidate: str) -> Interval | None:
        """The interval of the report; that of the question of --until holds whenever the run ends."""
        answer = self.state.answer
        if answer is not None and not answer.sides and answer.name == measure.name and not candidate:
            return answer.interval
        return measure.ci95 if measure.n > 1 else None

    def _figure(self, name: str) -> tuple[Measure, str]:
        if name in self._figures:
            return self._figures[name]
        hint = suggestion(name, self._figures)
        if name.endswith((">", "<")):
            hint = f"a share of items has the point and then the bound: {name}=4=0.9"
        raise ConfigError(f"run {self._run.id} has no figure `{name}`", hint=hint)

    def _share(self, kind: Kind, share: re.Match[str], limit: float) -> Held:
        """How many of the judged items are at a point of the scale or beyond it."""
        measure, candidate = self._figure(share["figure"])
        point, above = float(share["point"]), share["sign"] == ">="
        if not self._per_item(measure) or (self._report.candidates and not candidate):
            raise ConfigError(
                f"`{share[0]}` is no share of items",
                hint="it takes a criterion or a derived value, and beside several candidates one of them: "
                "correctness:ModelA>=4",
            )
        _within(point, measure.min, measure.max, kind, share["figure"])
        _within(limit, 0, 1, kind, share[0])
        columns = [one.columns[measure.name] for one in self._boards if one.candidate == candidate]
        values = columns[0][~np.isnan(columns[0])] if columns else np.empty(0)
        n, hits = len(values), int(np.sum(values >= point if above else values <= point))
        return Held(
            kind=kind,
            figure=share[0],
            limit=limit,
            on=self._on,
            least=self._least,
            title=measure.title,
            candidate=candidate,
            point=f"{'≥' if above else '≤'} {share['point']}",
            value=hits / n if n else None,
            ci95=wilson(hits, n) if n > 1 else None,
            n=n,
            of=min(measure.of, self.state.wanted),
            better=measure.better if above else _TURNED[measure.better],
        )

    @cached_property
    def _boards(self) -> list[Board]:
        return boards(self._run, rows=self._base is not None, languages=False)

    @cached_property
    def _base_boards(self) -> list[Board]:
        assert self._base is not None
        return boards(self._base)

    def _per_item(self, measure: Measure) -> bool:
        """Whether single items have the figure: a win rate is of all of them."""
        return measure.name in {one.name for one in (*self._report.criteria, *self._report.derived)}

    @cached_property
    def _pairs(self) -> tuple[list[int], list[int]]:
        """The places in both runs of the items that both have, in the order of their ids."""
        ours, theirs = (
            {item: place for place, item in enumerate(_items(one))} for one in (self._boards, self._base_boards)
        )
        both = sorted(ours.keys() & theirs.keys())
        if not both:
            raise DataError(
                "the run and its baseline have no item in common",
                hint="a drop is measured item by item: both runs must judge items of the same ids",
            )
        return [ours[item] for item in both], [theirs[item] for item in both]

    @property
    def apart(self) -> int:
        """How many items only one of the two runs has."""
        if self._base is None:
            return 0
        return len(set(_items(self._boards)) ^ set(_items(self._base_boards)))

    def drops(self, limits: Mapping[str, float]) -> Iterator[Held]:
        """Each named figure against the baseline; the bare bound is for the criteria that have none of their own."""
        named = {name: limit for name, limit in limits.items() if name != EVERY}
        if EVERY in limits:
            known = [axis.name for axis in self._base_boards[0].axes if not axis.derived] if self._base_boards else []
            judged = [name for name in known if any(not np.isnan(one.columns[name]).all() for one in self._base_boards)]
            if not judged:
                raise DataError("the baseline judged nothing", hint="take another --baseline")
            named = dict.fromkeys(judged, limits[EVERY]) | named
        for name, limit in named.items():
            yield self._dropped(name, limit)

    def _dropped(self, name: str, limit: float) -> Held:
        measure, candidate = self._figure(name)
        if not self._per_item(measure):
            raise ConfigError(f"`{name}` is no figure of single items: it has no drop", hint="bound it with --min")
        _within(limit, 0, measure.max - measure.min, "max-drop", name)
        seen = self._paired(measure.name, candidate) if self._boards else None
        down = -1.0 if measure.better == "higher" else 1.0
        change, ends = (None, None) if seen is None else (seen.difference, seen.interval)
        return Held(
            kind="max-drop",
            figure=name,
            limit=limit,
            on=self._on,
            least=self._least,
            title=measure.title,
            candidate=candidate,
            value=None if change is None else down * change + 0.0,  # no minus before a zero
            ci95=None if ends is None else _ordered(down * ends[0], down * ends[1]),
            n=0 if seen is None else seen.n,
            # what the baseline has and the run lacks is a gap: a run of the easy items alone must not pass
            of=measure.of if seen is None else len(_items(self._base_boards)),
            better="lower",
            fine=measure.digits > 1,
        )

    def _paired(self, name: str, candidate: str) -> Paired:
        """The run against its baseline on the items that both have."""
        axis, ours, theirs = self._axis(name), *self._pairs
        if not candidate and {one.candidate for one in self._boards} != {one.candidate for one in self._base_boards}:
            raise DataError(
                f"the runs have other candidates: the means of `{name}` over them do not compare",
                hint=f"name a candidate that both have: {name}:{self._boards[0].candidate}",
            )
        clusters = self._boards[0].clusters
        return compare_pair(
            _column(self._base_boards, name, candidate)[theirs],
            _column(self._boards, name, candidate)[ours],
            axis=axis,
            clusters=None if clusters is None else clusters[ours],
            rng=generator(self._run.state.run.seed, "gate", name, candidate),
        )

    def _axis(self, name: str) -> Axis:
        """What is measured, which must be the same in both runs."""
        ours = self._boards[0].axis(name)
        theirs = {one.name: one for one in self._base_boards[0].axes}.get(name) if self._base_boards else None
        if theirs is None or (theirs.low, theirs.high, theirs.better) != (ours.low, ours.high, ours.better):
            raise DataError(f"the baseline has no `{name}` on the same scale", hint="take a baseline of the same judge")
        if self._boards[0].bases.get(name) != self._base_boards[0].bases.get(name):
            raise DataError(
                f"`{name}` rests on other criteria in the baseline: not the same ones were judged",
                hint="bound the criteria that both runs judged",
            )
        return ours


def _items(found: Sequence[Board]) -> Sequence[str]:
    return found[0].items if found else ()


def _ordered(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)


def _column(found: Sequence[Board], name: str, candidate: str) -> Floats:
    """The values of one candidate, or of each item the mean over all of them."""
    columns = [board.columns[name] for board in found if not candidate or board.candidate == candidate]
    if not columns:
        raise DataError(f"the baseline has no candidate `{candidate}`", hint="name one that both runs have")
    means: Floats = np.mean(columns, axis=0)
    return means


def _within(limit: float, low: float, high: float, kind: str, name: str) -> None:
    """A bound beyond the scale would always be met, or never."""
    if math.isfinite(limit) and low <= limit <= high:
        return
    option = f"--{kind} {name}={limit:g}" if name else f"--{kind} {limit:g}"
    raise ConfigError(f"{option} is out of range", hint=f"give a number between {low:g} and {high:g}")


def _differences(run: Run, base: Run) -> Iterator[Difference]:
    if run.lang != base.lang:
        yield "language"
    elif run.judge_digest != base.judge_digest:
        yield "judge"
    if (run.settings.model, run.settings.base_url) != (base.settings.model, base.settings.base_url):
        yield "model"
    if _settings(run) != _settings(base):
        yield "settings"


def _settings(run: Run) -> tuple[object, ...]:
    own = replace(run.settings, model="", base_url=None, max_tokens=None)
    return own, run.repeat, run.orders, run.batch_size, run.ask, run.staged
