"""What every database must offer the store: plain SQL with `?`, exact text, pages instead of open cursors."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from importlib import resources
from itertools import chain
from typing import Any, Protocol, TypeAlias

from adjudge.core import limits
from adjudge.core.errors import Busy

Values: TypeAlias = Sequence[Any]
Row: TypeAlias = tuple[Any, ...]

# Databases refuse lone surrogates, and PostgreSQL refuses NUL; hostile text holds both and must come back unchanged.
_MARK = "\x1a"
_UNSTORABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_MARKED = re.compile(_MARK + "([0-9a-f]{4})")


def pack(text: str) -> str:
    """The text as any database can hold it: one spelling each, nothing lost."""
    if _MARK not in text and "\x00" not in text:
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNSTORABLE.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", text)


def unpack(text: str) -> str:
    """The text as it was before `pack`."""
    return _MARKED.sub(lambda found: chr(int(found[1], 16)), text) if _MARK in text else text


def packed(values: Values) -> Row:
    """Statement parameters with every text packed."""
    return tuple([pack(value) if isinstance(value, str) else value for value in values])


@cache
def migrations() -> Sequence[tuple[int, list[str]]]:
    """The numbered migrations in order, each as its statements; none of them holds a `;` inside a statement."""
    folder = resources.files(__package__) / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [
        (int(file.name.removesuffix(".sql")), [part for part in file.read_text("utf-8").split(";\n") if part.strip()])
        for file in files
    ]


class Collided(Busy):
    """Two transactions waited for one another; this one was undone, and may be tried again alone."""


class Cursor(Protocol):
    """The part of a DB-API cursor that is used."""

    @property
    def rowcount(self) -> int: ...
    def execute(self, sql: str, parameters: Any, /) -> Any: ...
    def executemany(self, sql: str, parameters: Any, /) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class Transaction:
    """One writing transaction: all of it is kept, or none."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def run(self, sql: str, values: Values = ()) -> int:
        """Execute one statement; the number of rows it touched."""
        self._cursor.execute(sql, packed(values))
        return self._cursor.rowcount

    def many(self, sql: str, rows: Iterable[Values]) -> int:
        """Execute one statement for every row of values, prepared once."""
        self._cursor.executemany(sql, map(packed, rows))
        return self._cursor.rowcount

    def insert(self, head: str, tail: str, rows: Sequence[Row], *, key: int) -> int:
        """Insert rows, many with each statement; the first `key` columns tell a row from the others."""
        if len({row[:key] for row in rows}) < len(rows):
            # No database takes one row twice in one statement.
            return sum(self.run(_inserting(head, tail, len(row), 1), row) for row in rows)
        done = 0
        for start in range(0, len(rows), limits.STORE_ROWS_PER_INSERT):
            some = rows[start : start + limits.STORE_ROWS_PER_INSERT]
            done += self.run(_inserting(head, tail, len(some[0]), len(some)), list(chain.from_iterable(some)))
        return done

    def read(self, sql: str, values: Values = ()) -> list[Row]:
        self._cursor.execute(sql, packed(values))
        return self._cursor.fetchall()


@lru_cache(maxsize=1024)
def _inserting(head: str, tail: str, width: int, height: int) -> str:
    row = f"({', '.join('?' * width)})"
    return f"{head} {', '.join([row] * height)} {tail}"


class Database(ABC):
    """A place for the store's tables."""

    @abstractmethod
    def read(self, sql: str, values: Values = (), *, chars: int | None = None) -> list[Row]:
        """The rows of a query; with `chars`, only as many as hold about so much text."""

    @abstractmethod
    def write(self, *, alone: bool = True, wait: bool = True) -> AbstractContextManager[Transaction]:
        """A transaction that is durable when the block ends, and undone when it raises.

        When not `alone`, others that need not be alone may be written at the same time; what it writes must not depend
        on what it has read. Without `wait` it is Busy at once where it would have to wait for another to end.
        """

    @abstractmethod
    def close(self) -> None: ...

    def read_each(self, sql: str, values: Values, keys: Sequence[str]) -> Iterator[Row]:
        """The rows of a query that ends in `IN (...)`, for any number of keys."""
        for start in range(0, len(keys), limits.STORE_KEYS_PER_QUERY):
            some = keys[start : start + limits.STORE_KEYS_PER_QUERY]
            yield from self.read(sql.replace("(...)", f"({', '.join('?' * len(some))})"), (*values, *some))

    def scan(self, sql: str, values: Values, after: Row) -> Iterator[Row]:
        """The rows of an ordered query, page by page.

        No cursor stays open, so that writers go on meanwhile. The query ends in the condition "greater than `after`"
        and its ORDER BY, and its first columns are the ones it is ordered by.
        """
        paged = f"{sql} LIMIT {limits.STORE_PAGE_ROWS}"
        while rows := self.read(paged, (*values, *after), chars=limits.STORE_PAGE_CHARS):
            yield from rows
            after = rows[-1][: len(after)]


class Part:
    """A part of the store: some of its tables, and the questions asked of them."""

    _url = ""

    def __init__(self, database: Database) -> None:
        self._db = database
