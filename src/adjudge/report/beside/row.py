"""An item of a report, read from its stored row only where a table wants it."""

from __future__ import annotations

from functools import cached_property

from adjudge.core.judge import Judge
from adjudge.core.records import Item
from adjudge.data.items import make_item
from adjudge.store.codec import load_object


class Row:
    """The stored row of an outcome; reading one takes longer than all that is counted of an outcome."""

    def __init__(self, judge: Judge, body: str | None) -> None:
        self._judge, self._body = judge, body

    def may_hold(self, field: str) -> bool:
        """Whether the row can have such a field; cheap, and never wrongly no."""
        return self._body is not None and f'"{field}"' in self._body

    @cached_property
    def item(self) -> Item | None:
        """The item, if the row is at hand."""
        if self._body is None:
            return None
        # what was asked of candidates may have failed
        return make_item(self._judge, load_object(self._body), "the store", fewest=0)
