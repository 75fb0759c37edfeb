"""What people said of the texts of a run: from a file, or from the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any

from adjudge.api.stored import StoredRun
from adjudge.core.counted import counted
from adjudge.core.errors import DataError
from adjudge.core.judge import Criterion
from adjudge.core.labels import Label
from adjudge.core.records import Verdict
from adjudge.core.scale import Scale
from adjudge.data.label_columns import parse_label_map
from adjudge.data.label_texts import Shown, Texts, other_field, texts_of
from adjudge.data.labels import LabelFile, read_label_file
from adjudge.data.sampled import candidate_code, is_code
from adjudge.report.verdicts import candidates_of
from adjudge.stats.board import Axis
from adjudge.store.store import open_store

#: How many ids an error lists.
_SHOWN = 5

#: A file, or rows from Python.
Source = str | PathLike[str] | Iterable[Mapping[str, Any]]


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


def labels_for(run: StoredRun, labels: Source | None, *, columns: Sequence[str] = ()) -> list[Label]:
    """The labels of a file, or those in the store if there is none, for items of this run; none at all is an error."""
    return find_labels(run, labels, columns=columns).labels


def find_labels(
    run: StoredRun, labels: Source | None, *, columns: Sequence[str] = (), overall: Sequence[Axis] = ()
) -> Found:
    """The same, with how many labelled items are not of this run; `overall` are derived values that may have labels."""
    values = [
        Criterion(name=one.name, kind="rating", scale=Scale(min=int(one.low), max=int(one.high), whole=False))
        for one in overall
        if one.low == int(one.low) and one.high == int(one.high)
    ]
    if isinstance(labels, PathLike):
        labels = fspath(labels)
    with open_store(run.store, create=False) as store:
        items = {item: None for _, item, _ in store.items(store.state(run.id).run.data_digest)}
        said = list(store.labels(run.id)) if labels is None else []
    file = LabelFile(labels=said, places=[""] * len(said), shown={}, misspelled={})
    if labels is not None:
        named = parse_label_map(run.judge, columns, overall=values)
        file = read_label_file(run.judge, labels, columns=named, known=items, overall=values)
    scored = {criterion.name for criterion in (*run.judge.scored, *values)}
    usable = [
        (one, place)
        for one, place in zip(file.labels, file.places, strict=True)
        if one.criterion in scored and isinstance(one.value, int | float)
    ]
    here = [(one, place) for one, place in usable if one.item in items]
    if not here:
        raise _nothing(run, labels, [one for one, _ in usable], list(items))
    others = _of_other_texts(run, {place: shown for place, shown in file.shown.items() if shown.item in items})
    found = [one for one, place in here if place not in others]
    if not found:
        raise next(iter(others.values()))
    return Found(
        labels=_with_candidates(run, found, labels),
        elsewhere=len({one.item for one, _ in usable} - items.keys()),
        other_texts=tuple(others.values()),
        misspelled=file.misspelled,
    )


def _of_other_texts(run: StoredRun, rows: Mapping[str, Shown]) -> dict[str, DataError]:
    """The rows that are labels of another text than the run judged under that id, and what is wrong with each."""
    found: dict[str, DataError] = {}
    judged: dict[tuple[str, str], Texts | None] = {}
    output = {one.name for one in run.judge.with_role("output")}
    with open_store(run.store, create=False) as store:

        def texts(name: str, item: str) -> Texts | None:
            if (name, item) not in judged:
                body = store.judged_body(name, item)
                judged[name, item] = None if body is None else texts_of(run.judge, json.loads(body))
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
    where = labels if isinstance(labels, str) else None
    if not usable:
        return DataError(
            f"run {run.id} has no labels",
            where=where,
            hint="give a file with --labels (docs/labels.md has its formats); `adjudge sample` says what to label",
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
        raise DataError(
            f"the labels name the candidate `{next(iter(unknown))[:80]}`, which run {run.id} does not have",
            where=source if isinstance(source, str) else None,
            hint=f"its candidates: {', '.join(known)}",
        )
    return [replace(one, candidate=names.get((one.item, one.candidate), one.candidate)) for one in labels]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name[:80]}`" for name in names[:_SHOWN])
    return f"{shown}, …" if len(names) > _SHOWN else shown
