"""The head of a request: bytes in, a method, an address and headers out; what is not exactly HTTP is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.core.limits import WEB_HEADERS, WEB_LINE_BYTES
from adjudge.web.message import Refused

_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
#: An address on this server: not that of another (`http://…`), not one that browsers would take for another (`//…`).
_LINE = re.compile(rb"(%s) (/(?!/)[!\"$->@-\[\]-~]*)(?:\?([!\"$-~]*))? HTTP/1\.([01])" % _TOKEN)
_HEADER = re.compile(rb"(%s):[ \t]*([\x20-\x7e\x80-\xff\t]*?)[ \t]*" % _TOKEN)
#: Two of these would be two opinions of who asks, or of where the request ends.
_ONCE = frozenset(
    {"host", "origin", "sec-fetch-site", "authorization", "cookie", "content-type", "content-length", "expect"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """What a request says before its body; `length` is that of the body, `lasting` whether another may follow."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    length: int
    lasting: bool
    chunks: bool


def read_head(raw: bytes) -> Head:
    """The head from its bytes, without the empty line that ends it.

    >>> read_head(b"GET /runs?q=a HTTP/1.1\\r\\nHost: localhost").query
    'q=a'
    """
    first, *lines = raw.split(b"\r\n")
    if len(first) > WEB_LINE_BYTES:
        raise Refused(414, f"the address is longer than {WEB_LINE_BYTES:,} bytes")
    if len(lines) > WEB_HEADERS:
        raise Refused(431, f"there are more than {WEB_HEADERS} headers")
    line = _LINE.fullmatch(first)
    if line is None:
        raise Refused(400, "the first line is no request of HTTP/1.1 for an address on this server")
    headers = _headers(lines)
    if "transfer-encoding" in headers:
        raise Refused(411, "a body must come whole, with its Content-Length")
    if headers.get("expect", "100-continue").lower() != "100-continue":
        raise Refused(417, "nothing but 100-continue can be expected")
    length = headers.get("content-length", "0")
    if not re.fullmatch(r"[0-9]{1,18}", length):
        raise Refused(400, "the Content-Length is no number")
    newer = line[4] == b"1"
    return Head(
        method=line[1].decode("ascii"),
        path=line[2].decode("ascii"),
        query=(line[3] or b"").decode("ascii"),
        headers=headers,
        length=int(length),
        lasting=newer and "close" not in headers.get("connection", "").lower(),
        chunks=newer,
    )


def _headers(lines: list[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        found = _HEADER.fullmatch(line)
        if found is None:
            raise Refused(400, "a header is not HTTP")
        name, value = found[1].decode("ascii").lower(), found[2].decode("latin-1")
        if name in headers and name in _ONCE:
            raise Refused(400, f"the header {name} is there twice")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
