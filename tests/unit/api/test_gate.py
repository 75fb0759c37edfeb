"""Bounds on a run's figures: what meets them, what misses them and why."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from adjudge.api.gate import gate
from adjudge.core.errors import ConfigError, DataError
from adjudge.report.gated import Gated, Held
from adjudge.spec.load import load_judge
from tests.fakes.verdicts import a_row, a_run

NAMES = ("coverage", "accuracy", "coherence", "conciseness", "hallucination_check")
RAG = ("correctness", "completeness", "retrieval_accuracy", "clarity", "conciseness", "depth")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}"


def scores(value: float) -> dict[str, float]:
    return dict.fromkeys(NAMES, value)


def drawn(seed: int, n: int, shift: int = 0) -> list[dict[str, float] | None]:
    draw = random.Random(seed)
    return [{name: min(5, max(1, draw.randint(1, 5) + shift)) for name in NAMES} for _ in range(n)]


def one(found: Gated, place: int = 1) -> Held:
    return found.held[place]


@pytest.mark.parametrize(("limit", "met"), [(1, True), (3.5, True), (3.51, False), (5, False)])
def test_a_mean_is_held_against_a_bound(url, limit, met):
    run = a_run(url, "summary", [scores(3), scores(4)] * 10)
    found = gate(run, minimum={"coverage": limit})
    assert found.met is met
    assert one(found).why == (None if met else "value")
    assert (one(found).value, one(found).n, one(found).of) == (3.5, 20, 20)


def test_the_figures_are_those_of_the_report(url):
    run = a_run(url, "summary", drawn(1, 40))
    report = run.report().as_json()
    found = gate(run, minimum=dict.fromkeys((*NAMES, "average_score"), 1))
    for held in found.held[1:]:
        shown = (report["criteria"] | report["derived"])[held.figure]
        assert (held.value, list(held.ci95 or ())) == (shown["mean"], shown["ci95"])


def test_on_the_interval_the_end_that_is_nearer_to_missing_decides(url):
    run = a_run(url, "summary", drawn(2, 40))
    low, high = one(gate(run, minimum={"coverage": 1})).ci95 or (0, 0)
    middle = one(gate(run, minimum={"coverage": 1})).value or 0
    assert 1 < low < middle < high < 5
    for limit, met in ((low - 0.01, True), (low + 0.01, False)):
        held = one(gate(run, minimum={"coverage": limit}, on="ci"))
        assert (held.why is None, held.tested) == (met, low)
        assert held.why in (None, "end")
    for limit, met in ((high + 0.01, True), (high - 0.01, False)):
        assert gate(run, maximum={"coverage": limit}, on="ci").met is met
    assert gate(run, minimum={"coverage": (low + middle) / 2}).met


def test_rounding_of_floats_misses_no_bound(url):
    base = a_run(url, "summary", [scores(4)] * 10, name="base")
    run = a_run(url, "summary", [scores(4)] * 9 + [scores(3)], name="run")
    assert 4 - 3.9 > 0.1
    held = one(gate(run, baseline=base, max_drop={"coverage": 0.1}))
    assert held.value == pytest.approx(0.1, abs=1e-12) and held.why is None
    assert gate(run, minimum={"coverage": 3.9}).met


def test_a_run_with_failures_misses_unless_they_are_allowed(url):
    run = a_run(url, "summary", [*([scores(5)] * 19), None])
    found = gate(run, minimum={"coverage": 4})
    assert [held.why for held in found.held] == ["value", "gaps"]
    assert gate(run, minimum={"coverage": 4}, min_judged=0.95).met
    assert not gate(run, min_judged=0.951).met
    assert one(gate(run, min_judged=1 - 0.05), 0).option == "--min-judged 0.95"


def test_a_criterion_that_was_judged_in_part_misses_even_where_no_item_failed(url):
    run = a_run(url, "summary", [*([scores(5)] * 15), *([scores(5) | {"coverage": None}] * 5)])
    found = gate(run, minimum={"coverage": 4, "accuracy": 4})
    assert [held.why for held in found.held] == [None, "gaps", None]
    assert gate(run, minimum={"coverage": 4}, min_judged=0.75).met


def test_a_criterion_that_was_not_judged_misses_whatever_is_allowed(url):
    run = a_run(url, "summary", [scores(5) | {"coverage": None}] * 5)
    for given in ({"minimum": {"coverage": 1}}, {"maximum": {"coverage": 5}}, {"minimum": {"coverage>=1": 0.0}}):
        found = gate(run, min_judged=0.0, **given)
        assert (found.met, one(found).why) == (False, "unjudged")


def test_nothing_judged_misses(url):
    run = a_run(url, "summary", [None, None])
    assert [held.why for held in gate(run, minimum={"coverage": 1}, min_judged=0).held] == [None, "unjudged"]
    compared = a_run(url, "rag-answers", [None, None])
    base = a_run(url, "rag-answers", [{name: {"A": 3, "B": 4} for name in RAG}] * 3, name="base")
    assert one(gate(compared, minimum={"correctness": 1}, min_judged=0)).why == "unjudged"
    assert one(gate(compared, baseline=base, max_drop={"correctness": 5}, min_judged=0)).why == "unjudged"


def test_one_score_is_no_mean_to_pass_by(url):
    run = a_run(url, "summary", [scores(5)])
    for given in ({"minimum": {"coverage": 1}}, {"minimum": {"coverage>=1": 0.1}}):
        assert one(gate(run, **given)).why == "few"
    base = a_run(url, "summary", [scores(5)], name="base")
    assert one(gate(run, baseline=base, max_drop=4)).why == "few"


def test_questions_on_one_source_are_too_few_for_a_drop(url):
    rows = [{**a_row(load_judge("rag-answers"), number), "sources": ["the only one"]} for number in range(8)]
    base, run = (
        a_run(url, "rag-answers", [{name: {"A": 4, "B": by} for name in RAG}] * 8, rows=rows, name=str(by))
        for by in (3, 4)
    )
    assert one(gate(run, baseline=base, max_drop={"clarity:B": 2})).why == "few"


def test_shares_of_items_have_wilson_intervals(url):
    run = a_run(url, "summary", [scores(value) for value in [1, 2, 3, 4, 5] * 8])
    held = one(gate(run, minimum={"coverage>=4": 0.4}))
    exact = stats.binomtest(16, 40).proportion_ci(method="wilson")
    assert (held.value, held.why) == (0.4, None)
    assert held.ci95 == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert one(gate(run, maximum={"coverage<=2": 0.39})).why == "value"
    assert one(gate(run, maximum={"coverage<=1.5": 0.2})).why is None


def test_figures_of_one_candidate(url):
    run = a_run(url, "rag-answers", [{name: {"A": 4, "B": 2} for name in RAG}] * 12)
    wanted = {"correctness": 3, "correctness:A": 4, "total:A": 24, "win_rate:A": 1, "correctness:B>=2": 1}
    assert gate(run, minimum=wanted).met
    assert [held.candidate for held in gate(run, minimum=wanted).held[1:]] == ["", "A", "A", "A", "B"]
    assert not gate(run, minimum={"win_rate:B": 0.1}).met
    with pytest.raises(ConfigError, match="no share of items"):
        gate(run, minimum={"correctness>=2": 1})
    with pytest.raises(ConfigError, match="no share of items"):
        gate(run, minimum={"win_rate:A>=0.5": 1})


def test_names_of_candidates_may_hold_anything(url):
    name = "a=b:c>=4"
    run = a_run(url, "rag-answers", [{each: {name: 4, "B": 2} for each in RAG}] * 5)
    assert gate(run, minimum={f"correctness:{name}": 4, f"correctness:{name}>=3": 1}).met


@pytest.mark.parametrize("seed", range(20))
def test_a_drop_is_the_mean_paired_difference_towards_the_worse_end(url, seed):
    old, new = drawn(seed, 15), drawn(seed + 100, 15)
    old[3] = new[7] = None
    base, run = a_run(url, "summary", old, name="base"), a_run(url, "summary", new, name="run")
    found = gate(run, baseline=base, max_drop=4, min_judged=0.8)
    both = [(a, b) for a, b in zip(old, new, strict=True) if a and b]
    assert [held.figure for held in found.held[1:]] == list(NAMES)
    for held in found.held[1:]:
        direct = np.mean([a[held.figure] - b[held.figure] for a, b in both])
        assert held.value == pytest.approx(direct, abs=1e-12)
        assert held.ci95 and held.value is not None and held.ci95[0] < held.value < held.ci95[1]
        assert (held.n, held.of) == (13, 15)


def test_where_less_is_better_a_rise_is_a_drop(url):
    def given(value):
        return [{"hallucination": value, "quality": 50, "relevancy": 2}] * 10

    base, run = (a_run(url, "search-summary", given(value), name=str(value)) for value in (1, 2))
    assert one(gate(run, baseline=base, max_drop={"hallucination": 3})).value == 1.0
    assert one(gate(base, baseline=run, max_drop={"hallucination": 0})).value == -1.0
    assert gate(base, baseline=run, max_drop=0).met


def test_a_drop_on_the_interval_needs_more_than_a_good_mean(url):
    base, run = a_run(url, "summary", drawn(1, 30), name="base"), a_run(url, "summary", drawn(2, 30), name="run")
    held = one(gate(run, baseline=base, max_drop={"coverage": 1}))
    assert held.ci95 and held.value
    between = (held.value + held.ci95[1]) / 2
    assert gate(run, baseline=base, max_drop={"coverage": between}).met
    assert one(gate(run, baseline=base, max_drop={"coverage": between}, on="ci")).why == "end"


def test_a_named_drop_takes_the_place_of_the_bare_one_and_what_the_baseline_lacks_is_left_out(url):
    base = a_run(url, "summary", [scores(4) | {"coherence": None}] * 5, name="base")
    run = a_run(url, "summary", [scores(4)] * 5, name="run")
    found = gate(run, baseline=base, max_drop={"*": 0.5, "coverage": 0.1})
    assert {held.figure: held.limit for held in found.held[1:]} == {
        "coverage": 0.1,
        "accuracy": 0.5,
        "conciseness": 0.5,
        "hallucination_check": 0.5,
    }
    assert one(gate(run, baseline=base, max_drop={"coherence": 1})).why == "unjudged"


def test_the_order_of_rows_decides_nothing(url):
    judge = base = a_run(url, "summary", drawn(1, 30), name="base")
    rows = [a_row(judge.judge, number) for number in range(30)]
    given = drawn(5, 30)
    mixed = random.Random(0).sample(range(30), 30)
    one_way = a_run(url, "summary", given, rows=rows, name="one")
    other = a_run(url, "summary", [given[n] for n in mixed], rows=[rows[n] for n in mixed], name="other")
    found = [gate(run, baseline=base, max_drop=4, minimum={"coverage": 1}) for run in (one_way, other)]
    assert [[h.value, h.ci95] for h in found[0].held] == [[h.value, h.ci95] for h in found[1].held]


def test_runs_that_do_not_pair_are_refused(url):
    run = a_run(url, "summary", [scores(4)] * 3)
    rows = [a_row(run.judge, number) | {"id": f"x{number}"} for number in range(3)]
    with pytest.raises(DataError, match="no item in common"):
        gate(run, baseline=a_run(url, "summary", [scores(4)] * 3, rows=rows, name="else"), max_drop=1)
    other = a_run(url, "search-summary", [{"hallucination": 1, "quality": 50, "relevancy": 2}] * 3)
    with pytest.raises(DataError, match="no `coverage` on the same scale"):
        gate(run, baseline=other, max_drop={"coverage": 1})
    fewer = a_run(url, "summary", [scores(4) | {"coherence": None}] * 3, name="fewer")
    with pytest.raises(DataError, match="rests on other criteria"):
        gate(run, baseline=fewer, max_drop={"average_score": 1})
    failed = a_run(url, "summary", [None] * 3, name="failed")
    with pytest.raises(DataError, match="judged nothing"):
        gate(run, baseline=failed, max_drop=1)
    pair = [a_run(url, "rag-answers", [{n: {"A": 4, who: 2} for n in RAG}] * 3, name=who) for who in "BC"]
    with pytest.raises(DataError, match="other candidates"):
        gate(pair[0], baseline=pair[1], max_drop=1)
    with pytest.raises(DataError, match="no candidate `B`"):
        gate(pair[0], baseline=pair[1], max_drop={"correctness:B": 1})
    assert gate(pair[0], baseline=pair[1], max_drop={"correctness:A": 1}).met
    with pytest.raises(ConfigError, match="has no drop"):
        gate(pair[0], baseline=pair[1], max_drop={"win_rate:A": 1})


def test_a_baseline_of_another_judge_is_named_as_such(url):
    run = a_run(url, "summary", [scores(4)] * 3)
    rag = a_run(url, "rag-answers", [{name: {"A": 4, "B": 2} for name in RAG}] * 3)
    search = a_run(url, "search-summary", [{"hallucination": 1, "quality": 50, "relevancy": 2}] * 3)
    for other, drops in ((rag, 0.1), (rag, {"conciseness": 0.1}), (search, 0.1), (search, {"coverage": 0.1})):
        named = f"judged by another judge, {other.state.run.judge}@"
        with pytest.raises(DataError, match=named) as refused:
            gate(run, baseline=other, max_drop=drops)
        assert "did you mean" not in str(refused.value)


def test_the_share_that_may_fail_is_named_as_it_was_given(url):
    run = a_run(url, "summary", [*([scores(5)] * 19), None])
    for failed, judged, option in ((0.02, None, "--max-failed 0.02"), (None, 0.98, "--min-judged 0.98")):
        found = gate(run, minimum={"coverage": 4}, max_failed=failed, min_judged=judged)
        assert found.held[0].option == option
        assert f"at least a share of 0.98 is wanted ({option})" in found.sheet().answers[2]
    assert gate(run, minimum={"coverage": 4}, max_failed=0.05).met
    assert gate(run, minimum={"coverage": 4}, max_failed=1e-5).held[0].option == "--max-failed 1e-05"
    with pytest.raises(ConfigError, match="say the same"):
        gate(run, max_failed=0.02, min_judged=0.98)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"minimum": {"coverag": 4}}, "did you mean `coverage`"),
        ({"minimum": {"coverage>": 4}}, "coverage>=4=0.9"),
        ({"minimum": {"coverage": 6}}, "between 1 and 5"),
        ({"minimum": {"coverage": math.nan}}, "between 1 and 5"),
        ({"maximum": {"coverage": -1}}, "between 1 and 5"),
        ({"minimum": {"coverage>=4": 90}}, "between 0 and 1"),
        ({"minimum": {"coverage>=9": 0.9}}, "between 1 and 5"),
        ({"min_judged": 95}, "between 0 and 1"),
        ({"max_drop": 0.1}, "add --baseline"),
        ({"baseline": "latest"}, "add --max-drop"),
        ({"baseline": "latest", "max_drop": -0.1}, "between 0 and 4"),
        ({"baseline": "latest", "max_drop": 4.5}, "between 0 and 4"),
    ],
)
def test_what_can_not_be_meant_is_refused(url, given, said):
    run = a_run(url, "summary", [scores(4)] * 3)
    with pytest.raises(ConfigError) as refused:
        gate(run, store=url, **given)
    assert said in str(refused.value)


def test_a_baseline_that_was_judged_otherwise_is_told(url):
    base = a_run(url, "summary", [scores(4)] * 5, name="base", model="other")
    run = a_run(url, "summary", [scores(4)] * 6, name="run", lang="ru")
    found = gate(run, baseline=base, max_drop=0.5)
    assert (found.differs, found.apart) == (("language", "model"), 1)
    assert gate(run, baseline=run, max_drop=0.5).differs == ()


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "2 items have other golden answers in the baseline"), ("ru", "в базовом прогоне другой эталон: 2")],
)
def test_a_baseline_with_other_golden_answers_is_told(url, lang, said):
    judge = load_judge("translation", lang=lang)
    given = [{one.name: 4 for one in judge.scored}] * 5
    base, run = (
        a_run(
            url,
            "translation",
            given,
            rows=[a_row(judge, at) | {"ref": "other" if at < other else "golden"} for at in range(5)],
            name=str(other),
            lang=lang,
        )
        for other in (0, 2)
    )
    found = gate(run, baseline=base, max_drop=0.5)
    assert found.other_reference == 2
    assert any(said in warning for warning in found.sheet().warnings)
    assert not gate(run, baseline=run, max_drop=0.5).sheet().warnings


def test_a_run_of_the_easy_items_alone_does_not_pass_against_its_baseline(url):
    """What the baseline has and the run lacks is a gap; what only the run has was never to be compared."""
    rows = [a_row(load_judge("summary"), number) for number in range(40)]
    hard = [scores(5 if number < 20 else 2) for number in range(40)]
    base = a_run(url, "summary", hard, rows=rows, name="base")
    easy = a_run(url, "summary", hard[:20], rows=rows[:20], name="easy")
    found = gate(easy, baseline=base, max_drop={"coverage": 0.1})
    assert (one(found).why, one(found).n, one(found).of) == ("gaps", 20, 40)
    assert gate(easy, baseline=base, max_drop={"coverage": 0.1}, min_judged=0.5).met
    assert gate(base, baseline=easy, max_drop={"coverage": 0.1}).met


def test_a_run_that_is_not_finished_misses_and_says_how_to_go_on(url, monkeypatch):
    run = a_run(url, "summary", [scores(4)] * 4)
    state = run.state
    halted = replace(state, status="interrupted", run=replace(state.run, items=8))
    monkeypatch.setattr(type(run), "state", property(lambda self: halted))
    found = gate(run, minimum={"coverage": 3})
    assert not found.met
    assert any("adjudge resume" in warning for warning in found.sheet().warnings)
    assert gate(run, min_judged=0.5).met
