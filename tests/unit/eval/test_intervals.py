"""The simulation of coverage: its kinds of scores and its tables."""

from __future__ import annotations

import pytest
from eval.intervals import KINDS, WAYS, main


def test_chances_add_up_and_values_lie_on_the_scale():
    for kind in KINDS.values():
        assert sum(kind.chances) == pytest.approx(1.0)
        assert kind.low <= min(kind.values) and max(kind.values) <= kind.high


def test_the_tables_have_a_line_for_each_kind(capsys):
    main(["--items", "12", "--simulations", "20"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(KINDS) and lines[0] == "| scores | n = 12 |"
    main(["--ways", "--items", "12", "--simulations", "20"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(" | ")[2:] == [*[*WAYS][:-1], f"{[*WAYS][-1]} |"]
    assert len(lines) == 2 + len(KINDS)
