"""The wire: one server, bytes out, bytes in, every fault with a name and every size with a limit."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import Mapping
from urllib.parse import urlsplit

from adjudge.core import limits
from adjudge.core.errors import AdjudgeError, ConfigError, ModelError, ServerFailed, TimedOut, TooLarge, Unreachable
from adjudge.models.base import Secret
from adjudge.models.connection import Connection, ConnectLate, Cut, Late, ProxyFailed, connect, proxy_lines, reason
from adjudge.models.faults import Answer, Headers, excerpt, fault
from adjudge.models.http1 import Incoming, Invalid
from adjudge.models.route import Route, route_for

_ZLIB_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
#: The first answer on a connection that was used before, and each that came sooner than any before it, is held for as
#: long as the quickest took, with so much to spare: the true one may be in the making. Nobody waits longer than this.
_TO_SPARE, _HELD_MOST_S = 1.5, 1.0


class Unasked(Exception):
    """The server has answered more often than it was asked, so which answer belongs to which request is not known."""


def check_base_url(url: str, option: str = "--base-url") -> str:
    """A server's address without its last slash; one that can't be used, or holds a password, is refused."""
    hint = "an address looks like https://api.openai.com/v1 or http://localhost:8000/v1"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError:  # UnicodeError is one
        raise ConfigError(f"{option} is not an address", hint=hint) from None
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            f"{option} holds a user name or password", hint="keys come from the environment: see --api-key-env"
        )
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        raise ConfigError(f"{option} must begin with http:// or https:// and name a host: {url[:80]!r}", hint=hint)
    if parts.query or parts.fragment:
        raise ConfigError(f"{option} holds a ? or #", hint="give the address up to the version, as in .../v1")
    return url.rstrip("/")


class Wire:
    """Posts JSON to one server. Belongs to the event loop that first uses it; pacing and retries are the engine's."""

    def __init__(
        self,
        url: str,
        *,
        key: Secret | None,
        key_from: str,
        key_header: tuple[str, str],
        headers: Mapping[str, str],
        timeout_s: float | None,
    ) -> None:
        self.host = urlsplit(url).netloc
        self._key, self._key_from = key, key_from
        self._timeout_s = limits.ANSWER_TIMEOUT_S if timeout_s is None else timeout_s
        self._route = route_for(url)
        name, prefix = key_header
        secret = {name: prefix + key.reveal()} if key else {}
        self._head = _head(self._route, {**headers, **secret})
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        #: Whether the server has spoken unasked: then no connection is used twice.
        self._distrusted = False
        #: The shortest time that a true answer took, and whether one was held for so long and no other followed it.
        self._quickest_s, self._tried = math.inf, False

    async def post(self, body: bytes) -> Answer:
        """One exchange, whatever the status; what has no status is raised."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        problem: AdjudgeError
        # What is raised below is raised outside of the handlers: an exception's context would keep the frames
        # below alive, and with them the bytes that hold the key.
        try:
            incoming, ended = await self._exchange(loop, body, started + self._timeout_s)
        except ConnectLate:
            problem = Unreachable(f"{self.host} could not be connected to within {self._connect_s():g} s")
        except Late:
            problem = TimedOut(f"{self.host} gave no whole answer within {self._timeout_s:g} s")
        except Invalid as error:
            problem = ServerFailed(f"{self.host} did not answer in valid HTTP: {excerpt(str(error), self._key)}")
        except Unasked:
            problem = ServerFailed(
                f"{self.host} sent an answer that nobody asked for, so the last one may belong to another question; "
                "each request has a connection of its own from now on"
            )
        except ProxyFailed as error:
            problem = Unreachable(f"the proxy for {self.host} {excerpt(str(error), self._key)}")
        except (Cut, OSError) as error:
            problem = Unreachable(f"{self.host} cannot be reached: {excerpt(reason(error), self._key)}")
        else:
            return self._answer(incoming, ended - started)
        raise problem

    def fault(self, answer: Answer) -> ModelError:
        """The error that an answer other than success stands for."""
        return fault(answer, host=self.host, key=self._key, key_from=self._key_from)

    def message(self, what: str) -> str:
        """One line about this server, safe to show."""
        return f"{self.host} {excerpt(what, self._key)}"

    def hidden(self, text: str, *, pieces: bool = False) -> str:
        """A text without the key, or also without pieces of it, should the server have echoed it."""
        if self._key is None:
            return text
        return self._key.hidden_in_message(text) if pieces else self._key.hidden_in(text)

    async def close(self) -> None:
        """End every connection; those that end politely are given a moment for it."""
        connections, self._open, self._idle = self._open, set(), []
        for connection in connections:
            connection.close()
        if connections:
            await asyncio.wait([connection.closed for connection in connections], timeout=2 * limits.CLOSE_S)

    async def _exchange(self, loop: asyncio.AbstractEventLoop, body: bytes, deadline: float) -> tuple[Incoming, float]:
        """Ask over a connection that is open already, or else over a new one; the answer, and when it was whole.

        A server may close an idle connection at the moment we write to it. So a connection that was used before and is
        closed at once, without a byte of an answer, is taken for such: the request goes out once more over a new one.
        That the server took a paid request and then died just so can't be told apart; but the engine would ask again
        after such a death as well, so nothing is paid twice that would otherwise be paid once. Where the server had
        time to work on the request, or the connection was new, the fault is the engine's to count.
        """
        kept, now = self._kept(loop), loop.time()
        if kept:
            try:
                return await self._asked(kept, body, deadline, used=True)
            except Cut as cut:
                if not cut.silent or loop.time() - now > limits.STALE_WITHIN_S:
                    raise
        connection = await connect(self._route, deadline, within_s=self._connect_s())
        self._open.add(connection)
        connection.on_unasked = self._distrust
        connection.closed.add_done_callback(lambda _: self._open.discard(connection))
        return await self._asked(connection, body, deadline)

    def _kept(self, loop: asyncio.AbstractEventLoop) -> Connection | None:
        """The connection used last; one that rested for long is dropped, since its server may be about to."""
        while self._idle:
            connection = self._idle.pop()
            if connection.loop is not loop:
                raise RuntimeError("a wire is closed in the event loop that used it before another one uses it")
            rested_s = loop.time() - connection.idle_since
            if connection.usable and connection.spoken_to():
                connection.retire()
            elif connection.usable and rested_s < limits.KEEP_ALIVE_S:
                return connection
            else:
                connection.close()
        return None

    async def _asked(
        self, connection: Connection, body: bytes, deadline: float, *, used: bool = False
    ) -> tuple[Incoming, float]:
        began = connection.loop.time()
        try:
            incoming = await connection.ask(
                f"{self._head.reveal()}{len(body)}\r\n\r\n".encode("ascii", "replace") + body, deadline
            )
            ended = connection.loop.time()
            if _surplus(incoming):
                self._distrust()
            if used:
                await self._check(connection, ended - began)
        except BaseException:  # half an exchange can't be taken up again, cancelled ones included
            connection.abort()
            raise
        self._quickest_s = min(self._quickest_s, ended - began)
        if self._distrusted:
            connection.close()
        elif connection.usable:
            connection.idle_since = ended
            self._idle.append(connection)
        return incoming, ended

    async def _check(self, connection: Connection, took_s: float) -> None:
        """Refuse an answer that may not be the one to this request, on a connection that was used before.

        What comes late and unasked looks like the answer to the next request, if that was sent meanwhile. But the true
        answer follows it, when nothing is asked any more: so the first, and one that is quicker than all others, is
        held until the true one would be there. To hold each would cost an honest server a third of its rate.
        """
        if connection.usable and (held_s := self._held_s(took_s)) > 0:
            self._tried = await connection.quiet(held_s)
        if self._distrusted:
            raise Unasked

    def _held_s(self, took_s: float) -> float:
        if self._tried and took_s >= self._quickest_s:
            return 0.0
        gone_s = took_s if self._tried else 0.0
        return min(_TO_SPARE * self._quickest_s - gone_s, _HELD_MOST_S)

    def _distrust(self) -> None:
        """Use no connection again: those at rest are closed, and what comes over those at work is not taken."""
        self._distrusted = True
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _answer(self, incoming: Incoming, seconds: float) -> Answer:
        if incoming.status == 407 and self._route.proxy:
            told = excerpt(incoming.reason.decode("latin-1"), self._key)
            raise Unreachable(f"the proxy for {self.host} answered 407: {told}")
        good = 200 <= incoming.status < 300
        limit = limits.RESPONSE_BYTES if good else limits.ERROR_BODY_BYTES
        found = bytes(incoming.body)
        if incoming.packing and not incoming.oversize:
            found = _unpacked(found, incoming.packing.decode("latin-1"), limit, self.host)
        if good and (incoming.oversize or len(found) > limit):
            raise TooLarge(f"{self.host} sent a reply of more than {limit} bytes")
        return Answer(status=incoming.status, body=found, headers=Headers(incoming.fields), seconds=seconds)

    def _connect_s(self) -> float:
        return min(limits.CONNECT_TIMEOUT_S, self._timeout_s)


def _head(route: Route, headers: Mapping[str, str]) -> Secret:
    """What every request begins with, up to the length of its body; it holds the key, so it is as secret."""
    fields = {
        "host": route.server.authority,
        "accept": "application/json",
        # Uncompressed: replies are small, and what is unpacked here is unpacked under our own limit.
        "accept-encoding": "identity",
        "content-type": "application/json",
        "user-agent": "adjudge",
        **headers,
    }
    lines = [f"POST {route.target} HTTP/1.1", *(f"{name.title()}: {value}" for name, value in fields.items())]
    lines += [] if route.tunnel else proxy_lines(route.proxy_key)
    return Secret("\r\n".join([*lines, "Content-Length: "]))


def _surplus(incoming: Incoming) -> bool:
    """Whether more came along with a good answer over a connection that was to be kept."""
    if incoming.keep or incoming.oversize or not 200 <= incoming.status < 300:
        return False
    headers = Headers(incoming.fields)
    framed = "content-length" in headers or "transfer-encoding" in headers
    return framed and "close" not in headers.get("connection", "").lower()


def _unpacked(raw: bytes, encoding: str, limit: int, host: str) -> bytes:
    """The body without its compression, one byte past the limit at most: a bomb never unfolds."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return raw
    if encoding in _ZLIB_BITS:
        try:
            return zlib.decompressobj(_ZLIB_BITS[encoding]).decompress(raw, limit + 1)
        except zlib.error:
            pass
    raise ServerFailed(f"{host} sent a body packed in a way that was not asked for and cannot be read")
