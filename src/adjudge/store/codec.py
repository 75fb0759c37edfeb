"""Records as JSON text and back, exactly: keys stay in the order they were made, since people read native verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from adjudge.core.compact import compact
from adjudge.core.errors import Corrupt
from adjudge.core.records import Call, Failure, Outcome, Reply, Settings, Verdict
from adjudge.core.runs import Run, RunState

T = TypeVar("T")
#: The `finish` of what was answered to a call that failed since it could not be read.
UNREAD = "unread"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a record cannot hold a {type(value).__name__}")


_encode = compact(_plain)
#: What few verdicts have.
_OF_FEW = frozenset({"intervals", "findings", "trials", "spreads", "probe", "place", "quotes"})
_NAMES = {kind: tuple(part.name for part in fields(kind)) for kind in (Failure, Reply, Run, Settings, Verdict)}


def dump(value: Any) -> str:
    """Any JSON value as compact text; NaN and infinities are refused."""
    return _encode(value)


def load(text: str) -> Any:
    """The value of a stored JSON text."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise Corrupt(f"a stored record is not JSON: {error}") from error


def load_object(text: str) -> dict[str, Any]:
    """The object of a stored JSON text."""
    data = load(text)
    if not isinstance(data, dict):
        raise Corrupt("a stored record is not a JSON object")
    return data


def dump_call(call: Call) -> str:
    """A call as text; its parts stand in the order that exports sort by."""
    parts: dict[str, Any] = {"stage": call.stage, "items": call.items, "order": call.order, "repeat": call.repeat}
    if call.criterion:
        parts["criterion"] = call.criterion
    parts["key"], parts["content"] = call.key, call.content
    return _encode(parts)


def load_call(text: str) -> Call:
    """The call of a stored text."""
    return _record(Call, load_object(text), "items", "order")


def dump_reply(reply: Reply) -> str:
    """A reply as text; odds stand in it where there are any, places where they were wanted."""
    parts = _parts(reply)
    if not reply.odds:
        del parts["odds"]
    if reply.places is None:
        del parts["places"]
    return _encode(parts)


def load_reply(text: str) -> Reply:
    """The reply of a stored text."""
    data = load_object(text)
    if "places" in data:
        data["places"] = tuple(map(tuple, data["places"]))
    return _record(Reply, data, "refused")


def dump_outcome(outcome: Outcome) -> str:
    """A verdict or a failure as text; what few verdicts have stands in it where there is any."""
    return _encode({name: value for name, value in _parts(outcome).items() if value or name not in _OF_FEW})


def load_outcome(text: str) -> Outcome:
    """The verdict or failure of a stored text; only a failure has a kind."""
    data = load_object(text)
    if "kind" in data:
        return _record(Failure, data, "flags", "calls")
    return _record(Verdict, data, "flags", "calls", *(name for name in ("findings", "trials") if name in data))


def dump_run(run: Run) -> str:
    """A run's manifest as text."""
    return _encode(_parts(run) | {"settings": _parts(run.settings)})


def load_run(text: str) -> Run:
    """The manifest of a stored text."""
    data = load_object(text)
    data["settings"] = _record(Settings, data.get("settings"))
    return _record(Run, data, *(("candidates",) if "candidates" in data else ()))


def load_state(parts: dict[str, Any]) -> RunState:
    """A run's state from its columns."""
    return _record(RunState, parts)


def load_texts(text: str) -> dict[str, str]:
    """Texts by their names."""
    texts = load_object(text)
    if not all(isinstance(one, str) for one in texts.values()):
        raise Corrupt("a stored record has the wrong parts: texts by their names were expected")
    return texts


def _parts(record: Failure | Reply | Run | Settings | Verdict) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _NAMES[type(record)]}


def _record(kind: type[T], data: Any, *tuples: str) -> T:
    """JSON knows no tuples: the named parts become tuples again. A part of another type is damage."""
    try:
        parts = data | {name: tuple(data[name]) for name in tuples}
        types = _TYPES[kind]
        for name, value in parts.items():
            if not isinstance(value, types[name]):
                raise TypeError(f"`{name}` is a {type(value).__name__}")
        return kind(**parts)
    except (TypeError, KeyError) as error:
        raise Corrupt(f"a stored record has the wrong parts: {error}") from error


def types_of(hint: Any) -> tuple[type, ...]:
    """What a value of an annotated part may be, seen from outside."""
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return tuple(one for part in get_args(hint) for one in types_of(part))
    if get_origin(hint) is Literal:
        return tuple({type(value) for value in get_args(hint)})
    if hint is Any:
        return (object,)
    found = get_origin(hint) or hint
    return (int, float) if found is float else (Mapping,) if found is Mapping else (found,)


_TYPES: dict[Any, dict[str, tuple[type, ...]]] = {
    kind: {name: types_of(hint) for name, hint in get_type_hints(kind).items()}
    for kind in (Call, Failure, Reply, Run, RunState, Settings, Verdict)
}
