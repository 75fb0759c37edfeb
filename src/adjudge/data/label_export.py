"""Labels as adjudge writes them: a row for each, safe to open in a spreadsheet, and read back exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjudge.core import limits
from adjudge.core.errors import DataError
from adjudge.core.judge import Judge
from adjudge.core.labels import Label, LabelValue, moment
from adjudge.data.export import dumps, to_csv, unguarded
from adjudge.data.human import point_of
from adjudge.data.strict_json import type_name

COLUMNS = ("item", "candidate", "criterion", "annotator", "value", "comment", "added")
#: With it a file has everything that was ever said; what was taken back has the time of that.
WITHDRAWN = "withdrawn"
#: What makes a row one of these, and not one that somebody else laid out.
_OURS = frozenset({"item", "criterion", "value", "added"})


def labels_csv(labels: Iterable[Label], *, raw: bool = False, history: bool = False) -> Iterator[str]:
    """CSV text with a header; unless `raw`, no cell can start a formula in a spreadsheet."""
    names = _names(history)
    return to_csv((_row(label, names) for label in labels), names=names, raw=raw)


def labels_jsonl(labels: Iterable[Label], *, history: bool = False) -> Iterator[str]:
    """An object for each label, on a line of its own."""
    names = _names(history)
    return (dumps(_row(label, names)) + "\n" for label in labels)


def label_rows(labels: Iterable[Label], *, history: bool = False) -> list[dict[str, Any]]:
    """The same as objects."""
    return [_row(label, _names(history)) for label in labels]


def is_exported(row: Mapping[str, Any]) -> bool:
    """Whether a row is a label as it is written here; it may have other columns beside."""
    return row.keys() >= _OURS


def has_more(row: Mapping[str, Any]) -> bool:
    """Whether it has columns that are not written here, such as the texts."""
    return not row.keys() <= {*COLUMNS, WITHDRAWN}


def exported_label(judge: Judge, row: Mapping[str, Any], where: str, *, guarded: bool) -> Label | None:
    """The label of such a row, as it was before it was written; None where it was taken back.

    `guarded`: the file is a table whose cells were kept from being formulas.
    """
    item, candidate, criterion, annotator, comment, added, withdrawn = (
        _text(row.get(name), name, where, guarded)
        for name in ("item", "candidate", "criterion", "annotator", "comment", "added", WITHDRAWN)
    )
    if withdrawn:
        return None
    if added and moment(added) is None:
        raise DataError(f"`added` is `{added[:40]}`, which is no time", where=where, hint="2026-01-31T12:00:00+00:00")
    if len(comment) > limits.COMMENT_CHARS:
        raise DataError(f"`comment` is longer than {limits.COMMENT_CHARS} characters", where=where, hint="shorten it")
    for name, text in (("item", item), ("candidate", candidate), ("annotator", annotator)):
        if len(text) > limits.NAME_CHARS:
            raise DataError(f"`{name}` is longer than {limits.NAME_CHARS} characters", where=where, hint="shorten it")
    return Label(
        item=item,
        candidate=candidate,
        criterion=criterion,
        annotator=annotator.strip(),
        value=_value(judge, criterion, candidate, row["value"], where, guarded),
        comment=comment,
        added=added,
    )


def _value(judge: Judge, name: str, candidate: str, value: Any, where: str, guarded: bool) -> LabelValue:
    """A point of the criterion's scale, words where it has none; nothing where the person would not say."""
    criterion = next((one for one in judge.criteria if one.name == name), None)
    nothing = value is None or value == ""
    if name and criterion is None:
        raise DataError(
            f"`criterion` has `{name[:80]}`, which is no criterion of `{judge.name}`",
            where=where,
            hint=f"its scored criteria: {', '.join(one.name for one in judge.scored)}",
        )
    if criterion is None:
        if nothing:
            return None
        raise DataError("there is a value and no `criterion`", where=where, hint="name the criterion of the score")
    if bool(candidate) != (judge.layout == "compare" and criterion.scored):
        one_text = f"`{judge.name}` judges one text an item: leave `candidate` empty"
        raise DataError(
            f"`candidate` is {f'`{candidate[:80]}`' if candidate else 'empty'}",
            where=where,
            hint=one_text if candidate else "say which candidate the score is of",
        )
    if nothing:
        return None
    if criterion.scored:
        return whole(point_of(criterion, value, "`value`", where))
    return _text(value, "value", where, guarded)


def whole(value: float) -> float:
    """A number as people write it: 4, not 4.0."""
    return int(value) if value == int(value) else value


def _names(history: bool) -> tuple[str, ...]:
    return (*COLUMNS, WITHDRAWN) if history else COLUMNS


def _row(label: Label, names: Iterable[str]) -> dict[str, Any]:
    row = {name: getattr(label, name) for name in names}
    if isinstance(label.value, float):
        row["value"] = whole(label.value)
    return row


def _text(value: Any, name: str, where: str, guarded: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise DataError(f"`{name}` must be a text, not {type_name(value)}", where=where, hint="correct the row")
    return unguarded(str(value)) if guarded else str(value)
