"""What commands share: the --json and --store options, safe text for terminals, files written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import click

from adjudge.core.counted import counted
from adjudge.core.errors import ConfigError
from adjudge.data.export import dumps

#: What a file's name may end in, and the format that this means where a command has it.
_ENDINGS = {
    ".txt": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}
RowsForm: TypeAlias = Literal["csv", "jsonl"]
F = TypeVar("F", bound=Callable[..., Any])

json_option: Callable[[F], F] = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object to standard output and nothing else there."
)
#: For commands that need no store: every command takes the option, so that scripts can pass it everywhere.
ignored_store_option: Callable[[F], F] = click.option("--store", hidden=True, expose_value=False)
store_option: Callable[[F], F] = click.option(
    "--store",
    metavar="URL",
    help="sqlite:///FILE or postgresql://... [default: sqlite:///adjudge.db, or the variable ADJUDGE_STORE].",
)
processes_option: Callable[[F], F] = click.option(
    "--processes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes of this machine that share the run [default: for a large one as many as help, 4 at most].",
)


def emit_json(value: Any) -> None:
    """The one JSON object of a command."""
    sys.stdout.write(dumps(value) + "\n")


def safe(text: str) -> str:
    """Text from files and models without the characters that steer a terminal."""
    from adjudge.report.plain import block

    return block(text)


def format_option(*forms: str) -> Callable[[F], F]:
    """--format, for a command with the parameter form; the first is the default."""
    told = f"[default: by the name after -o, else {forms[0]}]"
    return click.option("--format", "form", type=click.Choice(forms), help=told)


def form_of(output: str | None, form: str | None, *forms: str) -> str:
    """The format of a file: what --format says, else by its name, else the first that the command has."""
    named = _ENDINGS.get(Path(output or "").suffix.lower(), "")
    return form or (named if named in forms else forms[0])


def write(chunks: Iterable[str | bytes], path: str | None, *, option: str = "-o") -> None:
    """To standard output, or to a file that appears only when whole. Pipes and devices are written as they are.

    `option` is the one that the path was given with.
    """
    if path is None or path == "-":
        for chunk in chunks:
            if isinstance(chunk, bytes):
                sys.stdout.flush()
                sys.stdout.buffer.write(chunk)
            else:
                sys.stdout.write(chunk)
        return
    target = Path(path).resolve()
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                file.writelines(map(_encoded, chunks))
        else:
            _replace(target, map(_encoded, chunks))
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}", hint=f"give another path after {option}") from None


def rows_form(path: str | None, form: RowsForm | None, *, option: str) -> RowsForm:
    """The format of a file of rows: what --format says, else by its name; CSV on standard output."""
    if form or path is None or path == "-":
        return form or "csv"
    if path.lower().endswith(".csv"):
        return "csv"
    if path.lower().endswith((".jsonl", ".ndjson")):
        return "jsonl"
    raise click.UsageError(f"{option} {path}: the name ends in .csv or .jsonl, or --format says which of them to write")


def wrote(run: str, form: str, path: str, *, as_json: bool, labels: int | None = None) -> None:
    """Say which file there is now, and how many labels are in it."""
    if as_json:
        emit_json({"run": run, "format": form, "wrote": path, **({} if labels is None else {"labels": labels})})
        return
    what = "" if labels is None else f": {counted(labels, 'label')}" if labels else ": there are no labels yet"
    click.echo(f"wrote {path}{what}", err=True)


def _encoded(chunk: str | bytes) -> bytes:
    return chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "backslashreplace")


def _replace(target: Path, chunks: Iterable[bytes]) -> None:
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(chunks)
        Path(draft).chmod(0o666 & ~_umask())
        Path(draft).replace(target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
