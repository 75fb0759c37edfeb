"""Intervals and findings, which only the embedded judge states; what is not as it should be is left out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import EVIDENCE, Finding, Opinion, Score
from adjudge.core.scale import Scale
from adjudge.reply.keys import label


def with_evidence(
    judge: Judge, found: Opinion, value: Mapping[str, Any], labels: Mapping[str, str], judged: Sequence[str]
) -> Opinion:
    """The opinion with what the value states beside it; a replayed or edited reply is read as any other text is."""
    stated = value.get(EVIDENCE)
    if not isinstance(stated, dict):
        return found
    names = {shown: label(shown, labels) or "" for shown in labels} if judge.layout == "compare" else {"": ""}
    scores = dict(found.scores)
    for criterion in judge.scored:
        given = _object(_object(stated.get("intervals")).get(criterion.name))
        assert criterion.scale is not None
        if given:
            by_name = {names[shown]: ends for shown, ends in given.items() if shown in names}
            scores[criterion.name] = {
                who: _with_interval(score, by_name.get(who), criterion.scale)
                for who, score in scores[criterion.name].items()
            }
    findings = _findings(judge, stated.get("findings"), names, max(map(len, judged), default=0))
    return replace(found, scores=scores, findings=findings)


def _with_interval(score: Score, ends: Any, scale: Scale) -> Score:
    """The score with its interval, if that holds the score and keeps to the scale."""
    if score.value is None or not isinstance(ends, list) or len(ends) != 2:
        return score
    if not all(type(end) in (int, float) and math.isfinite(end) for end in ends):
        return score
    low, high = map(float, ends)
    return replace(score, interval=(low, high)) if scale.min <= low <= score.value <= high <= scale.max else score


def _findings(
    judge: Judge, given: Any, names: Mapping[str, str], longest: int
) -> dict[str, dict[str, tuple[Finding, ...]]]:
    found: dict[str, dict[str, list[Finding]]] = {}
    known = {criterion.name for criterion in judge.criteria}
    for entry in given if isinstance(given, list) else ():
        one = _object(entry)
        criterion, shown = one.get("criterion"), one.get("candidate", "")
        if not isinstance(criterion, str) or criterion not in known or not isinstance(shown, str) or shown not in names:
            continue
        finding = _finding(one, longest)
        if finding is not None:
            found.setdefault(criterion, {}).setdefault(names[shown], []).append(finding)
    return {name: {who: tuple(each) for who, each in per.items()} for name, per in found.items()}


def _finding(one: Mapping[str, Any], longest: int) -> Finding | None:
    kind, reason, source, against = (one.get(name) for name in ("kind", "reason", "source", "against"))
    if not (isinstance(kind, str) and isinstance(reason, str) and isinstance(against, bool)):
        return None
    return Finding(
        kind=kind,
        reason=reason,
        at=_place(one.get("at"), longest),
        source=source if isinstance(source, str) else "",
        source_at=_place(one.get("source_at"), longest),
        against=against,
    )


def _place(at: Any, longest: int) -> tuple[int, int] | None:
    """Two offsets in some text that was judged; none where they can be in no such text."""
    if not isinstance(at, list) or len(at) != 2 or not all(type(end) is int for end in at):
        return None
    start, end = at
    return (start, end) if 0 <= start <= end <= longest else None


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
