"""The rows to judge: read and checked, or, where the very same file was read before, those of the store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.api.options import RunOptions
from adjudge.core.code import code_digest
from adjudge.core.errors import ConfigError
from adjudge.core.judge import Judge
from adjudge.core.records import digest
from adjudge.data.candidates import Answers, parse_candidates
from adjudge.data.dataset import Dataset, read_dataset
from adjudge.data.items import parse_map
from adjudge.data.rows import SEQUENTIAL, file_digest, read_rows, rows_of
from adjudge.store.store import open_store
from adjudge.store.url import store_url


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDataset:
    """A dataset that is in the store already, checked when it came there."""

    name: str
    digest: str
    count: int
    store: str
    #: What is to be noted of the file it came from: nothing, since it was found by that.
    key: str = ""
    #: Nothing was, or the file would have been read again.
    overlooked: Mapping[str, str] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple[str, str]]:
        """(id, JSON) of every row, in order."""
        with open_store(self.store, create=False) as store:
            yield from ((item_id, body) for _, item_id, body in store.items(self.digest))

    def close(self) -> None:
        """Nothing: it holds no file."""


def read_data(judge: Judge, data: Any, options: RunOptions, *, dry: bool) -> Dataset | StoredDataset:
    """The rows of a path or of Python objects; the first that is wrong raises a DataError."""
    columns, given = parse_map(judge, options.map), parse_candidates(options.candidates)
    path = isinstance(data, (str, Path))
    name = str(data) if path else "rows"
    # of a part of a file its bytes say too much, and where candidates have files of their own too little
    whole = path and Path(name).suffix.lower() in SEQUENTIAL and not (dry or given or options.limit)
    if whole and (known := _known(judge, name, columns, options)) is not None:
        return known
    seen = hashlib.sha256()
    dataset = read_dataset(
        judge,
        read_rows(name, seen=seen if whole else None) if path else rows_of(data),
        name=name,
        columns=columns,
        limit=options.limit,
        answers=Answers(judge, given) if given else None,
    )
    if whole and not dataset.overlooked:  # what is told of a file is told every time
        dataset.key = _key(judge, name, columns, seen.hexdigest())
    return dataset


def _known(judge: Judge, name: str, columns: Mapping[str, str], options: RunOptions) -> StoredDataset | None:
    url = store_url(options.store)
    with suppress(ConfigError), open_store(url, create=False) as store:  # there may be no store yet
        if (file := file_digest(name)) and (found := store.dataset_of(_key(judge, name, columns, file))):
            return StoredDataset(name=name, digest=found[0], count=found[1], store=url)
    return None


def _key(judge: Judge, name: str, columns: Mapping[str, str], file: str) -> str:
    """A hash of all that decides which rows are read from a file."""
    return digest([file, Path(name).suffix.lower(), repr(judge.fields), columns, code_digest()])
