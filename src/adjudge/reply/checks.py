"""A rating that is made of yes-or-no checks: the model says which are met and why, and code makes the point."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Any, NamedTuple

from adjudge.core.errors import Malformed, Missing
from adjudge.core.judge import Check, Criterion
from adjudge.core.records import Finding
from adjudge.reply.findings import boolean, plain_text
from adjudge.reply.keys import ABSENT, ALIASES, look_up


class Checked(NamedTuple):
    """What the checks come to."""

    value: float
    reason: str
    findings: tuple[Finding, ...]


def read_checks(criterion: Criterion, value: Any, where: str) -> Checked:
    """The score of a criterion by its checks; one that is absent is Missing, and never filled in."""
    if not isinstance(value, dict):
        raise (Missing if value is ABSENT or value is None else Malformed)(f"{where}: an object with checks was due")
    given = look_up(value, ALIASES["checks"], where)[0]
    if given is ABSENT:
        given = value  # a level left out
    if not isinstance(given, dict):
        raise Malformed(f"{where}: an object with an entry for each check was due")
    answers = [(check, *_answer(check, given, where)) for check in criterion.checks]
    return Checked(
        score(criterion, {check.name: met for check, met, _ in answers}),
        " ".join(f"✗ {check.asks} {why}".rstrip() for check, met, why in answers if not met),
        tuple(
            Finding(kind="check_met" if met else "check_unmet", reason=f"{check.asks} {why}".rstrip(), against=not met)
            for check, met, why in answers
        ),
    )


def _answer(check: Check, given: Mapping[str, Any], where: str) -> tuple[bool, str]:
    entry, at = look_up(given, (check.name, check.asks), where)[0], f"{where}.{check.name}"
    if not isinstance(entry, dict):
        return boolean(entry, at), ""
    return boolean(look_up(entry, ALIASES["met"], at)[0], at), plain_text(look_up(entry, ALIASES["why"], at)[0])


def score(criterion: Criterion, met: Mapping[str, bool]) -> float:
    """From the worst end of the scale to the best, by the share of the weights that are met."""
    scale = criterion.scale
    assert scale is not None
    share = fsum(one.weight for one in criterion.checks if met[one.name]) / fsum(one.weight for one in criterion.checks)
    return scale.worst + (scale.best - scale.worst) * share
