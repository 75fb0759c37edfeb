"""How candidates fared that were asked: counts, kinds, times and costs, and what is warned of."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from adjudge.core.records import Settings, Verdict
from adjudge.report.build import build_with_rows
from adjudge.report.tables import Report
from tests.unit.report.sample import state
from tests.unit.spec.rows import bundled

JUDGE = bundled("rag-answers")
WHERE = ("own=openai:m@http://host", "mine=cmd:./rag #3 --k=3#0123456789ab")


def report(*told: dict[str, Any], candidates: tuple[str, ...] = WHERE, settings: Settings | None = None) -> Report:
    made = state(JUDGE, len(told))
    run = replace(made.run, candidates=candidates, settings=settings or Settings(model="offline"))
    rows = [
        {"id": str(n), "question": "?", "sources": ["s"], "answers": {"own": "x"}, "answering": one}
        for n, one in enumerate(told)
    ]
    verdicts = [Verdict(item=str(n), scores={}, reasons={}, derived={}, native={}) for n in range(len(told))]
    return build_with_rows(JUDGE, replace(made, run=run), zip(verdicts, map(json.dumps, rows), strict=True))


def answered(seconds: float, cost: float | None = 0.0) -> dict[str, Any]:
    return {"seconds": seconds, "cost_usd": cost, "characters": 5}


FAILED = {"failed": "timed_out", "message": "late", "attempts": 2}


def test_counts_kinds_medians_and_costs():
    made = report(
        {"own": answered(1.0, 0.5), "mine": FAILED},
        {"own": answered(9.0, 0.25), "mine": answered(2.0)},
        {"own": answered(2.0, 0.25), "mine": {**FAILED, "failed": "empty"}},
    )
    (section,) = [one for one in made.sections if one.name == "answering"]
    own, mine = section.data["own"], section.data["mine"]
    assert (own["model"], own["asked"], own["answered"], own["failures"]) == ("openai:m@http://host", 3, 3, {})
    assert (own["seconds"], own["cost_usd"]) == (2.0, 1.0)
    assert (mine["model"], mine["asked"], mine["answered"]) == ("cmd:./rag #3 --k=3", 3, 1)
    assert (mine["failures"], mine["seconds"], mine["cost_usd"]) == ({"empty": 1, "timed_out": 1}, 2.0, 0.0)
    assert section.rows[0][-1] == "$1.00" and section.rows[1][3] == "empty 1, timed_out 1"
    assert any("mine gave no answer to 2 of 3 questions" in one for one in made.warnings)


def test_an_unknown_price_is_no_sum():
    made = report({"own": answered(1.0, None), "mine": FAILED}, {"own": answered(1.0, 0.5), "mine": FAILED})
    (section,) = [one for one in made.sections if one.name == "answering"]
    assert section.data["own"]["cost_usd"] is None and section.data["mine"]["seconds"] is None
    assert section.rows[0][-1] == "unknown"


def test_the_judge_among_the_candidates_is_warned_of_and_its_namesake_elsewhere_is_not():
    told = {"own": answered(1.0), "mine": answered(1.0)}
    same = report(told, settings=Settings(model="openai:m", base_url="http://host"))
    other = report(told, settings=Settings(model="openai:m"))
    assert [["is the model that judges" in one for one in made.warnings].count(True) for made in (same, other)] == [
        1,
        0,
    ]


def test_a_run_that_asked_nobody_says_nothing_even_where_rows_have_such_a_column():
    made = report({"own": answered(1.0)}, candidates=())
    assert "answering" not in [one.name for one in made.sections]


def test_a_column_of_this_name_that_says_something_else_is_passed_over():
    odds: tuple[Any, ...] = ("own and mine", ["own"], {"own": "late"}, {"own": {"seconds": "long"}})
    for odd in odds:
        made = report(odd, {"own": answered(2.0)})
        (section,) = [one for one in made.sections if one.name == "answering"]
        assert section.data["own"]["asked"] == 1
