"""What one person has said of a run, kept in memory and read on as the store's log grows."""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping
from functools import lru_cache

from adjudge.core.labels import SEEN, Entry, Label
from adjudge.store.store import Store

#: A text of an item, by its candidate, and a criterion.
Cell = tuple[str, str]


class PersonLog:
    """The labels of one person that stand; safe to use from several threads."""

    def __init__(self, run_id: str, annotator: str) -> None:
        self._run, self._annotator = run_id, annotator
        #: Held by who reads the log and adds to it by what it says.
        self.lock = threading.RLock()
        self._clear()

    def read(self, store: Store) -> None:
        """Take in what was said since, here or elsewhere."""
        with self.lock:
            after = self._last.number - 1 if self._last else 0
            entries = store.label_log(self._run, self._annotator, after)
            if self._last and entries[:1] != [self._last]:  # another store has come to stand under this address
                self._clear()
                entries = store.label_log(self._run, self._annotator)
            for entry in entries[1:] if self._last else entries:
                self._take(entry)

    def of(self, item: str) -> Mapping[Cell, Label]:
        """What stands of an item: the newest label of each cell."""
        with self.lock:
            cells = self._cells.get(item, {})
            return {cell: self._said[numbers[-1]] for cell, numbers in cells.items() if numbers}

    def cells(self, item: str) -> set[Cell]:
        """The cells of an item of which something stands."""
        with self.lock:
            return {cell for cell, numbers in self._cells.get(item, {}).items() if numbers}

    def items(self) -> list[str]:
        """The items of which something was ever said."""
        with self.lock:
            return list(self._cells)

    def newest(self, items: Container[str]) -> tuple[int, Label] | None:
        """The last thing that was said of any of these items, stands and is not final, with its number."""
        with self.lock:
            said = reversed(self._said.items())
            return next((one for one in said if one[1].item in items and not self.final(one[1])), None)

    def final(self, label: Label) -> bool:
        """Whether it scores an item whose verdict this person has seen; a comment on the whole is never final."""
        return bool(label.criterion) and label.item in self.seen

    def _clear(self) -> None:
        self._last: Entry | None = None
        #: What stands by its number, also where something newer stands above it.
        self._said: dict[int, Label] = {}
        self._cells: dict[str, dict[Cell, list[int]]] = {}
        #: The items whose verdict this person was shown.
        self.seen: set[str] = set()

    def _take(self, entry: Entry) -> None:
        self._last = entry
        label = entry.label
        if label.criterion == SEEN:
            self.seen.add(label.item)
            return
        numbers = self._cells.setdefault(label.item, {}).setdefault((label.candidate, label.criterion), [])
        if entry.withdraws is None:
            self._said[entry.number] = label
            numbers.append(entry.number)
        elif self._said.pop(entry.withdraws, None):
            numbers.remove(entry.withdraws)


@lru_cache(maxsize=32)
def person_log(url: str, run_id: str, annotator: str) -> PersonLog:
    """The one log of a person and run in this process: thousands of labels are not read again for each request."""
    return PersonLog(run_id, annotator)
