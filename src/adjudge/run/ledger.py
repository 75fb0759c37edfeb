"""Group commit: many small writes become one transaction, and each writer waits until its own is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from adjudge.store.store import Store
from adjudge.store.writes import Write


class Ledger:
    """One writing thread; what arrives while it commits goes into the next transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._waiting: list[tuple[Sequence[Write], asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None
        self._posted: set[asyncio.Future[None]] = set()
        self._failed: BaseException | None = None

    async def put(self, *writes: Write) -> None:
        """Return when the writes are durable, or raise what kept them from being so."""
        await self._queue(writes)

    def post(self, *writes: Write) -> None:
        """Write soon, without waiting: for what can be made again from what is durable. `flush` tells how it went."""
        posted = self._queue(writes)
        self._posted.add(posted)
        posted.add_done_callback(self._noted)

    async def flush(self) -> None:
        """Return when all that was posted is durable, or raise what kept it from being so."""
        while self._posted:
            await asyncio.wait(self._posted)
        if self._failed is not None:
            raise self._failed

    def _queue(self, writes: Sequence[Write]) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((writes, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return done

    def _noted(self, posted: asyncio.Future[None]) -> None:
        self._posted.discard(posted)
        if not posted.cancelled() and self._failed is None:
            self._failed = posted.exception()

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            group, self._waiting = self._waiting, []
            writes = [write for some, _ in group for write in some]
            try:
                await loop.run_in_executor(self._thread, self._store.commit, writes)
            except Exception as error:
                for _, done in group:
                    if not done.done():
                        done.set_exception(error)
            else:
                for _, done in group:
                    if not done.done():
                        done.set_result(None)

    async def close(self) -> None:
        """Wait for what is under way; nothing new comes after this."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        self._thread.shutdown(wait=True)
