from __future__ import annotations

import base64

import pytest

from adjudge.models.route import Route, route_for


@pytest.mark.parametrize(
    ("url", "host", "port", "authority", "path"),
    [
        ("http://host/v1", "host", 80, "host", "/v1"),
        ("http://host", "host", 80, "host", "/"),
        ("http://HOST:80/v1", "host", 80, "host", "/v1"),
        ("http://host:8000/a/b/v1", "host", 8000, "host:8000", "/a/b/v1"),
        ("https://host/v1", "host", 443, "host", "/v1"),
        ("https://host:80/v1", "host", 80, "host:80", "/v1"),
        ("http://[::1]:8000/v1", "::1", 8000, "[::1]:8000", "/v1"),
        ("https://[2001:db8::1]/v1", "2001:db8::1", 443, "[2001:db8::1]", "/v1"),
        ("https://bücher.example/v1", "xn--bcher-kva.example", 443, "xn--bcher-kva.example", "/v1"),
        ("http://host/модель/v1", "host", 80, "host", "/%D0%BC%D0%BE%D0%B4%D0%B5%D0%BB%D1%8C/v1"),
        ("http://host/a%20b/{x}", "host", 80, "host", "/a%20b/%7Bx%7D"),
        ("http://host:0/v1", "host", 0, "host:0", "/v1"),
    ],
)
def test_an_address_as_the_network_knows_it(url: str, host: str, port: int, authority: str, path: str) -> None:
    route = route_for(url)
    assert (route.server.host, route.server.port, route.server.authority) == (host, port, authority)
    assert (route.path, route.target, route.server.tls) == (path, path, url.startswith("https"))
    assert (route.proxy, route.proxy_key, route.tunnel) == (None, None, False)


def through(monkeypatch: pytest.MonkeyPatch, proxy: str, url: str) -> Route:
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("https_proxy", proxy)
    return route_for(url)


def test_a_plain_server_is_forwarded_to_and_a_safe_one_tunnelled_to(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = through(monkeypatch, "http://proxy:3128", "http://host:81/v1")
    safe = through(monkeypatch, "http://proxy:3128", "https://host/v1")
    assert (plain.target, plain.tunnel) == ("http://host:81/v1", False)
    assert (safe.target, safe.tunnel) == ("/v1", True)


@pytest.mark.parametrize(
    ("proxy", "host", "port", "tls"),
    [
        ("proxy", "proxy", 80, False),
        ("proxy:3128", "proxy", 3128, False),
        ("https://proxy", "proxy", 443, True),
        ("http://[::2]:3128/", "::2", 3128, False),
    ],
)
def test_a_proxy_s_address(monkeypatch: pytest.MonkeyPatch, proxy: str, host: str, port: int, tls: bool) -> None:
    found = through(monkeypatch, proxy, "https://host/v1").proxy
    assert found and (found.host, found.port, found.tls) == (host, port, tls)


@pytest.mark.parametrize(
    ("user", "pair"),
    [
        ("me:pass", b"me:pass"),
        ("me", b"me:"),
        ("m%40e:p%3Ass%2F%25", b"m@e:p:ss/%"),
        ("%D1%8F:%C3%A9", "я:é".encode()),
    ],
)
def test_a_proxy_s_password_is_decoded_and_not_shown(monkeypatch: pytest.MonkeyPatch, user: str, pair: bytes) -> None:
    route = through(monkeypatch, f"http://{user}@proxy:3128", "https://host/v1")
    assert route.proxy_key
    assert base64.b64decode(route.proxy_key.reveal().removeprefix("Basic ")) == pair
    assert user not in repr(route) and route.proxy_key.reveal() not in repr(route)
