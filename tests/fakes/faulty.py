"""Faults on command: of one item's answers (`FaultyModel`), and of the way to the server (`Line`).

model = FaultyModel({"i4": (lambda request: Answer(status=500), "once")})  # the first request for item i4 fails
with FakeModelServer(model) as server: ...
model.asked["i4"], model.answered["i4"]                                    # how often it was asked, and answered
"""

from __future__ import annotations

import json
import re
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import pytest

from adjudge.core import limits
from tests.fakes.certificates import certificate
from tests.fakes.clock import Clock
from tests.fakes.instance import instance
from tests.fakes.server import Answer, Received

Pattern = Literal["always", "once", "flapping"]
#: A fault is what is sent instead of a good answer; it may look at the request.
Fault = Callable[[Received], Answer]
_ITEM = re.compile(r"Story number (\d+)\.")


def rows(count: int) -> list[dict[str, str]]:
    """Items for the judge `summary` that the server can tell apart."""
    return [{"id": f"i{n}", "content": f"Story number {n}. It ends.", "text": f"Story {n}."} for n in range(count)]


def meets(pattern: Pattern, n: int) -> bool:
    """Whether try number n (the first is 1) meets the fault; flapping is every other one."""
    return {"always": True, "once": n == 1, "flapping": n % 2 == 1}[pattern]


def good(request: Received) -> str:
    """What a good model says to this request, which carries a schema."""
    assert request.schema
    return json.dumps(instance(request.schema, request.user))


class FaultyModel:
    """A script for `FakeModelServer` that fails for some items; it counts what it was asked and answered, by item."""

    def __init__(self, faults: Mapping[str, tuple[Fault, Pattern]]) -> None:
        self.faults = faults
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.arrives: Callable[[str], None] = lambda item: None
        self._schema: Mapping[str, Any] | None = None

    def __call__(self, data: Any, _: int) -> Answer:
        found = _ITEM.search(json.dumps(data["messages"]))
        assert found, "a request about no item"
        item = f"i{found[1]}"
        self.asked[item] += 1
        self.arrives(item)
        received = Received(path="", headers={}, data=data)
        self._schema = received.schema or self._schema
        if item in self.faults:
            fault, pattern = self.faults[item]
            if meets(pattern, self.asked[item]):
                return fault(received)
        self.answered[item] += 1
        return Answer(text=json.dumps(instance(self._schema or {}, received.user)))


class Line:
    """The way to a server: a port of its own, on which connection number n may meet a fault.

    `refused`: nothing listens. `silent`: the kernel's queue is full, so that nobody ever says hello, and the time is up
    at once. `down(n)` is asked before each connection is made; the connections are seen because `watch` notes every
    `connect` of this process.
    """

    def __init__(self, url: str, kind: Literal["refused", "silent"], down: Callable[[int], bool], clock: Clock) -> None:
        self._target, self._kind, self._down, self._clock = _port(url), kind, down, clock
        self.tried = 0
        # Bound to the end, for a port that nothing is bound to may be another process's at any moment.
        self._bound = bound(0)
        self.port = int(self._bound.getsockname()[1])
        self.url = url.replace(f":{self._target}/", f":{self.port}/")
        self._listener: socket.socket | None = None
        self._queue: list[socket.socket] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self._bound.close()

    def mend(self) -> None:
        """From now on there is no fault."""
        self._down = lambda n: False

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        connect = socket.socket.connect

        def watched(this: socket.socket, address: Any) -> None:
            if this not in self._queue and isinstance(address, tuple) and address[1] == self.port:
                self.tried += 1
                self._set(up=not self._down(self.tried))
            connect(this, address)

        monkeypatch.setattr(socket.socket, "connect", watched)
        return self

    def _set(self, *, up: bool) -> None:
        self._close()
        if up:
            self._listener = bound(self.port)
            self._listener.listen(128)
            threading.Thread(target=_forward, args=(self._listener, self._target), daemon=True).start()
        elif self._kind == "silent":
            self._listener = bound(self.port)
            self._listener.listen(0)
            for number in range(4):
                self._queue.append(waiting := socket.socket())
                waiting.setblocking(number == 0)  # there is room for one, and it must be in before another comes
                with suppress(BlockingIOError):
                    waiting.connect(("127.0.0.1", self.port))
            self._clock.skip(limits.CONNECT_TIMEOUT_S)

    def _close(self) -> None:
        for one in (*self._queue, *([self._listener] if self._listener else [])):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # ends an `accept` that waits in another thread
            one.close()
        self._queue, self._listener = [], None


class TlsLine:
    """A TLS server in front of a plain one; connection number n shows a certificate that nobody vouches for, or
    speaks no TLS at all, where `down(n)` says so. `trusted` is the file that vouches for the good one."""

    def __init__(self, url: str, folder: Path, kind: Literal["stranger", "plain"], down: Callable[[int], bool]):
        self._plain, self._target, self._kind, self._down = url, _port(url), kind, down
        self.tried = 0
        self.trusted, self._good = certificate(folder / "good")
        _, self._stranger = certificate(folder / "stranger")

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = self._plain.replace("http:", "https:").replace(f":{self._target}/", f":{port}/")
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.tried += 1
                down = self._down(self.tried)
                threading.Thread(target=self._greet, args=(client, down), daemon=True).start()

    def _greet(self, client: socket.socket, down: bool) -> None:
        with suppress(OSError), client:  # SSLError is one
            if down and self._kind == "plain":
                client.recv(1 << 16)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
                return
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*(self._stranger if down else self._good))
            with context.wrap_socket(client, server_side=True) as safe:
                _exchange(safe, self._target)


def bound(port: int) -> socket.socket:
    """A socket of this machine at a port, which those of this kind can share while only one of them listens."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("127.0.0.1", port))
    return made


def _port(url: str) -> int:
    port = urlsplit(url).port
    assert port
    return port


def _forward(listener: socket.socket, target: int) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_one_exchange, args=(client, target), daemon=True).start()


def _one_exchange(client: socket.socket, target: int) -> None:
    with suppress(OSError), client:
        _exchange(client, target)


def _exchange(client: socket.socket, target: int) -> None:
    """One request and its answer, then the end: so every request is a connection of its own."""
    with socket.create_connection(("127.0.0.1", target)) as server:
        server.sendall(_message(client))
        client.sendall(_message(server))


def _message(peer: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (some := peer.recv(1 << 16)):
            raise ConnectionError("it ended in the middle of a message")
        data += some
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
    while len(body) < int(length[1] if length else 0):
        if not (some := peer.recv(1 << 16)):
            raise ConnectionError("it ended in the middle of a message")
        body += some
    return head + b"\r\nconnection: close\r\n\r\n" + body
