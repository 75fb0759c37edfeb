"""How long a server wants to be left alone, by its rate-limit headers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from adjudge.core import limits
from adjudge.models.quota import rest_s

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()
CAP = limits.RETRY_AFTER_CAP_S


@pytest.mark.parametrize(
    ("reset", "wait_s"),
    [
        ("1s", 1.0),
        ("20ms", 0.02),
        ("1m0s", 60.0),
        ("1m2.5s", 62.5),
        ("6m0s", CAP),
        ("1h2m3.5s", CAP),
        ("7", 7.0),
        ("0.5", 0.5),
        ("0", 0.0),
        (f"{NOW + 30:.0f}", 30.0),
        (f"{(NOW + 30) * 1000:.0f}", 30.0),
        (f"{NOW - 30:.0f}", 0.0),
        ("2026-01-02T03:04:35Z", 30.0),
        ("2026-01-02T05:04:35.5+02:00", 30.5),
        ("2026-01-02T03:04:35", 30.0),
        ("2001-01-01T00:00:00Z", 0.0),
        ("9999-12-31T23:59:59Z", CAP),
        ("inf", CAP),
        ("-5", None),
        ("nan", None),
        ("soon", None),
        ("5m30", None),
        ("", None),
    ],
)
def test_the_ways_to_say_when(reset: str, wait_s: float | None) -> None:
    found = rest_s({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": reset}, NOW)
    assert found == (None if wait_s is None else pytest.approx(wait_s))


@pytest.mark.parametrize(
    ("remaining", "reset"),
    [
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("X-RateLimit-Remaining-Tokens", "X-RateLimit-Reset-Tokens"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
        ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
        ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
        ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
        ("ratelimit-remaining", "ratelimit-reset"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ],
)
def test_the_names_of_all_providers(remaining: str, reset: str) -> None:
    assert rest_s({"date": "x", remaining: "0", reset: "9"}, NOW) == 9.0
    assert rest_s({remaining: "-1", reset: "9"}, NOW) == 9.0
    for other in ("1", "", "many", "nan"):
        assert rest_s({remaining: other, reset: "9"}, NOW) is None
    assert rest_s({remaining: "0"}, NOW) is None
    assert rest_s({reset: "9"}, NOW) is None


def test_the_longest_of_the_quotas_that_are_used_up() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "2s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "11s",
        "x-ratelimit-remaining-day": "5",
        "x-ratelimit-reset-day": "50s",
    }
    assert rest_s(headers, NOW) == 11.0
    assert rest_s({}, NOW) is None
    assert rest_s({"remaining": "0", "reset": "9"}, NOW) is None
