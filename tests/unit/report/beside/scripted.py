"""Judges of comparisons that are simulated: opinions in, verdicts as a run would make them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adjudge.core.judge import Judge
from adjudge.core.records import Opinion, Score, Verdict
from adjudge.reply.combine import combine
from adjudge.run.plan import candidate_orders

#: What a judge gives: criterion, candidate, place (from 0) → points.
Rule = Callable[[str, str, int], float]


def judged(
    judge: Judge, item: str, names: Sequence[str], rule: Rule, *, orders: object = None, repeats: int = 1, seed: int = 0
) -> Verdict:
    """The verdict of one item, whose candidates are shown in the orders of a run."""
    shown = candidate_orders(names, orders, f"{seed}/{item}")  # type: ignore[arg-type]
    opinions = [
        Opinion(
            scores={
                criterion.name: {
                    name: Score(value=rule(criterion.name, name, place)) for place, name in enumerate(order)
                }
                for criterion in judge.scored
            },
            order=order,
            repeat=repeat,
        )
        for repeat in range(repeats)
        for order in shown
    ]
    return combine(judge, item, opinions, sources=(), candidates=names)
