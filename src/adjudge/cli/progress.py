"""A progress line on a terminal: done, failed, rate, cost and time left. In a pipe, silence."""

from __future__ import annotations

import shutil
import sys
import time

import click

from adjudge.run.engine import Progress

_EVERY_S = 0.1
_BAR = 24


class ProgressLine:
    """Draws itself over one line of standard error; `run` is the run that it was told of."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.run: str | None = None
        self._shown = not quiet and sys.stderr.isatty()
        self._began = time.monotonic()
        self._last = 0.0

    def __call__(self, progress: Progress) -> None:
        self.run = progress.run
        now = time.monotonic()
        done = progress.judged + progress.failed
        if self._shown and (now - self._last >= _EVERY_S or done == progress.total):
            self._last = now
            width = shutil.get_terminal_size().columns - 1
            click.echo("\r\033[K" + line(progress, now - self._began)[:width], err=True, nl=False)

    def clear(self) -> None:
        """Leave the terminal as it was found."""
        if self._shown and self._last:
            click.echo("\r\033[K", err=True, nl=False)


def line(progress: Progress, seconds: float) -> str:
    """The progress line after so many seconds."""
    done = progress.judged + progress.failed
    full = round(_BAR * done / max(progress.total, 1))
    parts = [f"{'█' * full}{'░' * (_BAR - full)} {done}/{progress.total}"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.usage.cached:
        parts.append(f"{progress.usage.cached} from the store")
    if seconds > 0 and done:
        parts.append(f"{done / seconds:.1f}/s")
    usage = progress.usage
    parts.append(f"${usage.cost_usd:.4f}" if usage.cost_known else f"{usage.tokens_in + usage.tokens_out:,} tokens")
    if done and done < progress.total:
        left = round(seconds / done * (progress.total - done))
        parts.append(f"{left // 60}:{left % 60:02d} left")
    return " · ".join(parts)
