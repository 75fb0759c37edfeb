"""Expected scores: what a score's token could have been as well, with its probability, and how far scores spread."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp, fsum, sqrt
from statistics import variance
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.records import Opinion, Reply, Score
from adjudge.core.scale import Scale
from adjudge.reply.derive import contradictions, derive
from adjudge.reply.read import Reading
from adjudge.reply.spots import Spots, spots_of
from adjudge.reply.validate import Expected

#: So much of the probability must lie on points of the scale that are known; rounding may make it a little above one.
SEEN_MIN, SEEN_MAX = 0.9, 1.001
#: A token as a point: the digits, and what may stand before and behind them in JSON.
_POINT = re.compile(r"[\s\u2581\u0120\u010a:\[{(,\"']*(-?\d{1,9})[\s\u2581\u0120\u010a\]}),\"']*", re.ASCII)
_WHOLE = re.compile(r"-?\d+", re.ASCII)


def with_expected(judge: Judge, reply: Reply, reading: Reading, expected: Expected) -> Reading:
    """The reading with the expected value of every rating whose token's probabilities are known; others are flagged."""
    spots = spots_of(judge, reply.text, expected.labels, reading.opinions) if reply.places else {}
    told = {item: _expected(judge, reply, opinion, spots.get(item, {})) for item, opinion in reading.opinions.items()}
    return replace(reading, opinions=told)


def _expected(judge: Judge, reply: Reply, opinion: Opinion, spots: Spots) -> Opinion:
    scores, flags = dict(opinion.scores), list(opinion.flags)
    if opinion.stated:  # a figure that the model states follows from the points that it wrote
        flags += contradictions(judge, opinion.stated, _computed(judge, opinion))
    for name, scale in _ratings(judge):
        own = {}
        for who, score in scores.get(name, {}).items():
            spot = spots.get(name, {}).get(who)
            found = None if spot is None else _at(reply, spot, scale)
            own[who] = score if found is None else replace(score, value=found[0], spread=found[1])
            if found is None and score.value is not None:
                flags.append(f"no_probabilities:{name}")
        if own:
            scores[name] = own
    return replace(opinion, scores=scores, stated={}, flags=tuple(dict.fromkeys(flags)))


def _ratings(judge: Judge) -> Iterator[tuple[str, Scale]]:
    """The criteria whose score a reply states itself; the others' follows by code."""
    for one in judge.scored:
        if one.kind == "rating" and not one.checks and one.scale is not None:
            yield one.name, one.scale


def _computed(judge: Judge, opinion: Opinion) -> dict[str, Any]:
    each = {name: {who: one.value for who, one in per.items()} for name, per in opinion.scores.items()}
    known = {name: {who: value for who, value in per.items() if value is not None} for name, per in each.items()}
    values: dict[str, Any] = {name: per.get("", per) for name, per in known.items() if per}
    return {**values, **derive(judge, values)}


def _at(reply: Reply, spot: tuple[int, int], scale: Scale) -> tuple[float, float] | None:
    """The expected score and its spread, where one token holds the whole number."""
    start, end = spot
    places, written = reply.places or (), reply.text[start:end]
    index = bisect_right(places, start, key=lambda place: place[0]) - 1
    if index < 0 or not _WHOLE.fullmatch(written):
        return None
    at, token, words = places[index]
    if end > at + len(token) or not (match := _POINT.fullmatch(token)) or match[1] != written:
        return None
    return expectation(scale, int(written), words)


def expectation(scale: Scale, written: int, words: Mapping[str, float]) -> tuple[float, float] | None:
    """Mean and standard deviation over the points of the scale among some tokens with their log probabilities.

    None where too much of the probability lies elsewhere. A token that may begin a longer number is no point: 1 where
    there is a 10, unless a number of that length is among the tokens.
    """
    if not scale.whole:
        return None
    numbers = [(match[1], logprob) for word, logprob in words.items() if (match := _POINT.fullmatch(word))]
    longest = max((len(digits) for digits, _ in numbers), default=0)
    masses: dict[int, float] = defaultdict(float)
    for digits, logprob in numbers:
        point = int(digits)
        if str(point) == digits and scale.holds(point) and _length(scale, point) <= longest:
            masses[point] += exp(min(logprob, 0.0))
    seen = fsum(masses.values())
    if written not in masses or not SEEN_MIN <= seen <= SEEN_MAX:
        return None
    mean = written + fsum(mass * (point - written) for point, mass in masses.items()) / seen
    mean = float(min(max(mean, min(masses)), max(masses)))
    return mean, sqrt(fsum(mass * (point - mean) ** 2 for point, mass in masses.items()) / seen)


def _length(scale: Scale, point: int) -> int:
    """How long the longest point is that is written with the same beginning."""
    longer = point
    while longer and scale.holds(longer * 10):
        longer *= 10
    return len(str(longer))


def spread_of(given: Sequence[Score], repeats: Sequence[int]) -> float | None:
    """The standard deviation of one reply's score: that of the probabilities within replies, and that over repeats.

    Both parts add up as variances. The orders of candidates within a repeat are averaged first: what the order does is
    no chance.
    """
    within = [score.spread**2 for score in given if score.spread is not None]
    by_repeat: dict[int, list[float]] = defaultdict(list)
    for score, repeat in zip(given, repeats, strict=True):
        if score.value is not None:
            by_repeat[repeat].append(score.value)
    means = [fsum(values) / len(values) for values in by_repeat.values()]
    if not within and len(means) < 2:
        return None
    return sqrt((fsum(within) / len(within) if within else 0.0) + (variance(means) if len(means) > 1 else 0.0))
