"""A file → rows with the place each came from. One row at a time, so that size is no limit."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from adjudge.core import limits
from adjudge.core.errors import ConfigError, DataError

Row = dict[str, Any]
Placed = tuple[str, Row]
_FORMATS = ".jsonl, .json, .csv, .tsv or .parquet"


def read_rows(path: str) -> Iterator[Placed]:
    """The rows of a JSON, JSONL, CSV, TSV or Parquet file, or of standard input for `-`."""
    if path == "-":
        yield from _read_json(sys.stdin.buffer, "standard input")
        return
    file = Path(path)
    if file.is_dir():
        raise DataError("this is a folder, not a file", where=path, hint=f"give a {_FORMATS} file")
    if not file.exists():
        raise DataError("the file does not exist", where=path, hint="check the path; `-` reads standard input")
    readers: dict[str, Callable[[BinaryIO, str], Iterator[Placed]]] = {
        ".jsonl": _read_json,
        ".ndjson": _read_json,
        ".json": _read_json,
        ".csv": lambda stream, where: _read_table(stream, where, ","),
        ".tsv": lambda stream, where: _read_table(stream, where, "\t"),
        ".parquet": _read_parquet,
    }
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise DataError(f"unknown kind of file `{file.suffix}`", where=path, hint=f"give a {_FORMATS} file")
    try:
        with file.open("rb") as stream:
            yield from reader(stream, path)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=path) from None


def rows_of(rows: Any) -> Iterator[Placed]:
    """Rows given from Python, numbered from 1 as people count."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise DataError(f"a row must be a dict, not {type(row).__name__}", where=f"row {number}")
        yield f"row {number}", _plain(row)


def _plain(value: Any) -> Any:
    """A value as JSON has it: what data frames and Parquet add (dates, NaN, numpy numbers) becomes plain."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(child) for name, child in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(child) for child in value]
    return _plain(value.item()) if hasattr(value, "item") else str(value)


def _text_lines(stream: BinaryIO, where: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(iter(lambda: stream.readline(limits.ROW_BYTES + 1), b""), 1):
        if len(line) > limits.ROW_BYTES:
            raise DataError(f"the line is longer than {limits.ROW_BYTES:,} bytes", where=f"{where}, line {number}")
        try:
            yield number, (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"not UTF-8 (byte {error.start + 1} of the line)",
                where=f"{where}, line {number}",
                hint="save the file as UTF-8, e.g. iconv -f cp1251 -t utf-8",
            ) from None


def _read_json(stream: BinaryIO, where: str) -> Iterator[Placed]:
    """JSONL, an array, or one object over several lines: told apart by the first characters, not by the file's name."""
    lines = _text_lines(stream, where)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        return
    number, line = first
    if line.lstrip()[0] == "[" or (line.lstrip()[0] == "{" and not _complete(line)):
        text = "\n" * (number - 1) + line + "".join(part for _, part in lines)
        yield from _read_document(text, where)
        return
    yield f"{where}, line {number}", _object(line, f"{where}, line {number}")
    for number, line in lines:
        if line.strip():
            yield f"{where}, line {number}", _object(line, f"{where}, line {number}")


def _read_document(text: str, where: str) -> Iterator[Placed]:
    try:
        value = _parse(text)
    except json.JSONDecodeError as error:
        raise _broken(error, f"{where}, line {error.lineno}, column {error.colno}") from None
    if isinstance(value, dict):
        yield f"{where}, row 1", value
        return
    for number, row in enumerate(value, 1):
        if not isinstance(row, dict):
            raise DataError(f"a row must be an object, not {_name(row)}", where=f"{where}, row {number}")
        yield f"{where}, row {number}", row


def _complete(line: str) -> bool:
    try:
        _parse(line)
    except json.JSONDecodeError as error:
        # a broken JSONL line is reported as such; only a line that simply stops is the start of a longer document
        return error.pos < len(line.rstrip())
    except DataError:
        return True
    return True


def _object(line: str, where: str) -> Row:
    try:
        value = _parse(line)
    except json.JSONDecodeError as error:
        raise _broken(error, f"{where}, column {error.colno}") from None
    except DataError as error:
        raise DataError(error.what, where=where, hint=error.hint) from None
    if not isinstance(value, dict):
        raise DataError(f"a row must be an object, not {_name(value)}", where=where, hint='{"id": "1", ...}')
    return value


def _broken(error: json.JSONDecodeError, where: str) -> DataError:
    return DataError(f"broken JSON: {error.msg}", where=where, hint="mend this line; nothing was called")


def _parse(text: str) -> Any:
    def refuse(word: str) -> Any:
        raise DataError(f"{word} is not JSON", hint="write null, or leave the field out")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise DataError("nested too deeply") from None
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise
        raise DataError(f"not usable JSON: {error}") from None


def _name(value: Any) -> str:
    return {list: "an array", str: "a text", bool: "true or false", type(None): "null"}.get(type(value), "a number")


def _read_table(stream: BinaryIO, where: str, delimiter: str) -> Iterator[Placed]:
    csv.field_size_limit(limits.ROW_BYTES)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="", errors="strict")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    try:
        for cells in reader:
            if header is None:
                header = [cell.strip() for cell in cells]
                repeated = sorted({name for name in header if header.count(name) > 1})
                if repeated:
                    raise DataError(f"the column `{repeated[0]}` stands twice", where=f"{where}, line 1")
            elif cells:
                place = f"{where}, line {reader.line_num}"
                if len(cells) != len(header):
                    raise DataError(
                        f"{len(cells)} cells under {len(header)} columns",
                        where=place,
                        hint="put texts that hold the separator or a line break in double quotes",
                    )
                yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise DataError(f"broken table: {error}", where=f"{where}, line {reader.line_num}") from None
    except UnicodeDecodeError:
        raise DataError(
            "not UTF-8", where=f"{where}, after line {reader.line_num}", hint="save the file as UTF-8"
        ) from None
    finally:
        text.detach()


def _read_parquet(stream: BinaryIO, where: str) -> Iterator[Placed]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ConfigError("reading Parquet needs one more package", hint='pip install "adjudge[parquet]"') from None
    try:
        number = 0
        for batch in parquet.ParquetFile(stream).iter_batches(batch_size=256):
            for row in batch.to_pylist():
                number += 1
                yield f"{where}, row {number}", _plain(row)
    except (OSError, ValueError) as error:
        raise DataError(f"not a readable Parquet file: {error}", where=where) from None
