"""Carrying out runs on the command line: progress, interruption, the tables at the end, the exit code."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

import click

from adjudge import api
from adjudge.cli import EXIT_INTERRUPTED, EXIT_SOME_FAILED
from adjudge.cli.output import emit_json, safe
from adjudge.cli.progress import ProgressLine
from adjudge.report.tables import Report
from adjudge.report.words import words
from adjudge.store.url import with_store

Work: TypeAlias = Coroutine[Any, Any, Sequence[api.StoredRun]]
#: Python's own 700 would cost a run one twentieth of its processor time.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000
#: How a run may have ended, the worst last.
_CODES = {"complete": 0, "partial": EXIT_SOME_FAILED, "interrupted": EXIT_INTERRUPTED}


def share_out(run: str, crew: api.Crew, *, store: str | None, as_json: bool, **changes: Any) -> int:
    """Carry out a stored run in one process or several."""

    async def work(listener: api.Listener) -> list[api.StoredRun]:
        given = {**changes, "concurrency": crew.concurrency}
        return [await api.resume_async(run, store=store, listener=listener, **given)]

    return carry_out(work, store=store, as_json=as_json, helpers=crew.processes - 1)


def carry_out(work: Callable[[api.Listener], Work], *, store: str | None, as_json: bool, helpers: int = 0) -> int:
    """Run to the end or to an interruption; either way say how it stands and how to go on."""
    interrupted = False
    # What is there by now stays to the end, and what a call makes is freed with it: to look for circles is in vain.
    # Who calls this from a process of their own may have frozen what is theirs already: then it stays so.
    usual, frozen = gc.get_threshold(), gc.get_freeze_count() > 0
    if not frozen:
        gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    progress = ProgressLine(quiet=as_json)
    try:
        with api.helped(helpers, work) as added:
            progress.added = added
            ids = [run.id for run in asyncio.run(_until_told(work(progress)))]
    except (KeyboardInterrupt, asyncio.CancelledError):
        if not progress.runs:
            raise KeyboardInterrupt from None
        ids, interrupted = progress.runs, True
    finally:
        gc.set_threshold(*usual)
        if not frozen:
            gc.unfreeze()
        progress.clear()
    runs = [api.open_run(run_id, store=store) for run_id in ids]
    reports = [_of_this_process(run.report(keep=True), interrupted=interrupted) for run in runs]
    # told to stop when all was done, it has not been interrupted
    interrupted &= any(report.state.status != "complete" for report in reports)
    if as_json:
        emit_json(_as_json(runs, reports))
    elif not interrupted:
        _show(runs, reports, store)
    for report in reports:
        why, paused = progress.stopped(report.state.run.id), progress.paused(report.state.run.id)
        if why and not paused and None not in (costs := [one.state.cost_usd for one in reports]):
            why += f": {words('en').cost(sum(cost or 0.0 for cost in costs))} is spent"
        _say_how_to_go_on(report, store, interrupted=interrupted, why=why, paused=paused)
    return EXIT_INTERRUPTED if interrupted else max(map(_code, reports))


def _as_json(runs: Sequence[api.StoredRun], reports: Sequence[Report]) -> dict[str, Any]:
    if len(reports) == 1:
        return reports[0].as_json()
    costs = [report.state.cost_usd for report in reports]
    return {
        "status": max(reports, key=_code).state.status,
        "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
        "runs": [report.as_json() for report in reports],
        "comparison": api.side_by_side(runs, reports).as_json(),
    }


def _show(runs: Sequence[api.StoredRun], reports: Sequence[Report], store: str | None) -> None:
    """The report of one run, or how several compare; and where the rest is."""
    from adjudge.cli.show import terminal_comparison, terminal_text

    if len(runs) == 1:
        click.echo(terminal_text(reports[0]))
    else:
        click.echo(terminal_comparison(api.side_by_side(runs, reports)))
    page = "adjudge show {} -o report.html" if len(runs) == 1 else "adjudge show {}"
    for number, run in enumerate(runs):
        click.echo(("" if number else "\n") + f"whole report: {with_store(page.format(run.id), store)}", err=True)
    if len(runs) > 1:
        together = " ".join(run.id for run in runs)
        click.echo(f"how surely they differ: {with_store(f'adjudge compare {together}', store)}", err=True)
    click.echo(f"in a browser: {with_store('adjudge serve', store)}", err=True)


def _of_this_process(report: Report, *, interrupted: bool) -> Report:
    """A run that others still work at is not running here any more, nor is interrupted here what others broke off."""
    ended = report.state.status == "running" or (report.state.status == "interrupted" and not interrupted)
    return replace(report, state=replace(report.state, status="partial")) if ended else report


def _say_how_to_go_on(report: Report, store: str | None, *, interrupted: bool, why: str, paused: bool) -> None:
    state = report.state
    again = f"adjudge resume {state.run.id}"
    if interrupted and state.status != "complete" and not why:
        click.echo(f"interrupted; go on with: {with_store(again, store)}", err=True)
    elif report.judged + report.failed < state.run.items and not (state.answer and state.answer.answered):
        # with the old ceiling nothing more would be judged
        more = f"{again} --max-cost USD" if why and not paused else again
        click.echo(safe(f"{why or 'not all was judged'}\ngo on with: {with_store(more, store)}"), err=True)


def _code(report: Report) -> int:
    return _CODES.get(report.state.status, EXIT_SOME_FAILED)


async def _until_told(work: Work) -> Sequence[api.StoredRun]:
    """SIGTERM stops a run as Ctrl-C does: what was answered is kept and the store says how far it came."""
    task = asyncio.ensure_future(work)
    with suppress(NotImplementedError):  # Windows has no signal handlers in its loop
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task
