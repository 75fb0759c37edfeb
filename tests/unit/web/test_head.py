"""The head of a request from its bytes."""

from __future__ import annotations

import pytest

from adjudge.core.limits import WEB_HEADERS, WEB_LINE_BYTES
from adjudge.web.head import read_head
from adjudge.web.message import Refused


def head(first: str = "GET / HTTP/1.1", *lines: str) -> bytes:
    return "\r\n".join([first, *lines]).encode("latin-1")


def status(raw: bytes) -> int:
    with pytest.raises(Refused) as error:
        read_head(raw)
    return error.value.status


def test_method_address_and_headers():
    found = read_head(head("POST /runs/a%2Fb?q=%D0%B0&q=\\ HTTP/1.1", "Host: a", "ACCEPT: \t x ", "Content-Length: 7"))
    assert (found.method, found.path, found.query, found.length) == ("POST", "/runs/a%2Fb", "q=%D0%B0&q=\\", 7)
    assert found.headers == {"host": "a", "accept": "x", "content-length": "7"}


def test_headers_that_may_come_twice_are_joined():
    assert read_head(head("GET / HTTP/1.1", "Accept: a", "accept: b")).headers == {"accept": "a, b"}


@pytest.mark.parametrize(
    ("version", "said", "lasting"),
    [("1.1", "keep-alive", True), ("1.1", "Close", False), ("1.0", "keep-alive", False)],
)
def test_whether_another_request_may_follow(version, said, lasting):
    assert read_head(head(f"GET / HTTP/{version}", f"Connection: {said}")).lasting is lasting


@pytest.mark.parametrize("name", ["Host", "Origin", "Sec-Fetch-Site", "Cookie", "Content-Length", "Content-Type"])
def test_what_decides_may_not_come_twice(name):
    assert status(head("GET / HTTP/1.1", f"{name}: 1", f"{name.lower()}: 1")) == 400


@pytest.mark.parametrize(
    "line", ["no colon", ": no name", "a b: c", "Host : a", " folded", "a: b\x00", "a: b\rc", "a: b\nc", ""]
)
def test_a_header_that_is_not_http(line):
    assert status(head("GET / HTTP/1.1", line, "Host: a")) == 400


@pytest.mark.parametrize("length", ["-1", "+1", "1.0", "0x1", "1,1", "", "٣", "9" * 19, "1 1"])
def test_a_length_that_is_no_number(length):
    assert status(f"POST / HTTP/1.1\r\nContent-Length: {length}".encode()) == 400


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (head(f"GET /{'a' * WEB_LINE_BYTES} HTTP/1.1"), 414),
        (head("GET / HTTP/1.1", *(f"a{n}: b" for n in range(WEB_HEADERS + 1))), 431),
        (head("POST / HTTP/1.1", "Transfer-Encoding: chunked"), 411),
        (head("POST / HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 3"), 411),
        (head("POST / HTTP/1.1", "Expect: a miracle"), 417),
        (b"", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00", 400),
    ],
)
def test_what_is_refused(raw, wanted):
    assert status(raw) == wanted
