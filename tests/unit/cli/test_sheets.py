"""When standard output is coloured."""

from __future__ import annotations

import io
import sys

import pytest

from adjudge.cli.sheets import coloured


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "given", "wanted"),
    [
        (_Terminal(), {}, True),
        (_Terminal(), {"NO_COLOR": ""}, True),
        (_Terminal(), {"NO_COLOR": "1"}, False),
        (_Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(monkeypatch, stream, given, wanted):
    monkeypatch.setattr(sys, "stdout", stream)
    for name, value in {"NO_COLOR": "", "TERM": "xterm-256color", **given}.items():
        monkeypatch.setenv(name, value)
    assert coloured() is wanted
