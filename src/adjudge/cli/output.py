"""What commands share: the --json and --store options, safe text for terminals, files written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from adjudge.core.errors import ConfigError
from adjudge.data.export import dumps

F = TypeVar("F", bound=Callable[..., Any])

json_option: Callable[[F], F] = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object to standard output and nothing else there."
)
store_option: Callable[[F], F] = click.option(
    "--store",
    metavar="URL",
    help="sqlite:///FILE [default: sqlite:///adjudge.db, or the variable ADJUDGE_STORE].",
)


def emit_json(value: Any) -> None:
    """The one JSON object of a command."""
    sys.stdout.write(dumps(value) + "\n")


def safe(text: str) -> str:
    """Text from files and models without the characters that steer a terminal."""
    from adjudge.report.plain import block

    return block(text)


def write(chunks: Iterable[str | bytes], path: str | None) -> None:
    """To standard output, or to a file that appears only when it is whole."""
    if path is None or path == "-":
        for chunk in chunks:
            if isinstance(chunk, bytes):
                sys.stdout.buffer.write(chunk)
            else:
                sys.stdout.write(chunk)
        return
    target = Path(path)
    try:
        handle, draft = tempfile.mkstemp(dir=target.parent or Path(), prefix=f".{target.name}.")
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}", hint="give another path after -o") from None
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                file.write(chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "backslashreplace"))
        Path(draft).chmod(0o666 & ~_umask())
        Path(draft).replace(target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
