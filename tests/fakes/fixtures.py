"""Fixtures for tests that talk to a model: `fake_server` answers well, `serve` makes one that does as it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.fakes.server import FakeModelServer


@pytest.fixture
def fake_server() -> Iterator[FakeModelServer]:
    with FakeModelServer() as server:
        yield server


@pytest.fixture
def serve() -> Iterator[Callable[..., FakeModelServer]]:
    with ExitStack() as servers:
        yield lambda *args, **options: servers.enter_context(FakeModelServer(*args, **options))
