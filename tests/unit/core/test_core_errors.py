"""One tree of errors; an error says what, where and what to do."""

from __future__ import annotations

import inspect

import pytest

from adjudge.core import errors
from adjudge.core.errors import AdjudgeError, DataError, OutOfScale, RateLimited, UserError

ALL = [one for _, one in inspect.getmembers(errors, inspect.isclass)]


def test_every_error_is_an_adjudge_error_and_stands_in_the_drawing():
    assert len(ALL) > 25
    for one in ALL:
        assert issubclass(one, AdjudgeError)
        assert one.__name__ in str(errors.__doc__)


def test_kinds_are_words_and_no_two_are_the_same():
    kinds = {one.kind.fget(one.__new__(one)) for one in ALL}  # type: ignore[attr-defined]
    assert len(kinds) == len(ALL)
    assert OutOfScale("x").kind == "out_of_scale"
    assert RateLimited("x", retry_after_s=2).kind == "rate_limited"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DataError("broken", where="f, line 1", hint="mend it"), "f, line 1: broken\n  hint: mend it"),
        (DataError("broken", where="f"), "f: broken"),
        (UserError("broken"), "broken"),
        (UserError("broken", hint="mend it"), "broken\n  hint: mend it"),
    ],
)
def test_the_words_of_an_error(error, text):
    assert str(error) == text
