"""PostgreSQL: everything that is not common SQL."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from adjudge.core import limits, points
from adjudge.core.errors import Busy, ConfigError, Conflict, Corrupt, SchemaTooNew, StoreError
from adjudge.store.database import Collided, Database, Row, Transaction, Values, migrations, packed, unpack
from adjudge.store.url import check_postgres, shown_url

try:
    import psycopg
    from psycopg import errors
except ImportError as error:
    raise ConfigError(
        "PostgreSQL stores need the package psycopg", where="--store", hint='pip install "adjudge[postgres]"'
    ) from error

Connection: TypeAlias = psycopg.Connection[Row]

_SCHEMA = "adjudge"
_MIGRATING = 0x61646A67  # "adjg": the number of the advisory lock, since there is no table to lock yet
_CONNECT = {
    "client_encoding": "utf8",
    "application_name": "adjudge",
    "connect_timeout": int(limits.CONNECT_TIMEOUT_S),
    # A server that vanishes without a word is noticed within a minute.
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 50_000,
}
# Every query has its index. Without statistics, and a run that has just begun has none, PostgreSQL would rather read
# and sort the whole table for each page of it, and keep to what was best while the table was empty.
_OTHER_WAYS = ("seqscan", "bitmapscan", "sort", "hashjoin", "mergejoin")
_BY_INDEX = "; ".join(f"SET enable_{way} = off" for way in _OTHER_WAYS)
_SESSION = f"""
SET search_path = {_SCHEMA};
SET lock_timeout = '{limits.STORE_BUSY_S:.0f}s';
{_BY_INDEX};
SET plan_cache_mode = force_custom_plan;
SET jit = off;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""
_TABLES = """
SELECT COUNT(*), COALESCE(SUM(CASE WHEN relname = 'schema_version' THEN 1 ELSE 0 END), 0)
FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?)
"""
# Each key is looked up by itself (OFFSET 0 sees to it), as one statement with a list of any length.
_EACH = "SELECT found.* FROM unnest(?::text[]) AS wanted (key) CROSS JOIN LATERAL (... OFFSET 0) AS found"
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# Reading goes on beside both. Writers that may work side by side let one another in, and keep out those that may not.
_LOCKS = {True: "EXCLUSIVE", False: "ROW EXCLUSIVE"}


class Postgres(Database):
    """A store in the schema `adjudge` of a database, with one connection to write and one to read."""

    def __init__(self, url: str, *, create: bool) -> None:
        self._password = check_postgres(url)
        self._url, self._shown = url, shown_url(url)
        self._steps = migrations()
        self._reader, self._writer = _Link(self._connect), _Link(self._connect)
        try:
            self._prepare(create=create)
        except BaseException:
            self.close()
            raise

    def read(self, sql: str, values: Values = (), *, chars: int | None = None) -> list[Row]:
        with self._errors(), self._reader.use() as connection, connection.cursor() as cursor:
            if chars is None:
                return _rows(cursor.execute(_translated(sql), packed(values)))
            rows: list[Row] = []
            size = limits.STORE_STREAM_ROWS if psycopg.capabilities.has_stream_chunked() else 1
            for row in cursor.stream(_translated(sql), packed(values), size=size):
                rows.append(row)
                chars -= sum(len(value) for value in row if isinstance(value, str))
                if chars <= 0:
                    break
            return _rows(rows)

    def read_each(self, sql: str, values: Values, keys: Sequence[str]) -> Iterator[Row]:
        sql = _EACH.replace("...", sql.replace("IN (...)", "= wanted.key"))
        distinct = list(packed(tuple(dict.fromkeys(keys))))
        for start in range(0, len(distinct), limits.STORE_KEYS_PER_QUERY):
            yield from self.read(sql, (distinct[start : start + limits.STORE_KEYS_PER_QUERY], *values))

    @contextmanager
    def write(self, *, alone: bool = True, wait: bool = True) -> Iterator[Transaction]:
        # Those that need not be alone wait for nobody.
        # A statement that is executed many times is planned once, but in every transaction anew.
        planned = "DISCARD PLANS; SET LOCAL plan_cache_mode = auto"
        begin = f"{_BEGIN}; {planned}; LOCK TABLE schema_version IN {_LOCKS[alone]} MODE"
        with self._errors(), self._writer.use() as connection, _transaction(connection, begin) as transaction:
            yield transaction

    def close(self) -> None:
        self._reader.close()
        self._writer.close()

    def _connect(self) -> Connection:
        try:
            given = psycopg.conninfo.conninfo_to_dict(self._url)
            wanted: dict[str, Any] = {name: value for name, value in _CONNECT.items() if name not in given}
            connection: Connection = psycopg.connect(self._url, autocommit=True, **wanted)
        except psycopg.ProgrammingError:
            # The text of this error quotes the URL.
            raise ConfigError(
                f"{self._shown} is not a URL that PostgreSQL's client understands",
                where="--store",
                hint="postgresql://user:password@host:port/database?option=value",
            ) from None
        except psycopg.OperationalError as error:
            raise StoreError(
                f"{self._shown}: the database cannot be reached: {self._said(error)}\n  hint: check that the server "
                "runs there, that the database exists (`createdb NAME` makes one), and the user and the password"
            ) from error
        try:
            connection.execute(_SESSION)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, *, create: bool) -> None:
        """Bring the schema up to date; other processes may be doing the same."""
        newest = self._steps[-1][0]
        if (version := self._version(self.read)) == newest:
            return
        if not version and not create:
            raise ConfigError(
                "there is no store here yet",
                where=self._shown,
                hint="judge something first with `adjudge run`, or name another store with --store",
            )
        if self.read("SHOW server_encoding") != [("UTF8",)]:
            raise ConfigError(
                "the database does not hold UTF-8",
                where=self._shown,
                hint="make one that does: createdb --encoding=UTF8 --template=template0 NAME",
            )
        begin = f"{_BEGIN}; SELECT pg_advisory_xact_lock({_MIGRATING})"
        with self._errors(), self._writer.use() as connection, _transaction(connection, begin) as transaction:
            self._migrate(transaction)

    def _migrate(self, transaction: Transaction) -> None:
        version = self._version(transaction.read)
        if not version:
            # Asked first, since CREATE SCHEMA IF NOT EXISTS needs the right to create even where it exists.
            if not transaction.read("SELECT 1 FROM pg_namespace WHERE nspname = ?", (_SCHEMA,)):
                transaction.run(f"CREATE SCHEMA {_SCHEMA}")
            transaction.run("CREATE TABLE schema_version (version BIGINT NOT NULL)")
            transaction.run("INSERT INTO schema_version (version) VALUES (0)")
        for number, statements in self._steps:
            if number > version:
                for statement in statements:
                    # Text is ordered as SQLite orders it, whatever the language of the database.
                    transaction.run(re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', statement))
                transaction.run("UPDATE schema_version SET version = ?", (number,))
                points.reached("schema.written")

    def _version(self, read: Callable[[str, Values], list[Row]]) -> int:
        """The schema's version, 0 where there is none yet; what is not ours, or newer than we are, is refused."""
        tables, ours = map(int, read(_TABLES, (_SCHEMA,))[0])
        if tables and not ours:
            raise ConfigError(
                f"the schema {_SCHEMA} of this database belongs to another program",
                where=self._shown,
                hint="pass another database with --store",
            )
        version = int(read("SELECT MAX(version) FROM schema_version", ())[0][0]) if ours else 0
        if version > self._steps[-1][0]:
            raise SchemaTooNew(
                f"{self._shown}: the store has schema {version}, and this adjudge knows up to {self._steps[-1][0]}; "
                "it was left untouched\n  hint: update adjudge, or pass another --store"
            )
        return version

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn PostgreSQL's errors into ours: what happened, where, what to do."""
        try:
            yield
        except psycopg.Error as error:
            self._raise(error)

    def _raise(self, error: psycopg.Error) -> NoReturn:
        said = f"{self._shown}: "
        if isinstance(error, errors.LockNotAvailable):
            raise Busy(
                f"{said}another process has been writing for more than {limits.STORE_BUSY_S:.0f} s"
                "\n  hint: wait for it to end and try again"
            ) from error
        if isinstance(error, errors.DeadlockDetected | errors.SerializationFailure):
            raise Collided(
                f"{said}another process keeps writing the same records\n  hint: wait for it to end and try again"
            ) from error
        if isinstance(error, psycopg.IntegrityError):
            said += f"what was to be stored contradicts what is there: {self._said(error)}"
            raise Conflict(said) from error
        if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted | errors.UndefinedTable):
            said += f"the store is damaged: {self._said(error)}"
            raise Corrupt(f"{said}\n  hint: put back a backup of the database, or pass another --store") from error
        if isinstance(error, errors.DiskFull):
            said += "the disk of the server is full; what was stored before is safe"
            raise StoreError(f"{said}\n  hint: free space there and resume") from error
        if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
            said += f"the store cannot be opened or written: {self._said(error)}"
            raise StoreError(f"{said}\n  hint: ask for the right to create and write tables in it") from error
        if isinstance(error, psycopg.OperationalError) and (not error.sqlstate or error.sqlstate.startswith("57P")):
            said += f"the connection to the server was lost: {self._said(error)}; what was stored before is safe"
            raise StoreError(f"{said}\n  hint: see that the server runs, then resume") from error
        raise StoreError(f"{said}{self._said(error)}") from error

    def _said(self, error: psycopg.Error) -> str:
        """What PostgreSQL says on one line, without the details, which quote records."""
        text = " ".join((error.diag.message_primary or str(error)).split())
        return text.replace(self._password, "***") if self._password else text


class _Link:
    """A connection made when it is first needed, made anew after it was lost, and used by one thread at a time."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect, self._lock = connect, threading.RLock()
        self._connection: Connection | None = None
        self._closed = False

    @contextmanager
    def use(self) -> Iterator[Connection]:
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed")
            if self._connection is None or self._connection.closed:
                self._connection = self._connect()
            yield self._connection

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._connection:
                self._connection.close()


class _Cursor:
    """A cursor that takes and gives what SQLite's does."""

    def __init__(self, cursor: psycopg.Cursor[Row]) -> None:
        self._cursor = cursor

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    def execute(self, sql: str, parameters: Values) -> None:
        self._cursor.execute(_translated(sql), parameters)

    def executemany(self, sql: str, parameters: Iterable[Values]) -> None:
        self._cursor.executemany(_translated(sql), parameters)

    def fetchall(self) -> list[Row]:
        return _rows(self._cursor)


@contextmanager
def _transaction(connection: Connection, begin: str) -> Iterator[Transaction]:
    try:
        # One message, and so one way to the server and back.
        connection.execute(begin.encode())
        with connection.cursor() as cursor:
            yield Transaction(_Cursor(cursor))
        connection.execute("COMMIT")
    except BaseException:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
        raise


@lru_cache(maxsize=256)
def _translated(sql: str) -> bytes:
    return sql.replace("%", "%%").replace("?", "%s").encode()


def _rows(rows: Iterable[Row]) -> list[Row]:
    return [tuple(unpack(value) if isinstance(value, str) else value for value in row) for row in rows]
