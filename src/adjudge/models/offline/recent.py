"""What was made of the last texts, kept for the next verdict: one source is judged against many times in a row."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeAlias, TypeVar

Found = TypeVar("Found")
Given = ParamSpec("Given")
#: What `once` made of something, by what made it and of which values.
Made: TypeAlias = dict[tuple[Hashable, ...], Any]


class Keeps(Protocol):
    """What keeps what was made of it."""

    @property
    def made(self) -> Made: ...


Of = TypeVar("Of", bound=Keeps)


def once(make: Callable[Concatenate[Of, Given], Found]) -> Callable[Concatenate[Of, Given], Found]:
    """Make something of an object and hashable values a single time, and keep it with the object."""

    @wraps(make)
    def made(of: Of, /, *args: Given.args, **named: Given.kwargs) -> Found:
        key = (make, *args)
        if key not in of.made:
            of.made[key] = make(of, *args, **named)
        found: Found = of.made[key]
        return found

    return made


class Recent(Generic[Found]):
    """The last things made, as many as `most` and of texts no longer than `chars` together."""

    def __init__(self, *, most: int, chars: int) -> None:
        self._most, self._chars = most, chars
        self._kept: dict[Hashable, tuple[int, Found]] = {}

    def get(self, key: Hashable, size: int, make: Callable[[], Found]) -> Found:
        """What was made under a key, or is made now; verdicts in other threads at worst make it twice."""
        found = self._kept.pop(key, None)
        made = make() if found is None else found[1]
        if size <= self._chars:
            self._kept[key] = (size, made)
            if found is None:
                self._drop()
        return made

    def _drop(self) -> None:
        """Let the oldest go until the rest is within the limits."""
        kept = list(self._kept.items())
        count, total = len(kept), sum([size for _, (size, _) in kept])
        for key, (size, _) in kept:
            if count <= self._most and total <= self._chars:
                return
            self._kept.pop(key, None)
            count, total = count - 1, total - size
