"""Rate-limit headers are hostile: whatever they hold, they give a wait within the limit or none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core import limits
from adjudge.models.quota import rest_s

NUMBERS = st.floats().map(str) | st.integers().map(str)
STEPS = st.lists(st.tuples(NUMBERS, st.sampled_from(["h", "m", "s", "ms", "µs", "x"])).map("".join)).map("".join)
DATES = st.datetimes().map(str) | st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat())
VALUES = st.text() | NUMBERS | STEPS | DATES | st.sampled_from(["0", "1" * 10_000, "1e999", "0001-01-01T00:00+23:59"])
WORDS = st.sampled_from(["x-", "ratelimit", "RateLimit", "-remaining", "-reset", "-tokens", "anthropic-", "\ud800"])
NAMES = st.lists(WORDS, max_size=5).map("".join)


@given(st.dictionaries(NAMES, VALUES), VALUES, VALUES, st.floats(0, 1e10))
def test_any_header_gives_a_wait_within_the_limit_or_none(
    headers: dict[str, str], remaining: str, reset: str, now: float
) -> None:
    for told in (headers, {**headers, "ratelimit-remaining": remaining, "ratelimit-reset": reset}):
        found = rest_s(told, now)
        assert found is None or 0 <= found <= limits.RETRY_AFTER_CAP_S
    found = rest_s({"ratelimit-remaining": "0", "ratelimit-reset": reset}, now)
    assert found is None or 0 <= found <= limits.RETRY_AFTER_CAP_S
