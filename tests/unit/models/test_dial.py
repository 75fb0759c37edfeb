from __future__ import annotations

import asyncio
import gc
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

from adjudge.models.dial import dial
from tests.fakes.clock import PATIENCE_S
from tests.fakes.raw import ipv6

V4, V6 = socket.AF_INET, socket.AF_INET6


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.fixture
def _failing_is_quicker(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that fails does so long before the next one is tried for its silence."""
    monkeypatch.setattr("adjudge.models.dial._NEXT_AFTER_S", 10 * PATIENCE_S)


def dialled(*addresses: tuple[str, int], cancel_after_s: float = PATIENCE_S) -> tuple[str, float, list[str]]:
    """Who was reached, how long it took, and who was tried; the host "hole" never answers."""
    tried = []

    async def run() -> tuple[str, float]:
        loop: Any = asyncio.get_running_loop()
        connect = loop.sock_connect

        async def found(*_: object, **__: object) -> list[Any]:
            return [(V6 if ":" in host else V4, socket.SOCK_STREAM, 0, "", (host, port)) for host, port in addresses]

        async def watched(made: socket.socket, address: tuple[str, int]) -> None:
            tried.append(address[0])
            await (asyncio.Event().wait() if address[0] == "hole" else connect(made, address))

        loop.getaddrinfo, loop.sock_connect = found, watched
        started = time.monotonic()
        async with asyncio.timeout(cancel_after_s):
            with closing(await dial("host", 1)) as made:
                return made.getpeername()[0], time.monotonic() - started

    try:
        return *asyncio.run(run()), tried
    finally:
        gc.collect()  # a socket left open would warn here


@pytest.mark.usefixtures("_failing_is_quicker")
def test_the_next_address_is_tried_at_once_where_one_fails(listener: socket.socket) -> None:
    where = listener.getsockname()
    host, _, tried = dialled(("127.0.0.1", 1), ("127.0.0.1", 1), where)
    assert (host, len(tried)) == ("127.0.0.1", 3)


def test_the_next_address_is_tried_soon_where_one_says_nothing(listener: socket.socket) -> None:
    host, took_s, tried = dialled(("hole", 1), ("hole", 1), listener.getsockname())
    assert (host, tried, took_s > 0.4) == ("127.0.0.1", ["hole", "hole", "127.0.0.1"], True)


@pytest.mark.skipif(not ipv6(), reason="this machine has no IPv6")
@pytest.mark.usefixtures("_failing_is_quicker")
def test_families_take_turns(listener: socket.socket) -> None:
    """Four dead IPv6 addresses before the first IPv4 one would cost a second."""
    host, _, tried = dialled(*[("::1", 1)] * 4, ("127.0.0.1", 1), listener.getsockname())
    assert (host, tried) == ("127.0.0.1", ["::1", "127.0.0.1", "::1", "127.0.0.1"])


def test_where_none_answers_the_first_error_counts() -> None:
    with pytest.raises(ConnectionRefusedError):
        dialled(("127.0.0.1", 1), ("127.0.0.1", 1))


def test_giving_up_leaves_no_socket_open() -> None:
    with pytest.raises(TimeoutError):
        dialled(("hole", 1), ("hole", 1), ("hole", 1), cancel_after_s=0.6)


def test_being_cancelled_at_the_moment_of_success_leaves_no_socket_open(listener: socket.socket) -> None:
    async def run(steps: int) -> None:
        task = asyncio.create_task(dial("127.0.0.1", listener.getsockname()[1]))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            (await task).close()

    for steps in range(60):
        asyncio.run(run(steps))
    gc.collect()
