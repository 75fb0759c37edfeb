"""Labels that people gave: never changed, only added to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from adjudge.core.labels import Label, LabelValue
from adjudge.store import codec
from adjudge.store.database import Part

_LABELS = "SELECT number, item, candidate, criterion, annotator, value, comment, added FROM labels WHERE run = ?"


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
        added = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._db.write() as transaction:
            transaction.run(
                "INSERT INTO labels (run, number, item, candidate, criterion, annotator, value, comment, added) "
                "SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM labels WHERE run = ?",
                (run_id, item, candidate, criterion, annotator, codec.dump(value), comment, added, run_id),
            )

    def labels(self, run_id: str) -> Iterator[Label]:
        """The newest label of each person for each place, in the order they were added."""
        newest = (
            " AND NOT EXISTS (SELECT 1 FROM labels AS later WHERE later.run = labels.run AND later.item = labels.item "
            "AND later.candidate = labels.candidate AND later.criterion = labels.criterion "
            "AND later.annotator = labels.annotator AND later.number > labels.number)"
        )
        return self._labels(run_id, newest, ())

    def history(self, run_id: str, item: str, candidate: str, criterion: str, annotator: str) -> Iterator[Label]:
        """Everything one person said of one place, the oldest first."""
        place = " AND item = ? AND candidate = ? AND criterion = ? AND annotator = ?"
        return self._labels(run_id, place, (item, candidate, criterion, annotator))

    def _labels(self, run_id: str, condition: str, values: tuple[str, ...]) -> Iterator[Label]:
        sql = f"{_LABELS}{condition} AND number > ? ORDER BY number"
        for row in self._db.scan(sql, (run_id, *values), (0,)):
            _, item, candidate, criterion, annotator, value, comment, added = row
            yield Label(
                item=item,
                candidate=candidate,
                criterion=criterion,
                annotator=annotator,
                value=codec.load(value),
                comment=comment,
                added=added,
            )
