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
from adjudge.cli.output import emit_json, with_store
from adjudge.cli.progress import ProgressLine


def carry_out(
    work: Callable[[api.Listener], Coroutine[Any, Any, api.StoredRun]], *, store: str | None, as_json: bool
) -> int:
    """Run to the end or to an interruption; either way say how it stands and how to go on."""
    progress = ProgressLine(quiet=as_json)
    code = 0
    try:
        run_id = asyncio.run(_until_told(work(progress))).id
    except (KeyboardInterrupt, asyncio.CancelledError):
        if progress.run is None:
            raise KeyboardInterrupt from None
        run_id, code = progress.run, EXIT_INTERRUPTED
    finally:
        progress.clear()
    report = api.open_run(run_id, store=store).report()
    if as_json:
        emit_json(report.as_json())
    elif code == 0:
        from adjudge.cli.show import terminal_text

        click.echo(terminal_text(report))
        page = with_store(f"adjudge show {run_id} --format html -o report.html", store)
        click.echo(f"\nwhole report: {page}", err=True)
    if code == EXIT_INTERRUPTED:
        click.echo("interrupted; go on with: " + with_store(f"adjudge resume {run_id}", store), err=True)
    elif report.judged + report.failed < report.state.run.items:
        again = with_store(f"adjudge resume {run_id} --max-cost USD", store)
        click.echo(f"the budget is spent; go on with: {again}", err=True)
    return code or (EXIT_SOME_FAILED if report.state.status != "complete" else 0)


async def _until_told(work: Coroutine[Any, Any, api.StoredRun]) -> api.StoredRun:
    """SIGTERM stops a run as Ctrl-C does: what was answered is kept and the store says how far it came."""
    task = asyncio.ensure_future(work)
    with suppress(NotImplementedError):  # Windows has no signal handlers in its loop
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task
