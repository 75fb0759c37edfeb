"""The progress line: one for all runs; trouble told once, early and harmlessly."""

from __future__ import annotations

import io
import sys

import pytest

from adjudge.cli.progress import ProgressLine, line
from adjudge.run.engine import Progress
from adjudge.run.usage import Usage


def at(run: str = "r", **changes) -> Progress:
    return Progress(**{"run": run, "model": f"openai:{run}", "total": 10, "usage": Usage(), **changes})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("adjudge.cli.progress.time.monotonic", lambda: now[0])
    return now


def test_the_line_adds_up_all_runs():
    one, other = at("a", judged=4, failed=1, usage=Usage(cost_usd=0.5)), at("b", judged=1, usage=Usage(cached=3))
    said = line([one, other], 10.0)
    assert "6/20 · 2 models · 1 failed · 3 from the store · 0.6/s · $0.5000 · 1:30 left" in said
    assert "models" not in line([one], 10.0)


def test_what_costs_nothing_shows_no_cost_and_what_has_no_price_its_tokens():
    assert "$" not in line([at(judged=4)], 10.0)
    said = line([at(judged=4, usage=Usage(tokens_in=1200, cost_known=False))], 10.0)
    assert "1,200 tokens" in said and "$" not in said


def test_the_calls_are_shown_where_items_take_several(clock, monkeypatch):
    assert " 0/10, 12 calls" in line([at(usage=Usage(calls=12))], 10.0)
    assert "calls" not in line([at(judged=10, usage=Usage(calls=12))], 10.0)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "40")
    ProgressLine()(at(failed=1, usage=Usage(calls=12, cached=7)))
    assert screen.getvalue().endswith(" 1/10 · 1 failed · 7 f…"), "where there is no room the rest comes first"


def test_trouble_takes_the_place_of_figures():
    said = line([at(judged=4), at("b", trouble="h cannot be reached")], 10.0)
    assert said.endswith("4/20 · 2 models · h cannot be reached")


@pytest.mark.parametrize("quiet", [True, False])
def test_trouble_is_told_once_also_in_a_pipe(quiet, clock, capsys):
    told = ProgressLine(quiet=quiet)
    for n in range(50):
        clock[0] += 1
        told(at(trouble=f"h:1 answered 429: wait {n} s, request req_{n}a; it will be asked again"))
    said = capsys.readouterr().err
    assert said == "adjudge: h:1 answered 429: wait 0 s, request req_0a; it will be asked again\n"


def test_another_trouble_is_told_after_a_while(clock, capsys):
    told = ProgressLine()
    told(at(trouble="one"))
    told(at(trouble="two"))
    assert capsys.readouterr().err == "adjudge: one\n"
    clock[0] += 6
    told(at(trouble="two"))
    told(at(judged=1))
    assert capsys.readouterr().err == "adjudge: two\n"


def test_of_several_models_the_one_in_trouble_is_named(clock, capsys):
    told = ProgressLine()
    told(at("a"))
    told(at("b", trouble="no answer"))
    assert capsys.readouterr().err == "adjudge: openai:b: no answer\n"
    assert told.runs == ["a", "b"]


def test_hostile_trouble_is_one_harmless_line(clock, capsys):
    ProgressLine()(at(trouble="\x1b[2J\u202eboo\nadjudge: all is well\r" + "x" * 10_000))
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "\x1b" not in said and "\u202e" not in said and len(said) < 400


def test_on_a_terminal_the_line_is_redrawn_after_trouble_and_fits(clock, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    told = ProgressLine()
    told(at(judged=1))
    clock[0] += 1
    told(at(judged=1, trouble="h cannot be reached: " + "x" * 200))
    told.clear()
    drawn = screen.getvalue().split("\r\033[K")
    assert any(part.startswith("adjudge: h cannot be reached") and part.endswith("\n") for part in drawn)
    bars = [part for part in drawn if part.startswith(("█", "░"))]
    assert len(bars) == 2 and max(map(len, bars)) <= 79 and "h cannot be reached" in bars[1]
    assert drawn[-1] == ""
