"""A progress line on a terminal: done, failed, rate, cost and time left. In a pipe only what is wrong is said."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Callable, Sequence

import click

from adjudge.report.plain import fit
from adjudge.run.engine import Progress

_EVERY_S = 0.1
_BAR = 16
#: Between two lines about a run's trouble: each stands on its own, and a failing server must not fill the screen.
_TOLD_EVERY_S = 5.0
_TOLD_COLUMNS = 300
#: Counts and ids in a server's words do not make it another trouble.
_VARYING = re.compile(r"\w*\d\w*")


class ProgressLine:
    """Draws itself over one line of standard error; `runs` are those that it was told of, in their order."""

    def __init__(self, *, quiet: bool = False) -> None:
        #: Adds what other processes have done to what this one is told.
        self.added: Callable[[Progress], Progress] = lambda progress: progress
        self._progress: dict[str, Progress] = {}
        self._shown = not quiet and sys.stderr.isatty()
        self._began = time.monotonic()
        self._last = 0.0
        self._told: set[tuple[str, str]] = set()
        self._told_at: dict[str, float] = {}

    @property
    def runs(self) -> list[str]:
        return list(self._progress)

    def stopped(self, run: str) -> str:
        """Why a run was ended before all was judged."""
        return self._progress[run].stopped if run in self._progress else ""

    def paused(self, run: str) -> bool:
        """Whether that was since its server gives no more for now."""
        return run in self._progress and self._progress[run].paused

    def __call__(self, progress: Progress) -> None:
        self._progress[progress.run] = progress
        now = time.monotonic()
        self._tell(progress, now)
        every = list(self._progress.values())
        if self._shown and (now - self._last >= _EVERY_S or all(_done(one) == one.total for one in every)):
            self._last = now
            every = list(map(self.added, every))
            width = shutil.get_terminal_size().columns - 1
            drawn = line(every, now - self._began)
            if len(drawn) > width:
                drawn = line(every, now - self._began, calls=False)
            click.echo("\r\033[K" + fit(drawn, width), err=True, nl=False)

    def _tell(self, progress: Progress, now: float) -> None:
        """Trouble is said once, early, and also where there is no terminal: who waits should know for what."""
        if not progress.trouble:
            return
        kind = progress.run, _VARYING.sub("", progress.trouble)
        if kind in self._told or now - self._told_at.get(progress.run, -_TOLD_EVERY_S) < _TOLD_EVERY_S:
            return
        self._told.add(kind)
        self._told_at[progress.run] = now
        self.clear()
        click.echo(f"adjudge: {fit(self._trouble(progress), _TOLD_COLUMNS)}", err=True)

    def _trouble(self, progress: Progress) -> str:
        return progress.trouble if len(self._progress) == 1 else f"{progress.model}: {progress.trouble}"

    def clear(self) -> None:
        """Leave the terminal as it was found."""
        if self._shown and self._last:
            click.echo("\r\033[K", err=True, nl=False)


def line(every: Sequence[Progress], seconds: float, *, calls: bool = True) -> str:
    """The progress of all runs after so many seconds, on one line; with the calls where items take several of them."""
    done, total = sum(map(_done, every)), sum(one.total for one in every)
    full = round(_BAR * done / max(total, 1))
    made = sum(one.usage.calls for one in every)
    several = f", {made} calls" if calls and made >= 2 * max(done, 1) else ""
    parts = [f"{'█' * full}{'░' * (_BAR - full)} {done}/{total}{several}"]
    if len(every) > 1:
        parts.append(f"{len(every)} models")
    if failed := sum(one.failed for one in every):
        parts.append(f"{failed} failed")
    if trouble := next((one.trouble for one in every if one.trouble), ""):
        return " · ".join([*parts, trouble])
    if cached := sum(one.usage.cached for one in every):
        parts.append(f"{cached} from the store")
    if seconds > 0 and done:
        parts.append(f"{done / seconds:.1f}/s")
    if all(one.usage.cost_known for one in every):
        if spent := sum(one.usage.cost_usd for one in every):
            parts.append(f"${spent:.4f}")
    else:
        parts.append(f"{sum(one.usage.tokens_in + one.usage.tokens_out for one in every):,} tokens")
    if lefts := [seconds / _done(one) * (one.total - _done(one)) for one in every if 0 < _done(one) < one.total]:
        left = round(max(lefts))
        parts.append(f"{left // 60}:{left % 60:02d} left")
    return " · ".join(parts)


def _done(progress: Progress) -> int:
    return progress.judged + progress.failed
