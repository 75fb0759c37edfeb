"""Which items of a run people should label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.api.boards import boards
from adjudge.api.stored import StoredRun, open_run
from adjudge.core.errors import ConfigError, DataError
from adjudge.data.export import dumps, to_csv
from adjudge.data.sampled import Place, rows_to_label
from adjudge.report.sampled import Drawn, sampled_sheet
from adjudge.report.sheet import Sheet
from adjudge.stats.board import Board, Floats, generator
from adjudge.stats.sampling import LEAST, MOST_STRATA, Strata, draw, expected_spread, stratify
from adjudge.store.codec import load_object
from adjudge.store.store import open_store
from adjudge.store.url import with_store

#: A language or a system with fewer items than this gets no strata of its own.
_LEAST_GROUP = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """The chosen items: rows to label, the first ones first, and a sheet that says how they were chosen."""

    rows: Sequence[dict[str, Any]]
    sheet: Sheet

    def write(self, form: str, *, raw: bool = False) -> Iterable[str]:
        """The rows as `csv`, in which no cell can start a formula unless `raw`, or as `jsonl`."""
        return to_csv(self.rows, raw=raw) if form == "csv" else (dumps(row) + "\n" for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """What `adjudge sample --json` prints."""
        return {**self.sheet.data, "rows": list(self.rows)}


def sample(run: StoredRun | str, n: int = 50, *, seed: int = 0, store: str | None = None) -> Sample:
    """Choose `n` items of a run for people to label, so that `correct` gains most; the verdicts stay unseen.

    >>> adjudge.sample("latest", 50).rows[0]["id"]  # doctest: +SKIP
    'doc-17'
    """
    opened = open_run(run, store=store) if isinstance(run, str) else run
    state, (items, quality, strata) = opened.state, strata_of(boards(opened, rows=True))
    judged = int(strata.sizes.sum())
    least = int(np.minimum(strata.sizes, LEAST).sum())
    if not judged:
        raise DataError(
            f"run {opened.id} has no verdict yet", hint=with_store(f"adjudge resume {opened.id}", opened.store)
        )
    if n < least:
        raise ConfigError(
            f"--n {n}: the {len(strata.names)} strata of this run need {least} labels at least",
            hint="50 are a good start; adjudge correct wants 20 at least",
        )
    chosen = draw(strata, expected_spread(quality, strata), n, generator(seed, "sample", state.run.data_digest), items)
    counts = np.bincount(strata.of[chosen], minlength=len(strata.names))
    places = [
        Place(run=opened.id, seed=seed, stratum=strata.names[own], size=int(strata.sizes[own]))
        for own in strata.of[chosen].tolist()
    ]
    drawn = Drawn(
        state=state,
        seed=seed,
        chosen=len(chosen),
        asked=n,
        failed=state.run.items - judged,
        strata=tuple(
            (name, int(size), int(count), float(quality[strata.of == number].mean()))
            for number, (name, size, count) in enumerate(zip(strata.names, strata.sizes, counts, strict=True))
        ),
        criteria=tuple(one.name for one in opened.judge.scored),
    )
    rows = list(_rows(opened, [items[place] for place in chosen], places))
    return Sample(rows=rows, sheet=sampled_sheet(drawn))


def _rows(run: StoredRun, items: Sequence[str], places: Sequence[Place]) -> Iterator[dict[str, Any]]:
    with open_store(run.store, create=False) as store:
        for item, place in zip(items, places, strict=True):
            body = store.judged_body(run.id, item)
            yield from rows_to_label(run.judge, item, load_object(body or "{}"), place)


def strata_of(found: Sequence[Board]) -> tuple[Sequence[str], Floats, Strata]:
    """The items of a run, how good the judge finds each (from 0 to 1), and the strata that they are chosen from."""
    if not found:
        empty = Strata(of=np.empty(0, dtype=np.int64), names=(), sizes=np.empty(0, dtype=np.int64))
        return (), np.empty(0), empty
    quality = _quality(found)
    return found[0].items, quality, stratify(quality, _groups(found[0], ~np.isnan(quality)))


def _quality(found: Sequence[Board]) -> Floats:
    """The mean over criteria and candidates, each from worst (0) to best (1); a gap where nothing was judged."""
    parts = [
        (board.columns[axis.name] - (axis.low if axis.sign > 0 else axis.high)) / (axis.sign * axis.span)
        for board in found
        for axis in board.axes
        if not axis.derived and axis.span > 0
    ]
    known = [~np.isnan(part) for part in parts]
    total = np.sum([np.where(here, part, 0.0) for here, part in zip(known, parts, strict=True)], axis=0)
    count = np.sum(known, axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _groups(board: Board, judged: np.ndarray[Any, np.dtype[np.bool_]]) -> list[str]:
    """What the items are kept apart by: language and system, or one of them, where there are a few large groups."""
    both = [f"{one} {other}".strip() for one, other in zip(board.languages, board.systems, strict=True)]
    for names in (both, list(board.languages), list(board.systems)):
        counts = Counter(name for name, known in zip(names, judged.tolist(), strict=True) if known)
        if 1 < len(counts) <= MOST_STRATA // 2 and min(counts.values()) >= _LEAST_GROUP:
            return names
    return [""] * len(board.items)
