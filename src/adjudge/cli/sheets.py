"""What commands that answer a question about runs share: the formats, and where the answer goes."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from adjudge.cli.output import check_target, emit_json, form_of, format_option, json_option, safe, store_option, write
from adjudge.data.export import dumps
from adjudge.report.sheet import Sheet

F = TypeVar("F", bound=Callable[..., Any])

SHEET_FORMATS = ("text", "markdown", "html", "json")
_FORMAT: Callable[[F], F] = format_option(*SHEET_FORMATS)
_OUTPUT: Callable[[F], F] = click.option(
    "-o", "--output", metavar="FILE", help="Write to a file instead of standard output."
)

_LABELS: Callable[[F], F] = click.option(
    "--labels", metavar="FILE", help="People's scores: JSON, JSONL, CSV, TSV or Parquet [default: the store's]."
)
_MAP: Callable[[F], F] = click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="NAME=COLUMN",
    help="What the file calls a criterion, id, annotator, comment or a field; repeatable.",
)


def label_options(command: F) -> F:
    """--labels and --map, for a command with the parameters labels and columns."""
    return _LABELS(_MAP(command))


def sheet_options(command: F) -> F:
    """--format, -o, --store and --json, for a command with the parameters form, output, store and as_json."""

    @wraps(command)
    def checked(*, output: str | None, **given: Any) -> Any:
        check_target(output)  # before the work that its answer takes
        return command(output=output, **given)

    return _FORMAT(_OUTPUT(store_option(json_option(cast(F, checked)))))


def columns() -> int:
    """The width of tables."""
    return min(80, shutil.get_terminal_size().columns)


def coloured() -> bool:
    """Whether standard output is a terminal that wants colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def put(sheet: Sheet, form: str | None, output: str | None, *, as_json: bool) -> None:
    """The sheet in the wanted form, to standard output or into a file; with --json and -o, its JSON is printed too."""
    form = "json" if as_json and output is None else form_of(output, form, *SHEET_FORMATS)
    if form == "json":
        write([dumps(sheet.data) + "\n"], output)
    elif form == "html":
        write(sheet.html(), output)
    elif form == "markdown":
        write([sheet.markdown()], output)
    else:
        write([sheet.text(width=columns(), colour=output is None and coloured())], output, drawn=True)
    if output is not None:
        click.echo(f"wrote {safe(output)}", err=True)
        if as_json:
            emit_json(sheet.data)
