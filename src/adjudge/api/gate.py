"""Bounds on the figures of a run: met or missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from adjudge.api.drops import EVERY, Drops
from adjudge.api.figures import Figures, within
from adjudge.api.stored import StoredRun, open_run
from adjudge.core.errors import ConfigError
from adjudge.core.runs import Run
from adjudge.report.gated import Difference, Gated, Held, On


def gate(
    run: StoredRun | str,
    *,
    minimum: Mapping[str, float] | None = None,
    maximum: Mapping[str, float] | None = None,
    max_drop: float | Mapping[str, float] | None = None,
    baseline: StoredRun | str | None = None,
    on: On = "mean",
    min_judged: float | None = None,
    max_failed: float | None = None,
    store: str | None = None,
) -> Gated:
    """Hold figures of a run against bounds, and against a baseline run item by item.

    A figure is a criterion, a derived value, either of one candidate (`correctness:ModelA`), `win_rate:ModelA`, or a
    share of items (`coverage>=4`). `max_drop` is for every criterion, or by name. Every item must be judged, unless
    `min_judged` or `max_failed` says how large a share must be, or need not be.
    """
    found = _opened(run, store)
    base = None if baseline is None else _opened(baseline, store)
    drops = {EVERY: max_drop} if isinstance(max_drop, int | float) else dict(max_drop or {})
    if drops and base is None:
        raise ConfigError("a drop needs a run to drop from", hint="add --baseline RUN")
    if base is not None and not drops:
        raise ConfigError("a baseline is given, and no bound on the drop from it", hint="add --max-drop 0.1")
    least = _least(min_judged, max_failed)
    make = partial(Held, on=on, least=least, max_failed=max_failed)
    figures = Figures(found, make, rows=base is not None)
    against = None if base is None else Drops(figures, base)
    state = figures.state
    share = state.judged / state.wanted if state.wanted else 0.0
    held = [make(kind="min-judged", figure="", limit=least, value=share, n=state.judged, of=state.wanted)]
    held += [figures.bounded("min", name, limit) for name, limit in (minimum or {}).items()]
    held += [figures.bounded("max", name, limit) for name, limit in (maximum or {}).items()]
    held += [] if against is None else against.held(drops)
    return Gated(
        state=state,
        lang=found.judge.lang,
        held=tuple(held),
        baseline=None if base is None else base.state.run,
        differs=() if base is None else tuple(_differences(state.run, base.state.run)),
        apart=0 if against is None else against.apart,
        other_reference=0 if against is None else against.other_reference,
    )


def _opened(run: StoredRun | str, store: str | None) -> StoredRun:
    return open_run(run, store=store) if isinstance(run, str) else run


def _least(min_judged: float | None, max_failed: float | None) -> float:
    """The share of items that must have a score."""
    if max_failed is None:
        least = 1.0 if min_judged is None else min_judged
        within(least, 0, 1, "min-judged", "")
        return least
    if min_judged is not None:
        raise ConfigError("--min-judged and --max-failed say the same", hint="give one of them")
    within(max_failed, 0, 1, "max-failed", "")
    return 1.0 - max_failed


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
