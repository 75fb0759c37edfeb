"""What commands share: the --json and --store options, safe text for terminals, files written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
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
    write([dumps(value) + "\n"], None)


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


def write(
    chunks: Iterable[str | bytes],
    path: str | None,
    *,
    option: str = "-o",
    kept: Iterable[str] = (),
    drawn: bool = False,
) -> None:
    """To standard output, or to a file that appears only when whole. Pipes and devices are written as they are.

    A terminal gets no character that steers it; `drawn` says that there is none but our own colours. `option` is
    the one that the path was given with; `kept` are files that must stay as they are.
    """
    if path is None or path == "-":
        steered = sys.stdout.isatty() and not drawn
        for chunk in chunks:
            if steered:
                sys.stdout.write(_shown(chunk))
            elif isinstance(chunk, bytes):
                sys.stdout.flush()
                sys.stdout.buffer.write(chunk)
            else:
                sys.stdout.write(chunk)
        return
    check_target(path, option=option, kept=kept)
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                steered = file.isatty()
                file.writelines(_encoded(_shown(chunk) if steered else chunk) for chunk in chunks)
        else:
            _replace(target, map(_encoded, chunks))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"cannot write {path}: {why}", hint=f"give another path after {option}") from None


def check_target(path: str | None, *, option: str = "-o", kept: Iterable[str] = ()) -> None:
    """Refuse to write over a store, over the files that SQLite keeps next to one, or over what the command reads."""
    if path is None or path == "-":
        return
    context = click.get_current_context(silent=True)
    given = context.params if context else {}
    read = [name for name in (*kept, given.get("labels")) if isinstance(name, str)]
    with suppress(OSError, ValueError):
        target = Path(path).resolve()
        if _of_store(target, given.get("store")):
            raise ConfigError(
                f"{option} {path}: this file is a store, or a part of one, and would be lost",
                hint=f"give another path after {option}",
            )
        if any(_same(target, file) for file in read):
            raise ConfigError(
                f"{option} {path}: this command reads that file, or the run was made from it",
                hint=f"give another path after {option}",
            )


def _of_store(target: Path, store: str | None) -> bool:
    """Whether a file is a store or of the store in use; also one that is damaged, or not there yet."""
    from adjudge.store.sqlite import BESIDE, is_store
    from adjudge.store.url import is_postgres, sqlite_path, store_url

    names = [target, *(target.with_name(target.name.removesuffix(end)) for end in BESIDE if target.name.endswith(end))]
    if any(map(is_store, names)):
        return True
    url = store_url(store)
    with suppress(ConfigError):  # a command that needs no store does not mind what it is called
        return not is_postgres(url) and any(_same(target, f"{sqlite_path(url)}{end}") for end in ("", *BESIDE))
    return False


def _same(target: Path, other: str | Path) -> bool:
    """Whether two paths lead to one file, by whatever links, or would if it were there."""
    other = Path(other).resolve()
    return target == other or (target.is_file() and other.is_file() and target.samefile(other))


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
    click.echo(f"wrote {safe(path)}{what}", err=True)


def _shown(chunk: str | bytes) -> str:
    return safe(chunk.decode("utf-8", "replace") if isinstance(chunk, bytes) else chunk)


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
