from __future__ import annotations

import pytest

from adjudge.core import limits
from adjudge.models.http1 import Incoming, Invalid

OK = b"HTTP/1.1 200 OK\r\n"


def read(data: bytes, *, eof: bool = False, bodiless: bool = False) -> Incoming | None:
    """The answer, had whole and had byte by byte; None where it is not whole."""
    found = []
    for pieces in ([data], [data[n : n + 1] for n in range(len(data))]):
        incoming = Incoming(bodiless=bodiless)
        whole = False
        for piece in pieces:
            whole = whole or incoming.feed(piece)
        found.append(incoming if whole or (eof and incoming.end()) else None)
    told = [(x.status, x.reason, bytes(x.body), x.oversize) if x else None for x in found]
    assert told[0] == told[1]
    return found[0]


def body(data: bytes, *, eof: bool = False) -> bytes:
    incoming = read(data, eof=eof)
    assert incoming
    return bytes(incoming.body)


@pytest.mark.parametrize(
    ("data", "found", "keep"),
    [
        (OK + b"content-length: 2\r\n\r\nhi", b"hi", True),
        (OK + b"Content-Length:\t2 \r\n\r\nhi", b"hi", True),
        (OK + b"content-length: 0\r\n\r\n", b"", True),
        (b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nhi", b"hi", True),
        (b"HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nhi", b"hi", True),
        (OK + b"content-length: 2\r\nconnection: close\r\n\r\nhi", b"hi", False),
        (OK + b"content-length: 2\r\nConnection: Upgrade\r\nCONNECTION: x , Close\r\n\r\nhi", b"hi", False),
        (OK + b"content-length: 2\r\nconnection: keep-alive\r\n\r\nhi", b"hi", True),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nhi", b"hi", False),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\nconnection: Keep-Alive\r\n\r\nhi", b"hi", True),
        (OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", b"hi", True),
        (OK + b"Transfer-Encoding: Chunked\r\n\r\n1;a=b\r\nh\r\n01 ;c\r\ni\r\n0;d\r\nX: 1\r\nY:\r\n\r\n", b"hi", True),
        (OK + b"transfer-encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n", b"0123456789", True),
        (b"HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n0\r\n\r\n", b"", False),
        (b"HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 103 So\r\nlink: x\r\n\r\n" + OK + b"content-length: 1\r\n\r\nx", b"x", True),
        (b"HTTP/1.1 204 Nothing\r\n\r\n", b"", True),
        (b"HTTP/1.1 304 Same\r\ncontent-length: 9\r\n\r\n", b"", True),
        (OK + b"x: \xff\xfe\r\ncontent-length: 1\r\n\r\nx", b"x", True),
    ],
)  # fmt: skip
def test_an_answer_is_read(data: bytes, found: bytes, keep: bool) -> None:
    incoming = read(data)
    assert incoming
    assert (bytes(incoming.body), incoming.keep) == (found, keep)


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    assert body(OK + b"\r\nhi\r\n\r\nthere", eof=True) == b"hi\r\n\r\nthere"
    assert read(OK + b"\r\nhi") is None


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK",
        OK,
        OK + b"content-length: 2\r\n\r\nh",
        OK + b"transfer-encoding: chunked\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n5\r\nhel",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: 1\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ],
)
def test_the_end_of_the_connection_does_not_end_an_answer(data: bytes) -> None:
    assert read(data, eof=True) is None


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"<html>",
        b"\r\n" + OK,
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.x 200 OK\r\n\r\n",
        b"HTTP/1.1  200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 099 OK\r\n\r\n",
        b"HTTP/1.1 +20 OK\r\n\r\n",
        b"HTTP/1.1 200OK\r\n\r\n",
        b"HTTP/1.1 200 O\0K\r\n\r\n",
        b"HTTP/1.1 200 OK\n\n",
        b"HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n",
        OK + b"content-length: 0\n\n",
        OK + b"x: 1\r y: 2\r\n\r\n",
        OK + b"no colon\r\n\r\n",
        OK + b": no name\r\n\r\n",
        OK + b"content-length : 2\r\n\r\nhi",
        OK + b" content-length: 2\r\n\r\nhi",
        OK + b"x: 1\r\n folded\r\n\r\n",
        OK + b"x: \0\r\n\r\n",
        OK + b"x: \x1b[31m\r\n\r\n",
        OK + b"\xd0\xb8: 1\r\n\r\n",
        OK + b"content-length: -2\r\n\r\nhi",
        OK + b"content-length: +2\r\n\r\nhi",
        OK + b"content-length: 0x2\r\n\r\nhi",
        OK + b"content-length: 2.0\r\n\r\nhi",
        OK + b"content-length: 1_0\r\n\r\nhi",
        OK + b"content-length: \r\n\r\nhi",
        OK + b"content-length: many\r\n\r\nhi",
        OK + b"content-length: \xb2\r\n\r\nhi",
        OK + b"content-length: 2, 2\r\n\r\nhi",
        OK + b"content-length: " + b"9" * 5_000 + b"\r\n\r\nhi",
        OK + b"content-length: 2\r\ncontent-length: 2\r\n\r\nhi",
        OK + b"content-length: 2\r\nContent-Length: 3\r\n\r\nhi",
        OK + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        OK + b"transfer-encoding: identity\r\n\r\n",
        OK + b"transfer-encoding: chunked, chunked\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n-2\r\nhi\r\n0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n0x2\r\nhi\r\n0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n\r\nhi\r\n0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n;a\r\nhi\r\n0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2\nhi\n0\n\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhi!\r\n0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhiX0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\rX0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2;\0\r\nhi\r\n0\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n2;" + b"x" * limits.CHUNK_LINE_BYTES,
        OK + b"transfer-encoding: chunked\r\n\r\n0\r\nbroken\r\n\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\n0\r\nx: " + b"x" * limits.HEAD_BYTES,
        OK + b"x: " + b"x" * limits.HEAD_BYTES,
        OK + b"x: 1\r\n" * (limits.HEAD_LINES + 1) + b"\r\n",
        b"HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * (limits.INTERIM_ANSWERS + 1),
    ],
)
def test_what_is_no_http_is_refused(data: bytes) -> None:
    for pieces in ([data], [data[n : n + 1] for n in range(len(data))]):
        incoming = Incoming()
        with pytest.raises(Invalid) as caught:
            for piece in pieces:
                assert not incoming.feed(piece)
        assert str(caught.value)


@pytest.mark.parametrize("extra", [b"x", b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"])
@pytest.mark.parametrize(
    "head", [b"content-length: 2\r\n\r\nhi", b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"]
)
def test_after_more_than_was_due_the_connection_is_not_trusted(head: bytes, extra: bytes) -> None:
    incoming = Incoming()
    assert incoming.feed(OK + head + extra)
    assert (bytes(incoming.body), incoming.keep) == (b"hi", False)


def test_a_stated_length_over_the_limit_is_not_read_at_all() -> None:
    incoming = Incoming()
    assert incoming.feed(OK + b"content-length: %d\r\n\r\nxyz" % (limits.RESPONSE_BYTES + 1))
    assert (incoming.oversize, bytes(incoming.body), incoming.keep) == (True, b"", False)


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (b"content-length: %d\r\n\r\n" % (limits.ERROR_BODY_BYTES + 1), b""),
        (b"\r\n", b""),
        (b"transfer-encoding: chunked\r\n\r\nfffffff\r\n", b""),
    ],
)
def test_of_a_long_error_the_beginning_is_kept(head: bytes, tail: bytes) -> None:
    incoming = read(b"HTTP/1.1 500 No\r\n" + head + b"x" * (limits.ERROR_BODY_BYTES + 1) + tail)
    assert incoming
    assert (incoming.oversize, incoming.keep, incoming.body) == (True, False, b"x" * limits.ERROR_BODY_BYTES)


def test_an_error_of_exactly_the_limit_is_whole() -> None:
    head = b"HTTP/1.1 500 No\r\ncontent-length: %d\r\n\r\n" % limits.ERROR_BODY_BYTES
    incoming = read(head + b"x" * limits.ERROR_BODY_BYTES)
    assert incoming
    assert (incoming.oversize, incoming.keep, len(incoming.body)) == (False, True, limits.ERROR_BODY_BYTES)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.0 200 Connection established\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n",
        b"HTTP/1.1 407 Password\r\ncontent-length: 7\r\nconnection: close\r\n\r\n",
    ],
)
def test_an_answer_to_connect_ends_with_its_head(head: bytes) -> None:
    incoming = read(head, bodiless=True)
    assert incoming and incoming.keep
