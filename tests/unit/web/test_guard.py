"""Who may ask."""

from __future__ import annotations

import pytest

from adjudge.web.guard import LOCAL, Guard, is_loopback
from adjudge.web.message import Refused, Request

TOKEN = "a-token-of-thirty-odd-characters"


def asks(host: str, **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method="GET", path="/", port=8765, headers={"host": host, **named})


def refused(guard: Guard, request: Request) -> int:
    with pytest.raises(Refused) as error:
        guard.check(request)
    return error.value.status


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.5.6.7", "::1"])
def test_this_machine_alone(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "0.0.0.0",
        "::",
        "192.168.0.1",
        "localhost.localdomain",
        "127.1",
        "LOCALHOST",
        "example.org",
        "::ffff:127.0.0.1",
    ],
)
def test_what_others_may_reach(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "host", ["localhost:8765", "LocalHost:8765", "localhost", "127.0.0.1:8765", "[::1]:8765", "[0:0::1]:8765", "[::1]"]
)
def test_our_own_names(host):
    assert Guard(hosts=LOCAL).check(asks(host)) is None
    assert Guard(hosts=LOCAL).check(asks(host, origin=f"http://{host.lower()}")) is None


def test_the_address_that_is_listened_on_is_a_name():
    assert refused(Guard(hosts=LOCAL), asks("127.0.0.2:8765")) == 421
    assert Guard(hosts={*LOCAL, "127.0.0.2"}).check(asks("127.0.0.2:8765")) is None


def test_a_name_that_is_allowed_may_be_that_of_a_proxy():
    guard = Guard(hosts=LOCAL, allowed={"judge.example", "localhost:9000"})
    for host in ("judge.example", "judge.example:443", "localhost:9000"):
        for scheme in ("http", "https"):
            assert guard.check(asks(host, origin=f"{scheme}://{host}")) is None
    for host in ("other.judge.example", "judge.example.", "localhost:9001"):
        assert refused(guard, asks(host)) == 421
    assert refused(guard, asks("judge.example", origin="https://judge.example:444")) == 403


def test_digits_are_a_name_only_where_a_token_is_asked_for():
    for host in ("192.168.0.1:8765", "192.168.0.1:80", "[fe80::1]:8765"):
        assert refused(Guard(hosts=LOCAL), asks(host)) == 421
        guard = Guard(hosts=LOCAL, token=TOKEN)
        assert guard.check(asks(host, authorization=f"bearer {TOKEN}")) is None
        assert refused(guard, asks(host)) == 401


def test_a_token_does_not_let_other_sites_in():
    held = {"authorization": f"Bearer {TOKEN}"}
    guard = Guard(hosts=LOCAL, token=TOKEN)
    assert refused(guard, asks("evil.example", **held)) == 421
    assert refused(guard, asks("localhost:8765", origin="null", **held)) == 403
    assert refused(guard, asks("localhost:8765", sec_fetch_site="cross-site", **held)) == 403


def test_cookies_of_two_servers_do_not_get_in_each_others_way():
    """Browsers send the cookies of one port to all ports of a machine."""
    guard, request = Guard(hosts=LOCAL, token=TOKEN), asks("localhost")
    query = {"token": [TOKEN]}
    entered = guard.check(Request(method="GET", path="/a", port=1, headers=request.headers, query=query))
    assert entered is not None
    assert entered.headers["Location"] == "/a"
    cookie = entered.headers["Set-Cookie"].partition(";")[0]
    assert cookie.startswith("adjudge_1=")
    assert TOKEN not in cookie
    assert refused(guard, asks("localhost", cookie=cookie)) == 401
    assert guard.check(Request(method="GET", path="/", port=1, headers={"host": "localhost", "cookie": cookie})) is None


def test_a_token_in_the_address_is_for_looking_only():
    guard = Guard(hosts=LOCAL, token=TOKEN)
    headers = {"host": "localhost", "content-type": "application/json"}
    assert refused(guard, Request(method="POST", path="/", headers=headers, query={"token": [TOKEN]})) == 401
