"""One run by several processes of this machine: forks of this one that share what is left, as any processes may."""

from __future__ import annotations

import asyncio
import mmap
import os
import signal
import struct
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NoReturn

from adjudge.api.execute import Listener, cancelled_as, stored_options
from adjudge.api.options import RunOptions
from adjudge.api.prepare import Prepared
from adjudge.core import limits
from adjudge.core.errors import ConfigError
from adjudge.core.records import EMBEDDED
from adjudge.models.choose import hosted, kind_of
from adjudge.run.engine import Progress
from adjudge.run.usage import Usage
from adjudge.store.store import open_store
from adjudge.store.url import store_url

#: What each process may do alone.
Work = Callable[[Listener], Coroutine[Any, Any, object]]
#: judged, failed; calls, cached, tokens in and out, cost and whether it is known
_ROW = struct.Struct("=6qd?")
#: What one process counts for itself, and what would count wrongly or be asked twice with several.
_KEPT_ALONE = ("rpm", "tpm", "max_cost", "until", "candidates")


@dataclass(frozen=True, kw_only=True, slots=True)
class Crew:
    """How many processes carry out a run, and how many requests each of them may have in flight."""

    processes: int
    concurrency: int


def crew_of(prepared: Sequence[Prepared], processes: int | None = None) -> Crew:
    """As many processes as are wanted for runs yet to be made, or else as many as help."""
    if len(prepared) > 1:
        return _crew(prepared[0].options, processes, left=0, alone="several models are asked by one process")
    (one,) = prepared
    alone = _alone(one.options, staged=one.planner.options.staged)
    return _crew(one.options, processes, left=one.dataset.count, alone=alone)


def crew_for(name: str, *, store: str | None, processes: int | None = None, **changes: Any) -> Crew:
    """As many processes as are wanted for the rest of a run, or else as many as help."""
    with open_store(store_url(store), create=False) as opened:
        state = opened.find_run(name)
        if state.status == "complete":
            return Crew(processes=1, concurrency=1)
        options = stored_options(opened, state.run, changes)
    alone = _alone(options, staged=state.run.staged)
    return _crew(options, processes, left=state.run.items - state.judged, alone=alone)


def _crew(options: RunOptions, processes: int | None, *, left: int, alone: str) -> Crew:
    if processes is None:
        processes = 1 if alone else _helpful(options, left)
    elif processes > 1 and alone:
        raise ConfigError(f"--processes {processes}: {alone}", hint="leave --processes out")
    processes = max(min(processes, options.concurrency), 1)
    return Crew(processes=processes, concurrency=options.concurrency // processes)


def _alone(options: RunOptions, *, staged: bool) -> str:
    """Why a run is for one process; "" where it is not."""
    for name in _KEPT_ALONE:
        if getattr(options, name):
            return f"--{name.removesuffix('s').replace('_', '-')} is kept by one process"
    if staged:
        return "what stages list is shared within one process"
    if kind_of(options.model) != EMBEDDED and not hosted(options.model):
        return f"{kind_of(options.model)} answers in one process"
    if sys.platform != "linux":
        return "a run is shared out on Linux only"
    return "there are threads in this process" if threading.active_count() > 1 else ""


def _helpful(options: RunOptions, left: int) -> int:
    """One for each core and each so many items; and for each so many requests, where it is a server that computes."""
    by_requests = options.concurrency // limits.CREW_REQUESTS if hosted(options.model) else limits.CREW_MOST
    return min(len(os.sched_getaffinity(0)), limits.CREW_MOST, left // limits.CREW_ITEMS, by_requests)


class Board:
    """Memory in which helpers write how far they are, for the line of progress alone: the store knows it exactly.

    Its last byte is their parent's: whether it has come to the end of its work, by whatever reason but being stopped.
    """

    def __init__(self, rows: int) -> None:
        self._starts = [row * _ROW.size for row in range(rows)]
        self._memory = mmap.mmap(-1, rows * _ROW.size + 1)

    def end(self) -> None:
        """Say, as the parent, that the work has come to its end."""
        self._memory[-1] = 1

    def cancelled_as(self) -> Literal["partial", "interrupted"]:
        """How the work of a helper counts that is told to stop: it is interrupted only where its parent was."""
        return "partial" if self._memory[-1] else "interrupted"

    def note(self, row: int, progress: Progress) -> None:
        """What one of them has done."""
        used = progress.usage
        counts = (used.calls, used.cached, used.tokens_in, used.tokens_out, used.cost_usd, used.cost_known)
        _ROW.pack_into(self._memory, self._starts[row], progress.judged, progress.failed, *counts)

    def added(self, progress: Progress) -> Progress:
        """What this process and its helpers have done together."""
        used = progress.usage
        judged, failed = progress.judged, progress.failed
        calls, cached, tokens_in, tokens_out = used.calls, used.cached, used.tokens_in, used.tokens_out
        cost, known = used.cost_usd, used.cost_known
        for start in self._starts:
            row = _ROW.unpack_from(self._memory, start)
            judged, failed, calls, cached = judged + row[0], failed + row[1], calls + row[2], cached + row[3]
            tokens_in, tokens_out, cost = tokens_in + row[4], tokens_out + row[5], cost + row[6]
            known &= row[7] or not row[2]
        usage = Usage(
            calls=calls, cached=cached, tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost, cost_known=known
        )
        return replace(progress, judged=judged, failed=failed, usage=usage)


@contextmanager
def helped(helpers: int, work: Work) -> Iterator[Callable[[Progress], Progress]]:
    """Have forks of this process do the same work meanwhile; gives what adds their progress to one's own.

    They end with this process, however it ends: each holds an end of a pipe that nobody else writes to.
    """
    board = Board(helpers)
    if not helpers:
        yield board.added
        return
    alive, life = os.pipe()
    children: list[int] = []
    try:
        for row in range(helpers):
            with suppress(BlockingIOError):  # the system has no room for one more: it goes on without
                if not (child := os.fork()):
                    os.close(life)
                    cancelled_as.set(board.cancelled_as)
                    _help(work, partial(board.note, row), alive)
                children.append(child)
        yield board.added
        board.end()
    finally:
        os.close(life)
        os.close(alive)
        for child in children:
            os.waitpid(child, 0)


def _help(work: Work, listener: Listener, alive: int) -> NoReturn:
    """The whole life of a helper. What stops one alone is no fault of the run: others take over what it leaves."""
    try:
        asyncio.run(_while_alive(work(listener), alive))
    except BaseException:  # noqa: S110
        pass
    finally:
        os._exit(0)  # what this process has yet to print or to close is its parent's


async def _while_alive(work: Coroutine[Any, Any, object], parent: int) -> None:
    """Stop as after Ctrl-C when the parent ends or says so: what was answered is kept."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

    def stop() -> None:
        loop.remove_reader(parent)
        if not task.cancelling():
            task.cancel()

    loop.add_reader(parent, stop)
    loop.add_signal_handler(signal.SIGTERM, stop)
    await task
