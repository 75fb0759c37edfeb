"""What servers do to a connection: answers that nobody asked for, and refusals while a long prompt is still sent."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from adjudge.core.errors import ContextTooLong, ModelError, NotAuthorised, RateLimited, ServerFailed
from adjudge.core.records import Reply
from adjudge.models.base import Model
from adjudge.models.choose import choose_model
from adjudge.models.http import Wire
from tests.fakes.certificates import usual
from tests.fakes.clock import PATIENCE_S
from tests.fakes.requests import a_request

KINDS = ("openai", "anthropic")
#: What to do with a connection, and which it is, from 1.
Talk = Callable[[socket.socket, int], None]


@contextmanager
def listening(talk: Talk, *, tls: bool = False) -> Iterator[str]:
    """A server with a thread for each connection; its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if tls:
        context.load_cert_chain(*usual()[1])

    def one(line: socket.socket, number: int) -> None:
        with suppress(OSError, EOFError):
            line.settimeout(PATIENCE_S)
            with context.wrap_socket(line, server_side=True) if tls else line as told:
                talk(told, number)

    def accept() -> None:
        with suppress(OSError):
            for number in range(1, 1000):
                threading.Thread(target=one, args=(server.accept()[0], number), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.getsockname()[1]}/v1"
        server.shutdown(socket.SHUT_RDWR)


def received(line: socket.socket, *, whole: bool = True) -> bytes:
    """A request; without `whole` its head, and whatever came with it."""
    came = b""
    while b"\r\n\r\n" not in came:
        came += _more(line)
    head, _, body = came.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while whole and len(body) < length:
        body += _more(line)
    return head + b"\r\n\r\n" + body


def _more(line: socket.socket) -> bytes:
    if not (piece := line.recv(1 << 16)):
        raise EOFError
    return piece


def answer(text: str, status: int = 200, *, chunked: bool = False) -> bytes:
    """An answer in both protocols at once."""
    data = {
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }
    body = json.dumps(data if status == 200 else {"error": {"message": text}}).encode()
    head = b"HTTP/1.1 %d Said\r\ncontent-type: application/json\r\n" % status
    if chunked:
        return head + b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return head + b"content-length: %d\r\n\r\n%b" % (len(body), body)


def asked(url: str, kind: str, *texts: str, between: Callable[[], object] = lambda: None) -> list[Reply | ModelError]:
    """What becomes of each of these prompts, one after another with one model."""

    async def run() -> list[Reply | ModelError]:
        model: Model = choose_model(f"{kind}:m", base_url=url, timeout_s=PATIENCE_S)
        found: list[Reply | ModelError] = []
        try:
            for text in texts:
                try:
                    found.append(await model.answer(a_request(text)))
                except ModelError as error:
                    found.append(error.with_traceback(None))
                between()
        finally:
            await model.close()
        return found

    return asyncio.run(run())


def said(prompt: bytes) -> str:
    """What the server says to a request: the number of its prompt."""
    return prompt.rpartition(b"prompt ")[2].split(b'"')[0].decode()


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("apart_s", [None, 0.0, 0.01])
@pytest.mark.parametrize("extra", [answer("unasked"), b"x", b"HTTP/1.1 200 OK\r\n", b"\r\n"])
@pytest.mark.parametrize("kind", KINDS)
def test_bytes_that_nobody_asked_for_are_no_answer_to_the_next_request(
    kind: str, extra: bytes, apart_s: float | None, chunked: bool, tls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`apart_s`: how long after the answer they are sent; None for in one piece with it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(usual()[0]))
    sent = threading.Semaphore(0)

    def talk(line: socket.socket, number: int) -> None:
        while True:
            own = answer(said(received(line)), chunked=chunked)
            if apart_s is None:
                line.sendall(own + extra)
            else:
                line.sendall(own)
                time.sleep(apart_s)
                line.sendall(extra)
            sent.release()

    def between() -> None:
        """Without a turn of the event loop: the bytes are in the system, and nobody has looked."""
        sent.acquire(timeout=5)
        time.sleep(0.002)

    with listening(talk, tls=tls) as url:
        found = asked(url, kind, *(f"prompt {n}" for n in range(5)), between=between)
    assert [one.text if isinstance(one, Reply) else repr(one) for one in found] == [str(n) for n in range(5)]


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("after", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_late_unasked_answer_is_no_answer_to_the_request_sent_meanwhile(
    kind: str, after: int, together: bool, tls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes when `after` requests are answered and the next one is sent; `together`: right before its answer."""
    monkeypatch.setenv("SSL_CERT_FILE", str(usual()[0]))
    strayed = threading.Event()
    # the wait ends with what it waits for
    monkeypatch.setattr(Wire, "_held_s", lambda wire, took_s: PATIENCE_S if strayed.is_set() else 0.0)
    connections = set[int]()

    def talk(line: socket.socket, number: int) -> None:
        connections.add(number)
        for came in range(1, 100):
            own = answer(said(received(line)))
            if came == after + 1:
                strayed.set()
                line.sendall(answer("stray") + (own if together else b""))
            if came <= after or not together:
                line.sendall(own)

    with listening(talk, tls=tls) as url:
        found = asked(url, kind, *(f"prompt {n}" for n in range(6)))
    fault = found.pop(after)
    assert [one.text if isinstance(one, Reply) else repr(one) for one in found] == [
        str(n) for n in range(6) if n != after
    ]
    assert isinstance(fault, ServerFailed) and "nobody asked for" in str(fault) and fault.paid is None
    assert len(connections) == 6 - after, "each has one of its own from then on"


@pytest.mark.parametrize("tls", [False, True])
def test_who_was_answered_unasked_uses_no_connection_again(tls: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found where the bytes are in the system, and nobody has looked, when the next request is to be sent."""
    monkeypatch.setenv("SSL_CERT_FILE", str(usual()[0]))
    sent, connections = threading.Event(), set[int]()

    def talk(line: socket.socket, number: int) -> None:
        connections.add(number)
        while True:
            line.sendall(answer(said(received(line))))
            if number == 1:
                line.sendall(answer("stray"))
            sent.set()

    with listening(talk, tls=tls) as url:
        found = asked(url, "openai", *(f"prompt {n}" for n in range(4)), between=lambda: sent.wait(PATIENCE_S))
    assert [one.text if isinstance(one, Reply) else repr(one) for one in found] == ["0", "1", "2", "3"]
    assert len(connections) == 4


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("ends", ["reset", "close", "stays"])
@pytest.mark.parametrize(
    ("status", "error"), [(413, ContextTooLong), (401, NotAuthorised), (429, RateLimited)], ids=["413", "401", "429"]
)
@pytest.mark.parametrize("reads", [0, 300_000])
@pytest.mark.parametrize("words", [1, 6_000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_of_a_long_prompt_is_heard_while_it_is_sent(
    kind: str,
    words: int,
    reads: int,
    status: int,
    error: type[ModelError],
    ends: str,
    tls: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(usual()[0]))

    def talk(line: socket.socket, number: int) -> None:
        came = len(received(line, whole=False))
        while came < reads:
            came += len(_more(line))
        line.sendall(answer("not this " * words, status))
        if ends == "stays":
            time.sleep(0.3)
        elif ends == "reset":
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with listening(talk, tls=tls) as url:
        (one,) = asked(url, kind, "long " * 2_000_000)
    assert isinstance(one, error), repr(one)
    assert "not this" in str(one)
