"""Human labels from a file: a row for each text with a column for each criterion, or a row for each label."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from adjudge.core import limits
from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.labels import Label, later_of
from adjudge.data.export import unguarded
from adjudge.data.human import HUMAN, LABELS, point_of, score_object
from adjudge.data.items import canonical_row, columns_of, make_item
from adjudge.data.label_columns import (
    ANNOTATOR,
    BY,
    CANDIDATE,
    COMMENT,
    CRITERION,
    ITEM,
    OWN,
    VALUE,
    misspelled,
)
from adjudge.data.label_export import exported_label, has_more, is_exported
from adjudge.data.label_texts import Shown, shown_by
from adjudge.data.rows import Upload, read_rows, rows_of
from adjudge.data.strict_json import parse_json, type_name


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelFile:
    """Labels with the place of each, what their rows show of the texts, and columns that look like a criterion's."""

    labels: list[Label]
    places: list[str]
    shown: dict[str, Shown]
    misspelled: dict[str, str]


def read_labels(
    judge: Judge,
    path: str | Upload | Iterable[Mapping[str, Any]],
    *,
    columns: Mapping[str, str] | None = None,
    known: Collection[str] | None = None,
    overall: Sequence[Criterion] = (),
) -> list[Label]:
    """Every label of a file (or of rows), checked; the first that is wrong raises a DataError that names its place.

    A row without an id has that of its content, with or without its labels: the one of the two that is `known`.
    `overall` are derived values that people may have scored too. A column that merely has the name of one may be
    anything, on any scale, and is no label unless `columns` says so.
    """
    return read_label_file(judge, path, columns=columns, known=known, overall=overall).labels


def read_label_file(
    judge: Judge,
    path: str | Upload | Iterable[Mapping[str, Any]],
    *,
    columns: Mapping[str, str] | None = None,
    known: Collection[str] | None = None,
    overall: Sequence[Criterion] = (),
    raw: bool = False,
) -> LabelFile:
    """The same, with what else the rows tell; `raw`: no cell of the table was kept from being a formula."""
    name = path if isinstance(path, str) else path.name if isinstance(path, Upload) else "the labels"
    guarded = not raw and name.lower().endswith((".csv", ".tsv"))
    reader = _Reader(judge, columns or {}, known, overall, guarded)
    for where, row in read_rows(path) if isinstance(path, str | Upload) else rows_of(path):
        reader.add(row, where)
    if not reader.found:
        raise reader.nothing(name)
    return LabelFile(labels=reader.found, places=reader.rows, shown=reader.shown, misspelled=reader.misspelled())


class _Given(NamedTuple):
    """A value as it stands in the file: whose it is, of what, and in which column."""

    criterion: Criterion
    annotator: str
    value: Any
    comment: str
    column: str


class _Reader:
    """Gathers labels row by row and refuses a second one of the same person for the same place."""

    def __init__(
        self,
        judge: Judge,
        columns: Mapping[str, str],
        known: Collection[str] | None,
        overall: Sequence[Criterion],
        guarded: bool,
    ) -> None:
        self._judge, self._known, self._guarded = judge, known, guarded
        fields = {"id", *(field.name for field in judge.fields)}
        self._fields = {name: column for name, column in columns.items() if name in fields}
        self._mapped = bool(columns)
        # a field of the judge under the name of a label column is the dataset's, unless another column is named
        taken = {name for field in judge.fields for name in (field.name, *field.aliases)}
        self._own = {name: columns.get(name, name) for name in OWN if name in columns or name not in taken}
        self._named: dict[str, list[Criterion]] = {}
        for criterion in (*judge.scored, *overall):
            self._named.setdefault(columns.get(criterion.name, criterion.name), []).append(criterion)
        self._overall = [criterion.name for criterion in overall]
        self._plain = {name for name in self._named if name not in (*taken, *self._overall) or name in columns.values()}
        self._item = ITEM if ITEM not in taken else ""
        self._places: dict[tuple[str, ...], list[_Given]] = {}
        #: The number of each label among those found, and the place of each.
        self._seen: dict[tuple[str, str, str, str], int] = {}
        self.rows: list[str] = []
        self.shown: dict[str, Shown] = {}
        self._cells: list[str] = []
        self._columns: dict[str, None] = {}
        self._wide_columns: dict[str, None] = {}
        self._empty = True
        self._taken = {"id", ITEM, *taken, *self._fields.values(), *self._own.values(), *self._overall}
        self.found: list[Label] = []

    def add(self, row: Mapping[str, Any], where: str) -> None:
        self._empty = False
        self._columns |= dict.fromkeys(row)
        if is_exported(row) and str(row["criterion"] or "") not in self._overall and not self._mapped:
            self._add_exported(row, where)
            return
        long = self._own.get(CRITERION) in row
        if not long:
            self._wide_columns |= dict.fromkeys(row)
        given = list(self._long(row, where) if long else self._wide(row, where))
        if not given:
            return
        item = self._id(row, where)
        if shown := shown_by(self._judge, item, row, self._fields):
            self.shown[where] = shown
        for one in given:
            for candidate, value in self._by_candidate(one, row, where):
                label = Label(
                    item=item,
                    candidate=candidate,
                    criterion=one.criterion.name,
                    annotator=one.annotator,
                    value=value,
                    comment=one.comment,
                )
                self._keep(label, where, one.column)

    def _add_exported(self, row: Mapping[str, Any], where: str) -> None:
        """A row as `adjudge label --export` writes it."""
        label = exported_label(self._judge, row, where, guarded=self._guarded)
        if label is None or (label.value is None and not label.added):
            return
        if self._known is not None and label.item not in self._known:
            label = replace(label, item=str(row[ITEM]))  # a table that nothing was kept from
        if has_more(row) and (shown := shown_by(self._judge, label.item, row, self._fields)):
            self.shown[where] = shown
        self._keep(label, where, VALUE)

    def _keep(self, label: Label, where: str, column: str) -> None:
        place = label.place
        if place in self._seen and label.added and self.found[self._seen[place]].added:
            # of all that a person said of a place, with the times, the last word counts
            self.found[self._seen[place]] = later_of(self.found[self._seen[place]], label)
            return
        if place in self._seen:
            first, other = self.rows[self._seen[place]], self._cells[self._seen[place]]
            whose = f"by `{label.annotator}`" if label.annotator else "by nobody in particular"
            of = f"`{label.candidate}` of item `{label.item}`" if label.candidate else f"item `{label.item}`"
            raise DataError(
                f"{of} is labelled twice {whose}: `{label.criterion}`, in the column `{column}`",
                where=where,
                hint=f"first at {first}, `{other}`; remove one, or say whose each is in a column `{ANNOTATOR}`",
            )
        self._seen[place] = len(self.found)
        self.rows.append(where)
        self._cells.append(column)
        self.found.append(label)

    def nothing(self, name: str) -> DataError:
        """What to say where no row has a label."""
        names = [criterion.name for criterion in self._judge.scored]
        if self._empty:
            return DataError(
                "there are no rows", where=name, hint=f"a row for each text, with its `id` and a column `{names[0]}`"
            )
        meant = "".join(f"did you mean `{one}` by `{column[:80]}`? " for column, one in self.misspelled().items())
        own = f"; --map {found}={found} for {found}" if (found := self._lone_overall()) else ""
        return DataError(
            f"no row has a label for any criterion of `{self._judge.name}`; "
            f"the rows have: {', '.join(self._columns) or 'nothing'}",
            where=name,
            hint=f"{meant}a column `{names[0]}`, or `{CRITERION}` and `{VALUE}`; "
            f"--map {names[0]}=COLUMN for another name; the criteria: {', '.join(names)}{own}",
        )

    def misspelled(self) -> dict[str, str]:
        """Columns that nothing reads and whose names are close to that of a criterion without labels."""
        labelled = {one.criterion for one in self.found}
        wanted = [name for name, criteria in self._named.items() if not labelled & {one.name for one in criteria}]
        wanted = [name for name in wanted if name not in self._overall and name not in self._wide_columns]
        unread = (name for name in self._wide_columns if name not in self._taken and name not in self._named)
        return misspelled(unread, wanted)

    def _lone_overall(self) -> str:
        """A derived value that has a column of its name."""
        return next((name for name in self._overall if name in self._columns), "")

    def _get(self, row: Mapping[str, Any], name: str) -> Any:
        return row.get(self._own[name]) if name in self._own else None

    def _long(self, row: Mapping[str, Any], where: str) -> Iterator[_Given]:
        """A row that is one label."""
        if self._own.get(VALUE) not in row:
            raise DataError(f"there is no column `{self._own.get(VALUE, VALUE)}`", where=where, hint=columns_of(row))
        value, name = self._get(row, VALUE), str(self._get(row, CRITERION) or "").strip()
        if _empty(value):
            return
        person, comment = _name(self._get(row, ANNOTATOR), ANNOTATOR, where), _text(self._get(row, COMMENT))
        for criterion in self._criteria(name, f"`{self._own[CRITERION]}`", where):
            column = self._own[VALUE]
            yield _Given(criterion, person, value, comment, column)

    def _wide(self, row: Mapping[str, Any], where: str) -> Iterator[_Given]:
        """A row with labels of one person or of several: in `labels`, `coverage@anna`, `human.coverage`, `coverage`.

        The first of these that the row has for a criterion counts.
        """
        person, comment = _name(self._get(row, ANNOTATOR), ANNOTATOR, where), _text(self._get(row, COMMENT))
        had: set[str] = set()
        for one in self._together(row, person, comment, where):
            had.add(one.criterion.name)
            yield one
        names = tuple(row)
        if (places := self._places.get(names)) is None:
            places = self._places[names] = list(self._found_places(names, where))
        for place in places:
            if _empty(row[place.column]) or (place.criterion.name in had and not place.annotator):
                continue
            had.add(place.criterion.name)
            own = row.get(f"{self._own.get(COMMENT, COMMENT)}{BY}{place.annotator}") if place.annotator else None
            said = comment if own is None else _text(own)
            yield _Given(place.criterion, place.annotator or person, row[place.column], said, place.column)

    def _found_places(self, names: Iterable[str], where: str) -> Iterator[_Given]:
        """The columns that hold labels, in the order in which they count, with no value yet."""
        ranked: tuple[list[_Given], list[_Given], list[_Given]] = ([], [], [])
        for column in names:
            human = column.startswith(HUMAN)
            name, by, person = column.removeprefix(HUMAN).partition(BY)
            if not (human or (self._ours(column, name) if by else name in self._plain)):
                continue
            for criterion in self._criteria(name, f"the name of the column `{column[:80]}`", where):
                whose = _name(person, ANNOTATOR, where)
                ranked[0 if by else 1 if human else 2].append(_Given(criterion, whose, None, "", column))
        for places in ranked:
            yield from places

    def _ours(self, column: str, name: str) -> bool:
        """Whether a column with a person in its name is a label, not a comment or a field of the dataset."""
        return name != self._own.get(COMMENT) and column not in self._fields.values()

    def _together(self, row: Mapping[str, Any], whose: str, said: str, where: str) -> Iterator[_Given]:
        """The labels of an object `labels`, or of a list of such objects, one for each person.

        `whose` and `said` are the person and the comment of the row, for an object that has none of its own.
        """
        value, column = self._get(row, LABELS), self._own.get(LABELS, LABELS)
        if _empty(value):
            return
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = parse_json(value, where, lambda error: f"{where}, `{column}`, column {error.colno}")
        several = isinstance(value, list)
        for number, each in enumerate(value if several else [value], 1):
            at = f"{column}[{number}]" if several else column
            scores = dict(score_object(each, f"`{at}`", where) or {})
            person = _name(scores.pop(ANNOTATOR, str(number) if several else None), ANNOTATOR, where) or whose
            comment = _text(scores.pop(COMMENT, None)) or said
            for name, score in scores.items():
                for criterion in self._criteria(name, f"`{at}`", where):
                    if not _empty(score):
                        yield _Given(criterion, person, score, comment, f"{at}.{name}")

    def _criteria(self, name: str, column: str, where: str) -> list[Criterion]:
        if name not in self._named:
            raise DataError(
                f"{column} has `{name[:80]}`, which is no scored criterion of `{self._judge.name}`",
                where=where,
                hint=f"its scored criteria: {', '.join(self._named)}; --map CRITERION=NAME for another name",
            )
        return self._named[name]

    def _by_candidate(self, one: _Given, row: Mapping[str, Any], where: str) -> Iterator[tuple[str, float]]:
        who, what = unguarded(str(self._get(row, CANDIDATE) or "").strip()), f"`{one.column}`"
        if self._judge.layout != "compare":
            if who and self._own.get(CRITERION) in row:
                raise DataError(
                    f"`{CANDIDATE}` is `{who[:80]}`, and `{self._judge.name}` judges one text an item",
                    where=where,
                    hint=f"leave `{CANDIDATE}` empty",
                )
            yield "", point_of(one.criterion, one.value, what, where)
        elif who:
            yield who, point_of(one.criterion, one.value, f"{what} of `{who[:80]}`", where)
        elif isinstance(one.value, int | float) or (isinstance(one.value, str) and "{" not in one.value):
            raise DataError(
                f"{what} does not say which candidate it is of",
                where=where,
                hint=f'a column `{CANDIDATE}`, or an object by candidate: {{"ModelA": 4, "ModelB": 3}}',
            )
        else:
            for name, value in (score_object(one.value, what, where) or {}).items():
                if not _empty(value):
                    yield name, point_of(one.criterion, value, f"{what} of `{name[:80]}`", where)

    def _id(self, row: Mapping[str, Any], where: str) -> str:
        """The row's own id, or the one that `adjudge run` gives to a row of this content."""
        if self._item and not self._fields.get("id") and row.get("id") is None and not _empty(row.get(self._item)):
            return self._unguarded(_name(row[self._item], ITEM, where))
        if self._fields.get("id", "id") in row and not _empty(row[self._fields.get("id", "id")]):
            return self._unguarded(_name(row[self._fields.get("id", "id")], "id", where))
        whole = canonical_row(self._judge, {k: v for k, v in row.items() if k != self._item}, where, self._fields)
        try:
            made = make_item(self._judge, whole, where, fewest=0).id
        except DataError as error:
            raise DataError(
                f"the row does not say which item it is of: it has no `id`, and as a row of the dataset {error.what}",
                where=where,
                hint=f"{columns_of(row)}; --map id=COLUMN for another name",
            ) from None
        if self._known is None or made in self._known:
            return made
        bare = {name: value for name, value in whole.items() if not self._says(name)}
        return make_item(self._judge, bare, where, fewest=0).id

    def _unguarded(self, item: str) -> str:
        """An id that `adjudge sample` kept from being a formula of a spreadsheet, as it was."""
        return item if self._known is None or item in self._known else unguarded(item)

    def _says(self, column: str) -> bool:
        """Whether a column of a row is part of a label, and no part of the dataset's row."""
        name = column.removeprefix(HUMAN).partition(BY)[0]
        ours = name in (self._plain if name == column else self._named)
        return column in self._own.values() or ours or name == self._own.get(COMMENT)


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _name(value: Any, what: str, where: str) -> str:
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
