"""HTTP on the standard library: requests within limits in, answers out, a thread for each connection."""

from __future__ import annotations

import os
import re
import socket
import socketserver
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from typing import Any

from adjudge.core import limits
from adjudge.web.head import Head, read_head
from adjudge.web.incoming import Incoming
from adjudge.web.message import HEADERS, TEXT, Refused, Request, Response, fields_of

#: What is sent at once: a client that takes a little now and then does not hold up the clock of the whole answer.
_PIECE = 65_536
_FULL = Response(body="too many connections at once: try again\n", status=503, type=TEXT, headers={"Retry-After": "1"})


def tell_fault() -> None:
    """Say on standard error that adjudge itself is at fault; where, only to those who want to know."""
    if os.environ.get("ADJUDGE_DEBUG"):
        traceback.print_exc(file=sys.stderr)
    else:
        name = type(sys.exception()).__name__
        sys.stderr.write(f"adjudge: a fault of its own: {name}\n  hint: ADJUDGE_DEBUG=1 shows where it happened\n")


class Server(socketserver.TCPServer):
    """Listens at once; `serve_forever` answers."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], reply: Callable[[Request], Response]) -> None:
        self.reply = reply
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._lock = threading.Lock()
        self._open: dict[_Connection, threading.Thread] = {}
        self._waiting: dict[_Connection, None] = {}
        self._closed = False
        super().__init__(address, socketserver.BaseRequestHandler)

    @property
    def server_port(self) -> int:
        return int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """A thread for the connection; where there are too many, in the place of the one that waited longest."""
        connection = _Connection(request, self)
        thread = threading.Thread(target=connection.run, daemon=True)
        with self._lock:
            if len(self._open) >= limits.WEB_CONNECTIONS:
                longest = next(iter(self._waiting), None) or next(filter(_stalled, self._open), None)
                if longest is None:
                    connection.turn_away()
                    return
                self._forget(longest)
                longest.hang_up()
            self._open[connection] = thread
            self._waiting[connection] = None
        try:
            thread.start()
        except RuntimeError:  # the system has no thread for us now
            self.ended(connection)
            raise

    def waits(self, connection: _Connection, waiting: bool) -> None:
        """Whether a connection waits for its client, and may make room for another."""
        with self._lock:
            self._waiting.pop(connection, None)
            if waiting and connection in self._open:
                self._waiting[connection] = None
            if waiting and self._closed:
                connection.hang_up()

    def ended(self, connection: _Connection) -> None:
        """A connection is no more."""
        with self._lock:
            self._forget(connection)

    def _forget(self, connection: _Connection) -> None:
        self._open.pop(connection, None)
        self._waiting.pop(connection, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """No thread could be started, say; the others go on."""
        tell_fault()

    def server_close(self) -> None:
        """Listen no more, end what waits, and let answers under way be finished."""
        super().server_close()
        with self._lock:
            self._closed, opened = True, dict(self._open)
            for connection in self._waiting:
                connection.hang_up()
        deadline = time.monotonic() + limits.WEB_CLOSE_S
        for thread in opened.values():
            thread.join(max(0.0, deadline - time.monotonic()))


class _Connection:
    """One connection: requests one after another, each answered before the next is read."""

    def __init__(self, line: socket.socket, server: Server) -> None:
        self._line, self._server, self._incoming = line, server, Incoming(line)
        self._unread = False
        #: Since when what is sent has not been taken; 0 where nothing is.
        self.sending = 0.0

    def run(self) -> None:
        """All requests of the connection; a client that goes away is no news."""
        try:
            self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while self._one():
                pass
            if self._unread:
                self._drain()
        except OSError:
            pass
        except Exception:
            tell_fault()
        finally:
            self._server.ended(self)
            self._close()

    def hang_up(self) -> None:
        """End it from another thread: whoever reads finds the end."""
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def turn_away(self) -> None:
        """Say that there are too many, without waiting for anything."""
        with suppress(OSError):
            self._line.setblocking(False)
            self._line.send(_head_of(_FULL, {"Connection": "close"}) + str(_FULL.body).encode())
            self._line.recv(_PIECE)  # closed before it is read, a request would take the answer with it
        self._close()

    def _close(self) -> None:
        self.hang_up()
        self._line.close()

    def _one(self) -> bool:
        """Answer one request; whether another may follow."""
        self._server.waits(self, True)
        try:
            raw = self._incoming.head()
            if raw is None:
                return False
            head = read_head(raw)
            query = fields_of(head.query)
        except Refused as error:
            self._unread = True
            self._send(Response(body=f"{error.what}\n", status=error.status, type=TEXT), None)
            return False
        self._server.waits(self, False)
        self._unread = head.length > 0
        request = Request(
            method=head.method,
            path=head.path,
            query=query,
            headers=head.headers,
            port=self._server.server_port,
            receive=partial(self._receive, head),
        )
        return self._send(self._server.reply(request), head)

    def _receive(self, head: Head, most: int) -> bytes:
        if head.length > most:
            raise Refused(413, f"at most {most:,} bytes may be sent here" if most else "nothing may be sent here")
        if head.length:
            self._server.waits(self, True)
            if "expect" in head.headers:
                self._line.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = self._incoming.body(head.length)
            self._server.waits(self, False)
            self._unread = False
            return body
        return b""

    def _send(self, response: Response, head: Head | None) -> bool:
        """Send an answer; whether the connection can be used again."""
        lasting = head is not None and head.lasting and not self._unread
        extra = {} if lasting else {"Connection": "close"}
        whole, pieces = (response.body, ()) if isinstance(response.body, str | bytes) else (None, response.body)
        if response.status not in (204, 304):
            if whole is not None:
                extra["Content-Length"] = str(len(_bytes(whole)))
            elif head is not None and head.chunks:
                extra["Transfer-Encoding"] = "chunked"
            else:
                lasting, extra["Connection"] = False, "close"
        chunked = "Transfer-Encoding" in extra
        deadline = time.monotonic() + limits.WEB_ANSWER_S
        start = _head_of(response, extra)
        if (head is not None and head.method == "HEAD") or response.status in (204, 304):
            self._write([start], deadline)
        else:
            self._write(_framed(start, map(_bytes, pieces if whole is None else [whole]), chunked=chunked), deadline)
        return lasting

    def _write(self, pieces: Iterable[bytes], deadline: float) -> None:
        for piece in pieces:
            for start in range(0, len(piece), _PIECE):
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                self._line.settimeout(min(left, limits.WEB_SILENT_S))
                self.sending = time.monotonic()
                self._line.sendall(memoryview(piece)[start : start + _PIECE])
                self.sending = 0.0

    def _drain(self) -> None:
        """Read some of what nobody wants: closed at once, the connection would be reset and the answer lost."""
        self._server.waits(self, True)
        self._line.shutdown(socket.SHUT_WR)
        deadline, left = time.monotonic() + limits.WEB_DRAINED_S, limits.WEB_DRAINED_BYTES
        while left > 0 and (wait := deadline - time.monotonic()) > 0:
            self._line.settimeout(wait)
            if not (piece := self._line.recv(_PIECE)):
                return
            left -= len(piece)


def _stalled(connection: _Connection) -> bool:
    """Whether its client does not take what is sent."""
    since = connection.sending
    return bool(since) and time.monotonic() - since > limits.WEB_STALLED_S


def _framed(start: bytes, pieces: Iterable[bytes], *, chunked: bool) -> Iterator[bytes]:
    """What goes over the line, the head together with the first of the body."""
    for piece in pieces:
        if piece:
            yield start + (b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            start = b""
    if start or chunked:
        yield start + (b"0\r\n\r\n" if chunked else b"")


def _bytes(piece: str | bytes) -> bytes:
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace")


def _head_of(response: Response, extra: dict[str, str]) -> bytes:
    """The head of an answer. Nothing that a page puts into a header can begin another one."""
    headers = {"Date": formatdate(usegmt=True), **HEADERS, "Content-Type": response.type, **response.headers, **extra}
    lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
    lines += [f"{name}: {re.sub(r'[^ -~]', '_', value)}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
