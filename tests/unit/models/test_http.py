from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ConfigError
from adjudge.models.base import Secret
from adjudge.models.http import Wire, check_base_url
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


def _wire(url: str) -> Wire:
    return Wire(url, key=Secret("sk-canary-1"), key_from="K", key_header=("x-key", ""), headers={}, timeout_s=5)


def _post(wire: Wire) -> int:
    async def run() -> int:
        try:
            return (await wire.post(b'{"messages": [{"content": "?"}]}')).status
        finally:
            await wire.close()

    return asyncio.run(run())


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.usefixtures("no_proxy")
def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeModelServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        assert _post(_wire("http://model.invalid/v1/chat/completions")) == 200
    assert [received.path for received in proxy.requests] == ["http://model.invalid/v1/chat/completions"]


@pytest.mark.usefixtures("no_proxy")
@pytest.mark.parametrize("no_proxy_for", ["", "127.0.0.1"])
def test_this_machine_is_reached_without_the_proxy(monkeypatch: pytest.MonkeyPatch, no_proxy_for: str) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", no_proxy_for)
    with FakeModelServer() as server:
        assert _post(_wire(f"{server.url}/chat/completions")) == 200


@pytest.mark.usefixtures("no_proxy")
def test_a_proxy_that_is_not_http_is_refused_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://me:s3cret@proxy:1080")
    with pytest.raises(ConfigError, match="not a usable HTTP proxy") as caught:
        _wire("https://model.invalid/v1")
    assert "s3cret" not in str(caught.value)


@pytest.mark.usefixtures("no_proxy")
def test_passwords_of_netrc_are_not_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password s3cret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with FakeModelServer() as server:
        _post(_wire(f"{server.url}/chat/completions"))
    assert "authorization" not in server.requests[0].headers


def test_a_wire_can_be_used_again_after_it_was_closed() -> None:
    with FakeModelServer() as server:
        wire = _wire(f"{server.url}/chat/completions")
        assert (_post(wire), _post(wire)) == (200, 200)
