"""What people said of the texts of a run: from a file, or from the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any, NamedTuple

from adjudge.api.stored import StoredRun, stored_item
from adjudge.core.counted import counted
from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion
from adjudge.core.labels import Label
from adjudge.core.records import Verdict
from adjudge.core.scale import Scale
from adjudge.data.label_columns import parse_label_map
from adjudge.data.label_texts import Shown, Texts, other_field, texts_of
from adjudge.data.labels import LabelFile, read_label_file
from adjudge.data.rows import Upload
from adjudge.data.sampled import candidate_code, candidate_names, is_code
from adjudge.report.verdicts import candidates_of
from adjudge.stats.board import Axis
from adjudge.store.codec import load_object
from adjudge.store.store import open_store
from adjudge.store.url import with_store

#: How many ids an error lists.
_SHOWN = 5

#: A file, one that was sent, or rows from Python.
Source = str | PathLike[str] | Upload | Iterable[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Labels with a number, of items that the run has; `elsewhere` counts the labelled items that it lacks.

    `other_texts` has an error for each row whose texts are not those that the run judged: its labels are left out.
    `misspelled` are columns that were not read, with the criterion that each may be meant to be.
    """

    labels: list[Label]
    elsewhere: int = 0
    other_texts: tuple[DataError, ...] = ()
    misspelled: Mapping[str, str] = field(default_factory=dict)


def find_labels(
    run: StoredRun, labels: Source | None, *, columns: Sequence[str] = (), overall: Sequence[Axis] = ()
) -> Found:
    """The labels of a file, or those in the store if there is none, for items of this run; none at all is an error.

    `overall` are derived values that may have labels.
    """
    values = [
        Criterion(name=one.name, kind="rating", scale=Scale(min=int(one.low), max=int(one.high), whole=False))
        for one in overall
        if one.low == int(one.low) and one.high == int(one.high)
    ]
    said = _read(run, labels, columns, values)
    scored = {criterion.name for criterion in (*run.judge.scored, *values)}
    usable = [
        (one, place)
        for one, place in zip(said.file.labels, said.file.places, strict=True)
        if one.criterion in scored and isinstance(one.value, int | float)
    ]
    found, _ = _of_this_run(run, labels, said, usable)
    remarks = {(one.item, one.annotator): one.comment for one in said.file.labels if not one.criterion}
    commented = [
        replace(one, comment=one.comment or remarks.get((one.item, one.annotator), "")) for one in found.labels
    ]
    return replace(found, labels=_with_candidates(run, commented, labels))


def labels_to_import(run: StoredRun, labels: Source, *, columns: Sequence[str] = (), raw: bool = False) -> Found:
    """The labels of a file with all that people said in it, also that they would not, for items of this run.

    `raw`: no cell of the table was kept from being a formula.
    """
    said = _read(run, labels, columns, (), raw=raw)
    found, places = _of_this_run(run, labels, said, list(zip(said.file.labels, said.file.places, strict=True)))
    if run.judge.layout != "compare":
        return found
    names: dict[str, tuple[str, ...]] = {}
    with open_store(run.store, create=False) as store:
        for item in {one.item for one in found.labels}:
            names[item] = candidate_names(run.judge, stored_item(run.judge, store.judged_body(run.id, item) or "{}"))
    return replace(
        found, labels=[_named(one, names[one.item], at) for one, at in zip(found.labels, places, strict=True)]
    )


def _named(label: Label, names: Sequence[str], where: str) -> Label:
    """The label under the candidate's name, where a sample's code stands for it."""
    if not label.candidate or label.candidate in names:
        return label
    for name in names:
        if label.candidate == candidate_code(label.item, name):
            return replace(label, candidate=name)
    raise DataError(
        f"`candidate` is `{label.candidate[:80]}`, which item `{label.item[:80]}` does not have",
        where=where,
        hint=f"its candidates: {', '.join(names)}",
    )


class _Said(NamedTuple):
    """What was read, and the ids of the run's items."""

    file: LabelFile
    items: Mapping[str, None]


def _read(
    run: StoredRun, labels: Source | None, columns: Sequence[str], overall: Sequence[Criterion], *, raw: bool = False
) -> _Said:
    with open_store(run.store, create=False) as store:
        items = {item: None for _, item in store.item_ids(store.state(run.id).run.data_digest)}
        said = list(store.labels(run.id)) if labels is None else []
    if labels is None:
        return _Said(LabelFile(labels=said, places=[""] * len(said), shown={}, misspelled={}), items)
    named = parse_label_map(run.judge, columns, overall=overall)
    path = fspath(labels) if isinstance(labels, PathLike) else labels
    return _Said(read_label_file(run.judge, path, columns=named, known=items, overall=overall, raw=raw), items)


def _of_this_run(
    run: StoredRun, labels: Source | None, said: _Said, usable: Sequence[tuple[Label, str]]
) -> tuple[Found, list[str]]:
    """Labels of items and texts that the run has, and the place of each; none at all is an error."""
    here = [(one, place) for one, place in usable if one.item in said.items]
    if not here:
        raise _nothing(run, labels, [one for one, _ in usable], list(said.items))
    others = _of_other_texts(
        run, {place: shown for place, shown in said.file.shown.items() if shown.item in said.items}
    )
    kept = [(one, place) for one, place in here if place not in others]
    if not kept:
        raise next(iter(others.values()))
    found = Found(
        labels=[one for one, _ in kept],
        elsewhere=len({one.item for one, _ in usable} - said.items.keys()),
        other_texts=tuple(others.values()),
        misspelled=said.file.misspelled,
    )
    return found, [place for _, place in kept]


def _of_other_texts(run: StoredRun, rows: Mapping[str, Shown]) -> dict[str, DataError]:
    """The rows that are labels of another text than the run judged under that id, and what is wrong with each."""
    found: dict[str, DataError] = {}
    judged: dict[tuple[str, str], Texts | None] = {}
    output = {one.name for one in run.judge.with_role("output")}
    with open_store(run.store, create=False) as store:

        def texts(name: str, item: str) -> Texts | None:
            if (name, item) not in judged:
                body = store.judged_body(name, item)
                judged[name, item] = None if body is None else texts_of(run.judge, load_object(body))
            return judged[name, item]

        for where, shown in rows.items():
            own, read = texts(run.id, shown.item) or {}, shown.texts
            if shown.run and shown.run != run.id:
                theirs = texts(shown.run, shown.item)
                if theirs is None and not output & read.keys():
                    raise _unseen(shown, where)
                read = {**(theirs or {}), **read}
            if name := other_field(read, own):
                labelled = f"labelled in run {shown.run[:80]}" if shown.run else "labelled"
                found[where] = DataError(
                    f"item `{shown.item[:80]}` was {labelled} with another `{name}` than it has in run {run.id}",
                    where=where,
                    hint="labels hold for the texts that people read: give those of this run's texts; "
                    f"--map {name}=COLUMN where the text stands in another column",
                )
    return found


def _unseen(shown: Shown, where: str) -> DataError:
    return DataError(
        f"item `{shown.item[:80]}` was labelled in run {shown.run[:80]}, which is not in this store, "
        "and the row does not have the text that was labelled",
        where=where,
        hint="keep the columns of the texts; where the texts are the same, leave the columns sample_… out",
    )


def _nothing(run: StoredRun, labels: Source | None, usable: Sequence[Label], items: Sequence[str]) -> DataError:
    where = _where(labels)
    if not usable:
        return DataError(
            f"run {run.id} has no labels",
            where=where,
            hint=f"`{with_store(f'adjudge label {run.id}', run.store)}` opens a page to label on; "
            "--labels takes a file (docs/labels.md has its formats)",
        )
    theirs = list(dict.fromkeys(one.item for one in usable))
    return DataError(
        f"none of the {counted(len(theirs), 'labelled item')} is of run {run.id}; their ids: {_some(theirs)}",
        where=where,
        hint=f"the run has {_some(items)}; --map id=COLUMN says where the ids stand",
    )


def _with_candidates(run: StoredRun, labels: list[Label], source: Source | None) -> list[Label]:
    """In a comparison every label is of a candidate that the run has, by its name or by its code in a sample."""
    if run.judge.layout != "compare":
        return labels
    unknown, known = dict.fromkeys(one.candidate for one in labels), dict[str, None]()
    coded = dict.fromkeys((one.item, one.candidate) for one in labels if is_code(one.candidate))
    names: dict[tuple[str, str], str] = {}
    for outcome in run.outcomes():
        for name in candidates_of(outcome) if isinstance(outcome, Verdict) else ():
            if name not in known:
                known[name] = None
                unknown.pop(name, None)
                for item, code in coded:
                    if code == candidate_code(item, name):
                        names[item, code] = name
                        unknown.pop(code, None)
        if not unknown:
            break
    if known and unknown:
        names |= _of_failed(run, [one for one in labels if one.candidate in unknown])
        unknown = {one.candidate: None for one in labels if one.candidate in unknown and _place(one) not in names}
    if known and unknown:
        raise DataError(
            f"the labels name the candidate `{next(iter(unknown))[:80]}`, which run {run.id} does not have",
            where=_where(source),
            hint=f"its candidates: {_some(list(known))}",
        )
    return [replace(one, candidate=names.get(_place(one), one.candidate)) for one in labels]


def _of_failed(run: StoredRun, labels: Sequence[Label]) -> dict[tuple[str, str], str]:
    """The names of candidates that no verdict speaks of, as those of an item that failed."""
    found: dict[tuple[str, str], str] = {}
    with open_store(run.store, create=False) as store:
        for one in labels:
            body = store.judged_body(run.id, one.item)
            for name in candidate_names(run.judge, stored_item(run.judge, body)) if body else ():
                if one.candidate in (name, candidate_code(one.item, name)):
                    found[_place(one)] = name
    return found


def _place(label: Label) -> tuple[str, str]:
    return label.item, label.candidate


def _where(labels: Source | None) -> str | None:
    return labels.name if isinstance(labels, Upload) else fspath(labels) if isinstance(labels, str | PathLike) else None


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name[:80]}`" for name in names[:_SHOWN])
    return f"{shown}, …" if len(names) > _SHOWN else shown
