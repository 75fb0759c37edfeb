"""One place for all trials of a process: a model server and a nursery."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.crash.nursery import Nursery
from tests.crash.trial import Ground
from tests.fakes.server import FakeModelServer


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with FakeModelServer() as server, Nursery() as nursery:
        yield Ground(nursery, server, tmp_path_factory.mktemp("crash"))
