"""Whatever a server sends, in whatever pieces, ends in an answer or in a named error; never in a hang."""

from __future__ import annotations

import asyncio
import contextlib
import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import ModelError, TooLarge
from adjudge.models.faults import Answer
from adjudge.models.http1 import Incoming, Invalid
from tests.fakes.clock import PATIENCE_S
from tests.fakes.raw import Step, served

WORDS = (
    b"HTTP/1.1 ", b"HTTP/1.0 ", b"200", b"204", b"500", b"100", b" OK", b"\r\n", b"\r\n\r\n", b"\n", b"\r", b"\0",
    b" ", b"content-length: ", b"transfer-encoding: chunked", b"connection: close", b"content-encoding: gzip",
    b"\r\n0\r\n\r\n", b"0", b"2", b"5", b"-1", b"ffffffffffff", b";a=b", b":", b"x: y",
    b"hello", b"\x1f\x8b\x08\x00", b"\xff",
)  # fmt: skip
noise = st.lists(st.sampled_from(WORDS) | st.binary(max_size=4), max_size=30).map(b"".join)
heads = st.sampled_from(
    [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 404 No\r\n", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b""]
)
anything = st.builds(lambda head, rest: head + rest, heads, noise)
names = st.from_regex(rb"[A-Za-z][A-Za-z0-9-]{0,10}", fullmatch=True).filter(
    lambda name: name.lower() not in (b"connection", b"content-length", b"content-encoding", b"transfer-encoding")
)
values = st.binary(max_size=20).map(lambda value: bytes(byte for byte in value if byte >= 32 and byte != 127))


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@st.composite
def valid(draw: st.DrawFn) -> tuple[bytes, int, bytes]:
    """An answer that ends by itself: its bytes, its status, its body."""
    status = draw(st.sampled_from([200, 201, 400, 429, 500, 529]))
    fields = b"".join(b"%b: %b\r\n" % field for field in draw(st.lists(st.tuples(names, values), max_size=5)))
    body = draw(st.binary(max_size=200))
    interim = draw(st.sampled_from([b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Hints\r\nlink: x\r\n\r\n"]))
    start = b"%bHTTP/1.1 %d Said\r\n%b" % (interim, status, fields)
    if draw(st.booleans()):
        return b"%bContent-Length: %d\r\n\r\n%b" % (start, len(body), body), status, body
    chunks = [piece for piece in cut(body, draw(st.lists(st.integers(0, 200), max_size=4))) if piece]
    extension = draw(st.sampled_from([b"", b";a", b' ;a="b"']))
    framed = b"".join(b"%x%b\r\n%b\r\n" % (len(chunk), extension, chunk) for chunk in chunks)
    trailer = draw(st.sampled_from([b"", b"x: y\r\n", b"x: y\r\nz:\r\n"]))
    return b"%bTransfer-Encoding: chunked\r\n\r\n%b0\r\n%b\r\n" % (start, framed, trailer), status, body


@given(anything, st.lists(st.integers(0, 400), max_size=6))
def test_any_bytes_in_any_pieces_are_read_or_refused(data: bytes, places: list[int]) -> None:
    incoming = Incoming()
    with contextlib.suppress(Invalid):
        for piece in cut(data, places):
            if incoming.feed(piece):
                break
        incoming.end()
    assert len(incoming.body) <= limits.RESPONSE_BYTES


@given(valid(), st.lists(st.integers(0, 400), max_size=8))
def test_a_valid_answer_is_the_same_in_any_pieces(answer: tuple[bytes, int, bytes], places: list[int]) -> None:
    data, status, body = answer
    whole, cut_up = Incoming(), Incoming()
    assert whole.feed(data)
    *most, last = cut(data, places)
    assert not any(cut_up.feed(piece) for piece in most) and cut_up.feed(last)
    for found in (whole, cut_up):
        assert (found.status, bytes(found.body), found.keep, found.fields) == (status, body, True, whole.fields)


@given(anything, st.lists(st.integers(0, 400), max_size=3), st.sampled_from(["close", "reset", "hang"]))
@settings(max_examples=150, deadline=None)
def test_any_server_ends_in_an_answer_or_a_named_error(data: bytes, places: list[int], end: Step) -> None:
    async def run() -> None:
        steps: list[Step] = [step for piece in cut(data, places) for step in (piece, 0.0)]
        async with served(lambda connection, n: [*steps, end], timeout_s=0.05) as (server, wire):
            for _ in range(2):
                with contextlib.suppress(ModelError, TooLarge):
                    async with asyncio.timeout(PATIENCE_S) as limit:
                        assert isinstance(await wire.post(b"{}"), Answer)
                assert not limit.expired()
            await wire.close()
            await server.open(0)

    asyncio.run(run())


@given(valid(), st.lists(st.integers(0, 400), max_size=3))
@settings(max_examples=100, deadline=None)
def test_a_valid_answer_over_a_real_connection(answer: tuple[bytes, int, bytes], places: list[int]) -> None:
    data, status, body = answer

    async def run() -> None:
        steps: list[Step] = [step for piece in cut(data, places) for step in (piece, 0.0)]
        async with served(lambda connection, n: steps) as (server, wire):
            for _ in range(2):
                found = await wire.post(b"{}")
                assert (found.status, found.body) == (status, body)
            assert server.connections == 1

    asyncio.run(run())
