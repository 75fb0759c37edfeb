from __future__ import annotations

import json
import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.core.errors import ModelError, NotAuthorised
from adjudge.models.base import Secret
from adjudge.models.faults import Answer, Headers, error_within, excerpt, fault, retry_after_s

KEY = "sk-canary-0123456789"


def made(status: int, body: bytes, **headers: str) -> ModelError:
    answer = Answer(status=status, body=body, headers=headers)
    return fault(answer, host="host", key=Secret(KEY), key_from="SOME_KEY")


@given(st.integers(100, 999), st.binary(max_size=400), st.text(max_size=20))
def test_whatever_a_server_says_is_an_error_of_one_printable_line(status: int, body: bytes, wait: str) -> None:
    error = made(status, body + KEY.encode() + body, **{"retry-after": wait})
    assert str(error).isprintable()
    assert KEY not in str(error)
    assert len(str(error)) < limits.EXCERPT_CHARS + 100


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": {"message": "no  such\\nmodel"}}', "host answered 400: no such model"),
        (b'{"error": "no such model"}', "host answered 400: no such model"),
        (b'{"detail": "no such model"}', "host answered 400: no such model"),
        (b'{"detail": [{"loc": ["body"]}]}', 'host answered 400: {"detail": [{"loc": ["body"]}]}'),
        (b"", "host answered 400: (nothing)"),
        (b"<b>no</b>", "host answered 400: <b>no</b>"),
    ],
)
def test_the_servers_own_words_are_shown(body: bytes, expected: str) -> None:
    assert str(made(400, body)) == expected


def test_a_refused_key_says_where_it_came_from() -> None:
    error = made(401, b"no")
    assert isinstance(error, NotAuthorised)
    assert "the key is in SOME_KEY" in str(error)
    answer = Answer(status=401, body=b"no", headers={})
    assert "no key is set in SOME_KEY" in str(fault(answer, host="host", key=None, key_from="SOME_KEY"))


@given(st.text(max_size=30) | st.floats().map(str) | st.integers().map(str))
def test_a_wait_is_never_negative(value: str) -> None:
    for name in ("retry-after", "retry-after-ms"):
        wait_s = retry_after_s({name: value}, now=1_000.0)
        assert wait_s is None or wait_s >= 0


def test_a_date_to_wait_for() -> None:
    assert retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=50.0) == 10.0


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({}, None),
        ({"error": None, "choices": []}, None),
        ({"error": {"code": 503}}, 503),
        ({"error": {"code": "503"}}, 502),
        ({"error": {"type": "rate_limit_error"}}, 429),
        ({"error": "broken"}, 502),
        ({"error": {"code": 200}}, 502),
        ({"error": {"type": "insufficient_quota", "message": "x"}}, 402),
        ({"error": {"type": "api_error", "code": "insufficient_quota"}}, 402),
        ({"error": {"type": "insufficient_quota", "code": 429}}, 402),
        ({"type": "error", "error": {"type": "billing_error"}}, 402),
        ({"error": {"message": "Your credit balance is too low."}}, 402),
        ({"error": "Insufficient balance"}, 402),
        ({"error": {"code": 503, "message": "insufficient funds of patience"}}, 503),
    ],
)
def test_an_error_within_a_success(data: dict[str, object], status: int | None) -> None:
    assert error_within(data) == status


def test_an_excerpt_ends_in_an_ellipsis_where_it_was_cut() -> None:
    assert excerpt("x" * 1_000, None) == "x" * (limits.EXCERPT_CHARS - 1) + "…"


@pytest.mark.parametrize("piece", ["exceed", "maximum ", "context ", "temperature ", "message", "input too "])
def test_telling_a_long_prompt_does_not_blow_up(piece: str) -> None:
    started = time.process_time()
    made(400, (piece * 100_000).encode())
    assert time.process_time() - started < 2


BLOCK = b"Date: now\r\nX-RateLimit-Remaining: 0\r\nX-Id: Ab \r\nx-id: cD\r\n"


def test_headers_are_found_in_any_case_and_repeated_ones_joined() -> None:
    headers = Headers(BLOCK)
    assert dict(headers) == {"date": "now", "x-ratelimit-remaining": "0", "x-id": "Ab, cD"}
    assert (headers["X-ID"], len(headers), dict(Headers(b""))) == ("Ab, cD", 3, {})


@pytest.mark.parametrize("headers", [Headers(BLOCK), {"Date": "now", "X-RateLimit-Remaining": "0"}])
def test_the_headers_with_a_word_in_their_name(headers: Mapping[str, str]) -> None:
    answer = Answer(status=200, body=b"", headers=headers)
    found = answer.headers_with("ratelimit")
    assert {name.lower(): value for name, value in found.items()} == {"x-ratelimit-remaining": "0"}
    assert answer.headers_with("now") == {}  # a value, not a name
    assert answer.headers_with("absent") == {}


def test_a_used_up_quota_within_a_success_stops_the_run() -> None:
    body = b'{"error": {"type": "insufficient_quota", "message": "You exceeded your current quota."}}'
    error = made(error_within(json.loads(body)) or 0, body)
    assert isinstance(error, NotAuthorised) and error.no_credit


@pytest.mark.parametrize("before", [b"{", b"[1", b"x", b"data: {", b"\x01{", b"<think>", b"\xff{", b"Sure: {"])
def test_what_may_be_a_models_answer(before: bytes) -> None:
    assert not Answer(status=200, body=before, headers={}).told_nothing


@pytest.mark.parametrize("body", [b"", b"\r\n", b"\xef\xbb\xbf", b"\0", b" <!DOCTYPE html>", b"<html>", b"<p>Sign in"])
def test_what_is_no_models_answer(body: bytes) -> None:
    assert Answer(status=200, body=body, headers={}).told_nothing


def test_a_page_is_known_by_its_type_too() -> None:
    headers = {"content-type": "Text/HTML; charset=utf-8"}
    assert Answer(status=200, body=b"Sign in", headers=headers).told_nothing
    assert not Answer(status=200, body=b'{"choices"', headers=headers).told_nothing


@pytest.mark.parametrize("sign", ["\t", "\x00", ")]}'\n", "for(;;);", " \ufeff"])
def test_telling_what_stands_before_an_answer_takes_no_time(sign: str) -> None:
    answer = Answer(status=200, body=(sign * 500_000).encode(), headers={})
    started = time.process_time()
    assert answer.told_nothing and answer.data() is None and not answer.streams
    assert time.process_time() - started < 2
