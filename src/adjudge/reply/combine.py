"""The opinions of all replies on one item → its verdict: means over orders and repeats, names for labels, flags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import fsum
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Finding, Opinion, Score, Source, Value, Verdict
from adjudge.core.scale import Scale
from adjudge.reply.derive import contradictions, derive, separable
from adjudge.reply.expected import spread_of
from adjudge.reply.keys import label
from adjudge.reply.native import native

#: Findings whose reason is a model's prose.
_OF_CHECKS = ("check_met", "check_unmet")


def named(opinion: Opinion, labels: Mapping[str, str]) -> Opinion:
    """The opinion with the neutral labels in its prose given their candidates' names again."""
    if not labels:
        return opinion
    pattern, beginning = _any_of(tuple(labels))

    def say(text: str) -> str:
        return pattern.sub(lambda match: label(match[0], labels) or match[0], text) if beginning in text else text

    def told(score: Score) -> Score:
        reason = say(score.reason)
        return score if reason == score.reason else replace(score, reason=reason)

    def checked(one: Finding) -> Finding:
        # in a quotation from a source nothing is a label
        return replace(one, reason=say(one.reason)) if one.kind in _OF_CHECKS else one

    return Opinion(
        scores={name: {who: told(score) for who, score in per.items()} for name, per in opinion.scores.items()},
        claims=opinion.claims,
        questions=opinion.questions,
        selected=opinion.selected,
        spans=opinion.spans,
        texts={name: say(text) for name, text in opinion.texts.items()},
        stated=opinion.stated,
        flags=opinion.flags,
        findings={
            name: {who: tuple(map(checked, each)) for who, each in per.items()}
            for name, per in opinion.findings.items()
        },
        order=opinion.order,
        repeat=opinion.repeat,
    )


@lru_cache(maxsize=256)
def _any_of(labels: tuple[str, ...]) -> tuple[re.Pattern[str], str]:
    """What finds a label in prose, and the letter that all labels begin with, if there is one."""
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, labels))})(?!\w)")
    letters = {label[:1] for label in labels}
    return pattern, letters.pop() if len(letters) == 1 else ""


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
    alone = len(opinions) == 1 and judge.layout != "compare"
    merged = opinions[0] if alone else _merged(judge, opinions, candidates)
    measured = _values(merged.scores)
    every = [score for per in merged.scores.values() for score in per.values()]
    derived = derive(judge, measured)
    fractions = [score.value for score in every if score.value and score.value % 1]
    whole = derive(judge, _points(judge, measured)) if fractions else derived
    flags = dict.fromkeys([flag for opinion in opinions for flag in opinion.flags])
    each = [_own(judge, opinion) if opinion.stated or len(opinions) > 1 else derived for opinion in opinions]
    for opinion, computed in zip(opinions, each, strict=True):
        if opinion.stated:
            flags.update(dict.fromkeys(contradictions(judge, opinion.stated, computed)))
    if None in [score.value for score in every]:
        flags["not_all_judged"] = None
    flags.update(dict.fromkeys(_winner_flags(judge, each, derived, whole)))
    wide = merged.scores if [score for score in every if score.interval or score.spread is not None] else {}
    return Verdict(
        item=item,
        scores=measured,
        reasons={
            name: per[""].reason if "" in per else {who: score.reason for who, score in per.items()}
            for name, per in merged.scores.items()
        },
        derived=derived,
        native=native(judge, merged, whole, sources),
        flags=tuple(flags),
        calls=tuple(calls),
        intervals=_intervals(wide),
        findings=tuple(_findings(judge, merged)) if merged.findings else (),
        trials=tuple(map(_trial, opinions)) if len(opinions) > 1 else (),
        spreads=_spreads(wide),
        quotes=_quotes(opinions) if len(opinions) > 1 else {},
    )


def _trial(opinion: Opinion) -> dict[str, Any]:
    """The numbers of one opinion among several, with what it saw."""
    order = {"order": list(opinion.order)} if opinion.order else {}
    return {"repeat": opinion.repeat, **order, "scores": _values(opinion.scores)}


def _merged(judge: Judge, opinions: Sequence[Opinion], candidates: Sequence[str]) -> Opinion:
    """Means, each with the reason of the opinion nearest to it; its lists and findings come from the same one."""
    first = opinions[0]
    scores: dict[str, dict[str, Score]] = {}
    claims, questions, spans = dict(first.claims), dict(first.questions), dict(first.spans)
    findings = {name: dict(per) for name, per in first.findings.items()}
    for criterion in judge.scored:
        name = criterion.name
        scores[name] = {}
        for candidate in candidates:
            if len(opinions) == 1:
                scores[name][candidate] = first.scores[name][candidate]
                continue
            given = [opinion.scores[name][candidate] for opinion in opinions]
            mean, nearest = _mean(given)
            scores[name][candidate] = replace(mean, spread=spread_of(given, [one.repeat for one in opinions]))
            if name in opinions[nearest].claims:
                claims[name] = opinions[nearest].claims[name]
            if name in opinions[nearest].questions:
                questions[name] = opinions[nearest].questions[name]
            if name in opinions[nearest].spans:
                spans[name] = opinions[nearest].spans[name]
            own = opinions[nearest].findings.get(name, {})
            if own or name in findings:
                findings.setdefault(name, {})[candidate] = own.get(candidate, ())
    return Opinion(
        scores=scores,
        claims=claims,
        questions=questions,
        selected=first.selected,
        spans=spans,
        texts=first.texts,
        findings=findings,
    )


def _mean(given: Sequence[Score]) -> tuple[Score, int]:
    """The mean of what was judged, the same in whatever order it came, and the place of the score nearest to it."""
    known = [score.value for score in given if score.value is not None]
    if not known:
        return given[0], 0
    mean = fsum(known) / len(known)
    distances = [abs(value - mean) for value in known]
    value = given[0].value if given[0].value == mean else known[distances.index(min(distances))]
    nearest = next(place for place, score in enumerate(given) if score.value == value)
    return Score(value=mean, reason=given[nearest].reason, interval=_mean_interval(given)), nearest


def _mean_interval(given: Sequence[Score]) -> tuple[float, float] | None:
    """The means of the ends, where every score has an interval."""
    ends = [score.interval for score in given if score.value is not None]
    whole = [pair for pair in ends if pair is not None]
    if not whole or len(whole) < len(ends):
        return None
    return fsum(low for low, _ in whole) / len(whole), fsum(high for _, high in whole) / len(whole)


def _values(scores: Mapping[str, Mapping[str, Score]]) -> dict[str, Value]:
    """Numbers only: what was not judged is absent."""
    found: dict[str, Value] = {}
    for name, per in scores.items():
        if len(per) == 1 and "" in per and (value := per[""].value) is not None:
            found[name] = value
            continue
        known = {who: score.value for who, score in per.items() if score.value is not None}
        if known:
            found[name] = known.get("", known)
    return found


def _intervals(scores: Mapping[str, Mapping[str, Score]]) -> dict[str, Any]:
    """[low, high] of every score that has an interval, by candidate where there are several."""
    found: dict[str, Any] = {}
    for name, per in scores.items():
        known = {who: list(score.interval) for who, score in per.items() if score.interval is not None}
        if known:
            found[name] = known.get("", known)
    return found


def _spreads(scores: Mapping[str, Mapping[str, Score]]) -> dict[str, Any]:
    """The spread of every expected score, by candidate where there are several."""
    found: dict[str, Any] = {}
    for name, per in scores.items():
        known = {who: score.spread for who, score in per.items() if score.spread is not None}
        if known:
            found[name] = known.get("", known)
    return found


def _findings(judge: Judge, opinion: Opinion) -> Iterator[dict[str, Any]]:
    """What was found, as exports show it."""
    for name, per in opinion.findings.items():
        for who, each in per.items():
            own = {"criterion": name, "candidate": who} if judge.layout == "compare" else {"criterion": name}
            for one in each:
                yield {
                    **own,
                    "kind": one.kind,
                    "reason": one.reason,
                    "at": list(one.at) if one.at else None,
                    "source": one.source or None,
                    "source_at": list(one.source_at) if one.source_at else None,
                    "against": one.against,
                }


def _quotes(opinions: Sequence[Opinion]) -> dict[str, dict[str, int]]:
    """How many quotations of each kind all opinions rest on: the findings kept are of one, and another may invent."""
    found: dict[str, dict[str, int]] = {}
    for name, per in (pair for opinion in opinions for pair in opinion.findings.items()):
        for kind in (one.kind for each in per.values() for one in each if one.kind.startswith("quote_")):
            own = found.setdefault(name, {})
            own[kind] = own.get(kind, 0) + 1
    return found


def _points(judge: Judge, measured: Mapping[str, Value]) -> dict[str, Value]:
    """The values as points of their scales."""
    found: dict[str, Value] = {}
    for criterion in judge.scored:
        value, scale = measured.get(criterion.name), criterion.scale
        if value is None or scale is None:
            continue
        if isinstance(value, (float, int)):
            found[criterion.name] = _point(scale, value)
        else:
            found[criterion.name] = {who: _point(scale, one) for who, one in value.items()}
    return found


def _point(scale: Scale, value: float) -> float:
    return float(scale.point(value) if value % 1 else value)


def _own(judge: Judge, opinion: Opinion) -> dict[str, Any]:
    """What follows from one opinion alone, beside its numbers."""
    values = _values(opinion.scores)
    return {**values, **derive(judge, values)}


def _winner_flags(
    judge: Judge, each: Sequence[Mapping[str, Any]], derived: Mapping[str, Any], whole: Mapping[str, Any]
) -> list[str]:
    flags: list[str] = []
    for value in judge.derived:
        if value.operation == "winner":
            if len({own[value.name]["winner"] for own in each} - {None, ""}) > 1:
                flags.append("order_flip")
            leader = derived[value.name]["winner"]
            if leader is not None and not separable(judge, value.of[0], leader, each):
                flags.append("not_separable")
            if derived[value.name] != whole[value.name]:
                flags.append("rounding_changes_winner")
    return flags
