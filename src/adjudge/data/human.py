"""Human scores beside the rows of a dataset: a column per criterion, or one `labels` object."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import Item
from adjudge.core.scale import Scale

#: Where a score may stand, the first that a row has: in `labels`, in a column `human.NAME`, in a column `NAME`.
LABELS, HUMAN = "labels", "human."
#: A fraction as spreadsheets write it in many countries.
_COMMA = re.compile(r"\s*(-?[0-9]+),([0-9]+)\s*")
_NOTHING = {"", "n/a", "na", "nan", "none", "null", "-", "–", "—", "?"}


def human_scores(judge: Judge, item: Item, where: str) -> dict[str, dict[str, float]]:
    """What people gave, by criterion and candidate ("" when there is one text); what is not labelled is absent."""
    together = score_object(item.extra.get(LABELS), f"`{LABELS}`", where) or {}
    known = {criterion.name for criterion in judge.scored}
    for name in together:
        if name not in known:
            raise DataError(
                f"`{LABELS}` has `{name}`, which is no scored criterion of `{judge.name}`",
                where=where,
                hint=f"its scored criteria: {', '.join(sorted(known))}",
            )
    found: dict[str, dict[str, float]] = {}
    for criterion in judge.scored:
        for column, value in _places(criterion.name, together, item.extra):
            if value is not None and value != "":
                found[criterion.name] = _scores(judge, criterion, item, value, column, where)
                break
    return found


def _places(name: str, together: Mapping[str, Any], extra: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [
        (f"{LABELS}.{name}", together.get(name)),
        (f"{HUMAN}{name}", extra.get(f"{HUMAN}{name}")),
        (name, extra.get(name)),
    ]


def _scores(judge: Judge, criterion: Criterion, item: Item, value: Any, column: str, where: str) -> dict[str, float]:
    if judge.layout != "compare":
        return {"": point_of(criterion, value, f"`{column}`", where)}
    names = {name for field in judge.fields if field.type == "answers" for name in item.answers(field.name)}
    given = score_object(value, f"`{column}`", where) or {}
    for name in given:
        if name not in names:
            raise DataError(
                f"`{column}` scores `{name}`, which is no candidate of this row",
                where=where,
                hint=f"its candidates: {', '.join(sorted(names))}",
            )
    return {
        name: point_of(criterion, one, f"`{column}` of `{name}`", where)
        for name, one in given.items()
        if one is not None and one != ""
    }


def score_object(value: Any, what: str, where: str) -> dict[str, Any] | None:
    """An object, also where a table holds it as JSON."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise DataError(f"{what} must be an object of scores", where=where, hint='for example {"coverage": 4}')
    return value


def point_of(criterion: Criterion, value: Any, what: str, where: str) -> float:
    """A score on the criterion's scale, or an error that names its place."""
    scale = criterion.scale
    assert scale is not None
    numeric = isinstance(value, str | int | float) and (not isinstance(value, bool) or (scale.min, scale.max) == (0, 1))
    try:
        found = float(_with_point(scale, value) if isinstance(value, str) else value) if numeric else math.nan
    except (ValueError, OverflowError):
        found = math.nan
    if not scale.holds(found):
        shown = f"{value!r}"[:60]
        raise DataError(
            f"{what} is {shown}, and the scale of `{criterion.name}` goes from {scale.min} to {scale.max}",
            where=where,
            hint=_hint(scale, value, found),
        )
    return found


def _with_point(scale: Scale, text: str) -> str:
    """A decimal comma as a point, unless the comma may as well part thousands: `1,000` on a scale up to 1000."""
    parts = _COMMA.fullmatch(text)
    if parts is None or (len(parts[2]) == 3 and scale.holds(float(parts[1] + parts[2]))):
        return text
    return f"{parts[1]}.{parts[2]}"


def _hint(scale: Scale, value: Any, found: float) -> str:
    if not math.isnan(found):
        return "bring the scores to the judge's scale; leave the cell empty where nobody gave one"
    if isinstance(value, str) and value.strip().casefold() in _NOTHING:
        return "leave the cell empty where nobody gave a score"
    return f"give a number from {scale.min} to {scale.max}; leave the cell empty where nobody gave one"
