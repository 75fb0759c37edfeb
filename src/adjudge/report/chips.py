"""The scores of one item in short, for its row."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Verdict
from adjudge.report.charts import shade
from adjudge.report.element import Markup, element
from adjudge.report.tables import graded, penalties_of
from adjudge.report.verdicts import by_candidate, decided, derived_rows
from adjudge.report.words import Words


def chips(judge: Judge, verdict: Verdict, say: Words) -> list[Markup]:
    """By criterion, or the totals and the winner of a comparison."""
    if judge.layout == "compare":
        total = next((one for one in judge.derived if one.operation == "sum"), None)
        totals = by_candidate(verdict.derived.get(total.name)) if total else {}
        drawn = [
            element("span", f"{name} ", element("b", say.score(one)), class_="chip") for name, one in totals.items()
        ]
        return [*drawn, *_winner(judge, verdict, say)]
    drawn = []
    for criterion in judge.scored:
        value = by_candidate(verdict.scores.get(criterion.name)).get("")
        tone = "" if value is None else shade(_good(criterion, value)).replace("g", " c")
        text = element("b", say.judged(value, None))
        drawn.append(element("span", f"{criterion.title or criterion.name} ", text, class_=f"chip{tone}"))
    for title, values, _ in derived_rows(judge, verdict, say):
        drawn.append(element("span", f"{title} ", element("b", say.score(values.get(""))), class_="chip"))
    return drawn


def _good(criterion: Criterion, value: float) -> float:
    if penalties := penalties_of(criterion):
        return graded(penalties, value)
    return criterion.scale.normalised(value) if criterion.scale else 1.0


def _winner(judge: Judge, verdict: Verdict, say: Words) -> Iterator[Markup]:
    if (said := decided(judge, verdict, say)) is not None:
        yield element("span", f"{say('winner')}: ", element("b", said), class_="chip c4")
