"""The server over a real socket: limits, connections, answers of every kind."""

from __future__ import annotations

import re
import socket
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial

import pytest

from adjudge.core import limits
from adjudge.web import incoming
from adjudge.web.message import HEADERS, Refused, Response
from adjudge.web.server import Server
from tests.fakes.clock import PATIENCE_S
from tests.fakes.wire import ask, connect, exchange, read_answer, rest_of


@contextmanager
def answering(reply, host="127.0.0.1"):
    server = Server((host, 0), reply)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.02))
    thread.start()
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def echo(request) -> Response:
    try:
        body = request.receive(100)
    except Refused as error:
        return Response(body=error.what, status=error.status)
    return Response(body=f"{request.method} {request.path} {request.query} {body!r}")


def raw(first: str, *lines: str, body: bytes = b"") -> bytes:
    return "\r\n".join([first, "Host: a", *lines, "", ""]).encode() + body


def test_requests_follow_one_another_on_a_connection():
    with answering(echo) as address:
        said = exchange(
            address,
            b"\r\n"
            + raw("POST /a?b=1 HTTP/1.1", "Content-Length: 3", body=b"abc")
            + raw("GET /c HTTP/1.1")
            + raw("GET /d HTTP/1.1", "Connection: close")
            + raw("GET /never HTTP/1.1"),
        )
    assert re.findall(rb"(?:POST|GET) /\w+ .*", said) == [
        b"POST /a {'b': ['1']} b'abc'HTTP/1.1 200 OK\r",
        b"GET /c {} b''HTTP/1.1 200 OK\r",
        b"GET /d {} b''",
    ]
    assert said.count(b"Connection: close") == 1


def test_an_old_client_gets_one_answer():
    with answering(echo) as address:
        said = exchange(address, raw("GET /a HTTP/1.0", "Connection: keep-alive") + raw("GET /b HTTP/1.0"))
    answer = read_answer(said)
    assert (answer.status, answer.body, answer.headers["Connection"]) == (200, b"GET /a {} b''", "close")


def test_every_answer_has_the_headers_that_protect():
    with answering(echo) as address:
        for method, path in (("GET", "/"), ("HEAD", "/"), ("BREW", "/"), ("GET", "nowhere"), ("POST", "/")):
            answer = ask(address, method, path, body=b"x" * (200 if method == "POST" else 0))
            assert answer.headers.items() >= HEADERS.items(), method


def test_head_is_get_without_the_body():
    with answering(echo) as address:
        head, get = ask(address, "HEAD", "/abc"), ask(address, "GET", "/abc")
    assert head.body == b""
    assert int(head.headers["Content-Length"]) == len(get.body) + len("HEAD") - len("GET")


def test_a_body_in_pieces_is_sent_as_it_is_made():
    more = threading.Event()

    def reply(request) -> Response:
        def pieces():
            yield "first"
            assert more.wait(PATIENCE_S)
            yield b""
            yield "второй"

        return Response(body=pieces())

    with answering(reply) as address, connect(address) as line:
        line.sendall(raw("GET / HTTP/1.1", "Connection: close"))
        said = b""
        while b"first" not in said:
            said += line.recv(1000)
        more.set()
        said += rest_of(line)
        answer = read_answer(said)
        assert answer.headers["Transfer-Encoding"] == "chunked"
        assert answer.body == b"5\r\nfirst\r\nc\r\n" + "второй".encode() + b"\r\n0\r\n\r\n"
        old = read_answer(exchange(address, raw("GET / HTTP/1.0")))
        assert old.body == "firstвторой".encode()
        assert "Transfer-Encoding" not in old.headers


def test_a_fault_in_the_middle_is_no_whole_answer(capfd):
    def reply(request) -> Response:
        def pieces():
            yield "first"
            raise RuntimeError("of our own")

        return Response(body=pieces())

    with answering(reply) as address:
        assert not read_answer(exchange(address, raw("GET / HTTP/1.1"))).body.endswith(b"0\r\n\r\n")
        assert "a fault of its own: RuntimeError" in capfd.readouterr().err
        assert read_answer(exchange(address, raw("HEAD / HTTP/1.1", "Connection: close"))).status == 200


def test_a_client_is_told_to_go_on_only_when_its_body_is_wanted():
    with answering(echo) as address:
        with connect(address) as line:
            line.sendall(raw("POST / HTTP/1.1", "Expect: 100-continue", "Content-Length: 3", "Connection: close"))
            assert line.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
            line.sendall(b"abc")
            assert read_answer(rest_of(line)).body == b"POST / {} b'abc'"
        refused = exchange(address, raw("POST / HTTP/1.1", "Expect: 100-continue", "Content-Length: 101"))
        assert read_answer(refused).status == 413


def test_who_sends_too_much_hears_it():
    """Closed at once, the connection would be reset, and the answer lost on the way."""
    with answering(echo) as address:
        body = b"x" * 800_000
        for _ in range(10):
            answer = read_answer(exchange(address, raw("POST / HTTP/1.1", f"Content-Length: {len(body)}", body=body)))
            assert (answer.status, answer.headers["Connection"]) == (413, "close")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"GET /" + b"a" * 40_000, 414),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000, 431),
        (raw("GET /?" + "a&" * (limits.WEB_FIELDS + 1) + " HTTP/1.1"), 400),
        (raw("POST / HTTP/1.1", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 411),
    ],
)
def test_limits_of_a_head(said, status):
    with answering(echo) as address:
        answer = read_answer(exchange(address, said))
        assert answer.status == status
        assert answer.headers.items() >= HEADERS.items()


def test_nothing_from_a_page_begins_another_header():
    def reply(request) -> Response:
        return Response(headers={"Content-Disposition": 'attachment; filename="a\r\nSet-Cookie: b\u2028ы"'})

    with answering(reply) as address:
        answer = ask(address, "GET", "/")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a__Set-Cookie: b__"'


def test_statuses_without_a_body():
    with answering(lambda request: Response(status=304)) as address:
        said = exchange(address, raw("GET /a HTTP/1.1") + raw("GET /b HTTP/1.1", "Connection: close"))
    assert said.count(b"HTTP/1.1 304 Not Modified\r\n") == 2
    assert b"Content-Length" not in said


def test_the_other_address_of_this_machine():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no ::1")
    with answering(echo, "::1") as address:
        assert ask(address, "GET", "/").status == 200


@pytest.fixture
def hurried(monkeypatch):
    """Who has begun to say something has little time for the rest."""
    monkeypatch.setattr(incoming, "WEB_REQUEST_S", 0.6)


def test_who_says_nothing_is_hung_up_on(monkeypatch):
    def reply(request) -> Response:
        monkeypatch.setattr(incoming, "WEB_SILENT_S", 0.3)  # from now on
        return echo(request)

    with answering(reply) as address:
        said = exchange(address, raw("GET /a HTTP/1.1"))
        assert said.endswith(b"GET /a {} b''")
        assert exchange(address, b"") == b""


def test_who_stops_in_the_middle_is_told(hurried):
    with answering(echo) as address:
        assert read_answer(exchange(address, b"GET / HT")).status == 408
        assert read_answer(exchange(address, raw("POST / HTTP/1.1", "Content-Length: 3", body=b"ab"))).status == 408


def test_who_speaks_a_letter_at_a_time_has_a_deadline(hurried):
    with answering(echo) as address, connect(address) as line:
        began = time.monotonic()
        line.settimeout(0.05)
        said = b""
        while not said and time.monotonic() < began + PATIENCE_S:
            line.sendall(b"a")
            try:
                said = line.recv(1000)
            except TimeoutError:
                continue
        assert read_answer(said).status == 408


def test_a_body_that_ends_too_early():
    with answering(echo) as address, connect(address) as line:
        line.sendall(raw("POST / HTTP/1.1", "Content-Length: 3", body=b"ab"))
        line.shutdown(socket.SHUT_WR)
        assert read_answer(rest_of(line)).status == 400


def test_the_longest_waiting_makes_room(monkeypatch):
    monkeypatch.setattr(limits, "WEB_CONNECTIONS", 3)
    with answering(echo) as address:
        idle = [connect(address) for _ in range(3)]
        assert ask(address, "GET", "/").status == 200
        assert rest_of(idle[0]) == b""
        idle[2].sendall(raw("GET /still HTTP/1.1", "Connection: close"))
        assert b"/still" in rest_of(idle[2])
        for line in idle:
            line.close()


def test_where_all_are_at_work_others_are_asked_to_come_again(monkeypatch):
    monkeypatch.setattr(limits, "WEB_CONNECTIONS", 2)
    begun, more = threading.Semaphore(0), threading.Event()

    def reply(request) -> Response:
        begun.release()
        assert more.wait(PATIENCE_S)
        return Response(body="done")

    with answering(reply) as address:
        busy = [connect(address) for _ in range(2)]
        for line in busy:
            line.sendall(raw("GET / HTTP/1.1", "Connection: close"))
            assert begun.acquire(timeout=PATIENCE_S)
        with connect(address) as line:
            answer = read_answer(rest_of(line))
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
        assert answer.headers.items() >= HEADERS.items()
        more.set()
        for line in busy:
            assert rest_of(line).endswith(b"done")
            line.close()


def _served(address: str) -> bool:
    try:
        return ask(address, "GET", "/").status == 200
    except ConnectionError:  # turned away while it was still asking
        return False


def test_who_does_not_take_an_answer_makes_room(monkeypatch):
    monkeypatch.setattr(limits, "WEB_CONNECTIONS", 2)
    monkeypatch.setattr(limits, "WEB_STALLED_S", 0.2)

    def reply(request) -> Response:
        return Response(body="small") if request.path == "/" else Response(body=(b"x" * 65_536 for _ in range(10_000)))

    with answering(reply) as address:
        deaf = [connect(address) for _ in range(2)]
        for line in deaf:
            line.sendall(raw("GET /large HTTP/1.1"))
        deadline = time.monotonic() + PATIENCE_S
        while not _served(address):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for line in deaf:
            line.close()


def test_an_answer_under_way_is_finished_when_the_server_ends():
    begun, more = threading.Event(), threading.Event()

    def reply(request) -> Response:
        begun.set()
        assert more.wait(PATIENCE_S)
        return Response(body="done")

    with ExitStack() as lines:
        with answering(reply) as address:
            # in this order: the server has taken the first when it answers the second
            idle, line = lines.enter_context(connect(address)), lines.enter_context(connect(address))
            line.sendall(raw("GET / HTTP/1.1"))
            assert begun.wait(PATIENCE_S)
            threading.Timer(0.2, more.set).start()
        assert rest_of(line).endswith(b"done")
        assert rest_of(idle) == b""
