"""A file → rows with the place each came from, one at a time: size is no limit, but a JSON array is read whole."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from adjudge.core import limits
from adjudge.core.errors import ConfigError, DataError
from adjudge.data.strict_json import parse_json, too_deep, type_name

if TYPE_CHECKING:
    from hashlib import _Hash

Row = dict[str, Any]
Placed = tuple[str, Row]
_CHECK_PATH = "check the path; `-` reads standard input"
_FORMATS = ".jsonl, .json, .csv, .tsv or .parquet"
_BLOCK_BYTES = 1 << 20
#: What a line of a table may hold and yet be empty.
_BLANK = " \t\r\n,;"
#: The kinds of files that are read from the beginning to the end.
SEQUENTIAL = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """A file that somebody sent: its name says what kind it is, and is never looked up on this machine."""

    name: str
    data: bytes


class _Seen(io.RawIOBase):
    """A file that is read from its beginning to its end, whose bytes go into a hash on the way."""

    def __init__(self, file: io.FileIO, seen: _Hash) -> None:
        self._file, self._seen = file, seen

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._file.readinto(buffer) or 0
        self._seen.update(memoryview(buffer)[:size])
        return size


def file_digest(path: str) -> str:
    """A hash of a file's bytes; none of what is no ordinary file, whose bytes come but once, or can't be read."""
    found = hashlib.sha256()
    try:
        if not Path(path).is_file():
            return ""
        with Path(path).open("rb", buffering=0) as file:
            while block := file.read(_BLOCK_BYTES):
                found.update(block)
    except (OSError, ValueError):
        return ""
    return found.hexdigest()


def read_rows(path: str | Upload, *, check: str = _CHECK_PATH, seen: _Hash | None = None) -> Iterator[Placed]:
    """The rows of a JSON, JSONL, CSV, TSV or Parquet file, or of standard input for `-`.

    `check` is the hint where there is no such file. `seen` is a hash that the bytes of one of the `SEQUENTIAL` files go
    into; it is that of the file when the last row has been read.
    """
    if path == "-":
        yield from _read_json(sys.stdin.buffer, "standard input")
        return
    name = path.name if isinstance(path, Upload) else path
    file = Path(name)
    readers: dict[str, Callable[[BinaryIO, str], Iterator[Placed]]] = {
        ".jsonl": _read_json,
        ".ndjson": _read_json,
        ".json": _read_json,
        ".csv": lambda stream, where: _read_table(stream, where, ","),
        ".tsv": lambda stream, where: _read_table(stream, where, "\t"),
        ".parquet": _read_parquet,
    }
    if isinstance(path, Upload) and file.suffix.lower() == ".parquet":
        # a few bytes of it may stand for more than there is memory
        raise DataError(
            "a Parquet file cannot be sent", where=name, hint="send CSV or JSONL, or use `adjudge label --import`"
        )
    reader = readers.get(file.suffix.lower())
    try:
        if isinstance(path, str) and file.is_dir():
            raise DataError("this is a folder, not a file", where=name, hint=f"give a {_FORMATS} file")
        if reader is None:
            raise DataError(f"unknown kind of file `{file.suffix}`", where=name, hint=f"give a {_FORMATS} file")
        if isinstance(path, Upload):
            yield from reader(io.BytesIO(path.data), name)
            return
        with (
            file.open("rb", buffering=0) as raw,
            io.BufferedReader(raw if seen is None else _Seen(raw, seen), _BLOCK_BYTES) as stream,
        ):
            yield from reader(stream, name)
    except FileNotFoundError:
        raise DataError("the file does not exist", where=name, hint=check) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", "") or error
        raise DataError(f"cannot be read: {reason}", where=name, hint=check) from None


def rows_of(rows: Any) -> Iterator[Placed]:
    """Rows given from Python, numbered from 1 as people count; one mapping is one row."""
    for number, row in enumerate([rows] if isinstance(rows, Mapping) else rows, 1):
        where = f"row {number}"
        if not isinstance(row, Mapping):
            raise DataError(
                f"a row must be a dict, not {type(row).__name__}",
                where=where,
                hint='give a list of dicts; of a data frame: frame.to_dict("records")',
            )
        yield where, _plain(row, where)


def _plain(value: Any, where: str, depth: int = 0) -> Any:
    """A value as JSON has it: what data frames and Parquet add (dates, NaN, numpy numbers) becomes plain."""
    if depth > limits.ROW_DEPTH:
        raise too_deep(where)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(child, where, depth + 1) for name, child in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(child, where, depth + 1) for child in value]
    return _plain(value.tolist(), where, depth + 1) if hasattr(value, "tolist") else str(value)


def _text_lines(stream: BinaryIO, where: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(iter(lambda: stream.readline(limits.ROW_BYTES + 1), b""), 1):
        if len(line) > limits.ROW_BYTES:
            raise DataError(
                f"the line is longer than {limits.ROW_BYTES:,} bytes",
                where=f"{where}, line {number}",
                hint="a row must be smaller than that",
            )
        try:
            yield number, (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).decode("utf-8")
        except UnicodeDecodeError as error:
            wide = number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            raise DataError(
                "UTF-16, not UTF-8" if wide else f"not UTF-8 (byte {error.start + 1} of the line)",
                where=f"{where}, line {number}",
                hint=f"save the file as UTF-8, e.g. iconv -f {'utf-16' if wide else 'cp1251'} -t utf-8",
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
    value = parse_json(text, where, lambda error: f"{where}, {_broken_at(text, error)}")
    if isinstance(value, dict):
        yield f"{where}, row 1", value
        return
    for number, row in enumerate(value, 1):
        yield f"{where}, row {number}", _row(row, f"{where}, row {number}")


def _broken_at(text: str, error: json.JSONDecodeError) -> str:
    """Where a document is broken; an object that was never closed is broken there, not where the next row begins."""
    read = text[: error.pos].rstrip()
    if text.lstrip()[0] != "{" or error.msg != "Expecting ',' delimiter":
        return f"line {error.lineno}, column {error.colno}"
    return f"line {read.count(chr(10)) + 1}, column {len(read) - read.rfind(chr(10))}"


def _complete(line: str) -> bool:
    """Whether the line is a row of its own, good or broken; only one that simply stops begins a longer document."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos < len(line.rstrip())
    except (ValueError, RecursionError):
        return True
    return True


def _object(line: str, where: str) -> Row:
    return _row(parse_json(line, where, lambda error: f"{where}, column {error.colno}"), where)


def _row(value: Any, where: str) -> Row:
    if not isinstance(value, dict):
        raise DataError(f"a row must be an object, not {type_name(value)}", where=where, hint='{"id": "1", ...}')
    return value


def _read_table(stream: BinaryIO, where: str, delimiter: str) -> Iterator[Placed]:
    csv.field_size_limit(limits.ROW_BYTES)
    lines = (line for _, line in _text_lines(stream, where))
    head: list[str] = []
    for line in lines:
        head.append(line)
        if line.strip(_BLANK):
            break
    if delimiter == "," and head and "," not in head[-1]:
        # as spreadsheets write it where the comma is in decimal numbers, or where cells were copied
        delimiter = next((one for one in ";\t" if one in head[-1]), ",")
    reader = csv.reader(chain(head, lines), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    place = f"{where}, line 1"
    try:
        for cells in reader:
            if not any(cells):
                pass  # as empty as a blank line: spreadsheets write rows that have been cleared, too
            elif header is None:
                header = _header(cells, place)
            else:
                if len(cells) != len(header):
                    raise DataError(
                        f"{len(cells)} cells under {len(header)} columns",
                        where=place,
                        hint="put texts that hold the separator or a line break in double quotes",
                    )
                yield place, dict(zip(header, cells, strict=True))
            place = f"{where}, line {reader.line_num + 1}"
    except csv.Error as error:
        raise DataError(
            f"broken table: {error}",
            where=place,
            hint='close every double quote; write a quote inside a quoted text twice: ""',
        ) from None


def _header(cells: list[str], where: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    for name, times in Counter(header).items():
        if times > 1:
            raise DataError(
                f"the column `{name}` stands twice" if name else "two columns have no name",
                where=where,
                hint="give every column a name of its own in the first line",
            )
    return header


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
                place = f"{where}, row {number}"
                yield place, _plain(row, place)
    except (OSError, ValueError) as error:
        raise DataError(f"not a readable Parquet file: {error}", where=where) from None
