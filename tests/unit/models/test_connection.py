"""What happens on the way: deadlines, cancelling, closing, TLS, proxies."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import traceback

import pytest

from adjudge.core import limits
from adjudge.core.errors import TimedOut, Unreachable
from tests.fakes.clock import Clock
from tests.fakes.raw import CANARY, HI, RawServer, Step, a_wire, answer, ipv6, problem, served
from tests.fakes.server import FakeModelServer

#: Nine tenths of the time for an answer.
LONG_S, TIMEOUT_S = 90.0, 100.0


@pytest.mark.parametrize("pieces", [[], [HI[:-1]], [HI[:17], b"x: 1\r\n"]])
def test_an_answer_that_is_not_whole_in_time(pieces: list[bytes], clock: Clock) -> None:
    """Whatever of it came in the meantime, and although the server gives up then."""
    skip: Step = lambda: clock.skip(LONG_S)  # noqa: E731
    found = problem(*pieces[:1], skip, *pieces[1:], 0.01, skip, 0.01, "close", timeout_s=TIMEOUT_S)
    assert isinstance(found, TimedOut) and "gave no whole answer within 100 s" in str(found)


def test_each_exchange_has_its_own_deadline(clock: Clock) -> None:
    def script(connection: int, n: int) -> list[Step]:
        return [lambda: clock.skip(LONG_S), 0.01, HI if n < 4 else "hang"]

    async def run() -> None:
        async with served(script, timeout_s=TIMEOUT_S) as (server, wire):
            for _ in range(3):
                await wire.post(b"{}")
            late = asyncio.create_task(wire.post(b"{}"))
            while len(server.requests) < 4:
                await asyncio.sleep(0.001)
            clock.skip(TIMEOUT_S)
            with pytest.raises(TimedOut):
                await late
            await server.open(0)
            assert server.connections == 1

    asyncio.run(run())


@pytest.mark.parametrize("tls", [False, True])
def test_a_cancelled_request_leaves_nothing_behind(tls: bool, trusted: None) -> None:
    async def run() -> None:
        async with served(lambda connection, n: [HI] if connection == n == 1 else [HI[:-1], "hang"], tls=tls) as (
            server,
            wire,
        ):
            await wire.post(b"{}")
            tasks = [asyncio.create_task(wire.post(b"{}")) for _ in range(3)]
            await server.open(3)
            await asyncio.sleep(0.02)
            for task in tasks:
                task.cancel()
            assert all(
                isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*tasks, return_exceptions=True)
            )
            await server.open(0)
            assert (wire._idle, wire._open) == ([], set())

    asyncio.run(run())
    gc.collect()


@pytest.mark.parametrize("after_s", [0.0, 0.001, 0.005])
def test_a_request_cancelled_while_it_connects_leaves_nothing_behind(after_s: float, trusted: None) -> None:
    async def run() -> None:
        async with served(lambda connection, n: ["hang"], tls=True) as (server, wire):
            task = asyncio.create_task(wire.post(b"{}"))
            await asyncio.sleep(after_s)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await server.open(0)

    asyncio.run(run())
    gc.collect()


def test_closing_ends_what_is_under_way() -> None:
    async def run() -> None:
        async with served(lambda connection, n: ["hang"]) as (server, wire):
            task = asyncio.create_task(wire.post(b"{}"))
            while not server.requests:
                await asyncio.sleep(0.001)
            await wire.close()
            with pytest.raises(Unreachable):
                await task
            await server.open(0)

    asyncio.run(run())


def test_a_wire_is_not_taken_to_another_loop_while_open() -> None:
    server = FakeModelServer()
    first, second = asyncio.new_event_loop(), asyncio.new_event_loop()
    with server, contextlib.closing(first), contextlib.closing(second):
        wire = a_wire(server.url)
        body = b'{"messages": [{"content": "?"}]}'
        first.run_until_complete(wire.post(body))
        with pytest.raises(RuntimeError, match="event loop"):
            second.run_until_complete(wire.post(body))
        first.run_until_complete(wire.close())


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_tls_with_a_certificate_that_is_trusted(host: str) -> None:
    if host == "::1" and not ipv6():
        pytest.skip("this machine has no IPv6")
    assert answer(HI, tls=True, host=host).body == b"hi"


def test_tls_with_a_certificate_that_nobody_vouches_for() -> None:
    found = problem(HI, tls=True)
    assert isinstance(found, Unreachable) and "certificate verify failed" in str(found)


@pytest.mark.usefixtures("trusted")
def test_tls_with_the_certificate_of_another_host(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with RawServer(lambda connection, n: [HI], tls=True) as server:
            steps: list[Step] = [b"HTTP/1.1 200 OK\r\n\r\n", server.port]
            async with RawServer(lambda connection, n: steps) as proxy:
                monkeypatch.setenv("https_proxy", proxy.url)
                wire = a_wire("https://other.invalid/v1")
                with pytest.raises(Unreachable, match=r"other\.invalid cannot be reached: .*Hostname mismatch"):
                    await wire.post(b"{}")
                await proxy.open(0)
                await wire.close()
            assert server.requests == []

    asyncio.run(run())


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("proxy_tls", [False, True])
@pytest.mark.parametrize("host", ["model.invalid", "bücher.invalid"])
def test_a_safe_server_behind_a_proxy(monkeypatch: pytest.MonkeyPatch, proxy_tls: bool, host: str) -> None:
    """The proxy carries bytes it can't read: no key, no path, only where to."""

    async def run() -> None:
        async with RawServer(lambda connection, n: [HI], tls=True) as server:
            steps: list[Step] = [b"HTTP/1.0 200 Connection established\r\n\r\n", server.port]
            async with RawServer(lambda connection, n: steps, tls=proxy_tls) as proxy:
                where = proxy.url.removesuffix("/v1").replace("://", "://me:p%40ss@")
                monkeypatch.setenv("https_proxy", where)
                wire = a_wire(f"https://{host}/v1")
                assert [(await wire.post(b"{}")).body for _ in range(3)] == [b"hi"] * 3
                await wire.close()
            name = host.encode("idna")
            assert proxy.requests == [
                b"CONNECT %b:443 HTTP/1.1\r\nHost: %b:443\r\nUser-Agent: adjudge\r\n"
                b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n" % (name, name)
            ]
            assert len(server.requests) == 3
            assert b"Proxy-Authorization" not in server.requests[0]
            assert b"\r\nHost: %b\r\n" % name in server.requests[0]

    asyncio.run(run())


def test_a_plain_server_behind_a_proxy_with_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with RawServer(lambda connection, n: [HI]) as proxy:
            monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1").replace("://", "://me:p%40ss@"))
            wire = a_wire("http://model.invalid:81/v1")
            assert (await wire.post(b"{}")).body == b"hi"
            await wire.close()
            (request,) = proxy.requests
            start = b"POST http://model.invalid:81/v1/chat/completions HTTP/1.1\r\nHost: model.invalid:81\r\n"
            assert request.startswith(start)
            assert b"\r\nProxy-Authorization: Basic bWU6cEBzcw==\r\n" in request

    asyncio.run(run())


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("scheme", "steps", "told"),
    [
        ("https", [b"HTTP/1.1 407 Log in, please\r\ncontent-length: 4\r\n\r\nmore"], "answered 407: Log in, please"),
        ("https", [b"HTTP/1.1 502 Bad\r\n\r\n", "close"], "answered 502: Bad"),
        ("https", [b"SSH-2.0\r\n", "hang"], "did not answer in valid HTTP: it begins with SSH-2.0"),
        ("https", ["close"], "cannot be used: it closed the connection without an answer"),
        ("https", [b"HTTP/1.1 200 OK\r\n\r\nmore", "hang"], "cannot be used: it closed the connection in mid-answer"),
        ("http", [b"HTTP/1.1 407 Password\r\ncontent-length: 0\r\n\r\n"], "answered 407: Password"),
    ],
)  # fmt: skip
def test_a_proxy_that_refuses(monkeypatch: pytest.MonkeyPatch, scheme: str, steps: list[Step], told: str) -> None:
    async def run() -> None:
        async with RawServer(lambda connection, n: steps) as proxy:
            monkeypatch.setenv(f"{scheme}_proxy", proxy.url.replace("://", "://me:p%40ssw0rd@"))
            wire = a_wire(f"{scheme}://model.invalid/v1")
            with pytest.raises(Unreachable) as caught:
                await wire.post(b"{}")
            await wire.close()
            await proxy.open(0)
        assert str(caught.value) == f"the proxy for model.invalid {told}"
        shown = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
        assert CANARY not in shown and "ssw0rd" not in shown and "bWU6cEBzc3cwcmQ=" not in shown
        assert scheme == "http" or CANARY.encode() not in b"".join(proxy.requests)

    asyncio.run(run())


def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    with pytest.raises(Unreachable, match=r"the proxy for model\.invalid cannot be reached: Connection refused"):
        asyncio.run(a_wire("https://model.invalid/v1").post(b"{}"))


def test_a_proxy_that_says_nothing_ends_at_the_connect_time_out(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    async def run() -> None:
        async with RawServer(lambda connection, n: [lambda: clock.skip(limits.CONNECT_TIMEOUT_S), "hang"]) as proxy:
            monkeypatch.setenv("https_proxy", proxy.url)
            wire = a_wire("https://model.invalid/v1")
            with pytest.raises(Unreachable, match="could not be connected to within 10 s"):
                await wire.post(b"{}")
            await proxy.open(0)
            await wire.close()

    asyncio.run(run())


def test_a_name_with_two_addresses_of_which_none_answers() -> None:
    with pytest.raises(Unreachable, match=r"cannot be reached: Connection refused$"):
        asyncio.run(a_wire("http://localhost:1/v1").post(b"{}"))
