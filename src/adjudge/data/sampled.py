"""The file that people label: a row for each text, with empty cells for what they say, and how it was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.core.errors import DataError
from adjudge.core.judge import Judge
from adjudge.core.records import Item, digest
from adjudge.data.export import dumps, guarded
from adjudge.data.human import HUMAN

#: How a row was chosen: from which run, with which seed, and a code that the item has there by its stratum.
RUN, SEED, CODE = "sample_run", "sample_seed", "sample_code"
#: What a person is not shown: who wrote a text, and what others wrote.
HIDDEN = ("system", "peers")
#: No vowels and no digits: no code is a word, a number or a date to a spreadsheet.
_LETTERS = "bcdfghjkmnpqrstvwxz"
_CODE_LETTERS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """How items of one stratum were chosen."""

    run: str
    seed: int
    stratum: str
    size: int

    def code(self, item: str) -> str:
        """What stands for the stratum in the file: its name and size would tell the judge's score and the system."""
        return _code("stratum", self.run, item, self.stratum, str(self.size))


def candidate_code(item: str, name: str) -> str:
    """What stands for a candidate of an item in the file, so that people do not know whose text they read."""
    return _code("candidate", item, name)


def candidate_names(judge: Judge, item: Item) -> tuple[str, ...]:
    """The candidates of an item of a comparison; none where an item has one text."""
    return tuple(name for one in judge.fields if one.type == "answers" for name in item.answers(one.name))


def is_code(text: str) -> bool:
    """Whether a text may be a code; a name may look like one."""
    return len(text) == _CODE_LETTERS and set(text) <= set(_LETTERS)


def _code(*about: str) -> str:
    number, letters = int(digest(about)[:16], 16), []
    for _ in range(_CODE_LETTERS):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)


def rows_to_label(judge: Judge, item: str, row: Mapping[str, Any], place: Place) -> Iterator[dict[str, Any]]:
    """The rows of one item, one for each candidate where there are several texts; nothing of any verdict.

    Candidates stand in the order of their codes, which is another one for every item.
    """
    shown = {one.name: _cell(row.get(one.name)) for one in judge.fields if one.role not in HIDDEN}
    taken = {"id", "candidate", *shown}
    names = [f"{HUMAN}{one.name}" if one.name in taken else one.name for one in judge.scored]
    empty = dict.fromkeys([*names, *(name for name in ("annotator", "comment") if name not in taken)], "")
    chosen = {RUN: place.run, SEED: place.seed, CODE: place.code(item)}
    answers = next((one.name for one in judge.fields if one.type == "answers"), "")
    if judge.layout != "compare":
        yield {"id": item, **shown, **empty, **chosen}
        return
    for code, text in sorted((candidate_code(item, name), _cell(text)) for name, text in row[answers].items()):
        yield {"id": item, "candidate": code, **shown, answers: text, **empty, **chosen}


def _cell(value: Any) -> Any:
    """Text as it is; what a table has no cell for, as JSON."""
    return "" if value is None else value if isinstance(value, str | int | float) else dumps(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """What a label file says of how its items were chosen: the run, and the code of each item."""

    run: str
    codes: Mapping[str, str]

    def code(self, item: str) -> str | None:
        """The code that an item was given when it was chosen; None where it was not chosen."""
        return self.codes.get(guarded(item), self.codes.get(item))


def chosen_by(rows: Iterable[tuple[str, Mapping[str, Any]]], id_columns: Sequence[str]) -> Chosen | None:
    """The choice that a label file is of; None where its rows do not say. Rows of two runs are an error."""
    runs: dict[str, str] = {}
    codes: dict[str, str] = {}
    for where, row in rows:
        run, code = (str(row.get(name) or "").strip() for name in (RUN, CODE))
        item = next((row[name] for name in id_columns if row.get(name) is not None), None)
        if run and code and item is not None:
            runs.setdefault(run, where)
            codes[str(item)] = code
    if len(runs) > 1:
        one, other, *_ = runs
        raise DataError(
            f"`{RUN}` names two runs: `{one[:80]}` ({runs[one]}) and `{other[:80]}`",
            where=runs[other],
            hint="items are chosen from one run: give the labels of one, or leave these columns out",
        )
    return Chosen(run=next(iter(runs)), codes=codes) if runs else None
