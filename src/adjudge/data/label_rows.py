"""What a row of a label file says: one label, or those of one person or of several, in any of the layouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from adjudge.core import limits
from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion, Judge
from adjudge.data.human import HUMAN, LABELS, score_object
from adjudge.data.items import columns_of
from adjudge.data.label_columns import ANNOTATOR, BY, COMMENT, CRITERION, OWN, VALUE
from adjudge.data.strict_json import parse_json, type_name


class Given(NamedTuple):
    """A value as it stands in the file: whose it is, of what, and in which column."""

    criterion: Criterion
    annotator: str
    value: Any
    comment: str
    column: str


class LabelRows:
    """Reads rows by the names of their columns; `columns` are other names, `overall` derived values that have labels.

    `taken` are the names that the judge's fields have in a dataset.
    """

    def __init__(self, judge: Judge, columns: Mapping[str, str], overall: Sequence[Criterion]) -> None:
        self._judge = judge
        fields = {"id", *(field.name for field in judge.fields)}
        self.fields = {name: column for name, column in columns.items() if name in fields}
        self.taken = {name for field in judge.fields for name in (field.name, *field.aliases)}
        # a field of the judge under the name of a label column is the dataset's, unless another column is named
        self.own = {name: columns.get(name, name) for name in OWN if name in columns or name not in self.taken}
        self.named: dict[str, list[Criterion]] = {}
        for criterion in (*judge.scored, *overall):
            self.named.setdefault(columns.get(criterion.name, criterion.name), []).append(criterion)
        self.overall = [criterion.name for criterion in overall]
        others = (*self.taken, *self.overall)
        self._plain = {name for name in self.named if name not in others or name in columns.values()}
        self._places: dict[tuple[str, ...], list[Given]] = {}

    def is_long(self, row: Mapping[str, Any]) -> bool:
        """Whether the row is one label."""
        return self.own.get(CRITERION) in row

    def given(self, row: Mapping[str, Any], where: str) -> Iterator[Given]:
        """The labels of a row; cells that are empty are none."""
        return self._long(row, where) if self.is_long(row) else self._wide(row, where)

    def get(self, row: Mapping[str, Any], name: str) -> Any:
        """What a row has in one of the label's own columns."""
        return row.get(self.own[name]) if name in self.own else None

    def _long(self, row: Mapping[str, Any], where: str) -> Iterator[Given]:
        """A row that is one label."""
        if self.own.get(VALUE) not in row:
            raise DataError(f"there is no column `{self.own.get(VALUE, VALUE)}`", where=where, hint=columns_of(row))
        value, name = self.get(row, VALUE), str(self.get(row, CRITERION) or "").strip()
        if is_empty(value):
            return
        person, comment = name_of(self.get(row, ANNOTATOR), ANNOTATOR, where), _text(self.get(row, COMMENT))
        for criterion in self._criteria(name, f"`{self.own[CRITERION]}`", where):
            column = self.own[VALUE]
            yield Given(criterion, person, value, comment, column)

    def _wide(self, row: Mapping[str, Any], where: str) -> Iterator[Given]:
        """A row with labels of one person or of several: in `labels`, `coverage@anna`, `human.coverage`, `coverage`.

        The first of these that the row has for a criterion counts.
        """
        person, comment = name_of(self.get(row, ANNOTATOR), ANNOTATOR, where), _text(self.get(row, COMMENT))
        had: set[str] = set()
        for one in self._together(row, person, comment, where):
            had.add(one.criterion.name)
            yield one
        names = tuple(row)
        if (places := self._places.get(names)) is None:
            places = self._places[names] = list(self._found_places(names, where))
        for place in places:
            if is_empty(row[place.column]) or (place.criterion.name in had and not place.annotator):
                continue
            had.add(place.criterion.name)
            own = row.get(f"{self.own.get(COMMENT, COMMENT)}{BY}{place.annotator}") if place.annotator else None
            said = comment if own is None else _text(own)
            yield Given(place.criterion, place.annotator or person, row[place.column], said, place.column)

    def _found_places(self, names: Iterable[str], where: str) -> Iterator[Given]:
        """The columns that hold labels, in the order in which they count, with no value yet."""
        ranked: tuple[list[Given], list[Given], list[Given]] = ([], [], [])
        for column in names:
            human = column.startswith(HUMAN)
            name, by, person = column.removeprefix(HUMAN).partition(BY)
            if not (human or (self._ours(column, name) if by else name in self._plain)):
                continue
            for criterion in self._criteria(name, f"the name of the column `{column[:80]}`", where):
                whose = name_of(person, ANNOTATOR, where)
                ranked[0 if by else 1 if human else 2].append(Given(criterion, whose, None, "", column))
        for places in ranked:
            yield from places

    def _ours(self, column: str, name: str) -> bool:
        """Whether a column with a person in its name is a label, not a comment or a field of the dataset."""
        return name != self.own.get(COMMENT) and column not in self.fields.values()

    def _together(self, row: Mapping[str, Any], whose: str, said: str, where: str) -> Iterator[Given]:
        """The labels of an object `labels`, or of a list of such objects, one for each person.

        `whose` and `said` are the person and the comment of the row, for an object that has none of its own.
        """
        value, column = self.get(row, LABELS), self.own.get(LABELS, LABELS)
        if is_empty(value):
            return
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = parse_json(value, where, lambda error: f"{where}, `{column}`, column {error.colno}")
        several = isinstance(value, list)
        for number, each in enumerate(value if several else [value], 1):
            at = f"{column}[{number}]" if several else column
            scores = dict(score_object(each, f"`{at}`", where) or {})
            person = name_of(scores.pop(ANNOTATOR, str(number) if several else None), ANNOTATOR, where) or whose
            comment = _text(scores.pop(COMMENT, None)) or said
            for name, score in scores.items():
                for criterion in self._criteria(name, f"`{at}`", where):
                    if not is_empty(score):
                        yield Given(criterion, person, score, comment, f"{at}.{name}")

    def _criteria(self, name: str, column: str, where: str) -> list[Criterion]:
        if name not in self.named:
            raise DataError(
                f"{column} has `{name[:80]}`, which is no scored criterion of `{self._judge.name}`",
                where=where,
                hint=f"its scored criteria: {', '.join(self.named)}; --map CRITERION=NAME for another name",
            )
        return self.named[name]

    def says(self, column: str) -> bool:
        """Whether a column of a row is part of a label, and no part of the dataset's row."""
        name = column.removeprefix(HUMAN).partition(BY)[0]
        ours = name in (self._plain if name == column else self.named)
        return column in self.own.values() or ours or name == self.own.get(COMMENT)


def is_empty(value: Any) -> bool:
    """Whether a cell says nothing."""
    return value is None or (isinstance(value, str) and not value.strip())


def name_of(value: Any, what: str, where: str) -> str:
    """A short name, as text; empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise DataError(
            f"`{what}` must be a text or a whole number, not {type_name(value)}", where=where, hint="correct the row"
        )
    name = str(value).strip() if what == ANNOTATOR else str(value)
    if len(name) > limits.NAME_CHARS:
        raise DataError(f"`{what}` is longer than {limits.NAME_CHARS} characters", where=where, hint="shorten it")
    return name


def _text(value: Any) -> str:
    return "" if value is None else str(value)
