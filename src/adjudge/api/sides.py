"""What is compared: runs, the candidates of a run, or its systems; and which of their items belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge.api.boards import boards
from adjudge.api.stored import StoredRun
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.runs import RunState
from adjudge.stats.board import Board, Floats, Ints, Keys, numbered

By: TypeAlias = Literal["run", "candidate", "system"]
Pairing: TypeAlias = Literal["id", "source", "query"]
#: With more names than this a field is no name of a system, and nobody reads the matrix.
SIDES_MAX = 50


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Side:
    """One of what is compared: its name, the run that judged it, and its scores."""

    name: str
    run: StoredRun
    state: RunState
    board: Board


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Units:
    """What the sides have in common: items by their ids, sources or questions; the order of the rows decides nothing.

    `places` has, for each side, the side's row at each unit, or -1; by source the first of its rows there. `columns`
    are the sides' numbers at the units; a source of which a side has several texts has their mean, or a gap where one
    of them has. `clusters` numbers the units by their source texts; it is None where each has its own.
    """

    by: Pairing
    names: Sequence[str]
    places: tuple[Ints, ...]
    columns: tuple[Mapping[str, Floats], ...]
    clusters: Ints | None
    #: How many units have other source texts on different sides, though the same id.
    other_source: int = 0
    #: How many units have other golden answers on different sides.
    other_reference: int = 0


def sides_of(runs: Sequence[StoredRun], by: By | None) -> tuple[By, list[Side]]:
    """The sides of several runs, or of a single one: its candidates or, where it has none, its systems."""
    states = [run.state for run in runs]
    if twice := next(
        (one.run.id for at, one in enumerate(states) if one.run.id in [s.run.id for s in states[:at]]), ""
    ):
        raise ConfigError(f"run {twice} is given twice", hint="a run is compared with others")
    _check_layouts(runs, states)
    found = [boards(run, rows=True, languages=False) for run in runs]
    if by is None:
        compared = any(run.judge.layout == "compare" for run in runs)
        by = "candidate" if compared else "run" if len(runs) > 1 else "system"
    parts = []
    for run, state, own in zip(runs, states, found, strict=True):
        split = list(_split(run, own, by))
        if not split and len(runs) > 1:
            why = "nothing was judged" if by == "candidate" else "none of its rows names its `system`"
            hint = f"leave out the run, or {'resume it' if by == 'candidate' else '--by: whole runs are then compared'}"
            raise ConfigError(f"{_named(state, states)} has no {by}s to compare: {why}", hint=hint)
        parts += [(name, run, state, board) for name, board in split]
    several = Counter(name for name, *_ in parts)
    sides = []
    for name, run, state, board in parts:
        shown = name if several[name] == 1 else "/".join(filter(None, (_named(state, states), name)))
        sides.append(Side(name=shown, run=run, state=state, board=board))
    _check(runs, sides, by)
    return by, sides


def _named(state: RunState, states: Sequence[RunState]) -> str:
    """A run by its name, or by its id where it has none or another run has the same."""
    name = state.run.name
    return name if name and sum(one.run.name == name for one in states) == 1 else state.run.id


def _check_layouts(runs: Sequence[StoredRun], states: Sequence[RunState]) -> None:
    """A judge of single texts and one of candidates beside each other have no sides in common."""
    for run, state in zip(runs, states, strict=True):
        if (run.judge.layout == "compare") != (runs[0].judge.layout == "compare"):
            first = states[0]
            raise ConfigError(
                f"{_named(first, states)} and {_named(state, states)} can't be compared: they were judged by two "
                f"different judges, {first.run.judge} and {state.run.judge}",
                hint="compare runs of one judge",
            )


def _split(run: StoredRun, own: Sequence[Board], by: By) -> Iterator[tuple[str, Board]]:
    compared = run.judge.layout == "compare"
    if compared and by != "candidate":
        raise ConfigError(f"run {run.id} has candidates to compare, not {by}s", hint="leave out --by")
    if by == "candidate" and not compared:
        why = f"its judge, {run.judge.name}, rates one text at a time"
        raise ConfigError(f"run {run.id} has no candidates to compare: {why}", hint="leave out --by")
    if by != "system":
        yield from ((board.candidate, board) for board in own)
        return
    for board in own:
        systems = np.array(board.systems, dtype=object)
        for name in sorted(set(board.systems) - {""}):
            yield name, _part(board, systems == name)


def _part(board: Board, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Board:
    """Some items of a board."""
    places = np.flatnonzero(rows)
    return replace(
        board,
        items=[board.items[place] for place in places.tolist()],
        columns={name: column[places] for name, column in board.columns.items()},
        trials={name: values[places] for name, values in board.trials.items()},
        sources=None if board.sources is None else board.sources[places],
        queries=None if board.queries is None else board.queries[places],
        texts=None if board.texts is None else board.texts[places],
        references=None if board.references is None else board.references[places],
        clusters=None if board.clusters is None else board.clusters[places],
        languages=(),
        systems=[board.systems[place] for place in places.tolist()],
    )


def _check(runs: Sequence[StoredRun], sides: Sequence[Side], by: By) -> None:
    if len(sides) < 2:
        raise ConfigError(
            f"there is nothing to compare run {runs[0].id} with",
            hint="give a second run, or judge rows that name their `system`, or several answers to each question",
        )
    if len(sides) > SIDES_MAX:
        what = {"run": "runs", "candidate": "candidates", "system": "systems"}[by]
        raise ConfigError(f"{len(sides)} {what} are too many to compare", hint=f"at most {SIDES_MAX} at once")
    first = sides[0]
    for side in sides[1:]:
        ours, theirs = _scales(first.board), _scales(side.board)
        if ours != theirs:
            names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
            raise ConfigError(
                f"{first.name} and {side.name} can't be compared: the judges {first.state.run.judge} and "
                f"{side.state.run.judge} have other criteria or scales ({', '.join(names)})",
                hint="compare runs of one judge",
            )


def _scales(board: Board) -> dict[str, tuple[float, float, str]]:
    return {axis.name: (axis.low, axis.high, axis.better) for axis in board.axes if not axis.derived}


def aligned(sides: Sequence[Side], by: By) -> Units:
    """The units of all sides: by item id, or by source or question where that pairs more of them.

    Systems of one run are paired by source: their ids differ.
    """
    found: dict[Pairing, list[frozenset[str]] | list[frozenset[int]]] = {}
    if by != "system":
        found["id"] = [frozenset(side.board.items) for side in sides]
    ways: tuple[Pairing, ...] = ("source", "query")
    for way in ways:
        keys = [_keys(side.board, way) for side in sides]
        if all(own is not None for own in keys):
            found[way] = [frozenset(own.tolist()) for own in keys if own is not None]
    if not found:
        raise ConfigError("systems are paired by source, and this judge's rows have none", hint="compare runs")
    chosen = max(found, key=lambda way: _met(found[way]))
    for (one, ours), (other, theirs) in combinations(zip(sides, found[chosen], strict=True), 2):
        if not ours & theirs:
            raise DataError(
                f"{one.name} and {other.name} have no item in common: neither ids nor source texts are the same",
                hint="judge the same items on both sides, and give the rows that belong together the same `id`",
            )
    return _by_id(sides) if chosen == "id" else _by_key(sides, chosen)


def _met(keys: Sequence[frozenset[str]] | Sequence[frozenset[int]]) -> int:
    """How many units the pairs of sides have in common."""
    return sum(len(one & other) for one, other in combinations(keys, 2))


def _keys(board: Board, way: Pairing) -> Keys | None:
    return board.sources if way == "source" else board.queries


def _by_id(sides: Sequence[Side]) -> Units:
    names = sorted({name for side in sides for name in side.board.items})
    number = {name: place for place, name in enumerate(names)}
    places, columns = [], []
    for side in sides:
        rows = np.full(len(names), -1, dtype=np.int64)
        units = np.fromiter((number[name] for name in side.board.items), dtype=np.int64, count=len(side.board.items))
        rows[units] = np.arange(len(units))
        places.append(rows)
        columns.append({name: _taken(column, rows) for name, column in side.board.columns.items()})
    known = np.stack([rows >= 0 for rows in places])
    sources, queries = (_placed([_keys(side.board, way) for side in sides], places) for way in ("source", "query"))
    if queries is not None:
        # by design other texts may be found for a question
        _check_ids(sides, known, queries, "question")
    elif sources is not None:
        _check_ids(sides, known, sources, "source text")
    return Units(
        by="id",
        names=names,
        places=tuple(places),
        columns=tuple(columns),
        clusters=_clusters(sides, places),
        other_source=_differing(sources, places),
        other_reference=_other_reference(sides, places),
    )


def _clusters(sides: Sequence[Side], places: Sequence[Ints]) -> Ints | None:
    """The units by the source texts that the first side has there."""
    texts = np.zeros(len(places[0]), dtype=np.uint64)
    for side, rows in reversed(list(zip(sides, places, strict=True))):
        if side.board.texts is not None:
            texts[rows >= 0] = side.board.texts[rows[rows >= 0]]
    return numbered(texts)


def _placed(given: Sequence[Keys | None], places: Sequence[Ints]) -> Keys | None:
    """The keys of the sides' texts at the units, a line a side; None where a side has none."""
    found = [keys for keys in given if keys is not None]
    if len(found) < len(given):
        return None
    return np.stack([np.append(keys, np.uint64(0))[rows] for keys, rows in zip(found, places, strict=True)])


def _differing(keys: Keys | None, places: Sequence[Ints]) -> int:
    """At how many units the sides that have them have other keys."""
    if keys is None:
        return 0
    known = np.stack([rows >= 0 for rows in places])
    first = keys[known.argmax(axis=0), np.arange(keys.shape[1])]
    return int((known & (keys != first)).any(axis=0).sum())


def _other_reference(sides: Sequence[Side], places: Sequence[Ints]) -> int:
    return _differing(_placed([side.board.references for side in sides], places), places)


def _check_ids(sides: Sequence[Side], known: np.ndarray[Any, np.dtype[np.bool_]], keys: Keys, what: str) -> None:
    """The same ids with mostly other texts are numbers of rows, not of items."""
    for one, other in combinations(range(len(sides)), 2):
        both = known[one] & known[other]
        paired, off = int(both.sum()), int((both & (keys[one] != keys[other])).sum())
        if 2 * off > paired:
            raise DataError(
                f"{sides[one].name} and {sides[other].name} have the same ids for other items: {off} of {paired} items "
                f"with the same id have another {what}",
                hint="give the rows that belong together the same `id`; or leave the ids out, and judge again: rows "
                f"with the same {what} are then paired",
            )


def _taken(column: Floats, rows: Ints) -> Floats:
    return np.append(column, np.nan)[rows]


def _by_key(sides: Sequence[Side], way: Pairing) -> Units:
    found = [keys for side in sides if (keys := _keys(side.board, way)) is not None]
    every = np.unique(np.concatenate(found))
    names = [""] * len(every)
    places, columns = [], []
    for side, keys in zip(sides, found, strict=True):
        # in the order of the ids, so that no bit of a mean depends on that of the rows
        order = np.array(sorted(range(len(side.board.items)), key=side.board.items.__getitem__), dtype=np.int64)
        units = np.searchsorted(every, keys[order])
        counts = np.bincount(units, minlength=len(every))
        rows = np.full(len(every), -1, dtype=np.int64)
        # backwards, so that the first of several stays
        rows[units[::-1]] = order[::-1]
        places.append(rows)
        own = {}
        for name, column in side.board.columns.items():
            with np.errstate(invalid="ignore"):
                own[name] = np.bincount(units, weights=column[order], minlength=len(every)) / counts
        columns.append(own)
        for unit, row in enumerate(rows.tolist()):
            if row >= 0:
                item = side.board.items[row]
                names[unit] = min(names[unit] or item, item)
    return Units(
        by=way,
        names=names,
        places=tuple(places),
        columns=tuple(columns),
        clusters=_clusters(sides, places),
        other_reference=_other_reference(sides, places),
    )
