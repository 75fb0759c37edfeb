"""A row → an Item, checked against the judge's fields before anything is called."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from adjudge.core import limits
from adjudge.core.counted import counted
from adjudge.core.errors import ConfigError, DataError
from adjudge.core.judge import Field, Judge
from adjudge.core.records import Item, Source, digest
from adjudge.data.strict_json import parse_json, type_name

Row = Mapping[str, Any]
_NAME = re.compile(r"[\w .,()/+:@#&'-]+")


_STRUCTURED = ("sources", "search_results", "answers")
_LIKE_JSON = re.compile(r"\s*(\[\s*[\"{]|\{\s*\")")


def parse_map(judge: Judge, pairs: tuple[str, ...]) -> dict[str, str]:
    """`--map field=column` options as a mapping."""
    found: dict[str, str] = {}
    known = ["id", *(field.name for field in judge.fields)]
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not column:
            raise ConfigError(f"--map {pair}: not of the form field=column", hint=f"--map {known[1]}=my_column")
        if name not in known:
            raise ConfigError(f"--map {pair}: the judge has no field `{name}`", hint=f"its fields: {', '.join(known)}")
        if name in found:
            raise ConfigError(f"--map {pair}: `{name}` is mapped twice", hint="give every field one column")
        found[name] = column
    return found


def canonical_row(judge: Judge, row: Row, where: str, columns: Mapping[str, str]) -> dict[str, Any]:
    """The row under the judge's own field names; columns that no field wants are carried along."""
    found: dict[str, Any] = {}
    # a column under the name of a mapped field would be taken for it wherever the mapped column is empty
    used: set[str] = set(columns)
    for name, accepted, structured in _accepted(judge):
        if name in columns:
            accepted = (columns[name],)
            if columns[name] not in row:
                raise DataError(
                    f"there is no column `{columns[name]}` (--map {name})", where=where, hint=columns_of(row)
                )
        for column in accepted:
            if (value := row.get(column)) is not None:
                found[name] = value if structured is None else _unpacked(structured, value, where)
                used.add(name)
                used.add(column)
                break
    return {**{name: value for name, value in row.items() if name not in used}, **found}


@lru_cache(maxsize=64)
def _accepted(judge: Judge) -> tuple[tuple[str, tuple[str, ...], Field | None], ...]:
    """Each field's name, the columns it may stand in, and the field itself where a table holds it as JSON."""
    fields = ((f.name, (f.name, *f.aliases), f if f.type in _STRUCTURED else None) for f in judge.fields)
    return (("id", ("id",), None), *fields)


def overlooked(judge: Judge, row: Row) -> dict[str, str]:
    """Fields that a canonical row lacks, each with a column of the same name but for the case of its letters."""
    folded = {str(column).casefold(): str(column) for column in row}
    found: dict[str, str] = {}
    for name, accepted, _ in _accepted(judge):
        columns = [folded[one.casefold()] for one in accepted if one.casefold() in folded]
        if name not in row and columns and columns[0] not in accepted:
            found[name] = columns[0]
    return found


def mapping(columns: Mapping[str, str]) -> str:
    """The options that map fields to columns, as they are typed."""
    return " ".join(f"--map {shlex.quote(f'{name}={column}')}" for name, column in columns.items())


def make_item(
    judge: Judge, row: Row, where: str, *, fewest: int = limits.CANDIDATES_MIN, raw: Row | None = None
) -> Item:
    """An item from a canonical row, or a DataError that names the row, the field and the columns that exist.

    `fewest` is how many answers to compare it must have: none where candidates are asked for theirs. `raw` is the row
    as its file has it: its columns are those that people know.
    """
    fields: dict[str, Any] = {}
    for field in judge.fields:
        value = row.get(field.name)
        required = field.required and not (field.type == "answers" and fewest == 0)
        if value is None or (not required and value in ("", [], {})):
            if required:
                asked = "; or name candidates with --candidate NAME=WHERE" if field.type == "answers" else ""
                also = f" (or {', '.join(f'`{alias}`' for alias in field.aliases)})" if field.aliases else ""
                near = overlooked(judge, row)
                meant = f"use --map {field.name}=COLUMN for another name"
                if field.name in near:
                    meant = f"did you mean the column `{near[field.name]}`: {mapping(near)}"
                raise DataError(
                    f"the field `{field.name}`{also} is {'null' if field.name in row else 'missing'}",
                    where=where,
                    hint=f"{columns_of(row if raw is None else raw)}; {meant}{asked}",
                )
            continue
        _check_size(field, value, where)
        if field.type == "answers":
            fields[field.name] = _answers(field, value, where, fewest)
        else:
            fields[field.name] = _READERS[field.type](field, value, where)
    known = {"id", *fields}
    extra = {name: value for name, value in row.items() if name not in known}
    return Item(id=_id(row, where), fields=fields, extra=extra)


def columns_of(row: Row) -> str:
    """What to say of a column that is not there."""
    names = [str(name)[: limits.NAME_CHARS] for name in islice(row, limits.COLUMNS_LISTED)]
    more = f" and {len(row) - len(names):,} more" if len(row) > len(names) else ""
    return f"the row has: {', '.join(names) or 'nothing'}{more}"


def _check_size(field: Field, value: Any, where: str) -> None:
    size, inside = 0, [value]
    while inside:
        one = inside.pop()
        if isinstance(one, str):
            size += len(one)
        elif isinstance(one, Mapping):
            inside.extend(one.values())
        elif isinstance(one, list | tuple):
            inside.extend(one)
    if size > limits.FIELD_CHARS:
        raise DataError(
            f"the field `{field.name}` has {size:,} characters, more than {limits.FIELD_CHARS:,}",
            where=where,
            hint="shorten it, or leave out the row; nothing was called",
        )


def _id(row: Row, where: str) -> str:
    value = row.get("id")
    if value is None:
        return digest({name: value for name, value in row.items() if name != "id"})[:16]
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        shown = "empty" if value == "" else type_name(value)
        raise DataError(
            f"`id` must be a text or a whole number, and is {shown}", where=where, hint="fill it, or leave `id` out"
        )
    if len(str(value)) > limits.NAME_CHARS:
        raise DataError(
            f"`id` is longer than {limits.NAME_CHARS} characters",
            where=where,
            hint="use another column: --map id=COLUMN",
        )
    return str(value)


def _wrong(field: Field, value: Any, wanted: str, where: str) -> DataError:
    return DataError(
        f"the field `{field.name}` must be {wanted}, not {type_name(value)}",
        where=where,
        hint=f"correct the row, or use --map {field.name}=COLUMN for another column",
    )


def _text(field: Field, value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(field, value, "a text", where)
    return value


def _name(field: Field, value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _wrong(field, value, "a short name", where)
    name = str(value).strip()
    if len(name) > limits.NAME_CHARS or not _NAME.fullmatch(name):
        raise DataError(
            f"the field `{field.name}` must be a short name",
            where=where,
            hint="letters, digits, spaces and . , ( ) / + : @ # & ' -",
        )
    return name


def _sources(field: Field, value: Any, where: str) -> tuple[Source, ...]:
    value = _unpacked(field, value, where)
    rows = [value] if isinstance(value, (str, dict)) else value
    if not isinstance(rows, list):
        raise _wrong(field, value, "a list of texts or of {id, text}", where)
    if not rows:
        raise DataError(f"the field `{field.name}` is an empty list", where=where, hint="at least one source is needed")
    found: list[Source] = []
    for number, row in enumerate(rows, 1):
        place = f"{where}, {field.name}[{number}]"
        if isinstance(row, str):
            row = {"text": row}
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise DataError(
                "a source must be a text or an object with a `text`", where=place, hint='{"id": "1", "text": "..."}'
            )
        found.append(_source(row, str(row["text"]), number, place))
    return _distinct(found, f"{where}, {field.name}")


def _search_results(field: Field, value: Any, where: str) -> tuple[Source, ...]:
    value = _unpacked(field, value, where)
    if not isinstance(value, list):
        raise _wrong(field, value, "a list of {url, content, metadata}", where)
    if not value:
        raise DataError(
            f"the field `{field.name}` is an empty list", where=where, hint="at least one search result is needed"
        )
    found: list[Source] = []
    for number, row in enumerate(value, 1):
        place = f"{where}, {field.name}[{number}]"
        if not isinstance(row, dict):
            raise DataError("a search result must be an object", where=place, hint='{"url": "...", "content": "..."}')
        for name in ("url", "content"):
            if not isinstance(row.get(name), str):
                raise DataError(f"`{name}` is missing or not a text", where=place, hint=columns_of(row))
        metadata = row.get("metadata")
        title = (metadata.get("title") if isinstance(metadata, dict) else None) or row.get("title")
        found.append(
            Source(id=str(number), text=row["content"], url=row["url"], title=title if isinstance(title, str) else None)
        )
    return tuple(found)


def _source(row: Mapping[str, Any], text: str, number: int, where: str) -> Source:
    own = number if row.get("id") is None else row["id"]
    if isinstance(own, bool) or not isinstance(own, (str, int)) or not 0 < len(str(own)) <= limits.NAME_CHARS:
        raise DataError(
            "a source's `id` must be a short text or a whole number", where=where, hint='{"id": "1", "text": "..."}'
        )
    url, title = row.get("url"), row.get("title")
    return Source(
        id=str(own),
        text=text,
        url=url if isinstance(url, str) else None,
        title=title if isinstance(title, str) else None,
    )


def _distinct(sources: list[Source], where: str) -> tuple[Source, ...]:
    seen: set[str] = set()
    for source in sources:
        if source.id in seen:
            raise DataError(
                f"two sources have the id `{source.id}`",
                where=where,
                hint="make the ids differ; a source without an id is called by its number",
            )
        seen.add(source.id)
    return tuple(sources)


def _answers(field: Field, value: Any, where: str, fewest: int) -> dict[str, str]:
    value = _unpacked(field, value, where)
    if not isinstance(value, dict):
        raise _wrong(field, value, "an object {name: text}", where)
    low, high = limits.CANDIDATES_MIN, limits.CANDIDATES_MAX
    if not fewest <= len(value) <= high:
        raise DataError(
            f"the field `{field.name}` has {counted(len(value), 'answer')}; {low} to {high} can be compared",
            where=where,
            hint='{"ModelA": "...", "ModelB": "..."}; more are named with --candidate NAME=WHERE',
        )
    for name, text in value.items():
        if not str(name).strip() or len(str(name)) > limits.NAME_CHARS:
            raise DataError(
                f"an answer in `{field.name}` has no usable name",
                where=where,
                hint=f"name every answer, in at most {limits.NAME_CHARS} characters",
            )
        if not isinstance(text, str):
            raise DataError(
                f"the answer of `{name}` in `{field.name}` must be a text, not {type_name(text)}",
                where=where,
                hint="leave the candidate out where it has no answer",
            )
    return {str(name): text for name, text in value.items()}


def _unpacked(field: Field, value: Any, where: str) -> Any:
    """Tables have only text in their cells: a structured field stands there as JSON."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return parse_json(value, where, lambda _: where)
    except DataError as error:
        if field.type == "sources" and not _LIKE_JSON.match(value):  # a plain source may well begin with a bracket
            return value
        raise DataError(
            f"the field `{field.name}` is not valid JSON: {error.what}",
            where=where,
            hint="in a table this field stands as JSON",
        ) from None


def _json(field: Field, value: Any, where: str) -> Any:
    return value


_READERS = {
    "text": _text,
    "name": _name,
    "sources": _sources,
    "search_results": _search_results,
    "json": _json,
}
