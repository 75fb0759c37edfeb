"""Means, sums, winners and percentages: arithmetic is code, and a figure the model states is only compared with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from adjudge.core.judge import Derived, Judge
from adjudge.core.records import Value

#: A stated mean may be rounded to one decimal.
_STATED_TOLERANCE = 0.051
_EQUAL = 1e-9


def derive(judge: Judge, scores: Mapping[str, Value]) -> dict[str, Any]:
    """Every derived value, over what was judged, and over the same criteria for every candidate."""
    values: dict[str, Any] = {}
    complete = judged_by_all(judge, scores) if judge.layout == "compare" else scores
    for derived in judge.derived:
        if derived.operation == "winner":
            values[derived.name] = _winner(values[derived.of[0]], lowest=_low_is_good(judge, derived.of[0]))
        else:
            values[derived.name] = _combined(judge, derived, scores, complete)
    return values


def judged_by_all(judge: Judge, scores: Mapping[str, Value]) -> list[str]:
    """The criteria that have a number for every candidate (or for the one text)."""
    if judge.layout != "compare":
        return [criterion.name for criterion in judge.scored if scores.get(criterion.name) is not None]
    each = {name: value.keys() for name, value in scores.items() if isinstance(value, Mapping)}
    names = set().union(*each.values())
    return [
        criterion.name
        for criterion in judge.scored
        if scores.get(criterion.name) is not None and each.get(criterion.name, names) == names
    ]


def _combined(judge: Judge, derived: Derived, scores: Mapping[str, Value], complete: Collection[str]) -> Any:
    used = [name for name in derived.of if name in complete]
    if not used:
        return None
    given = [scores[name] for name in used]
    if isinstance(given[0], (float, int)):
        return _fold(judge, derived, used, list(map(float, given)))  # type: ignore[arg-type]
    return {who: _fold(judge, derived, used, [one[who] for one in given]) for who in given[0]}  # type: ignore[index]


def _fold(judge: Judge, derived: Derived, names: list[str], values: list[float]) -> float:
    if derived.operation == "sum":
        return sum(values)
    if derived.operation == "mean":
        return sum(values) / len(values)
    scales = [judge.criterion(name).scale for name in names]
    shares = [scale.normalised(value) for scale, value in zip(scales, values, strict=True) if scale]
    return 100 * sum(shares) / len(shares)


@lru_cache(maxsize=256)
def _low_is_good(judge: Judge, total: str) -> bool:
    derived = judge.derived_value(total)
    if derived is not None and derived.operation == "percent":
        return False  # of the way from worst to best, whichever end is good
    scales = [judge.criterion(name).scale for name in derived.of] if derived else []
    return all(scale is not None and scale.better == "lower" for scale in scales)


def _winner(totals: Mapping[str, float] | None, *, lowest: bool) -> dict[str, Any]:
    """The candidate with the best total; two that are equal are tied, and nobody wins."""
    if not totals:
        return {"winner": None, "tied": []}
    best = min(totals.values()) if lowest else max(totals.values())
    leaders = [name for name, total in totals.items() if abs(best - total) <= _EQUAL]
    return {"winner": leaders[0], "tied": []} if len(leaders) == 1 else {"winner": None, "tied": leaders}


def separable(judge: Judge, total: str, leader: str, each: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no candidate has a better total than the leader in any single opinion, each with its derived values."""
    sign = -1.0 if _low_is_good(judge, total) else 1.0
    for own in each:
        totals = own.get(total) or {}
        if leader in totals and any(sign * (one - totals[leader]) > _EQUAL for one in totals.values()):
            return False
    return True


def contradictions(judge: Judge, stated: Mapping[str, Any], computed: Mapping[str, Any]) -> Iterator[str]:
    """A flag for every figure that the model stated and code contradicts; the figure itself changes nothing."""
    for name, value in stated.items():
        truth = computed.get(name)
        if isinstance(truth, Mapping) and "winner" in truth:
            if isinstance(value, str) and _other_winner(judge, name, value, truth, computed):
                yield f"stated_{name}_differs"
        elif isinstance(truth, Mapping) and isinstance(value, Mapping):
            if any(_differs(value.get(key), figure) for key, figure in truth.items()):
                yield f"stated_{name}_differs"
        elif _differs(value, truth):
            yield f"stated_{name}_differs"


def _other_winner(judge: Judge, name: str, stated: str, truth: Mapping[str, Any], computed: Mapping[str, Any]) -> bool:
    """Another winner than the computed one; where nobody wins, any candidate, while a word for a draw is right."""
    if truth["winner"] is not None:
        return bool(stated != truth["winner"])
    derived = judge.derived_value(name)
    totals = computed.get(derived.of[0]) if derived else None
    return isinstance(totals, Mapping) and stated in totals


def _differs(stated: Any, computed: Any) -> bool:
    if isinstance(stated, str):
        stated = _figure(stated)
    if isinstance(stated, bool) or not isinstance(stated, (int, float)) or not isinstance(computed, (int, float)):
        return False
    tolerance = _STATED_TOLERANCE if abs(computed) < 20 else 0.51
    try:
        return not abs(stated - computed) <= tolerance  # so that NaN differs too
    except OverflowError:  # an int beyond every float
        return True


def _figure(text: str) -> float | None:
    try:
        return float(text.strip().removesuffix("%").replace(",", "."))
    except ValueError:
        return None
