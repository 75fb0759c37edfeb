"""A dataset, read once, checked whole, and held on disk until the store takes it."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import IO, Any

from adjudge.core.errors import DataError
from adjudge.core.judge import Judge
from adjudge.data.items import canonical_row, make_item

_IN_MEMORY_BYTES = 8_000_000


class Dataset:
    """Checked rows under their ids, in order, with a digest of all of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self._hash = hashlib.sha256()
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115 (closed by close)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def add(self, item_id: str, row: Mapping[str, Any]) -> None:
        """Keep a row. The order of columns says nothing; the order of candidates within one is kept and counts."""
        own = dict(sorted({**row, "id": item_id}.items()))
        body = json.dumps(own, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        line = body.encode("utf-8", "surrogatepass") + b"\n"
        self._hash.update(line)
        self._file.write(line)
        self.count += 1

    def rows(self) -> Iterator[tuple[str, str]]:
        """(id, JSON) of every row, in order."""
        self._file.seek(0)
        for line in self._file:
            body = line[:-1].decode("utf-8", "surrogatepass")
            yield str(json.loads(body)["id"]), body

    def close(self) -> None:
        self._file.close()


def read_dataset(
    judge: Judge,
    rows: Iterable[tuple[str, dict[str, Any]]],
    *,
    name: str,
    columns: Mapping[str, str],
    limit: int | None = None,
) -> Dataset:
    """Check every row against the judge; the first that is wrong raises a DataError and nothing is kept."""
    dataset = Dataset(name)
    seen: dict[str, str] = {}
    try:
        for where, row in islice(rows, min(limit, sys.maxsize) if limit else None):
            known = canonical_row(judge, row, where, columns)
            item = make_item(judge, known, where)
            if item.id in seen:
                own = known.get("id") is not None
                raise DataError(
                    f"the id `{item.id}` stands twice" if own else "the row is the same as an earlier one",
                    where=where,
                    hint=f"first at {seen[item.id]}; "
                    + ("make ids unique" if own else "remove it, or give the rows ids"),
                )
            seen[item.id] = where
            dataset.add(item.id, known)
        if not dataset.count:
            raise DataError("there are no rows", where=name, hint="give a file with at least one row")
    except BaseException:
        dataset.close()
        raise
    return dataset
