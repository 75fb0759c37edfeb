"""What the numbers of citations stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.core.records import Source

_DIGITS = re.compile(r"[0-9]{1,5}")


def numbering(sources: Sequence[Source], given: Any) -> dict[int, int]:
    """What each citation number stands for: a place among the sources, from 1.

    Where the row lists its citations (addresses or ids in the order of their numbers, or by number) these count, and a
    number whose address is no source's stands for nothing; a list that names no source at all says nothing.
    """
    places = {name: n for n, one in reversed([*enumerate(sources, start=1)]) for name in (one.url, one.id) if name}
    listed = [*enumerate(given, start=1)] if isinstance(given, list) else []
    if isinstance(given, Mapping):
        listed = [(int(key), one) for key, one in given.items() if _DIGITS.fullmatch(str(key))]
    names = [
        (number, [one.get(key) for key in ("url", "id")] if isinstance(one, Mapping) else [one])
        for number, one in listed
    ]
    found = {
        number: places[name] for number, each in names for name in each if isinstance(name, str) and name in places
    }
    return found or {n: n for n in range(1, len(sources) + 1)}
