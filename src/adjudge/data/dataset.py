"""A dataset, read once, checked whole, and held on disk until the store takes it."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import IO, Any

from adjudge.core import limits
from adjudge.core.errors import DataError
from adjudge.core.judge import Judge
from adjudge.data.candidates import Answers
from adjudge.data.items import canonical_row, make_item, overlooked

_IN_MEMORY_BYTES = 8_000_000
#: Made once: `json.dumps` would make an encoder for every row.
_BODY = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_HEAD = json.JSONEncoder()


class Dataset:
    """Checked rows under their ids, in order, with a digest of all of them; on disk, so that any number fits."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        #: What tells the file that it was read from, and how; empty where nothing does.
        self.key = ""
        #: Fields that the first row lacks, with columns that may have been meant for them.
        self.overlooked: Mapping[str, str] = {}
        self._hash = hashlib.sha256()
        self._ids = array("q")
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115 (closed by close)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def add(self, item_id: str, row: Mapping[str, Any], where: str) -> None:
        """Keep a row. The order of columns says nothing; the order of candidates within one is kept and counts."""
        whole = dict(sorted({**row, "id": item_id}.items()))
        body = _BODY.encode(whole)
        line = body.encode("utf-8", "surrogatepass") + b"\n"
        self._hash.update(line)
        # JSON knows no tab outside of a string, and none unescaped within: the first one ends the head
        self._file.write(_HEAD.encode([item_id, where, row.get("id") is not None]).encode() + b"\t" + line)
        self._ids.append(hash(item_id))
        self.count += 1

    def rows(self) -> Iterator[tuple[str, str]]:
        """(id, JSON) of every row, in order."""
        return ((item_id, body) for item_id, _, _, body in self._lines())

    def repeated(self) -> DataError | None:
        """What to say of the first id that stands twice."""
        hashes = sorted(self._ids)
        twice = {one for one, next_one in zip(hashes, islice(hashes, 1, None), strict=False) if one == next_one}
        seen: dict[str, str] = {}
        for item_id, where, named, _ in self._lines() if twice else ():
            if item_id in seen:
                what = f"the id `{item_id}` stands twice" if named else "the row is the same as an earlier one"
                hint = "make ids unique" if named else "remove it, or give the rows ids"
                return DataError(what, where=where, hint=f"first at {seen[item_id]}; {hint}")
            if hash(item_id) in twice:
                seen[item_id] = where
        return None

    def close(self) -> None:
        self._file.close()

    def _lines(self) -> Iterator[tuple[str, str, bool, str]]:
        self._file.seek(0)
        for line in self._file:
            head, _, body = line.partition(b"\t")
            item_id, where, named = json.loads(head)
            yield item_id, where, named, body[:-1].decode("utf-8", "surrogatepass")


def read_dataset(
    judge: Judge,
    rows: Iterable[tuple[str, dict[str, Any]]],
    *,
    name: str,
    columns: Mapping[str, str],
    limit: int | None = None,
    answers: Answers | None = None,
) -> Dataset:
    """Check every row against the judge; the first that is wrong raises a DataError and nothing is kept.

    `answers` fills in those of candidates that stand in columns and files.
    """
    fewest = limits.CANDIDATES_MIN if answers is None else answers.fewest
    dataset = Dataset(name)
    try:
        for where, row in islice(rows, min(limit, sys.maxsize) if limit else None):
            known = canonical_row(judge, row, where, columns)
            if answers is not None:
                known = answers.filled(known, row, where)
            item = make_item(judge, known, where, fewest=fewest, raw=row)
            if not dataset.count:
                near = overlooked(judge, known)
                dataset.overlooked = {name: column for name, column in near.items() if name not in columns}
            dataset.add(item.id, known, where)
        if not dataset.count:
            raise DataError("there are no rows", where=name, hint="give a file with at least one row")
        if (problem := dataset.repeated()) is not None:
            raise problem
    except BaseException:
        dataset.close()
        raise
    return dataset
