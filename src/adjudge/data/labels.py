"""Human labels from a file: a row for each text with a column for each criterion, or a row for each label."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from adjudge.core import limits
from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion, Judge
from adjudge.core.labels import Label, later_of
from adjudge.data.export import unguarded
from adjudge.data.human import point_of, score_object
from adjudge.data.items import canonical_row, columns_of, make_item
from adjudge.data.label_columns import (
    ANNOTATOR,
    CANDIDATE,
    CRITERION,
    ITEM,
    VALUE,
    misspelled,
)
from adjudge.data.label_export import exported_label, has_more, is_exported
from adjudge.data.label_rows import Given, LabelRows, is_empty, name_of
from adjudge.data.label_texts import Shown, shown_by
from adjudge.data.rows import Upload, read_rows, rows_of


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelFile:
    """Labels with the place of each, what their rows show of the texts, and columns that look like a criterion's."""

    labels: list[Label]
    places: list[str]
    shown: dict[str, Shown]
    misspelled: dict[str, str]


def read_label_file(
    judge: Judge,
    path: str | Upload | Iterable[Mapping[str, Any]],
    *,
    columns: Mapping[str, str] | None = None,
    known: Collection[str] | None = None,
    overall: Sequence[Criterion] = (),
    raw: bool = False,
) -> LabelFile:
    """Every label of a file (or of rows), checked; the first that is wrong raises a DataError that names its place.

    A row without an id has that of its content, with or without its labels: the one of the two that is `known`.
    `overall` are derived values that people may have scored too. A column that merely has the name of one may be
    anything, on any scale, and is no label unless `columns` says so. `raw`: no cell of the table was kept from being a
    formula.
    """
    name = path if isinstance(path, str) else path.name if isinstance(path, Upload) else "the labels"
    guarded = not raw and name.lower().endswith((".csv", ".tsv"))
    reader = _Reader(judge, columns or {}, known, overall, guarded)
    for where, row in read_rows(path) if isinstance(path, str | Upload) else rows_of(path):
        reader.add(row, where)
    if not reader.found:
        raise reader.nothing(name)
    return LabelFile(labels=reader.found, places=reader.rows, shown=reader.shown, misspelled=reader.misspelled())


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
        self._rows = LabelRows(judge, columns, overall)
        self._mapped, self._item = bool(columns), ITEM if ITEM not in self._rows.taken else ""
        #: The number of each label among those found, and the place of each.
        self._seen: dict[tuple[str, str, str, str], int] = {}
        self.rows: list[str] = []
        self.shown: dict[str, Shown] = {}
        self._cells: list[str] = []
        self._columns: dict[str, None] = {}
        self._wide_columns: dict[str, None] = {}
        self._empty = True
        self.found: list[Label] = []

    def add(self, row: Mapping[str, Any], where: str) -> None:
        self._empty = False
        self._columns |= dict.fromkeys(row)
        if is_exported(row) and str(row["criterion"] or "") not in self._rows.overall and not self._mapped:
            self._add_exported(row, where)
            return
        if not self._rows.is_long(row):
            self._wide_columns |= dict.fromkeys(row)
        given = list(self._rows.given(row, where))
        if not given:
            return
        item = self._id(row, where)
        if shown := shown_by(self._judge, item, row, self._rows.fields):
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
        if has_more(row) and (shown := shown_by(self._judge, label.item, row, self._rows.fields)):
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
        close = islice(self.misspelled().items(), limits.COLUMNS_LISTED)
        meant = "".join(f"did you mean `{one}` by `{column[:80]}`? " for column, one in close)
        columns = [column[:80] for column in islice(self._columns, limits.COLUMNS_LISTED)]
        columns += ["…"] if len(self._columns) > len(columns) else []
        own = f"; --map {found}={found} for {found}" if (found := self._lone_overall()) else ""
        return DataError(
            f"no row has a label for any criterion of `{self._judge.name}`; "
            f"the rows have: {', '.join(columns) or 'nothing'}",
            where=name,
            hint=f"{meant}a column `{names[0]}`, or `{CRITERION}` and `{VALUE}`; "
            f"--map {names[0]}=COLUMN for another name; the criteria: {', '.join(names)}{own}",
        )

    def misspelled(self) -> dict[str, str]:
        """Columns that nothing reads and whose names are close to that of a criterion without labels."""
        labelled = {one.criterion for one in self.found}
        wanted = [name for name, criteria in self._rows.named.items() if not labelled & {one.name for one in criteria}]
        wanted = [name for name in wanted if name not in self._rows.overall and name not in self._wide_columns]
        rows = self._rows
        read = {"id", ITEM, *rows.taken, *rows.fields.values(), *rows.own.values(), *rows.overall}
        unread = (name for name in self._wide_columns if name not in read and name not in self._rows.named)
        return misspelled(unread, wanted)

    def _lone_overall(self) -> str:
        """A derived value that has a column of its name."""
        return next((name for name in self._rows.overall if name in self._columns), "")

    def _by_candidate(self, one: Given, row: Mapping[str, Any], where: str) -> Iterator[tuple[str, float]]:
        who, what = unguarded(str(self._rows.get(row, CANDIDATE) or "").strip()), f"`{one.column}`"
        if self._judge.layout != "compare":
            if who and self._rows.own.get(CRITERION) in row:
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
                if not is_empty(value):
                    yield name, point_of(one.criterion, value, f"{what} of `{name[:80]}`", where)

    def _id(self, row: Mapping[str, Any], where: str) -> str:
        """The row's own id, or the one that `adjudge run` gives to a row of this content."""
        own = self._rows.fields.get("id", "id")
        if self._item and own == "id" and row.get("id") is None and not is_empty(row.get(self._item)):
            return self._unguarded(name_of(row[self._item], ITEM, where))
        if not is_empty(row.get(own)):
            return self._unguarded(name_of(row[own], "id", where))
        whole = canonical_row(self._judge, {k: v for k, v in row.items() if k != self._item}, where, self._rows.fields)
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
        bare = {name: value for name, value in whole.items() if not self._rows.says(name)}
        return make_item(self._judge, bare, where, fewest=0).id

    def _unguarded(self, item: str) -> str:
        """An id that was kept from being a formula of a spreadsheet, as it was."""
        bare = unguarded(item)
        return bare if self._known is not None and bare in self._known and self._guarded else item
