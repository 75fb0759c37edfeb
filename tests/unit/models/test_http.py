from __future__ import annotations

import asyncio
import contextlib
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import ConfigError, ServerFailed, TooLarge, Unreachable
from adjudge.models.connection import Connection
from adjudge.models.http import Wire, check_base_url
from tests.fakes.clock import Clock
from tests.fakes.raw import CANARY, HI, OK, Step, a_wire, answer, problem, served
from tests.fakes.server import FakeModelServer


@pytest.mark.parametrize(
    ("given_url", "kept"),
    [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
    ],
)
def test_a_usable_address(given_url: str, kept: str) -> None:
    assert check_base_url(given_url) == kept


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.openai.com/v1",
        "ftp://host/v1",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://host:99999/v1",
        "http://host:x/v1",
        "http://[::1/v1",
        "http://ho st/v1",
        "http://host/v1?key=1",
        "http://host/v1#part",
        "http://host/\r\nX-Evil: 1",
    ],
)
def test_an_unusable_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="--base-url"):
        check_base_url(url)


@pytest.mark.parametrize("url", ["http://me:s3cret@host/v1", "http://s3cret@host/v1", "http://:s3cret@host/v1"])
def test_a_password_in_an_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_base_url(url)
    assert "s3cret" not in str(caught.value)


@given(st.text(max_size=40) | st.text(max_size=40).map("http://".__add__))
def test_any_text_is_an_address_or_an_error(url: str) -> None:
    with contextlib.suppress(ConfigError):
        assert check_base_url(url).lower().startswith(("http://", "https://"))


def _post(wire: Wire) -> int:
    async def run() -> int:
        try:
            return (await wire.post(b'{"messages": [{"content": "?"}]}')).status
        finally:
            await wire.close()

    return asyncio.run(run())


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeModelServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        assert _post(a_wire("http://model.invalid/v1")) == 200
    assert [received.path for received in proxy.requests] == ["http://model.invalid/v1/chat/completions"]


@pytest.mark.parametrize("no_proxy_for", ["", "127.0.0.1"])
def test_this_machine_is_reached_without_the_proxy(monkeypatch: pytest.MonkeyPatch, no_proxy_for: str) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", no_proxy_for)
    with FakeModelServer() as server:
        assert _post(a_wire(server.url)) == 200


def test_a_proxy_that_is_not_http_is_refused_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://me:s3cret@proxy:1080")
    with pytest.raises(ConfigError, match="not a usable HTTP proxy") as caught:
        a_wire("https://model.invalid/v1")
    assert "s3cret" not in str(caught.value)


def test_passwords_of_netrc_are_not_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password s3cret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with FakeModelServer() as server:
        _post(a_wire(server.url))
    assert "authorization" not in server.requests[0].headers


def test_a_wire_can_be_used_again_after_it_was_closed() -> None:
    with FakeModelServer() as server:
        wire = a_wire(server.url)
        assert (_post(wire), _post(wire)) == (200, 200)


def test_the_request_is_exactly_this() -> None:
    async def run() -> bytes:
        async with served(lambda connection, n: [HI], headers={"anthropic-version": "1"}) as (server, wire):
            await wire.post('{"я": 1}'.encode())
            host = server.url.split("/")[2].encode()
            return bytes(server.requests[0].replace(host, b"HOST"))

    assert asyncio.run(run()).decode() == (
        "POST /v1/chat/completions HTTP/1.1\r\nHost: HOST\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
        "Content-Type: application/json\r\nUser-Agent: adjudge\r\nAnthropic-Version: 1\r\n"
        f'X-Key: {CANARY}\r\nContent-Length: 9\r\n\r\n{{"я": 1}}'
    )


def test_headers_are_read_in_any_case_and_repeated_ones_joined() -> None:
    found = answer(OK + b"X-One:  a b \t\r\nx-two: 1\r\nX-TWO: 2\r\nContent-Length: 0\r\n\r\n")
    assert dict(found.headers) == {"x-one": "a b", "x-two": "1, 2", "content-length": "0"}
    assert found.headers["X-Two"] == "1, 2"
    assert (found.body, found.seconds > 0) == (b"", True)


@pytest.mark.parametrize("scheme", [False, True])
def test_one_connection_serves_one_request_after_another(scheme: bool, trusted: None) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI], tls=scheme) as (server, wire):
            for _ in range(5):
                assert (await wire.post(b"{}")).body == b"hi"
            assert server.connections == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    "last",
    [
        OK + b"connection: close\r\ncontent-length: 2\r\n\r\nhi",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nhi",
        HI + b"surplus",
    ],
)
def test_where_the_server_will_close_or_is_out_of_step_the_connection_is_not_used_again(last: bytes) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [last]) as (server, wire):
            for _ in range(3):
                assert (await wire.post(b"{}")).body == b"hi"
            await server.open(0)
            assert server.connections == 3

    asyncio.run(run())


def test_requests_at_one_time_have_a_connection_each_and_the_last_used_is_the_first_to_be_used_again() -> None:
    async def run() -> None:
        def in_turn(connection: int, n: int) -> Iterator[Step]:
            while len(wire._idle) < connection - 1:
                yield 0.001
            yield HI

        async with served(in_turn) as (server, wire):
            await asyncio.gather(*(wire.post(b"{}") for _ in range(4)))
            assert server.connections == 4
            server._script = lambda connection, n: [OK + b"content-length: 1\r\n\r\n%d" % connection]
            assert [(await wire.post(b"{}")).body for _ in range(3)] == [b"4"] * 3
            assert server.connections == 4

    asyncio.run(run())


@pytest.mark.parametrize("unasked", [b"", b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n"])
@pytest.mark.parametrize("tls", [False, True])
def test_a_connection_that_was_closed_while_idle_is_replaced(tls: bool, unasked: bytes, trusted: None) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI, 0.01, unasked, "close"], tls=tls) as (server, wire):
            for count in (1, 2):
                assert (await wire.post(b"{}")).body == b"hi"
                await server.open(0)
                await asyncio.sleep(0.01)
                assert (server.connections, len(server.requests)) == (count, count)

    asyncio.run(run())


@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_used_connection_that_closes_on_a_request_costs_one_more_and_no_error(end: Step) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI] if n == 1 else [end]) as (server, wire):
            for _ in range(3):
                assert (await wire.post(b"{}")).body == b"hi"
            assert (server.connections, len(server.requests)) == (3, 5)

    asyncio.run(run())


@pytest.mark.parametrize("steps", [[b"H", "close"], [b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nh", "reset"]])
def test_after_one_byte_of_an_answer_nothing_is_sent_again(steps: list[Step]) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI] if n == 1 else steps) as (server, wire):
            await wire.post(b"{}")
            with pytest.raises(Unreachable, match="mid-answer"):
                await wire.post(b"{}")
            assert len(server.requests) == 2

    asyncio.run(run())


def test_a_server_that_had_time_to_work_is_not_asked_again_unnoticed(clock: Clock) -> None:
    async def run() -> None:
        worked: Step = lambda: clock.skip(limits.STALE_WITHIN_S)  # noqa: E731
        async with served(lambda connection, n: [HI] if n == 1 else [worked, "close"]) as (server, wire):
            await wire.post(b"{}")
            with pytest.raises(Unreachable, match="without an answer"):
                await wire.post(b"{}")
            assert len(server.requests) == 2

    asyncio.run(run())


@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_new_connection_that_closes_without_a_byte_is_a_fault(end: Step) -> None:
    found = problem(end)
    assert isinstance(found, Unreachable) and "closed the connection without an answer" in str(found)


def test_a_second_silence_is_a_fault() -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI] if (connection, n) == (1, 1) else ["close"]) as (server, wire):
            await wire.post(b"{}")
            with pytest.raises(Unreachable):
                await wire.post(b"{}")
            assert len(server.requests) == 3

    asyncio.run(run())


def test_a_connection_that_rested_for_long_is_not_used_again(clock: Clock) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI]) as (server, wire):
            await wire.post(b"{}")
            clock.skip(limits.KEEP_ALIVE_S)
            await wire.post(b"{}")
            await server.open(1)
            assert server.connections == 2

    asyncio.run(run())


@pytest.mark.parametrize(
    "steps",
    [
        [OK + b"\r\nhi", "close"],
        [OK + b"transfer-encoding: chunked\r\n\r\n1\r\nh\r\n", 0.01, b"1\r\ni\r\n0\r\nx: y\r\n\r\n"],
        [b"HTTP/1.1 100 Continue\r\n\r\n", 0.01, HI],
        [HI[:10], 0.01, HI[10:-1], 0.01, HI[-1:]],
    ],
)
def test_a_body_of_any_framing(steps: list[Step]) -> None:
    assert answer(*steps).body == b"hi"


@pytest.mark.parametrize(
    "steps",
    [
        [OK + b"content-length: 3\r\n\r\nhi", "close"],
        [OK + b"content-length: 3\r\n\r\nhi", 0.02, "reset"],
        [OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n", "close"],
        [OK + b"\r\nhi", 0.02, "reset"],
        [b"HTTP/1.1 200", "close"],
    ],
)
def test_a_body_cut_off(steps: list[Step]) -> None:
    found = problem(*steps)
    assert isinstance(found, Unreachable) and "mid-answer" in str(found)
    assert ("reset by peer" in str(found)) == ("reset" in steps)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "it begins with SSH-2.0-OpenSSH"),
        (OK + b"content-length: 1\r\ncontent-length: 2\r\n\r\nx", "more than once"),
        (OK + b"x: 1\r\n folded\r\n\r\n", "a broken header line"),
    ],
)
def test_what_is_no_http(sent: bytes, told: str) -> None:
    found = problem(sent, "hang")
    assert isinstance(found, ServerFailed)
    assert "did not answer in valid HTTP: " in str(found) and str(found).endswith(told)


def test_a_key_echoed_in_no_http_is_hidden() -> None:
    with pytest.raises(ServerFailed, match=r"it begins with \*\*\* \*\*\*$"):
        answer(f"{CANARY} {CANARY[:-3]}".encode(), "hang")


@pytest.mark.parametrize(
    ("packing", "packed"),
    [(b"gzip", gzip.compress(b"hi", mtime=0)), (b"Deflate", zlib.compress(b"hi")), (b"identity", b"hi"), (b"", b"hi")],
)
def test_a_packed_body(packing: bytes, packed: bytes) -> None:
    head = OK + b"content-encoding: %b\r\ncontent-length: %d\r\n\r\n" % (packing, len(packed))
    assert answer(head + packed).body == b"hi"


def test_a_reply_over_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RESPONSE_BYTES", 10)
    assert answer(OK + b"\r\n" + b"x" * 10, "close").body == b"x" * 10
    for head in (b"\r\n", b"content-length: 11\r\n\r\n", b"transfer-encoding: chunked\r\n\r\nb\r\n"):
        assert isinstance(problem(OK + head + b"x" * 11, "hang"), TooLarge)


def test_once_the_server_spoke_unasked_no_connection_is_used_again() -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI, 0.01, HI] if connection == 1 else [HI]) as (server, wire):
            await wire.post(b"{}")
            await server.open(0)
            for _ in range(3):
                assert (await wire.post(b"{}")).body == b"hi"
            await server.open(0)
            assert server.connections == 4

    asyncio.run(run())


@pytest.mark.parametrize("farewell", [b"\r\n", b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n"])
def test_a_farewell_is_no_answer(farewell: bytes) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI, 0.01, farewell] if connection == 1 else [HI]) as (server, wire):
            await wire.post(b"{}")
            await server.open(0)
            for _ in range(3):
                await wire.post(b"{}")
            assert server.connections == 2

    asyncio.run(run())


def test_an_answer_over_a_used_connection_is_not_taken_once_the_server_spoke_unasked_over_another() -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI] if n == 1 else [wire._distrust, HI]) as (server, wire):
            await wire.post(b"{}")
            with pytest.raises(ServerFailed, match="nobody asked for"):
                await wire.post(b"{}")
            assert (await wire.post(b"{}")).body == b"hi"
            await server.open(0)
            assert server.connections == 2

    asyncio.run(run())


def test_how_long_an_answer_is_held() -> None:
    wire = a_wire("http://127.0.0.1:1/v1")
    wire._quickest_s = 0.5
    assert wire._held_s(0.25) == wire._held_s(4.0) == 0.75, "the first, until the true one would be there"
    wire._tried = True
    assert wire._held_s(0.25) == 0.5, "one that is quicker than any, until the quickest would be there"
    assert wire._held_s(0.5) == wire._held_s(9.0) == 0.0, "an honest server is not made to wait"
    wire._quickest_s = 600.0
    assert wire._held_s(1.0) == 1.0


def test_the_time_that_an_answer_is_held_is_not_the_servers(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI]) as (_, wire):
            await wire.post(b"{}")
            monkeypatch.setattr(Connection, "quiet", quiet)
            assert (await wire.post(b"{}")).seconds < 600

    async def quiet(connection: Connection, seconds: float) -> bool:
        clock.skip(600.0)
        return True

    asyncio.run(run())
