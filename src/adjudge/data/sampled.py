"""The file that people label: a row for each text, with empty cells for what they say, and how it was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.core.errors import DataError
from adjudge.core.judge import Judge
from adjudge.data.export import dumps, unguarded
from adjudge.data.human import HUMAN

#: How a row was chosen: from which run, with which seed, in which stratum of how many items, for how many it stands.
RUN, SEED, STRATUM, SIZE, WEIGHT = "sample_run", "sample_seed", "sample_stratum", "sample_size", "sample_weight"
#: What a person is not shown: who wrote a text, and what others wrote.
_HIDDEN = ("system", "peers")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """How one item was chosen."""

    run: str
    seed: int
    stratum: str
    size: int
    weight: float


def rows_to_label(judge: Judge, item: str, row: Mapping[str, Any], place: Place) -> Iterator[dict[str, Any]]:
    """The rows of one item, one for each candidate where there are several texts; nothing of any verdict."""
    shown = {one.name: _cell(row.get(one.name)) for one in judge.fields if one.role not in _HIDDEN}
    taken = {"id", "candidate", *shown}
    names = [f"{HUMAN}{one.name}" if one.name in taken else one.name for one in judge.scored]
    empty = dict.fromkeys([*names, *(name for name in ("annotator", "comment") if name not in taken)], "")
    chosen = {RUN: place.run, SEED: place.seed, STRATUM: place.stratum, SIZE: place.size, WEIGHT: place.weight}
    answers = next((one.name for one in judge.fields if one.type == "answers"), "")
    if judge.layout != "compare":
        yield {"id": item, **shown, **empty, **chosen}
        return
    for name, text in (row.get(answers) or {}).items():
        yield {"id": item, "candidate": name, **shown, answers: _cell(text), **empty, **chosen}


def _cell(value: Any) -> Any:
    """Text as it is; what a table has no cell for, as JSON."""
    return "" if value is None else value if isinstance(value, str | int | float) else dumps(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """What a label file says of how its items were chosen: the run, and the stratum of each item with its size."""

    run: str
    strata: Mapping[str, tuple[str, str]]

    def stratum(self, item: str) -> tuple[str, str] | None:
        """Name and size of the stratum that an item was chosen from; None where it was not chosen."""
        return self.strata.get(unguarded(item))


def chosen_by(rows: Iterable[tuple[str, Mapping[str, Any]]], id_columns: Sequence[str]) -> Chosen | None:
    """The choice that a label file is of; None where its rows do not say. Rows of two runs are an error."""
    runs: dict[str, str] = {}
    strata: dict[str, tuple[str, str]] = {}
    for where, row in rows:
        run, stratum, size = (str(row.get(name) or "").strip() for name in (RUN, STRATUM, SIZE))
        item = next((row[name] for name in id_columns if row.get(name) is not None), None)
        if run and stratum and item is not None:
            runs.setdefault(run, where)
            strata[unguarded(str(item))] = (unguarded(stratum), size.partition(".")[0])
    if len(runs) > 1:
        one, other, *_ = runs
        raise DataError(
            f"`{RUN}` names two runs: `{one[:80]}` ({runs[one]}) and `{other[:80]}`",
            where=runs[other],
            hint="items are chosen from one run: give the labels of one, or leave these columns out",
        )
    return Chosen(run=next(iter(runs)), strata=strata) if runs else None
