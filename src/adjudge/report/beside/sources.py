"""Sources as keys, and a share of them where there are too many: the same sources whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.core.records import Item, digest


def source_key(item: Item, fields: Sequence[str]) -> int:
    """A number for the texts of an item's source; equal for equal texts."""
    return int(digest([item.fields.get(name) for name in fields])[:16], 16)


def texts_key(item: Item, sources: Sequence[str], queries: Sequence[str]) -> int:
    """A number for an item's source texts; without any for its question, and without that for the item itself."""
    for fields in (sources, queries):
        if any(map(item.fields.get, fields)):
            return source_key(item, fields)
    return int(digest([item.id])[:16], 16)


class Share:
    """Which sources are kept: all, and each time that is too many, every other of them, by their keys."""

    def __init__(self) -> None:
        self._halved = 0

    def holds(self, key: int) -> bool:
        return key & ((1 << self._halved) - 1) == 0

    def halve(self) -> None:
        self._halved += 1

    @property
    def whole(self) -> bool:
        """Whether every source is kept."""
        return self._halved == 0
