"""A real PostgreSQL server in a folder of its own, on a free port of this machine, gone when the block or the process
ends, however it ends."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self

import pytest

from tests.fakes.clock import PATIENCE_S

USER, PASSWORD = "judge", "s3cret-canary"
#: A port that was free may be another's a moment later: then there is another one.
_PORTS = 5
#: Hears the number of the server, or 0, and when the tests are gone it ends that server and removes its folder.
_KEEPER = """
import os, shutil, signal, sys, time
number = 0
for line in sys.stdin:
    number = int(line)
try:
    while number:
        os.kill(number, signal.SIGQUIT)
        time.sleep(0.02)
except ProcessLookupError:
    pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
_NO_CLIENT = 'there is no psycopg: pip install "adjudge[postgres]"'


def binary(name: str) -> str:
    """The path of one of PostgreSQL's programs; without them the test is skipped."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/local/bin"]
    folders += map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))
    found = shutil.which(name, path=os.pathsep.join(folders))
    if not found:
        pytest.skip(f"there is no {name} on this machine: apt install postgresql (a server need not be running)")
    return found


def _account() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then another account runs it."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    pytest.skip("PostgreSQL does not run as root, and there is no account postgres or nobody to run it")


class PostgresServer:
    """A server that starts when the block begins; `killed` and `started` again, it recovers as after a crash."""

    def __init__(self, *, fsync: bool = False) -> None:
        self._unreachable = pytest.importorskip("psycopg", reason=_NO_CLIENT).OperationalError
        self._initdb, self._postgres, self._account = binary("initdb"), binary("postgres"), _account()
        self._fsync = fsync
        self._names = count()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="adjudge-postgres-"))
        # In a session of its own: Ctrl-C is for the tests.
        self._keeper = subprocess.Popen(
            [sys.executable, "-c", _KEEPER, str(self._folder)], stdin=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            secret = self._folder / "password"
            secret.write_text(PASSWORD)
            if self._account:
                for path in (self._folder, secret):
                    os.chown(path, self._account["user"], self._account["group"])
            subprocess.run(
                [self._initdb, "-D", "data", "-U", USER, "--pwfile=password", "--auth=scram-sha-256",
                 "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"],
                cwd=self._folder, env=self._env(), check=True, capture_output=True, **self._account,
            )  # fmt: skip
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGQUIT)
        self._keeper.communicate()

    def start(self) -> None:
        for _ in range(_PORTS):
            self._launch()
            if self._answers():
                return
            self._keep(0)
        raise AssertionError((self._folder / "log").read_text())

    def _keep(self, number: int) -> None:
        assert self._keeper.stdin
        self._keeper.stdin.write(f"{number}\n")
        self._keeper.stdin.flush()

    def _launch(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self._port,
            "unix_socket_directories": "",
            "fsync": "on" if self._fsync else "off",
            "shared_buffers": "16MB",
            "autovacuum": "off",
        }
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._postgres, "-D", "data", *(f"--{name}={value}" for name, value in settings.items())],
                cwd=self._folder,
                env=self._env(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._account,
            )
        self._keep(self._process.pid)

    def _answers(self) -> bool:
        """Wait until it does; False where it has ended."""
        assert self._process
        end = time.monotonic() + PATIENCE_S
        while self._process.poll() is None:
            try:
                self.sql("SELECT 1")
                return True
            except self._unreachable:
                assert time.monotonic() < end, (self._folder / "log").read_text()
                time.sleep(0.02)
        return False

    def stop(self, how: signal.Signals) -> None:
        """SIGKILL is a crash; SIGQUIT ends it at once, and SIGINT after it has put everything in order."""
        if self._process:
            self._process.send_signal(how)
            self._process.wait(PATIENCE_S)
            self._process = None
            self._keep(0)

    def url(self, database: str) -> str:
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self._port}/{database}"

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The URL of a new database."""
        name = f"store{next(self._names)}"
        self.sql(f"CREATE DATABASE {name} {options or self._language()}")
        try:
            yield self.url(name)
        finally:
            if self._process:
                self.sql(f"DROP DATABASE {name} WITH (FORCE)")

    def sql(self, statement: str, *, database: str = "postgres") -> list[tuple[Any, ...]]:
        return sql(self.url(database), statement)

    def _language(self) -> str:
        """A database that sorts text as people do, where the server can: the store must not follow it."""
        if self.sql("SELECT 1 FROM pg_collation WHERE collname = 'en-x-icu'"):
            version = int(self.sql("SHOW server_version_num")[0][0])
            if version >= 150000:
                return "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        return "TEMPLATE template0"

    def _env(self) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}


def sql(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Execute one statement beside the store."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for all tests of a process."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A new database for every test."""
    with postgres_server.database() as url:
        yield url
