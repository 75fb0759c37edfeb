"""Numbers of things in messages."""

from __future__ import annotations

import pytest

from adjudge.core.counted import counted


@pytest.mark.parametrize(("n", "told"), [(0, "0 answers"), (1, "1 answer"), (2, "2 answers")])
def test_one_is_not_many(n, told):
    assert counted(n, "answer") == told
