"""SQLite: everything that is not common SQL."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adjudge.core import limits, points
from adjudge.core.errors import Busy, ConfigError, Conflict, Corrupt, SchemaTooNew, StoreError
from adjudge.store.database import Database, Row, Transaction, Values, migrations, packed, unpack

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_APPLICATION_ID = 0x61646A67  # "adjg": tells our files from those of other programs
#: What the names of the files end in that SQLite keeps next to a store.
BESIDE = ("-wal", "-shm", "-journal")
_UNWRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN")
_UNUSABLE = (*_UNWRITABLE, "SQLITE_PERM", "SQLITE_IOERR", "SQLITE_AUTH")
#: How often this process has each file open. Whoever closes a file gives up all locks that the process has on it, those
#: of its other connections too, and another process may then write where it must not: the file is opened by nobody but
#: SQLite as long as SQLite has it open.
_OPENED: Counter[str] = Counter()
_OPENING = threading.Lock()


class Sqlite(Database):
    """A store in one file, with one connection to write and one to read, so that no read waits for a disk."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self._path = path
        self._reading, self._writing = threading.RLock(), threading.RLock()
        self._steps = migrations()
        self._name, self._closed = os.path.realpath(path), False
        self._place = path.absolute()  # where the file is looked for, also when the process changes its folder
        _check_place(path, create=create)
        with _OPENING:
            if not _OPENED[self._name]:
                self._check_header()
            _OPENED[self._name] += 1
        self._only_read = False
        try:
            try:
                self._open(create=create)
            except StoreError as error:
                if create or not _unwritable(error):
                    raise
                self._only_read = True
                self._open_to_read()
        except BaseException:
            self._left()
            raise

    def _open(self, *, create: bool) -> None:
        self._writer = self._connect()
        self._file = self._there()
        try:
            self._prepare(create=create)
            self._reader = self._connect()
            with self._errors():
                self._reader.execute("PRAGMA query_only = ON")
        except BaseException:
            self._writer.close()
            raise

    def _open_to_read(self) -> None:
        """What cannot be written can be read, if nothing has to be written for that: no journal, no newer schema."""
        try:
            self._open_as("mode=ro")
        except StoreError as error:
            if not _unwritable(error):
                raise
            for journal in (Path(f"{self._name}-wal"), Path(f"{self._name}-journal")):
                with suppress(FileNotFoundError):
                    if journal.stat().st_size:
                        raise StoreError(
                            f"{self._path}: the store cannot be read without writing: {journal.name} holds what is yet "
                            f"to be put into it\n  hint: copy both into a folder of your own and pass the copy with "
                            "--store, or have somebody who may write there open it once with `adjudge runs`"
                        ) from error
            # No journal can be made, so there is none to look into; and nobody writes, or there would be one.
            self._open_as("mode=ro&immutable=1")

    def _open_as(self, mode: str) -> None:
        self._writer = self._reader = self._connect(mode)
        try:
            with self._errors():
                self._check_content(create=False)
                version = self._pragma("user_version")
            if version != self._steps[-1][0]:
                raise StoreError(
                    f"{self._path}: the store has schema {version} and can only be read here, and this adjudge reads "
                    f"schema {self._steps[-1][0]}\n  hint: pass a copy in a folder of your own with --store: it is "
                    "brought up to date"
                )
        except BaseException:
            self._reader.close()
            raise

    def _left(self) -> None:
        """This process has the file open once less."""
        with _OPENING:
            _OPENED[self._name] -= 1
            if not _OPENED[self._name]:
                del _OPENED[self._name]

    def read(self, sql: str, values: Values = (), *, chars: int | None = None) -> list[Row]:
        with self._reading, self._errors():
            cursor = self._reader.execute(sql, packed(values))
            rows: list[Row] = []
            if chars is None:
                rows = cursor.fetchall()
                if any(bytes in map(type, row) for row in rows):
                    raise self._bytes()
                return rows
            for row in cursor:
                if bytes in map(type, row):
                    raise self._bytes()
                rows.append(row)
                chars -= sum(len(value) for value in row if isinstance(value, str))
                if chars <= 0:
                    break
            cursor.close()
            return rows

    @contextmanager
    def write(self, *, alone: bool = True, wait: bool = True) -> Iterator[Transaction]:
        if self._only_read:
            raise StoreError(f"{self._path}: the store can only be read, not written\n  hint: {self._permissions()}")
        # Every transaction of SQLite is alone.
        with self._writing, self._errors():
            self._begin(wait=wait)
            try:
                yield Transaction(self._writer.cursor())
                self._check_there()
                self._writer.execute("COMMIT")
            except BaseException:
                # A full disk makes SQLite roll back by itself.
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def _there(self) -> tuple[int, int] | None:
        """What tells the file under our name from every other one; None where there is none."""
        try:
            found = self._place.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _check_there(self) -> None:
        """A file without a name is written by SQLite all the same, and read by nobody."""
        if self._file is None or self._there() != self._file:
            raise StoreError(
                f"{self._path}: the store was removed, moved or replaced while it was open; what was asked since is "
                "lost\n  hint: where it was moved, put it back beside its -wal file and resume; else run it again"
            )

    def _begin(self, *, wait: bool) -> None:
        if not wait:
            self._writer.execute("PRAGMA busy_timeout = 0")
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        finally:
            if not wait:
                self._writer.execute(f"PRAGMA busy_timeout = {round(limits.STORE_BUSY_S * 1000)}")

    def close(self) -> None:
        with self._reading, self._writing:
            if self._closed:
                return
            self._closed = True
            self._reader.close()
            self._writer.close()
        self._left()

    def _connect(self, mode: str = "") -> sqlite3.Connection:
        with self._errors():
            connection = sqlite3.connect(
                f"{self._place.as_uri()}?{mode}" if mode else self._path,
                uri=bool(mode),
                timeout=limits.STORE_BUSY_S,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=4 * limits.STORE_ROWS_PER_INSERT,
            )
        connection.text_factory = self._text
        return connection

    def _text(self, raw: bytes) -> str:
        try:
            return unpack(raw.decode())
        except UnicodeDecodeError:
            raise self._corrupt("a text in it is not UTF-8") from None

    def _check_header(self) -> None:
        """Refuse what is no store of ours from the file's first bytes alone, so that SQLite never touches it."""
        try:
            with self._path.open("rb") as file:
                header = file.read(_HEADER_BYTES)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self._path}: the store cannot be read: {error.strerror}") from None
        if not header:
            return
        if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
            raise self._corrupt("it is not an SQLite database")
        self._check_owner(int.from_bytes(header[60:64]), int.from_bytes(header[68:72]))

    def _check_owner(self, version: int, application: int) -> None:
        if application not in (0, _APPLICATION_ID) or (version and not application):
            raise self._foreign()
        if version > self._steps[-1][0]:
            raise SchemaTooNew(
                f"{self._path}: the store has schema {version}, and this adjudge knows up to {self._steps[-1][0]}; "
                "it was left untouched\n  hint: update adjudge, or pass another --store"
            )

    def _prepare(self, *, create: bool) -> None:
        """Set the connection up and bring the schema up to date; other processes may be doing the same."""
        deadline = time.monotonic() + limits.STORE_BUSY_S
        while True:
            try:
                with self._errors():
                    self._check_content(create=create)
                    # The switch to WAL does not wait for other connections by itself, hence the loop.
                    self._writer.execute("PRAGMA journal_mode = WAL")
                    self._writer.execute("PRAGMA synchronous = FULL")
                    self._writer.execute("PRAGMA foreign_keys = ON")
                self._migrate()
                return
            except Busy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _check_content(self, *, create: bool) -> None:
        version = self._pragma("user_version")
        self._check_owner(version, self._pragma("application_id"))
        if version == 0:
            if self._writer.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                # Another process may have made the tables between the two questions.
                if not self._pragma("user_version"):
                    raise self._foreign()
            elif not create:
                raise _no_store(self._path)

    def _migrate(self) -> None:
        with self._errors():
            if self._pragma("user_version") == self._steps[-1][0]:
                return
        for number, statements in self._steps:
            with self.write() as transaction:
                if self._pragma("user_version") >= number:
                    continue
                for statement in statements:
                    transaction.run(statement)
                transaction.run(f"PRAGMA application_id = {_APPLICATION_ID}")
                transaction.run(f"PRAGMA user_version = {number}")
                points.reached("schema.written")

    def _pragma(self, name: str) -> int:
        return int(self._writer.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn SQLite's errors into ours: what happened, where, what to do."""
        try:
            yield
        except UnicodeDecodeError as error:  # the words of an error, in which SQLite quotes the file
            raise self._corrupt("a text in it is not UTF-8") from error
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise Busy(
                    f"{self._path}: another process has been writing for more than {limits.STORE_BUSY_S:.0f} s"
                    "\n  hint: wait for it to end and try again"
                ) from error
            if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
                raise self._corrupt(str(error)) from error
            if name.startswith("SQLITE_CONSTRAINT"):
                raise Conflict(f"{self._path}: what was to be stored contradicts what is there: {error}") from error
            if name.startswith("SQLITE_FULL"):
                raise StoreError(
                    f"{self._path}: the disk is full; what was stored before is safe\n  hint: free space and resume"
                ) from error
            if name == "SQLITE_IOERR_WRITE":  # SQLite's "full" knows of no quotas, and of no limit on a file's size
                raise StoreError(
                    f"{self._path}: nothing more can be written: a quota or a limit on file sizes is full, or the disk "
                    "fails; what was stored before is safe\n  hint: make room and resume"
                ) from error
            if name.startswith(_UNUSABLE):
                raise StoreError(
                    f"{self._path}: the store cannot be opened or written: {error}\n  hint: {self._permissions()}"
                ) from error
            raise StoreError(f"{self._path}: {error}") from error

    def _permissions(self) -> str:
        return f"check the permissions of the file and of {self._path.parent}, or pass another --store"

    def _corrupt(self, what: str) -> Corrupt:
        return Corrupt(
            f"{self._path}: the store is damaged: {what}\n  hint: put back a copy of the file, or save what can be "
            'read with `sqlite3 FILE ".recover" | sqlite3 NEW.db`, or pass another --store to begin a new one'
        )

    def _bytes(self) -> Corrupt:
        return self._corrupt("a value in it is neither text nor number")

    def _foreign(self) -> ConfigError:
        return ConfigError(
            "this SQLite database belongs to another program",
            where=str(self._path),
            hint="pass the path of an adjudge store, or of a new file, with --store",
        )


def is_store(path: Path) -> bool:
    """Whether an ordinary file begins as a store does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    return header.startswith(_MAGIC) and int.from_bytes(header[68:72]) == _APPLICATION_ID


def _check_place(path: Path, *, create: bool) -> None:
    with suppress(OSError):
        if path.is_dir():
            raise ConfigError("the store is a folder, not a file", where=str(path), hint="name a file in it: --store")
        if path.exists() and not path.is_file():
            raise ConfigError("the store is not an ordinary file", where=str(path), hint="name a file: --store")
        if not path.exists():
            if not create:
                raise _no_store(path)
            if not path.parent.is_dir():
                raise ConfigError(
                    "the folder of the store does not exist", where=str(path.parent), hint="create it, or pass --store"
                )


def _unwritable(error: StoreError) -> bool:
    """Whether SQLite could not write the file, or make one beside it."""
    return getattr(error.__cause__, "sqlite_errorname", "").startswith(_UNWRITABLE)


def _no_store(path: Path) -> ConfigError:
    return ConfigError(
        "there is no store here yet",
        where=str(path),
        hint="judge something first with `adjudge run`, or name another store with --store",
    )
