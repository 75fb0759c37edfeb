"""The opinions of all replies on one item → its verdict: means over orders and repeats, names for labels, flags."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum

from adjudge.core.judge import Judge
from adjudge.core.records import Opinion, Score, Source, Value, Verdict
from adjudge.reply.derive import contradictions, derive
from adjudge.reply.native import native


def named(opinion: Opinion, labels: Mapping[str, str]) -> Opinion:
    """The opinion with the neutral labels in its prose given their candidates' names again."""
    if not labels:
        return opinion
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, labels))})(?!\w)")

    def say(text: str) -> str:
        return pattern.sub(lambda match: labels[match.group()], text)

    scores = {
        criterion: {name: replace(score, reason=say(score.reason)) for name, score in per.items()}
        for criterion, per in opinion.scores.items()
    }
    return replace(opinion, scores=scores, texts={name: say(text) for name, text in opinion.texts.items()})


def combine(
    judge: Judge,
    item: str,
    opinions: Sequence[Opinion],
    *,
    sources: Sequence[Source],
    candidates: Sequence[str] = ("",),
    calls: Sequence[str] = (),
) -> Verdict:
    """One verdict from every opinion on an item; the candidates keep the order of the dataset."""
    merged = _merged(judge, opinions, candidates)
    measured = _values(merged.scores)
    points = {name: _rounded(judge, name, value) for name, value in measured.items()}
    derived, whole = derive(judge, measured), derive(judge, points)
    flags = dict.fromkeys(flag for opinion in opinions for flag in opinion.flags)
    for opinion in opinions:
        own = _values(opinion.scores)
        computed = {**own, **derive(judge, own)}
        flags.update(dict.fromkeys(contradictions(judge, opinion.stated, computed)))
    if any(score.value is None for per in merged.scores.values() for score in per.values()):
        flags["not_all_judged"] = None
    flags.update(dict.fromkeys(_winner_flags(judge, opinions, derived, whole)))
    return Verdict(
        item=item,
        scores=measured,
        reasons={
            name: _plain({who: score.reason for who, score in per.items()}) for name, per in merged.scores.items()
        },
        derived=derived,
        native=native(judge, merged, whole, sources),
        flags=tuple(flags),
        calls=tuple(calls),
    )


def _merged(judge: Judge, opinions: Sequence[Opinion], candidates: Sequence[str]) -> Opinion:
    """Means, each with the reason of the opinion nearest to it; its claims and questions come from the same one."""
    first = opinions[0]
    scores: dict[str, dict[str, Score]] = {}
    claims, questions = dict(first.claims), dict(first.questions)
    for criterion in judge.scored:
        name = criterion.name
        scores[name] = {}
        for candidate in candidates:
            given = [opinion.scores[name][candidate] for opinion in opinions]
            mean, nearest = _mean(given)
            scores[name][candidate] = Score(value=mean, reason=given[nearest].reason)
            if name in opinions[nearest].claims:
                claims[name] = opinions[nearest].claims[name]
            if name in opinions[nearest].questions:
                questions[name] = opinions[nearest].questions[name]
    return replace(first, scores=scores, claims=claims, questions=questions)


def _mean(given: Sequence[Score]) -> tuple[float | None, int]:
    """The mean of what was judged, the same in whatever order it came, and the place of the score nearest to it."""
    known = {place: score.value for place, score in enumerate(given) if score.value is not None}
    if not known:
        return None, 0
    mean = fsum(known.values()) / len(known)
    return mean, min(known, key=lambda place: abs(known[place] - mean))


def _values(scores: Mapping[str, Mapping[str, Score]]) -> dict[str, Value]:
    """Numbers only: what was not judged is absent."""
    found: dict[str, Value] = {}
    for name, per in scores.items():
        known = {who: score.value for who, score in per.items() if score.value is not None}
        if known:
            found[name] = known.get("", known)
    return found


def _plain(values: Mapping[str, str]) -> str | Mapping[str, str]:
    return values.get("", values)


def _rounded(judge: Judge, name: str, value: Value) -> Value:
    scale = judge.criterion(name).scale
    assert scale is not None
    if isinstance(value, Mapping):
        return {who: float(scale.point(one)) for who, one in value.items()}
    return float(scale.point(value))


def _winner_flags(
    judge: Judge, opinions: Sequence[Opinion], derived: Mapping[str, object], whole: Mapping[str, object]
) -> list[str]:
    flags: list[str] = []
    for value in judge.derived:
        if value.operation == "winner":
            each = [derive(judge, _values(opinion.scores))[value.name]["winner"] for opinion in opinions]
            if len({name for name in each if name}) > 1:
                flags.append("order_flip")
            if derived[value.name] != whole[value.name]:
                flags.append("rounding_changes_winner")
    return flags
