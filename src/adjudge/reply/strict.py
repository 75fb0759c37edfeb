"""The commonest reply, read off at once: one JSON object of exactly the shape that was asked for.

What is compared with what is laid out once for each judge. Here is no message and no mending: whatever is not exactly
so is left to the ladder, which reads it from the start, and gives the same where both can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from adjudge.core.errors import ReplyError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.records import EVIDENCE, Opinion, Score
from adjudge.core.scale import Scale
from adjudge.reply import spans
from adjudge.reply.checks import read_checks
from adjudge.reply.embedded import with_evidence
from adjudge.reply.findings import Findings
from adjudge.reply.form import OPTIONAL, Form, Place, form_of
from adjudge.reply.keys import ABSENT, label
from adjudge.reply.validate import Expected


class _Otherwise(Exception):
    """The value is not exactly as asked for."""


class Entry(NamedTuple):
    """The opinion on one item and the value that states it."""

    item: str
    value: Any
    opinion: Opinion


def entries(judge: Judge, value: Any, expected: Expected) -> list[Entry] | None:
    """What the value of a whole reply says of each item, if all of it is exactly as asked for."""
    form = form_of(judge)
    if form is None or type(value) is not dict:
        return None
    try:
        if judge.layout == "batch":
            return _batch(judge, form, value, expected)
        return [Entry("", value, _whole(judge, form, value, expected, ""))]
    except (_Otherwise, ReplyError):
        return None


def _batch(judge: Judge, form: Form, value: dict[str, Any], expected: Expected) -> list[Entry]:
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


def _whole(judge: Judge, form: Form, value: Any, expected: Expected, item: str) -> Opinion:
    """The opinion, and of the embedded judge what it states beside its verdict."""
    if not expected.embedded or type(value) is not dict or EVIDENCE not in value:
        return _opinion(form, value, expected, item)
    found = _opinion(form, {key: entry for key, entry in value.items() if key != EVIDENCE}, expected, item)
    return with_evidence(judge, found, value, expected.labels, expected.judged)


class _Parts:
    """What the places of one value hold."""

    __slots__ = ("findings", "made", "numbers", "reasons", "stated", "texts")

    def __init__(self, findings: Findings | None) -> None:
        self.findings = findings
        #: Scores that code made of checks.
        self.made: dict[str, dict[str, Score]] = {}
        self.numbers: dict[str, Any] = {}
        self.reasons: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.stated: dict[str, Any] = {}


def _opinion(form: Form, value: Any, expected: Expected, item: str) -> Opinion:
    names = _candidates(tuple(expected.labels.items())) if form.compare else None
    flags: dict[str, None] = {}
    findings = None
    if form.lists:
        findings = Findings(
            sources=expected.sources.get(item, expected.sources.get("", ())),
            flags=flags,
            judged=expected.outputs.get(item, expected.outputs.get("")),
            embedded=expected.embedded,
        )
    parts = _Parts(findings)
    _read(form.places, value, parts, expected.embedded, names)
    scores = _scores(form, parts, flags, expected.embedded)
    if findings is not None and not expected.embedded:
        for criterion in form.grounded:
            findings.weigh(criterion, scores[criterion.name])
    return Opinion(
        scores=scores,
        claims=findings.claims if findings else {},
        questions=findings.questions if findings else {},
        selected=findings.selected if findings else {},
        spans=findings.spans if findings else {},
        findings=findings.found if findings else {},
        texts=parts.texts,
        stated=parts.stated,
        flags=tuple(flags),
    )


def _read(
    places: tuple[Place, ...], value: Any, parts: _Parts, embedded: bool, names: Mapping[str, str] | None
) -> None:
    """Note what stands under every key of an object; what is only stated may be absent."""
    if type(value) is not dict:  # a key that comes twice makes another type of it
        raise _Otherwise
    absent = 0
    for key, act, name, criterion, why, inner in places:
        entry = value.get(key, ABSENT)
        if entry is ABSENT:
            if act not in OPTIONAL:
                raise _Otherwise
            absent += 1
        elif act == "pair":
            asked = None if embedded else criterion
            if names is None:
                parts.numbers[name], parts.reasons[name] = _pair(entry, why, parts, asked, "")
            else:
                _spread(name, entry, why, parts, names, asked)
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
        elif act == "evidence":
            assert criterion is not None and parts.findings is not None
            if not embedded:
                parts.findings.evidence(criterion, "", entry, "")
        elif act == "list":
            _list(criterion, entry, parts, embedded)
        elif act == "checks":
            _checks(criterion, entry, parts, embedded, names)
        elif act == "stated" and entry is not None:
            parts.stated[name] = entry if names is None else _renamed(entry, names)
    if (absent or not embedded) and len(value) != len(places) - absent:
        raise _Otherwise  # a key too many may be another spelling of one that is absent, or correct what stands there


def _pair(entry: Any, why: str, parts: _Parts, asked: Criterion | None, who: str) -> tuple[Any, str]:
    """A score, still unchecked, and its reason; the quotations that it was asked for are kept."""
    if type(entry) is dict and "score" in entry and why in entry:
        quoted = asked is not None and "evidence" in entry
        if len(entry) != 2 + quoted and (why != "justification" or asked is not None):
            raise _Otherwise  # a key too many may be another spelling of one that is absent, or correct the score
        if quoted:
            assert asked is not None and parts.findings is not None
            parts.findings.evidence(asked, who, entry["evidence"], "")
        score, reason = entry["score"], entry[why]
    elif type(entry) is list and len(entry) == 2:
        score, reason = entry
    else:
        raise _Otherwise
    if type(reason) is not str:
        raise _Otherwise
    return score, reason.strip()


def _spread(name: str, entry: Any, why: str, parts: _Parts, names: Mapping[str, str], asked: Criterion | None) -> None:
    """A pair for each candidate, in the order of the reply."""
    if type(entry) is not dict or entry.keys() != names.keys():
        raise _Otherwise
    numbers: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for shown, pair in entry.items():
        who = names[shown]
        numbers[who], reasons[who] = _pair(pair, why, parts, asked, who)
    parts.numbers[name], parts.reasons[name] = numbers, reasons


def _list(criterion: Criterion | None, entry: Any, parts: _Parts, embedded: bool) -> None:
    assert criterion is not None and parts.findings is not None
    if type(entry) is list:
        score = parts.findings.read(criterion, entry, "")
        if score is not None:
            parts.numbers[criterion.name] = score
        if criterion.kind == "spans":
            parts.reasons[criterion.name] = spans.told(criterion, parts.findings.spans[criterion.name])
    elif entry is None and embedded:
        if criterion.scored:
            parts.numbers[criterion.name] = None
    else:
        raise _Otherwise


def _checks(
    criterion: Criterion | None, entry: Any, parts: _Parts, embedded: bool, names: Mapping[str, str] | None
) -> None:
    """What a rating comes to by its checks, for each candidate in the order of the reply."""
    assert criterion is not None and parts.findings is not None
    if embedded or type(entry) is not dict or (names is not None and entry.keys() != names.keys()):
        raise _Otherwise
    for shown, given in {"": entry}.items() if names is None else entry.items():
        who, checked = "" if names is None else names[shown], read_checks(criterion, given, "")
        parts.made.setdefault(criterion.name, {})[who] = Score(value=checked.value, reason=checked.reason)
        parts.findings.found.setdefault(criterion.name, {})[who] = checked.findings


def _renamed(stated: Any, names: Mapping[str, str]) -> Any:
    """A stated figure with candidates under their real names."""
    if type(stated) is dict and stated.keys() <= names.keys():
        return {names[shown]: figure for shown, figure in stated.items()}
    if type(stated) is str and stated in names:
        return names[stated]
    if isinstance(stated, dict | str):
        raise _Otherwise
    return stated


def _scores(form: Form, parts: _Parts, flags: dict[str, None], embedded: bool) -> dict[str, dict[str, Score]]:
    scores: dict[str, dict[str, Score]] = {}
    numbers, reasons, made = parts.numbers, parts.reasons, parts.made
    for name, scale, low, high, best, flag in form.points:
        if made and name in made:
            scores[name] = made[name]
            continue
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
