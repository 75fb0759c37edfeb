"""Lines are broken in linear time, whatever a reply holds that looks like a command."""

from __future__ import annotations

import pytest

from adjudge.report.plain import wrap
from tests.linear import assert_linear


@pytest.mark.parametrize("part", ["1", "1 ", "a", "-", "--a ", "--a 'x", "adjudge show ", "adjudge a --b c "])
def test_time_for_what_looks_like_a_command_is_linear(part: str):
    def text(size: int) -> str:
        return f"adjudge show {part * (size // len(part))}!"

    assert_linear(lambda given: list(wrap(given, 80)), text, 5_000)
