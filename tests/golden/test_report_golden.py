"""Whole reports, byte for byte.

After a change that is meant, `ADJUDGE_GOLDEN=write pytest tests/golden` keeps the new ones; read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adjudge.report.build import build
from adjudge.report.markdown import markdown
from adjudge.report.text import text
from tests.unit.report.sample import compare, seed_comparisons, seed_items, single, state, summaries

FOLDER = Path(__file__).parent / "report"
RENEW = os.environ.get("ADJUDGE_GOLDEN") == "write"  # read here: tests run without the user's ADJUDGE_ variables


def check(name: str, made: str) -> None:
    path = FOLDER / name
    if RENEW:
        path.parent.mkdir(exist_ok=True)
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["ru", "en"])
def test_a_single_report_is_as_kept(lang):
    judge, outcomes = single(lang), summaries(lang)
    report = build(judge, state(judge, 12, steps={"strict": 10, "json5": 1}, asked_again=1), outcomes)
    check(f"single.{lang}.txt", text(report))
    check(f"single.{lang}.md", markdown(report, outcomes, judge, limit=2))


@pytest.mark.parametrize("lang", ["ru", "en"])
def test_a_comparison_is_as_kept(lang):
    judge, outcomes = compare(lang), seed_comparisons(lang)
    report = build(judge, state(judge, 2), outcomes)
    check(f"compare.{lang}.txt", text(report))
    check(f"compare.{lang}.md", markdown(report, outcomes, judge, items=seed_items(lang)))
