"""One place for all trials of a process: a model server, a nursery, and stores whose commits are really durable."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.nursery import Nursery
from tests.crash.trial import Ground
from tests.fakes.postgres import PostgresServer
from tests.fakes.server import FakeModelServer
from tests.fakes.truthful import truthful

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # so a shell starts what it puts into the background, and children would inherit it: nothing could interrupt them
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with FakeModelServer(truthful) as server, Nursery() as nursery:
        yield Ground(nursery, server, tmp_path_factory.mktemp("crash"))


@pytest.fixture(scope="module")
def durable_server() -> Iterator[PostgresServer]:
    with PostgresServer(fsync=True) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/store.db"
        return
    with request.getfixturevalue("durable_server").database() as url:
        yield url
