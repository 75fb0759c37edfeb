"""A connection: made through proxies and TLS, then one exchange after another over it, each with a deadline."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from adjudge.core import limits
from adjudge.models.base import Secret
from adjudge.models.dial import dial
from adjudge.models.http1 import Incoming, Invalid
from adjudge.models.route import Hop, Route

#: What some servers say to an idle connection before they close it: nobody takes it for an answer to a question.
_FAREWELLS = (b"HTTP/1.1 408 ", b"HTTP/1.0 408 ")


class Cut(Exception):
    """The connection ended before the answer did; `cause` is the system's word for it, where it had one."""

    def __init__(self, cause: Exception | None, *, silent: bool) -> None:
        super().__init__(
            "it closed the connection without an answer" if silent else "it closed the connection in mid-answer"
        )
        self.cause, self.silent = cause, silent


class Late(Exception):
    """The answer was not whole at its deadline."""


class ConnectLate(Exception):
    """There was no connection in time."""


class ProxyFailed(Exception):
    """The proxy made no way through; the words may quote it."""


class Connection(asyncio.BufferedProtocol):
    """One exchange at a time. Its one timer follows the deadlines, so an exchange costs none.

    Bytes come into a buffer of its own: without one, asyncio makes room for 256 KB anew for every answer, and that
    takes longer than reading it as HTTP.
    """

    transport: asyncio.Transport
    idle_since = 0.0
    _incoming: Incoming | None = None
    _waiter: asyncio.Future[Incoming]
    _timer: asyncio.TimerHandle | None = None
    _deadline = 0.0

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._buffer = memoryview(bytearray(limits.READ_BYTES))
        self.closed: asyncio.Future[None] = loop.create_future()
        #: Whether it can carry an exchange. The transport's own word comes too late under TLS.
        self.usable = True
        #: Whether the server spoke while nothing was asked, and who is told of it.
        self.unasked = False
        self.on_unasked: Callable[[], None] = lambda: None

    def ask(self, request: bytes, deadline: float, *, bodiless: bool = False) -> asyncio.Future[Incoming]:
        """Send a request; raises Cut, Late or Invalid, after each of which the connection is of no more use."""
        self._incoming, self._deadline = Incoming(bodiless=bodiless), deadline
        self._waiter = self.loop.create_future()
        if self._timer is None:
            self._timer = self.loop.call_at(deadline, self._look_at_the_clock)
        self.transport.write(request)
        return self._waiter

    def spoken_to(self) -> bool:
        """Whether bytes have come since the last exchange, or the end: what nobody asked for is no answer."""
        look = select.poll()
        look.register(self.transport.get_extra_info("socket"), select.POLLIN)
        return bool(look.poll(0))

    async def quiet(self, seconds: float) -> bool:
        """Whether nothing comes for so long that nobody asked for; that the server closes is no such thing."""
        # A server may hold its next bytes back until it knows that the last ones came, which the system tells it late.
        with suppress(AttributeError, OSError):
            self.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        await asyncio.wait((self.closed,), timeout=seconds)
        return not self.unasked

    def retire(self) -> None:
        """Carry nothing more, but hear what has come already: it may be what nobody asked for."""
        self.usable = False
        self.loop.call_later(limits.CLOSE_S, self.abort)

    def close(self) -> None:
        """End it politely, or at once where an exchange is under way."""
        if self._incoming is None and self.usable:
            self.usable = False
            self.transport.close()
        else:
            self.abort()

    def abort(self) -> None:
        self.usable = False
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]  # of a stream there is no other kind

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        incoming = self._incoming
        if incoming is None:
            self._hear_unasked(bytes(self._buffer[:nbytes]).lstrip(b"\r\n"))
            return
        try:
            if incoming.feed(bytes(self._buffer[:nbytes])):
                self._finish(incoming)
        except Invalid as error:
            self._fail(error)

    def _hear_unasked(self, said: bytes) -> None:
        self.abort()
        if said and not said.startswith(_FAREWELLS):
            self.unasked = True
            self.on_unasked()

    def eof_received(self) -> None:
        self.usable = False  # and the transport closes itself
        incoming = self._incoming
        if incoming is not None:
            if incoming.end():
                self._finish(incoming)
            else:
                self._fail(Cut(None, silent=not incoming.begun))

    def connection_lost(self, exc: Exception | None) -> None:
        self.usable = False
        if exc is not None and not self.transport.get_extra_info("ssl_object"):
            self._hear_the_rest()
        if (incoming := self._incoming) is not None:
            if incoming.status >= 400:  # a refusal, such as of a long prompt while it is sent: its beginning will do
                incoming.keep = False
                self._finish(incoming)
            else:
                self._fail(Cut(exc, silent=not incoming.begun))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.closed.done():
            self.closed.set_result(None)

    def _hear_the_rest(self) -> None:
        """Where writing failed, what the server had said before is still to be read."""
        with suppress(OSError):
            place = self.transport.get_extra_info("socket").fileno()
            while self._incoming is not None and (said := os.readv(place, [self._buffer])):
                self.buffer_updated(said)

    def _finish(self, incoming: Incoming) -> None:
        self._incoming = None
        unsent = self.transport.get_write_buffer_size() > 0  # answered before it was asked to the end
        if unsent or not incoming.keep:
            self.usable = False
            if unsent or incoming.oversize:  # more is on its way, for which nobody waits
                self.transport.abort()
            else:
                self.transport.close()
        if not self._waiter.done():
            self._waiter.set_result(incoming)

    def _fail(self, error: Exception) -> None:
        self._incoming = None
        self.abort()
        if not self._waiter.done():
            self._waiter.set_exception(error)

    def _look_at_the_clock(self) -> None:
        self._timer = None
        if self._incoming is None:
            return
        if self.loop.time() < self._deadline:
            self._timer = self.loop.call_at(self._deadline, self._look_at_the_clock)
        else:
            self._fail(Late())


@cache
def _trust(*_: str | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


async def connect(route: Route, deadline: float, *, within_s: float) -> Connection:
    """A connection over which the server can be asked."""
    try:
        async with asyncio.timeout(within_s) as limit:
            connection = await _reach(route)
            if route.tunnel:
                try:
                    await _tunnel(connection, route, deadline)
                except BaseException:
                    connection.abort()
                    raise
            return connection
    except TimeoutError:
        if not limit.expired():  # it was the system that gave up
            raise
    raise ConnectLate


async def _reach(route: Route) -> Connection:
    """A connection to the first machine on the way."""
    loop = asyncio.get_running_loop()
    first = route.proxy or route.server
    options = _secured(first) if first.tls else {}
    try:
        dialled = await dial(first.host, first.port)
        return (await loop.create_connection(lambda: Connection(loop), sock=dialled, **options))[1]
    except OSError as error:
        if route.proxy is None:
            raise
        problem = ProxyFailed(f"cannot be reached: {reason(error)}")
    raise problem


async def _tunnel(connection: Connection, route: Route, deadline: float) -> None:
    """Have the proxy make a way to the server, and speak TLS with the server through it."""
    try:
        answer = await connection.ask(_connect_request(route), deadline, bodiless=True)
        if not 200 <= answer.status < 300:
            raise ProxyFailed(f"answered {answer.status}: {answer.reason.decode('latin-1')}")
        if not connection.usable:
            raise Cut(None, silent=False)
        server = _secured(route.server)
        transport = await connection.loop.start_tls(connection.transport, connection, server.pop("ssl"), **server)
        if transport is None:
            raise Cut(None, silent=False)
        connection.transport = transport
    except Invalid as error:
        raise ProxyFailed(f"did not answer in valid HTTP: {error}") from None
    except Cut as error:
        raise ProxyFailed(f"cannot be used: {reason(error)}") from None


def _connect_request(route: Route) -> bytes:
    """Here the key has no place: the proxy could read it."""
    where = f"{route.server.name}:{route.server.port}"
    lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}", "User-Agent: adjudge", *proxy_lines(route.proxy_key)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def proxy_lines(key: Secret | None) -> list[str]:
    """The header that a proxy with a password wants."""
    return [f"Proxy-Authorization: {key.reveal()}"] if key else []


def _secured(hop: Hop) -> dict[str, Any]:
    """How a machine is known to be who it says: by the system's certificates, or by those the environment names."""
    context = _trust(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return {"ssl": context, "server_hostname": hop.host, "ssl_shutdown_timeout": limits.CLOSE_S}


def reason(error: Exception) -> str:
    """The system's own words where it has any: asyncio's repeat the address and little else."""
    if isinstance(error, Cut):
        return f"{error} ({reason(error.cause)})" if error.cause else str(error)
    told = getattr(error, "strerror", None) or str(error) or "the connection was closed"
    if isinstance(error, OSError) and error.errno and told.startswith("Connect call failed"):
        return os.strerror(error.errno)
    return str(told)
