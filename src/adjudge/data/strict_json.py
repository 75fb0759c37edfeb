"""JSON as the standard has it, for files and for cells of tables."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from adjudge.core import limits
from adjudge.core.errors import DataError


def too_deep(where: str) -> DataError:
    """The error of a value nested deeper than is stored."""
    return DataError(f"nested deeper than {limits.ROW_DEPTH} levels", where=where, hint="flatten the row")


def type_name(value: Any) -> str:
    """What a value is, in words for people."""
    names = {dict: "an object", list: "an array", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


class _Refused(ValueError):
    """What `json` takes and a dataset must not hold."""


def _constant(word: str) -> Any:
    raise _Refused(f"{word} is not JSON")


def _finite(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise _Refused(f"the number {word[:40]} is too large")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise _Refused(f"the key `{repeated[:80]}` stands twice in one object")
    return found


#: Made once: `json.loads` would make a decoder for every row.
_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_finite, object_pairs_hook=_unique)


def parse_json(text: str, where: str, place: Callable[[json.JSONDecodeError], str]) -> Any:
    """JSON as the standard has it: what could not be stored, or would be lost without a word, is refused."""
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise too_deep(where) from None
    except json.JSONDecodeError as error:
        raise DataError(
            f"broken JSON: {error.msg}", where=place(error), hint="mend this line; nothing was called"
        ) from None
    except ValueError as error:
        what = "a number has too many digits" if "digits" in str(error) else f"not usable JSON: {error}"
        raise DataError(what, where=where, hint="correct it, or leave the field out") from None
    if text.count("[") + text.count("{") > limits.ROW_DEPTH:
        _check_depth(value, where, limits.ROW_DEPTH + (1 if isinstance(value, list) else 0))
    return value


def _check_depth(value: Any, where: str, left: int) -> None:
    if isinstance(value, (dict, list)):
        if left < 0:
            raise too_deep(where)
        for child in value.values() if isinstance(value, dict) else value:
            _check_depth(child, where, left - 1)
