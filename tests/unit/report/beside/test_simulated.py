"""A truthful and noisy judge, from its opinions to the report, 1,000 times: intervals hold the truth as they say."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from adjudge.report.build import build
from adjudge.report.tables import Report
from adjudge.stats import bootstrap, ranking
from tests.unit.report.beside.scripted import judged
from tests.unit.report.sample import state
from tests.unit.spec.rows import bundled

JUDGE = bundled("rag-answers")
SIMULATIONS = 1000
ITEMS = 12
#: What the answers are worth, in points of each criterion; on each a question is a point harder or not.
WORTH = {
    "better": dict.fromkeys(("correctness", "completeness"), 3) | dict.fromkeys(("clarity", "depth"), 2),
    "worse": dict.fromkeys(("correctness", "completeness"), 2) | dict.fromkeys(("clarity", "depth"), 2),
}
TOTALS = {"better": 14 - 3 + 0.5, "worse": 12 - 3 + 0.5}


def rule(draw: random.Random) -> Callable[[str, str, int], float]:
    """What one question's answers get: their worth, a point of noise, and half a point of the total for the place."""
    harder = {criterion.name: draw.choice((0, 1)) for criterion in JUDGE.scored}

    def points(criterion: str, name: str, place: int) -> float:
        first = criterion == "clarity" and place == 0
        return WORTH[name].get(criterion, 2) - harder[criterion] + draw.choice((-1, 0, 1)) + first

    return points


def simulated(draw: random.Random) -> Report:
    verdicts = [judged(JUDGE, f"q{k}", list(WORTH), rule(draw)) for k in range(ITEMS)]
    return build(JUDGE, state(JUDGE, ITEMS, model="openai:m"), verdicts)


def test_the_truth_is_recovered_and_held_as_often_as_stated(monkeypatch: pytest.MonkeyPatch):
    # probabilities have tests of their own, and 10,000 draws a thousand times would take a minute
    monkeypatch.setattr(ranking, "DRAWS", 100)
    monkeypatch.setattr(bootstrap, "draws_for", lambda n: 1000)
    draw, held, led = random.Random(2026), Counter[str](), 0
    for _ in range(SIMULATIONS):
        report = simulated(draw)
        beside = {section.name: section.data for section in report.sections}
        for one in report.candidates:
            low, high = one.total.ci95 or (0.0, 0.0)
            held[one.name] += low <= TOTALS[one.name] <= high
        first, second = beside["ranking"]["candidates"].items()
        led += beside["ranking"]["leader"] == "better"
        low, high = second[1]["behind"]["ci95"]
        held["difference"] += low <= (2 if first[0] == "better" else -2) <= high
        low, high = beside["orders"]["places"][0]["ci95"]
        held["place"] += low <= 0.5 <= high
    assert led > 0.9 * SIMULATIONS
    assert set(held) == {"better", "worse", "difference", "place"}
    assert {name: share for name, share in held.items() if not 935 <= share <= 965} == {}


def test_equal_answers_are_seldom_told_apart(monkeypatch: pytest.MonkeyPatch):
    """Where nothing differs, each of two is called the best by chance: in 5 % of the runs."""
    monkeypatch.setattr(ranking, "DRAWS", 400)
    monkeypatch.setattr(bootstrap, "draws_for", lambda n: 100)  # the intervals of the means decide nothing here
    draw, called = random.Random(2027), 0
    for _ in range(200):
        totals = [judged(JUDGE, f"q{k}", ["a", "b"], lambda *_: float(draw.randint(1, 4)), orders=2) for k in range(8)]
        report = build(JUDGE, state(JUDGE, 8), totals)
        called += next(one for one in report.sections if one.name == "ranking").data["leader"] is not None
    assert called / 200 < 0.14, "5 % for either of them"
