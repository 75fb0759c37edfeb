"""Carrying out a run on the command line: progress, interruption, the table at the end, the exit code."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import click

from adjudge import api
from adjudge.cli import EXIT_INTERRUPTED, EXIT_SOME_FAILED
from adjudge.cli.output import emit_json
from adjudge.cli.progress import ProgressLine


def carry_out(work: Callable[[api.Listener], Coroutine[Any, Any, api.StoredRun]], *, as_json: bool) -> int:
    """Run to the end or to an interruption; either way say how it stands and how to go on."""
    progress = ProgressLine(quiet=as_json)
    try:
        run = asyncio.run(_until_told(work(progress)))
    except (KeyboardInterrupt, asyncio.CancelledError):
        progress.clear()
        if progress.run:
            click.echo(f"interrupted; go on with: adjudge resume {progress.run}", err=True)
        return EXIT_INTERRUPTED
    finally:
        progress.clear()
    report = run.report()
    if as_json:
        emit_json(report.as_json())
    else:
        from adjudge.cli.show import terminal_text

        click.echo(terminal_text(report))
        if report.judged + report.failed < report.state.run.items:
            click.echo(f"\nthe budget is spent; go on with: adjudge resume {run.id} --max-cost USD", err=True)
        click.echo(f"\nadjudge show {run.id} --format html -o report.html", err=True)
    return EXIT_SOME_FAILED if report.state.status != "complete" else 0


async def _until_told(work: Coroutine[Any, Any, api.StoredRun]) -> api.StoredRun:
    """SIGTERM stops a run as Ctrl-C does: what was answered is kept and the store says how far it came."""
    task = asyncio.ensure_future(work)
    with suppress(NotImplementedError):  # Windows has no signal handlers in its loop
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task
