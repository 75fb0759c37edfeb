"""Group commit: many small writes become one transaction, and each writer waits until its own is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from adjudge.store.store import Store
from adjudge.store.writes import Write, rows_of


class Ledger:
    """One writing thread; what arrives while it commits goes into the next transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._waiting: list[tuple[Sequence[Write], asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    def put(self, *writes: Write) -> asyncio.Future[None]:
        """Done when the writes are durable, or failed with what kept them from being so; writes keep their order."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((writes, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return done

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            group, self._waiting = self._waiting, []
            try:
                # Rows are made here and not in the thread: there it would fight for the interpreter, statement by
                # statement, with the loop that waits for it.
                rows = rows_of(write for some, _ in group for write in some)
                await loop.run_in_executor(self._thread, self._store.commit_rows, rows)
            except Exception as error:
                for _, done in group:
                    if not done.done():
                        done.set_exception(error)
                        done.exception()  # not everyone waits
            else:
                for _, done in group:
                    if not done.done():
                        done.set_result(None)

    async def close(self) -> None:
        """Wait for what is under way; nothing new comes after this."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        self._thread.shutdown(wait=True)
