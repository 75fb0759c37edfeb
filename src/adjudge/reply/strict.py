"""The commonest reply, read off at once: one JSON object of exactly the shape that was asked for.

What is compared with what is laid out once for each judge. Here is no message and no mending: whatever is not exactly
so is left to the ladder, which reads it from the start, and gives the same where both can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from adjudge.core.errors import ReplyError
from adjudge.core.judge import Criterion, Judge, Leaf, Output
from adjudge.core.records import EVIDENCE, Opinion, Score
from adjudge.core.scale import Scale
from adjudge.reply.embedded import with_evidence
from adjudge.reply.findings import Findings
from adjudge.reply.keys import ABSENT, label, normal
from adjudge.reply.validate import Expected, is_alone, names_of

Act = Literal["pair", "score", "reason", "text", "stated", "nothing", "list", "inner"]
_OPTIONAL = ("stated", "nothing")


class _Otherwise(Exception):
    """The value is not exactly as asked for."""


class _Place(NamedTuple):
    """A key of the verdict and what stands under it; `why` is the key of the reason in a pair."""

    key: str
    act: Act
    name: str = ""
    criterion: Criterion | None = None
    why: str = ""
    inner: tuple[_Place, ...] = ()


class _Point(NamedTuple):
    """A scored criterion: its scale, where no reason is needed, and the flag for one that is absent."""

    name: str
    scale: Scale
    low: int
    high: int
    best: int
    flag: str


@dataclass(frozen=True, slots=True)
class _Form:
    places: tuple[_Place, ...]
    points: tuple[_Point, ...]
    compare: bool
    lists: bool


class Entry(NamedTuple):
    """The opinion on one item and the value that states it."""

    item: str
    value: Any
    opinion: Opinion


def entries(judge: Judge, value: Any, expected: Expected) -> list[Entry] | None:
    """What the value of a whole reply says of each item, if all of it is exactly as asked for."""
    form = _form_of(judge)
    if form is None or type(value) is not dict:
        return None
    try:
        if judge.layout == "batch":
            return _batch(judge, form, value, expected)
        return [Entry("", value, _whole(judge, form, value, expected, ""))]
    except (_Otherwise, ReplyError):
        return None


def _batch(judge: Judge, form: _Form, value: dict[str, Any], expected: Expected) -> list[Entry]:
    labels, listed = expected.labels, value.get("scores")
    if type(listed) is not dict or not listed or len(listed) != len(labels):
        raise _Otherwise
    # a key beside these two might be an item, or another spelling of one of them
    if len(value) != 1 + ("summary" in value) or not labels.keys().isdisjoint(("scores", "summary")):
        raise _Otherwise
    items = {labels.get(shown): (shown, entry) for shown, entry in listed.items()}
    if None in items or len(items) != len(labels) or not items.keys().isdisjoint(("scores", "summary")):
        raise _Otherwise
    found: list[Entry] = []
    for item, (shown, entry) in items.items():
        if shown != shown.strip() or item is None:
            raise _Otherwise
        found.append(Entry(item, entry, _whole(judge, form, entry, expected, item)))
    return found


def _whole(judge: Judge, form: _Form, value: Any, expected: Expected, item: str) -> Opinion:
    """The opinion, and of the embedded judge what it states beside its verdict."""
    if not expected.embedded or type(value) is not dict or EVIDENCE not in value:
        return _opinion(form, value, expected, item)
    found = _opinion(form, {key: entry for key, entry in value.items() if key != EVIDENCE}, expected, item)
    return with_evidence(judge, found, value, expected.labels, expected.judged)


class _Parts:
    """What the places of one value hold."""

    __slots__ = ("findings", "numbers", "reasons", "stated", "texts")

    def __init__(self, findings: Findings | None) -> None:
        self.findings = findings
        self.numbers: dict[str, Any] = {}
        self.reasons: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.stated: dict[str, Any] = {}


def _opinion(form: _Form, value: Any, expected: Expected, item: str) -> Opinion:
    names = _candidates(tuple(expected.labels.items())) if form.compare else None
    flags: dict[str, None] = {}
    findings = None
    if form.lists:
        findings = Findings(sources=expected.sources.get(item, expected.sources.get("", ())), flags=flags)
    parts = _Parts(findings)
    _read(form.places, value, parts, expected.embedded, names)
    scores = _scores(form, parts, flags, expected.embedded)
    return Opinion(
        scores=scores,
        claims=findings.claims if findings else {},
        questions=findings.questions if findings else {},
        selected=findings.selected if findings else {},
        texts=parts.texts,
        stated=parts.stated,
        flags=tuple(flags),
    )


def _read(
    places: tuple[_Place, ...], value: Any, parts: _Parts, embedded: bool, names: Mapping[str, str] | None
) -> None:
    """Note what stands under every key of an object; what is only stated may be absent."""
    if type(value) is not dict:  # a key that comes twice makes another type of it
        raise _Otherwise
    absent = 0
    for key, act, name, criterion, why, inner in places:
        entry = value.get(key, ABSENT)
        if entry is ABSENT:
            if act not in _OPTIONAL:
                raise _Otherwise
            absent += 1
        elif act == "pair":
            if names is None:
                parts.numbers[name], parts.reasons[name] = _pair(entry, why)
            else:
                _spread(name, entry, why, parts, names)
        elif act == "inner":
            _read(inner, entry, parts, embedded, names)
        elif act == "reason" or act == "text":
            if type(entry) is not str:
                raise _Otherwise
            text = entry.strip()
            if act == "reason":
                parts.reasons[name] = text
            elif text:
                parts.texts[name] = text
            else:
                raise _Otherwise
        elif act == "score":
            parts.numbers[name] = entry
        elif act == "list":
            _list(criterion, entry, parts, embedded)
        elif act == "stated" and entry is not None:
            parts.stated[name] = entry if names is None else _renamed(entry, names)
    if absent and len(value) != len(places) - absent:
        raise _Otherwise  # a key too many may be another spelling of the one that is absent


def _pair(entry: Any, why: str) -> tuple[Any, str]:
    """A score, still unchecked, and its reason."""
    if type(entry) is dict and "score" in entry and why in entry and (len(entry) == 2 or why == "justification"):
        score, reason = entry["score"], entry[why]
    elif type(entry) is list and len(entry) == 2:
        score, reason = entry
    else:
        raise _Otherwise
    if type(reason) is not str:
        raise _Otherwise
    return score, reason.strip()


def _spread(name: str, entry: Any, why: str, parts: _Parts, names: Mapping[str, str]) -> None:
    """A pair for each candidate, in the order of the reply."""
    if type(entry) is not dict or entry.keys() != names.keys():
        raise _Otherwise
    numbers: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for shown, pair in entry.items():
        who = names[shown]
        numbers[who], reasons[who] = _pair(pair, why)
    parts.numbers[name], parts.reasons[name] = numbers, reasons


def _list(criterion: Criterion | None, entry: Any, parts: _Parts, embedded: bool) -> None:
    assert criterion is not None and parts.findings is not None
    if type(entry) is list:
        score = parts.findings.read(criterion, entry, "")
        if score is not None:
            parts.numbers[criterion.name] = score
    elif entry is None and embedded:
        if criterion.scored:
            parts.numbers[criterion.name] = None
    else:
        raise _Otherwise


def _renamed(stated: Any, names: Mapping[str, str]) -> Any:
    """A stated figure with candidates under their real names."""
    if type(stated) is dict and stated.keys() <= names.keys():
        return {names[shown]: figure for shown, figure in stated.items()}
    if type(stated) is str and stated in names:
        return names[stated]
    if isinstance(stated, dict | str):
        raise _Otherwise
    return stated


def _scores(form: _Form, parts: _Parts, flags: dict[str, None], embedded: bool) -> dict[str, dict[str, Score]]:
    scores: dict[str, dict[str, Score]] = {}
    numbers, reasons = parts.numbers, parts.reasons
    for name, scale, low, high, best, flag in form.points:
        given, why = numbers.get(name, ABSENT), reasons.get(name)
        needed = False
        if form.compare:
            if given is ABSENT or why is None:
                raise _Otherwise
            scores[name] = per = {}
            for who, one in given.items():
                value = float(one) if type(one) is int and low <= one <= high else _number(one, scale, embedded)
                reason = why[who]
                per[who] = Score(value=value, reason=reason)
                needed = needed or (not reason and value != best)
        else:
            value = float(given) if type(given) is int and low <= given <= high else _number(given, scale, embedded)
            scores[name] = {"": Score(value=value, reason=why or "")}
            needed = why == "" and value != best
        if needed:
            flags[flag] = None
    return scores


def _number(value: Any, scale: Scale, embedded: bool) -> float | None:
    """A score that is no plain whole point: a fraction where the scale has some, or none where it was not judged."""
    if value is None and embedded:
        return None
    if type(value) is not float or not scale.min <= value <= scale.max:
        raise _Otherwise
    if scale.whole and not embedded and not value.is_integer():
        raise _Otherwise
    return value + 0.0  # no negative zero


@lru_cache(maxsize=256)
def _candidates(labels: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """The candidates by label, where no label can be taken for another one."""
    names = dict(labels)
    sound = all(label(shown, names) == name for shown, name in labels)
    if not sound or not names or len(set(names.values())) != len(names):
        raise _Otherwise
    return names


@lru_cache(maxsize=64)
def _form_of(judge: Judge) -> _Form | None:
    """The judge's form; None where its verdict has a shape that only the ladder reads."""
    places = _places(judge, judge.output)
    if places is None or not judge.scored:
        return None
    points = tuple(
        _Point(one.name, one.scale, one.scale.min, one.scale.max, one.scale.best, f"no_reason:{one.name}")
        for one in judge.scored
        if one.scale is not None
    )
    return _Form(
        places, points, judge.layout == "compare", any(one.kind not in ("rating", "text") for one in judge.criteria)
    )


def _places(judge: Judge, output: Mapping[str, Output]) -> tuple[_Place, ...] | None:
    places: list[_Place] = []
    for key, child in output.items():
        place = _place(judge, key, child)
        if place is None:
            return None
        if place.act in _OPTIONAL:
            spellings = set(map(normal, names_of(judge, key, child, alone=is_alone(output, child))))
            if any(normal(other) in spellings for other in output if other != key):
                return None
        places.append(place)
    return tuple(places)


def _place(judge: Judge, key: str, child: Output) -> _Place | None:
    if isinstance(child, Mapping):
        inner = _places(judge, child)
        return None if inner is None else _Place(key, "inner", inner=inner)
    if isinstance(child, tuple):
        return _Place(key, "pair", child[0].name, why="why")
    if judge.derived_value(child.name) is not None:
        return _Place(key, "nothing" if child.part else "stated", child.name)
    criterion = judge.criterion(child.name)
    act = _act(criterion, child)
    if judge.layout == "compare" and act not in ("pair", "text"):
        return None
    return _Place(key, act, child.name, criterion, "justification")


def _act(criterion: Criterion, leaf: Leaf) -> Act:
    if criterion.kind == "text":
        return "text"
    if criterion.kind == "rating" and leaf.part != "reason":
        return "score" if leaf.part else "pair"
    if leaf.part == "reason":
        return "reason"
    return "stated" if leaf.part == "score" else "list"
