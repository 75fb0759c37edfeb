"""Labels that people gave: never changed, only added to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from adjudge.core import points
from adjudge.core.labels import Entry, Label, LabelValue, News, edited, news, standing
from adjudge.store import codec
from adjudge.store.database import Part, Row, Transaction

_LOG = (
    "SELECT number, item, candidate, criterion, annotator, value, comment, added, withdraws FROM labels WHERE run = ?"
)
_ADD = (
    "INSERT INTO labels (run, number, item, candidate, criterion, annotator, value, comment, added, withdraws) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Labels(Part):
    """The part of the store that holds what people said."""

    def add_label(
        self,
        run_id: str,
        item: str,
        candidate: str,
        criterion: str,
        annotator: str,
        value: LabelValue,
        comment: str = "",
    ) -> None:
        """Add a label; an earlier one of the same person for the same place stays in the history."""
        label = Label(
            item=item, candidate=candidate, criterion=criterion, annotator=annotator, value=value, comment=comment
        )
        self.add_labels(run_id, [label])

    def add_labels(self, run_id: str, labels: Iterable[Label]) -> None:
        """Add labels, all or none, durably; one without a time is of now."""
        with self._db.write() as transaction:
            _add(transaction, run_id, labels)
            points.reached("labels.written")
        points.reached("labels.durable")

    def add_news(self, run_id: str, labels: Iterable[Label]) -> News:
        """Add those labels of a file that are new, all or none; what was new, and how many were not."""
        with self._db.write() as transaction:
            log = map(_entry, transaction.read(f"{_LOG} ORDER BY number", (run_id,)))
            found = news(edited(log).values(), labels)
            _add(transaction, run_id, found.labels)
            points.reached("labels.written")
        points.reached("labels.durable")
        return found

    def withdraw_label(self, run_id: str, annotator: str, number: int) -> bool:
        """Take back a label of this person by its number; False where there is none, or it was taken back before."""
        with self._db.write() as transaction:
            sql = f"{_LOG} AND annotator = ? AND number = ? AND withdraws IS NULL"
            rows = transaction.read(sql, (run_id, annotator, number))
            if transaction.read("SELECT 1 FROM labels WHERE run = ? AND withdraws = ?", (run_id, number)):
                return False
            for row in rows:
                entry = (_last_number(transaction, run_id) + 1, *row[1:5], codec.dump(None), "", _now(), number)
                transaction.run(_ADD, (run_id, *entry))
            points.reached("labels.written")
        points.reached("labels.durable")
        return bool(rows)

    def labels(self, run_id: str, item: str | None = None) -> Iterator[Label]:
        """The newest label of each person for each place, without those taken back, in the order they were added.

        With an `item`, those of this item alone.
        """
        condition = "" if item is None else " AND item = ?"
        entries = self._entries(run_id, condition, () if item is None else (item,))
        yield from standing(edited(entries).values())

    def label_edits(self, run_id: str) -> list[Label]:
        """Everything that was ever said, the oldest first; what was taken back has the time of that."""
        return list(edited(self._entries(run_id)).values())

    def history(self, run_id: str, item: str, candidate: str, criterion: str, annotator: str) -> Iterator[Label]:
        """Everything one person said of one place, the oldest first."""
        place = " AND item = ? AND candidate = ? AND criterion = ? AND annotator = ?"
        yield from edited(self._entries(run_id, place, (item, candidate, criterion, annotator))).values()

    def label_log(self, run_id: str, annotator: str, after: int = 0) -> list[Entry]:
        """What one person said and took back, the oldest first, behind the entry of a number."""
        return list(self._entries(run_id, " AND annotator = ?", (annotator,), after))

    def _entries(
        self, run_id: str, condition: str = "", values: tuple[str, ...] = (), after: int = 0
    ) -> Iterator[Entry]:
        sql = f"{_LOG}{condition} AND number > ? ORDER BY number"
        return map(_entry, self._db.scan(sql, (run_id, *values), (after,)))


def _add(transaction: Transaction, run_id: str, labels: Iterable[Label]) -> None:
    first, now = _last_number(transaction, run_id) + 1, _now()
    rows = (
        (run_id, number, *one.place, codec.dump(one.value), one.comment, one.added or now, None)
        for number, one in enumerate(labels, first)
    )
    transaction.many(_ADD, rows)


def _last_number(transaction: Transaction, run_id: str) -> int:
    return int(transaction.read("SELECT COALESCE(MAX(number), 0) FROM labels WHERE run = ?", (run_id,))[0][0])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _entry(row: Row) -> Entry:
    number, item, candidate, criterion, annotator, value, comment, added, withdraws = row
    label = Label(
        item=item,
        candidate=candidate,
        criterion=criterion,
        annotator=annotator,
        value=codec.load(value),
        comment=comment,
        added=added,
    )
    return Entry(number, label, withdraws)
