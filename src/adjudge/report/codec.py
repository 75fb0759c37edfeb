"""A report as JSON text and back, exactly. What the run's state says is not in it: a run's twins share the rest."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from adjudge.core.errors import Corrupt
from adjudge.core.runs import RunState
from adjudge.report.tables import Report
from adjudge.store.codec import load_object, types_of

_OF_THE_STATE = ("state", "summary")


def dump(report: Report) -> str:
    """What a report says beside its state."""
    parts = {part.name: getattr(report, part.name) for part in fields(Report) if part.name not in _OF_THE_STATE}
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"), default=_plain)


def load(text: str, state: RunState) -> Report:
    """The report of a stored text, as that of a run in this state."""
    try:
        return Report(state=state, summary=state.summary, **_parts(Report, load_object(text)))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Corrupt(f"a stored report has the wrong parts: {error}") from error


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, frozenset):
        return sorted(value)
    return dict(value)


def _made(kind: Any, value: Any) -> Any:
    """A value of the kind that a type names, from its JSON; JSON knows neither tuples nor sets nor records."""
    if value is None and (kind is Any or NoneType in types_of(kind)):
        return None
    if is_dataclass(kind) and isinstance(kind, type):
        return kind(**_parts(kind, value))
    parts = get_args(kind)
    if get_origin(kind) is frozenset:
        return frozenset(value)
    if get_origin(kind) is tuple:
        kinds = parts[:1] * len(value) if Ellipsis in parts else parts
        return tuple(_made(part, one) for part, one in zip(kinds, value, strict=True))
    if NoneType in parts:
        return _made(next(part for part in parts if part is not NoneType), value)
    if not isinstance(value, types_of(kind)):
        raise TypeError(f"a {type(value).__name__} is not a {kind}")
    return value


def _parts(kind: type, found: dict[str, Any]) -> dict[str, Any]:
    return {name: _made(_hints(kind)[name], value) for name, value in found.items()}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
