"""The store: everything a run read, asked, got and concluded, durable before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from adjudge.core.records import Call
from adjudge.store.database import Collided, Database
from adjudge.store.datasets import Datasets
from adjudge.store.labels import Labels
from adjudge.store.results import Results
from adjudge.store.runs import Runs
from adjudge.store.sqlite import Sqlite
from adjudge.store.url import is_postgres, sqlite_path
from adjudge.store.writes import CallFailed, ReplyDone, Span, Write, apply


class Store(Datasets, Runs, Results, Labels):
    """One store, safe to use from several threads and several processes."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._datasets: dict[str, tuple[str, int]] = {}

    def commit(self, writes: Sequence[Write]) -> None:
        """Write all of it durably in one transaction, or nothing; writing it again changes nothing."""
        if not writes:
            return
        span = self._span(writes)
        try:
            with self._db.write(alone=False) as transaction:
                apply(transaction, writes, span)
        except Collided:
            # Tried again beside the other, it could collide again for ever.
            with self._db.write() as transaction:
                apply(transaction, writes, span)

    def close(self) -> None:
        """Let go of the runs this store runs, and of the database."""
        self._release()
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _span(self, writes: Sequence[Write]) -> Span:
        """Where the calls' items stand in their dataset; a call without items stands after all of them."""
        wanted: dict[str, set[str]] = {}
        for write in writes:
            if isinstance(write, ReplyDone | CallFailed):
                wanted.setdefault(write.run, set()).update(write.call.items)
        positions = {run: self._positions(run, sorted(ids)) for run, ids in wanted.items()}

        def span(run: str, call: Call) -> tuple[int, int]:
            places = [positions[run][item] for item in call.items if item in positions[run]]
            end = self._dataset(run)[1]
            return (min(places), max(places)) if places else (end, end)

        return span

    def _positions(self, run: str, ids: list[str]) -> dict[str, int]:
        sql = "SELECT id, position FROM items WHERE dataset = ? AND id IN (...)"
        return {row[0]: row[1] for row in self._db.read_each(sql, (self._dataset(run)[0],), ids)}

    def _dataset(self, run: str) -> tuple[str, int]:
        if run not in self._datasets:
            manifest = self.state(run).run
            self._datasets[run] = (manifest.data_digest, manifest.items)
        return self._datasets[run]


def open_store(url: str, *, create: bool = True) -> Store:
    """Open the store that a URL or a path names; without `create` it must be there already."""
    if is_postgres(url):
        from adjudge.store.postgres import Postgres

        return Store(Postgres(url, create=create))
    return Store(Sqlite(sqlite_path(url), create=create))
