"""Group commit: many small writes become one transaction, and each writer waits until its own is on disk."""

from __future__ import annotations

import asyncio
from itertools import chain

from adjudge.core import limits
from adjudge.core.errors import Busy
from adjudge.store.store import Store
from adjudge.store.writes import Placed, Write, placed, rows_of

_Waiting = tuple[list[tuple[str, list[Placed]]], "asyncio.Future[None]"]


class Ledger:
    """Commits, at the end of every turn of the loop, what was put into it during the turn.

    In the loop's own thread: a thread beside it would have to win the interpreter back from the loop after each of its
    statements, and that takes longer than the disk (docs/decisions/0012-commit-in-the-loop.md).
    """

    def __init__(self, store: Store) -> None:
        self._store, self._loop = store, asyncio.get_running_loop()
        self._waiting: list[_Waiting] = []
        self._failed: Exception | None = None

    def put(self, *writes: Write) -> asyncio.Future[None]:
        """Done when the writes are durable, or failed with what kept them from being so; writes keep their order."""
        done: asyncio.Future[None] = self._loop.create_future()
        if not self._waiting:
            self._loop.call_soon(self._due, limits.COMMIT_TURNS)
        self._waiting.append(([placed(write) for write in writes], done))
        return done

    def _due(self, turns: int) -> None:
        """Commit after so many turns more: what has come in meanwhile is read in them, and goes along."""
        if turns:
            self._loop.call_soon(self._due, turns - 1)
        else:
            self._commit_if_free(self._loop.time() + limits.COMMIT_PATIENCE_S)

    def _commit_if_free(self, until: float) -> None:
        """While another process writes to the store, requests go on; for a while."""
        try:
            self.commit(wait=self._loop.time() > until)
        except Busy:
            self._loop.call_later(limits.COMMIT_AGAIN_S, self._commit_if_free, until)

    def commit(self, *, wait: bool = True) -> None:
        """Make durable what waits; whoever waits for it is told, also that it failed.

        After a failure nothing more is written: an outcome must not be kept whose reply was lost before it. Without
        `wait`, where another process is writing, nothing has happened and it is Busy.
        """
        group = self._waiting
        if group and self._failed is None:
            try:
                self._store.commit_rows(rows_of(chain.from_iterable(rows for rows, _ in group)), wait=wait)
            except Exception as error:
                if isinstance(error, Busy) and not wait:
                    raise
                self._failed = error
        self._waiting = []
        for _, done in group:
            if done.done():
                continue
            if self._failed is None:
                done.set_result(None)
            else:
                done.set_exception(self._failed)
                done.exception()  # not everyone waits
