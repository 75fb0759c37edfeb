"""A server that speaks raw bytes, in the event loop of the test: for what no decent HTTP server would ever send.

async with RawServer(lambda connection, n: [b"HTTP/1.1 200 OK\r\n", 0.1, b"content-length: 0\r\n\r\n"]) as server:
    await a_wire(server.url).post(b"{}")
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
import traceback
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Literal, Self

import pytest

from adjudge.core.errors import AdjudgeError
from adjudge.models.base import Secret
from adjudge.models.faults import Answer
from adjudge.models.http import Wire
from tests.fakes.certificates import usual
from tests.fakes.clock import PATIENCE_S

CANARY = "sk-canary-7f3e9d1c5b8a42660e"
OK = b"HTTP/1.1 200 OK\r\n"
HI = OK + b"content-length: 2\r\n\r\nhi"
#: What to do in turn: send bytes, wait seconds, end the connection, wait for ever, carry bytes to another port, or
#: whatever else the test wants at that moment.
Step = bytes | float | Literal["close", "reset", "hang"] | int | Callable[[], None]
Script = Callable[[int, int], Iterable[Step]]


class RawServer:
    """Request n of connection c (both from 1) is met with the steps of `script(c, n)`; `requests` came in so far."""

    def __init__(self, script: Script, *, tls: bool = False, host: str = "127.0.0.1") -> None:
        self._script, self._tls, self._host = script, tls, host
        self.requests: list[bytes] = []
        self.connections = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        context = None
        if self._tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*usual()[1])
            context.set_alpn_protocols(["http/1.1"])
        self._server = await asyncio.start_server(self._serve, self._host, 0, ssl=context)
        self.port = int(self._server.sockets[0].getsockname()[1])
        self.url = f"http{'s' if self._tls else ''}://{'[::1]' if ':' in self._host else self._host}:{self.port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def open(self, count: int) -> None:
        """Wait until so many connections are open here, no more and no fewer."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self._tasks) != count:
                await asyncio.sleep(0.001)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        self.connections += 1
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._talk(reader, writer, self.connections)
            writer.transport.abort()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
        finally:
            self._tasks.discard(task)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int) -> None:
        n = 0
        while True:
            self.requests.append(await _request(reader))
            n += 1
            for step in self._script(connection, n):
                if isinstance(step, bytes):
                    writer.write(step)
                    await writer.drain()
                elif isinstance(step, float):
                    await asyncio.sleep(step)
                elif isinstance(step, int):
                    await _carry(reader, writer, step)
                elif callable(step):
                    step()
                elif step == "hang":
                    await reader.read()  # until the other side has enough
                    return
                else:
                    if step == "reset":
                        linger = struct.pack("ii", 1, 0)
                        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    else:
                        writer.close()
                    return


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    _, told, length = head.partition(b"Content-Length: ")
    return head + await reader.readexactly(int(length.split(b"\r\n")[0]) if told else 0)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """Carry bytes between this connection and a port of this machine until either side ends."""

    async def one_way(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(1 << 16):
                sink.write(data)
                await sink.drain()
        sink.close()

    inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await asyncio.gather(one_way(reader, inner_writer), one_way(inner_reader, writer))
    finally:
        inner_writer.transport.abort()


def a_wire(url: str, *, timeout_s: float | None = PATIENCE_S, headers: dict[str, str] | None = None) -> Wire:
    return Wire(
        f"{url}/chat/completions",
        key=Secret(CANARY),
        key_from="K",
        key_header=("x-key", ""),
        headers=headers or {},
        timeout_s=timeout_s,
    )


@contextlib.asynccontextmanager
async def served(
    script: Script, *, tls: bool = False, host: str = "127.0.0.1", **options: Any
) -> AsyncIterator[tuple[RawServer, Wire]]:
    """A raw server and a wire to it, both closed at the end."""
    async with RawServer(script, tls=tls, host=host) as server:
        wire = a_wire(server.url, **options)
        try:
            yield server, wire
        finally:
            await wire.close()


def answer(*steps: Step, **options: Any) -> Answer:
    """What one request to a server that takes these steps brings."""

    async def run() -> Answer:
        async with served(lambda connection, n: steps, **options) as (_, wire):
            return await wire.post(b"{}")

    return asyncio.run(run())


def problem(*steps: Step, **options: Any) -> AdjudgeError:
    with pytest.raises(AdjudgeError) as caught:
        answer(*steps, **options)
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert CANARY not in "".join(shown.format())
    return caught.value


def ipv6() -> bool:
    """Whether this machine has IPv6."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True
