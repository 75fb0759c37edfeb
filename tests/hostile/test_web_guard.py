"""Every route × every method × headers of those who must not come in: refused, and nothing written."""

from __future__ import annotations

import json
import sqlite3
from urllib.parse import quote, urlsplit

import pytest

from adjudge.web.app import router
from adjudge.web.message import HEADERS
from adjudge.web.site import Site
from tests.fakes.browser import serving
from tests.fakes.wire import METHODS, a_store, addresses, ask, exchange, filled, read_answer, request

TOKEN = "a-token-of-thirty-odd-characters"
#: In the place of $host stands the server's own name, in that of $port its port.
CASES: dict[str, list[tuple[str, str]]] = {
    "no host": [],
    "another name": [("Host", "evil.example")],
    "a rebound name": [("Host", "evil.example:$port")],
    "a name that begins as ours": [("Host", "localhost.evil.example:$port")],
    "a name that ends as ours": [("Host", "evil-localhost:$port")],
    "another address": [("Host", "192.168.0.1:$port")],
    "everybody's address": [("Host", "0.0.0.0:$port")],
    "our address in other digits": [("Host", "2130706433:$port")],
    "our address in short": [("Host", "127.1:$port")],
    "our address inside another": [("Host", "[::ffff:127.0.0.1]:$port")],
    "another port": [("Host", "127.0.0.1:1")],
    "a port that begins as ours": [("Host", "127.0.0.1:0$port")],
    "two ports": [("Host", "127.0.0.1:$port:$port")],
    "no port behind the colon": [("Host", "127.0.0.1:")],
    "a name before ours": [("Host", "evil.example@127.0.0.1:$port")],
    "a dot behind ours": [("Host", "localhost.:$port")],
    "a list": [("Host", "$host, evil.example")],
    "two hosts": [("Host", "$host"), ("Host", "evil.example")],
    "two hosts, ours last": [("Host", "evil.example"), ("Host", "$host")],
    "an empty host": [("Host", "")],
    "no address": [("Host", "[::1")],
    "another origin": [("Host", "$host"), ("Origin", "http://evil.example")],
    "the origin of a rebound name": [("Host", "evil.example:$port"), ("Origin", "http://evil.example:$port")],
    "no origin to be named": [("Host", "$host"), ("Origin", "null")],
    "an empty origin": [("Host", "$host"), ("Origin", "")],
    "our name, another scheme": [("Host", "$host"), ("Origin", "https://$host")],
    "our name, another port": [("Host", "$host"), ("Origin", "http://127.0.0.1:1")],
    "our name, no port": [("Host", "$host"), ("Origin", "http://127.0.0.1")],
    "another name of ours": [("Host", "$host"), ("Origin", "http://localhost:$port")],
    "an origin that begins as ours": [("Host", "$host"), ("Origin", "http://$host.evil.example")],
    "two origins": [("Host", "$host"), ("Origin", "http://$host"), ("Origin", "http://evil.example")],
    "another site": [("Host", "$host"), ("Sec-Fetch-Site", "cross-site")],
    "the same site, another origin": [("Host", "$host"), ("Sec-Fetch-Site", "same-site")],
    "a site in other letters": [("Host", "$host"), ("Sec-Fetch-Site", "Same-Origin")],
    "an unknown site": [("Host", "$host"), ("Sec-Fetch-Site", "")],
    "both sites": [("Host", "$host"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")],
    "a site that opens us": [("Host", "$host"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
    "our origin from another site": [("Host", "$host"), ("Origin", "http://$host"), ("Sec-Fetch-Site", "cross-site")],
}
LABEL = json.dumps({"annotator": "eve", "number": 1, "criterion": "coverage", "value": 1}).encode()
REFUSED = {400, 403, 421}


def dump(path) -> list[str]:
    with sqlite3.connect(path) as store:
        found = list(store.iterdump())
    store.close()
    return found


def bodies(method: str) -> tuple[list[tuple[str, str]], bytes]:
    return ([("Content-Type", "application/json")], LABEL) if method == "POST" else ([], b"")


@pytest.fixture(params=["serve", "label"])
def opened(request, tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_store(url)[0]
    site = Site(store=url, labelling=run if request.param == "label" else "")
    with serving(site) as address:
        yield site, address, run, tmp_path / "a.db"


def test_others_are_refused_on_every_route_and_method(opened):
    site, address, run, path = opened
    host, port = urlsplit(address).netloc, str(urlsplit(address).port)
    before = dump(path)
    for at in [*addresses(router(site), run=run), "/no/such/page", "/api/nothing"]:
        for method in METHODS:
            kind, body = bodies(method)
            for name, headers in CASES.items():
                own = [(key, value.replace("$host", host).replace("$port", port)) for key, value in headers]
                answer = read_answer(exchange(address, request(method, at, iter([*own, *kind]), body)))
                assert answer.status in REFUSED, (method, at, name, answer)
                assert answer.headers.items() >= HEADERS.items(), (method, at, name)
                assert run.encode() not in answer.body, (method, at, name)
                assert "Access-Control-Allow-Origin" not in answer.headers
    assert dump(path) == before


def test_the_same_requests_of_our_own_are_answered(opened):
    """So that the test above can fail: what it refuses is refused for those headers alone."""
    site, address, run, path = opened
    own, before = {"Origin": address, "Sec-Fetch-Site": "same-origin"}, dump(path)
    for route in router(site).routes:
        at = filled(route, run=run)
        kind, body = bodies(route.method)
        for headers in (own, {}, {"Sec-Fetch-Site": "none"}):
            answer = ask(address, route.method, at, headers | dict(kind), body)
            assert answer.status not in {401, 404, 405, 415, 421, 500}, (at, answer)
            assert b"another site may not ask" not in answer.body
            assert answer.headers.keys() >= HEADERS.keys()
    assert dump(path) != before


def test_methods_that_an_address_does_not_take_are_named(opened):
    site, address, run, _ = opened
    every = addresses(router(site), run=run)
    taken = {(route.method, at) for route in router(site).routes for at in every if route.pattern.fullmatch(at)}
    for at in every:
        for method in {*METHODS} - {"HEAD"} - {one for one, where in taken if where == at}:
            answer = ask(address, method, at, {"Content-Type": "application/json"})
            assert answer.status == 405, (method, at)
            assert ("GET" in answer.headers["Allow"]) == (("GET", at) in taken)
            assert ("POST" in answer.headers["Allow"]) == (("POST", at) in taken)


def test_what_is_sent_must_say_what_it_is(opened):
    site, address, run, path = opened
    before = dump(path)
    for route in router(site).routes:
        if route.method == "POST":
            at = filled(route, run=run)
            for kind in ("text/plain", "", "application/json, text/plain", "multipart/mixed; boundary=a"):
                assert ask(address, "POST", at, {"Content-Type": kind}, LABEL).status == 415
            assert ask(address, "POST", at, {}, LABEL).status == 415
    assert dump(path) == before


@pytest.mark.parametrize(
    "first",
    [
        "GET http://evil.example/ HTTP/1.1",
        "GET http://$host/ HTTP/1.1",
        "GET //evil.example/ HTTP/1.1",
        "GET /\\evil.example HTTP/1.1",
        "GET evil.example HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "CONNECT evil.example:443 HTTP/1.1",
        "GET /",
        "GET / HTTP/2",
        "GET  / HTTP/1.1",
        "GET / HTTP/1.1 ",
        "GET /\u00ff HTTP/1.1",
        "GET /\x00 HTTP/1.1",
        "GET /#top HTTP/1.1",
    ],
)
def test_an_address_of_another_server_is_refused(tmp_path, first):
    with serving(Site(store=f"sqlite:///{tmp_path}/a.db")) as address:
        host = urlsplit(address).netloc
        raw = f"{first.replace('$host', host)}\r\nHost: {host}\r\n\r\n".encode("latin-1")
        answer = read_answer(exchange(address, raw))
        assert answer.status == 400
        assert answer.headers.items() >= HEADERS.items()


def test_without_the_token_nothing_is_answered(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_store(url)[0]
    site = Site(store=url)
    before = dump(tmp_path / "a.db")
    said = ("Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}")
    wrong: list[dict[str, str]] = [{}, *({"Authorization": one} for one in said)]
    with serving(site, token=TOKEN) as address:
        port = urlsplit(address).port
        cookies = ({"Cookie": f"adjudge_{port}={TOKEN}"}, {"Cookie": "a=b; ;=;"}, {"Cookie": f"adjudge_{port}="})
        for at in [*addresses(router(site), run=run), "/no/such/page"]:
            for method in METHODS:
                kind, body = bodies(method)
                for headers in (*wrong, *cookies):
                    answer = ask(address, method, f"{at}?token={TOKEN[:-1]}", {**headers, **dict(kind)}, body)
                    assert answer.status == 401, (method, at, headers)
                    assert run.encode() not in answer.body
                    assert answer.headers.items() >= HEADERS.items()
        assert ask(address, "GET", "/", {"Authorization": f"Bearer {TOKEN}"}).status == 200
        # a name that was pointed at us is none of ours, token or no token
        rebound = {"Host": "evil.example", "Authorization": f"Bearer {TOKEN}"}
        assert ask(address, "GET", "/", rebound).status == 421
    assert dump(tmp_path / "a.db") == before


def test_the_token_in_an_address_becomes_a_cookie(tmp_path):
    token = "пропуск-из-двадцати-букв"
    url = f"sqlite:///{tmp_path}/a.db"
    a_store(url)
    with serving(Site(store=url), token=token) as address:
        answer = ask(address, "GET", f"/?q=old&token={quote(token)}&q=a%26b")
        assert (answer.status, answer.headers["Location"]) == (303, "/?q=old&q=a%26b")
        cookie, *rules = answer.headers["Set-Cookie"].split("; ")
        assert set(rules) == {"Path=/", "HttpOnly", "SameSite=Strict"}
        assert ask(address, "GET", "/", {"Cookie": f"other=1; {cookie}"}).status == 200
        assert ask(address, "GET", "/", {"Cookie": f"{cookie}0"}).status == 401
        bearer = f"Bearer {token}".encode().decode("latin-1")
        assert ask(address, "GET", "/", {"Authorization": bearer}).status == 200
        # a site that knows no token cannot bring one either
        other = {"Sec-Fetch-Site": "cross-site"}
        assert ask(address, "GET", f"/?token={quote(token)}", other).status == 403
