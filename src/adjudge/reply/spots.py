"""Where in a reply's text its ratings stand: exact, or not said at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from adjudge.core.judge import Judge, Leaf, Output
from adjudge.core.records import Opinion
from adjudge.reply.extract import Candidate, Extracted, extract, usable

#: Criterion → candidate ("" when there is one text) → where the number begins and ends.
Spots: TypeAlias = "Mapping[str, Mapping[str, tuple[int, int]]]"
#: The steps of reading at which the text is JSON as it stands.
_PLAIN = ("strict", "embedded_object")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|(?P<number>-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)', re.DOTALL | re.ASCII)


class _Mark:
    """A number of a JSON text: only its place is of interest."""

    __slots__ = ("spot",)

    def __init__(self, spot: tuple[int, int]) -> None:
        self.spot = spot


class _Unsure(ValueError):
    """A key that comes twice, or a number that stands nowhere."""


def spots_of(judge: Judge, text: str, labels: Mapping[str, str], opinions: Mapping[str, Opinion]) -> dict[str, Spots]:
    """The places of the ratings by item, if the answer holds one object and no other, and that states these opinions.

    Beside another object, which may be a quotation, it is not sure which of them was read.
    """
    extracted = extract(text) if judge.reply == "json" else Extracted([])
    objects: list[Candidate] = []
    for candidate in usable(extracted, "stop"):
        inside = objects and candidate.start < objects[-1].end
        if isinstance(candidate.value, dict) and not inside:
            objects.append(candidate)
    if len(objects) != 1 or objects[0].step not in _PLAIN:
        return {}
    return _agreeing(judge, _marked(objects[0].raw, objects[0].start), labels, opinions, text)


def _marked(raw: str, start: int) -> Any:
    """The JSON value with marks for its numbers: the decoder meets them in the order in which they are written."""
    numbers = (found for found in _TOKEN.finditer(raw) if found["number"] is not None)

    def mark(_: str) -> _Mark:
        found = next(numbers, None)
        if found is None:
            raise _Unsure
        return _Mark((start + found.start(), start + found.end()))

    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_int=mark, parse_float=mark)
    try:
        value, _ = decoder.raw_decode(raw, len(raw) - len(raw.lstrip(" \t\r\n\ufeff")))
    except (ValueError, RecursionError):
        return None
    return value if next(numbers, None) is None else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _Unsure
    return value


def _agreeing(
    judge: Judge, value: Any, labels: Mapping[str, str], opinions: Mapping[str, Opinion], text: str
) -> dict[str, Spots]:
    """The places in one value by item; none where a number there is not the score that was read."""
    spots: dict[str, dict[str, dict[str, tuple[int, int]]]] = {}
    for item, verdict in _verdicts(judge, value, labels):
        scores = opinions[item].scores if item in opinions else {}
        for name, who, mark in _ratings(judge, judge.output, verdict, labels if judge.layout == "compare" else None):
            score = scores.get(name, {}).get(who)
            if score is None or score.value != float(text[slice(*mark.spot)]):
                return {}
            spots.setdefault(item, {}).setdefault(name, {})[who] = mark.spot
    return spots  # type: ignore[return-value]


def _verdicts(judge: Judge, value: Any, labels: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    if judge.layout != "batch":
        yield "", value
        return
    listed = value.get("scores") if isinstance(value, dict) else None
    for shown, verdict in listed.items() if isinstance(listed, dict) else ():
        if shown in labels:
            yield labels[shown], verdict


def _ratings(
    judge: Judge, shape: Output, value: Any, labels: Mapping[str, str] | None
) -> Iterator[tuple[str, str, _Mark]]:
    """Criterion, candidate and mark of every rating that stands where it was asked for, under its own key."""
    if isinstance(shape, Mapping):
        for key, child in shape.items() if isinstance(value, dict) else ():
            if key in value:
                yield from _ratings(judge, child, value[key], labels)
        return
    leaf = shape if isinstance(shape, Leaf) else shape[0]
    if judge.derived_value(leaf.name) is not None or judge.criterion(leaf.name).kind != "rating":
        return
    if leaf.part not in ("", "score"):
        return
    per = {"": value} if labels is None else value
    for shown, entry in per.items() if isinstance(per, dict) else ():
        who = shown if labels is None else labels.get(shown)
        given = entry if isinstance(shape, Leaf) and shape.part else _score_of(entry)
        if who is not None and isinstance(given, _Mark):
            yield leaf.name, who, given


def _score_of(entry: Any) -> Any:
    if isinstance(entry, dict):
        return entry.get("score")
    return entry[0] if isinstance(entry, list) and entry else entry
