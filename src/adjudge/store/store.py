"""The store: everything a run read, asked, got and concluded, durable before it counts."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from adjudge.core import points
from adjudge.store.database import Collided
from adjudge.store.datasets import Datasets
from adjudge.store.labels import Labels
from adjudge.store.reports import Reports
from adjudge.store.results import Results
from adjudge.store.runs import Runs
from adjudge.store.shares import Shares
from adjudge.store.spending import Spending
from adjudge.store.sqlite import Sqlite
from adjudge.store.twins import Twins
from adjudge.store.url import is_postgres, sqlite_path
from adjudge.store.writes import Rows, Write, apply, placed, rows_of


class _Idle(threading.local):
    """The stores that this thread is done with, by URL, where they stay open; None where they do not."""

    stores: dict[str, list[Store]] | None = None


_IDLE = _Idle()


class Store(Datasets, Runs, Shares, Results, Spending, Twins, Reports, Labels):
    """One store, safe to use from several threads and several processes."""

    def commit(self, writes: Sequence[Write]) -> None:
        """Write all of it durably in one transaction, or nothing; writing it again changes nothing."""
        if writes:
            self.commit_rows(rows_of(map(placed, writes)))

    def commit_rows(self, rows: Rows, *, wait: bool = True) -> None:
        """`commit` for writes that have been made into rows; Busy where another process writes and none may wait."""
        try:
            with self._db.write(alone=False, wait=wait) as transaction:
                points.reached("commit.begun")
                apply(transaction, rows)
                points.reached("commit.written")
        except Collided:
            # Tried again beside the other, it could collide again for ever.
            with self._db.write() as transaction:
                apply(transaction, rows)
        points.reached("commit.durable")

    def check_writable(self) -> None:
        """StoreError where nothing can be written."""
        with self._db.write():
            pass

    def close(self) -> None:
        """Let go of the runs this store runs, and of the database."""
        self._release()
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and _IDLE.stores is not None:
            self._release()
            _IDLE.stores[self._url].append(self)
        else:
            self.close()


def open_store(url: str, *, create: bool = True) -> Store:
    """Open the store that a URL or a path names; without `create` it must be there already."""
    if _IDLE.stores and (idle := _IDLE.stores[url]):
        return idle.pop()
    if is_postgres(url):
        from adjudge.store.postgres import Postgres

        opened = Store(Postgres(url, create=create))
    else:
        opened = Store(Sqlite(sqlite_path(url), create=create))
    opened._url = url
    return opened


@contextmanager
def kept_open() -> Iterator[None]:
    """Within it, a store that this thread opened and is done with stays open for when it opens the same again.

    Opening one takes longer than most of what a page asks of it.
    """
    stores = _IDLE.stores = defaultdict(list)
    try:
        yield
    finally:
        _IDLE.stores = None
        for each in stores.values():
            for store in each:
                store.close()
