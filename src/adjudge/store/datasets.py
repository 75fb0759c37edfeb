"""Datasets and the texts of judges: what a run needs to be computed again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from adjudge.core import limits, points
from adjudge.store import codec
from adjudge.store.database import Part


class Datasets(Part):
    """The part of the store that holds what came in."""

    def add_dataset(self, data_digest: str, rows: Iterable[tuple[str, str]]) -> None:
        """Store the items, (id, JSON body) in order; a dataset that is there already is left as it is."""
        if self._db.read("SELECT 1 FROM datasets WHERE digest = ?", (data_digest,)):
            return
        with self._db.write() as transaction:
            added = "INSERT INTO datasets (digest) VALUES (?) ON CONFLICT (digest) DO NOTHING"
            if transaction.run(added, (data_digest,)):
                transaction.many(
                    "INSERT INTO items (dataset, position, id, body) VALUES (?, ?, ?, ?)",
                    ((data_digest, position, item, body) for position, (item, body) in enumerate(rows)),
                )
            points.reached("dataset.written")

    def know_file(self, key: str, data_digest: str, items: int) -> None:
        """Note that a file holds a dataset, which is stored, of so many items."""
        with self._db.write(alone=False) as transaction:
            known = "INSERT INTO files (key, dataset, items) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
            transaction.run(known, (key, data_digest, items))

    def dataset_of(self, key: str) -> tuple[str, int] | None:
        """The digest of the dataset in a file, and how many items it has, where that is known."""
        rows = self._db.read("SELECT dataset, items FROM files WHERE key = ?", (key,))
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def items(self, data_digest: str, first: int = 0, last: int | None = None) -> Iterator[tuple[int, str, str]]:
        """The items from the first to the last position as (position, id, JSON body), in dataset order."""
        end = limits.STORE_POSITIONS if last is None else last
        sql = (
            "SELECT position, id, body FROM items "
            "WHERE dataset = ? AND position <= ? AND position > ? ORDER BY position"
        )
        yield from self._db.scan(sql, (data_digest, end), (first - 1,))

    def item_ids(self, data_digest: str) -> Iterator[tuple[int, str]]:
        """The positions and ids of a dataset's items, in order."""
        sql = "SELECT position, id FROM items WHERE dataset = ? AND position > ? ORDER BY position"
        yield from self._db.scan(sql, (data_digest,), (-1,))

    def items_at(self, data_digest: str, positions: Sequence[int]) -> list[tuple[int, str]]:
        """The items at some positions as (position, JSON body), in dataset order."""
        sql = "SELECT position, body FROM items WHERE dataset = ? AND position >= ? AND position <= ? ORDER BY position"
        if positions[-1] - positions[0] < len(positions):
            return [(row[0], row[1]) for row in self._db.read(sql, (data_digest, positions[0], positions[-1]))]
        return [(row[0], row[1]) for place in positions for row in self._db.read(sql, (data_digest, place, place))]

    def save_judge(self, digest: str, files: Mapping[str, str]) -> None:
        """Keep the texts of a judge's files under its digest."""
        with self._db.write() as transaction:
            transaction.run(
                "INSERT INTO judges (digest, files) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
                (digest, codec.dump(files)),
            )

    def judge_files(self, digest: str) -> dict[str, str] | None:
        """The texts of a judge's files, as they were when it was used."""
        rows = self._db.read("SELECT files FROM judges WHERE digest = ?", (digest,))
        return codec.load_texts(rows[0][0]) if rows else None
