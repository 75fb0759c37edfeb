"""Requests over a real socket, byte by byte as a test wants them, and a store with a run of every layout."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from adjudge.web.router import Route, Router
from tests.fakes.clock import PATIENCE_S
from tests.fakes.verdicts import a_run

SUMMARY = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
ANSWERS = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")
BATCH = ("adequacy", "fluency", "terminology", "hallucination", "punctuation")
#: Methods that HTTP knows, and one that it does not.
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW")


def a_store(url: str) -> list[str]:
    """The ids of four runs: two that can be compared, a comparison of answers and a batch, each with a failed item."""
    old = a_run(url, "summary", [*(dict.fromkeys(SUMMARY, 1 + k % 5) for k in range(6)), None], name="old")
    new = a_run(url, "summary", [*(dict.fromkeys(SUMMARY, 5 - k % 4) for k in range(6)), None], name="new")
    both = [*({name: {"A": 3, "B": 1 + k} for name in ANSWERS} for k in range(3)), None]
    answers = a_run(url, "rag-answers", both, name="answers", lang="ru")
    batch = a_run(url, "translation", [*(dict.fromkeys(BATCH, 4) for _ in range(3)), None])
    return [old.id, new.id, answers.id, batch.id]


def filled(route: Route, **parts: str) -> str:
    """The address of a route; its names stand for the first run, item, judge, place and a file of ours."""
    known = {"number": "1", "place": "1", "judge": "summary", "name": "web.css", **parts}
    return re.sub(r"\{(\w+)\}", lambda found: quote(known[found[1]], safe=""), route.path)


def addresses(router: Router, **parts: str) -> list[str]:
    """An address of every route, each once."""
    return list(dict.fromkeys(filled(route, **parts) for route in router.routes))


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


def request(method: str, path: str, headers: Mapping[str, str] | Iterator[tuple[str, str]], body: bytes = b"") -> bytes:
    """The bytes of a request that ends the connection."""
    lines = [f"{method} {path} HTTP/1.1", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in (headers.items() if isinstance(headers, Mapping) else headers)]
    lines += [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    assert parts.hostname and parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE_S)


def exchange(address: str, raw: bytes) -> bytes:
    """All that the server says to these bytes before it closes the connection."""
    with connect(address) as line:
        line.sendall(raw)
        return rest_of(line)


def rest_of(line: socket.socket) -> bytes:
    """What still comes, to the end."""
    said = b""
    while piece := line.recv(65_536):
        said += piece
    return said


def read_answer(said: bytes) -> Answer:
    """One answer that ends with the connection."""
    head, _, body = said.partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    found = re.fullmatch(r"HTTP/1\.1 (\d{3}) [A-Za-z -]+", first)
    assert found, said[:200]
    return Answer(status=int(found[1]), headers=dict(line.split(": ", 1) for line in lines), body=body)


def ask(address: str, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Answer:
    """One request with the right Host, unless the headers have another."""
    own = {"Host": urlsplit(address).netloc, **(headers or {})}
    return read_answer(exchange(address, request(method, path, own, body)))
