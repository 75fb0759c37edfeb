"""Whatever comes in at whatever address: an answer, never a fault of our own, and the server stays up."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.web.app import answer, router
from adjudge.web.guard import LOCAL, Guard
from adjudge.web.head import Head, read_head
from adjudge.web.message import Refused, Request, fields_of
from adjudge.web.site import Site
from tests.fakes.browser import serving
from tests.fakes.wire import a_store, ask, connect, filled, rest_of

EXAMPLES = int(os.environ.get("ADJUDGE_EXAMPLES", "400"))
#: Names that some page reads, and one that none does.
NAMES = (
    "run", "q", "page", "sort", "order", "by", "show", "bar", "flag", "status", "judge", "model", "lang", "offset",
    "limit", "annotator", "number", "place", "item", "criterion", "value", "candidate", "comment", "name", "token",
    "as", "row", "staged", "digest", "history", "go", "prompt", "said", "short", "z",
)  # fmt: skip
FILES = (
    b"id,annotator,coverage\ni1,ann,4\n",
    b'{"id": "i1", "annotator": "ann", "coverage": 4}\n',
    b"item,criterion,value\ni1,coverage,\xff\n",
    b'"unfinished',
)
WORDS = (
    "", "0", "1", "-1", "1e9", "99999999999999999999", "٣", "NaN", "null", "old", "new", "answers", "latest", "quality",
    "-quality", "coverage", "coverage:4", "total", "judged", "failed", "ru", "en", "xx", "..", "../..", "/etc/passwd",
    "%", "%00", "\x00", "\ud800", "<script>alert(1)</script>", "'", "A", "B", "winner", "worse", "a" * 5_000,
)  # fmt: skip
KINDS = ("application/json", "application/x-www-form-urlencoded", "text/csv", "multipart/form-data; boundary=x")
odd = st.one_of(st.sampled_from(WORDS), st.text(max_size=20))
fields = st.dictionaries(st.sampled_from(NAMES), st.lists(odd, min_size=1, max_size=3), max_size=6)


def written(query: dict[str, list[str]]) -> str:
    pairs = [(name, value) for name, values in query.items() for value in values]
    return "&".join(f"{name}={quote(value, safe='', errors='surrogatepass')}" for name, value in pairs)


_headers = st.fixed_dictionaries(
    {},
    optional={
        "hx-request": st.sampled_from(["true", "", "a"]),
        "accept-language": st.sampled_from(["ru", "en-GB,en;q=0.9", "", "*", "\xff\xff", "zz" * 50]),
        "cookie": st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=30),
        "if-none-match": st.sampled_from(["*", "", '"a"']),
    },
)
_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), odd),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)),
    max_leaves=10,
)
_bodies = st.one_of(
    st.binary(max_size=60),
    fields.map(lambda query: written(query).encode()),
    _json.map(lambda value: json.dumps(value).encode()),
    st.just(b"[" * 60_000),
    st.one_of(st.binary(max_size=60), st.sampled_from(FILES)).map(
        lambda file: b'--x\r\nContent-Disposition: form-data; name="labels"; filename="a"\r\n\r\n' + file + b"\r\n--x--"
    ),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Iterator[tuple[str, str]]:
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db"
    yield url, a_store(url)[0]


@pytest.mark.parametrize("labelling", [False, True])
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_odd_addresses_queries_and_bodies_on_every_route(store, labelling, data):
    url, run = store
    asked_oddly(Site(store=url, labelling=run if labelling else ""), run, data)


def test_the_same_where_the_store_is_postgresql(postgres_url):
    run = a_store(postgres_url)[0]

    @given(data=st.data())
    @settings(max_examples=max(EXAMPLES // 10, 1), deadline=None, suppress_health_check=list(HealthCheck))
    def holds(data) -> None:
        asked_oddly(Site(store=postgres_url), run, data)

    holds()


def asked_oddly(site: Site, run: str, data: st.DataObject) -> None:
    """One odd request at one of the routes: whatever is answered, it is no fault of our own."""
    routes = router(site)
    route = data.draw(st.sampled_from(routes.routes))
    parts = {"run": run}
    for name in ("run", "number", "place", "judge", "name"):
        if data.draw(st.integers(0, 3)) == 0:
            value = data.draw(odd.filter(bool))
            parts[name] = value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    query = fields_of(written(data.draw(fields)))
    kind = data.draw(st.sampled_from(KINDS))
    headers = {"host": "localhost", "content-type": kind, **data.draw(_headers)}
    body = data.draw(_bodies)
    asks = Request(
        method=data.draw(st.sampled_from([route.method, "HEAD", "GET", "POST"])),
        path=filled(route, **parts),
        query=query,
        headers=headers,
        receive=lambda most: body[:most],
    )
    found = answer(routes, site, Guard(hosts=LOCAL), asks)
    assert found.status != 500, asks
    whole = found.body if isinstance(found.body, str | bytes) else [*found.body]
    assert whole is not None


@given(raw=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))))
@settings(max_examples=EXAMPLES, deadline=None)
def test_any_bytes_are_a_head_or_are_refused(raw):
    for whole in (raw, b"GET /" + raw + b" HTTP/1.1\r\nHost: a", b"GET / HTTP/1.1\r\n" + raw):
        try:
            found = read_head(whole)
        except Refused as error:
            assert 400 <= error.status < 500
        else:
            assert isinstance(found, Head)
            assert found.path.startswith("/")
            assert not found.path.startswith("//")
            assert all("\r" not in value and "\n" not in value for value in found.headers.values())


_PIECES = (
    b"GET ", b"POST ", b"/", b"/runs", b" HTTP/1.1", b"\r\n", b"\r\n\r\n", b"\n", b"Host: 127.0.0.1", b": ", b"5", b"%",
    b"Content-Length: ", b"Expect: 100-continue", b"Transfer-Encoding: chunked", b"\x00", b"\xff", b"?a=",
)  # fmt: skip


def test_any_bytes_over_the_wire(store):
    with serving(Site(store=store[0])) as address:

        @given(pieces=st.lists(st.one_of(st.sampled_from(_PIECES), st.binary(max_size=10)), max_size=25))
        @settings(max_examples=EXAMPLES, deadline=None)
        def holds(pieces) -> None:
            said = _sent(address, b"".join(pieces))
            assert said == b"" or said.startswith(b"HTTP/1.1 ")
            assert b"HTTP/1.1 5" not in said

        holds()
        assert ask(address, "GET", "/").status == 200


def _sent(address: str, raw: bytes) -> bytes:
    """What is said to these bytes by a server that then sees their end."""
    with connect(address) as line:
        try:
            line.sendall(raw)
            line.shutdown(socket.SHUT_WR)
            return rest_of(line)
        except ConnectionError:
            return b""
