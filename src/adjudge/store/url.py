"""Which store is used, which database its URL names, and how much of the URL may be shown."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from urllib.parse import unquote

from adjudge.core.errors import ConfigError

DEFAULT_STORE = "sqlite:///adjudge.db"
_HINT = (
    "use --store sqlite:///adjudge.db, sqlite:////folder/adjudge.db, a path that ends in .db, "
    "or postgresql://user:password@host:port/database"
)
_POSTGRES = re.compile(r"postgres(?:ql)?://(?:[^@:/?]*(?::(?P<password>[^@/?]*))?@)?[^@/?]*(?:/[^@/?]*)?(?:\?[^@?]*)?")
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")
_OPTION = re.compile(r"([?&])([^=&?]*)=[^&]*")


def store_url(given: str | None) -> str:
    """The store to use: the option, then the environment, then a file in the current folder."""
    return given or os.environ.get("ADJUDGE_STORE") or DEFAULT_STORE


def with_store(command: str, store: str | None) -> str:
    """A command to paste, with the store that it needs where it would take another one."""
    shown = shown_url(store_url(store))
    return command if shown == shown_url(store_url(None)) else f"{command} --store {shlex.quote(shown)}"


def is_postgres(url: str) -> bool:
    """Whether a store URL names a PostgreSQL database."""
    return url.startswith(("postgresql://", "postgres://"))


def check_postgres(url: str) -> str:
    """The password in a PostgreSQL URL, if any.

    A URL that could be read in two ways is refused: libpq would take a part of the password for a host or a database,
    and name it in its errors.
    """
    found = _POSTGRES.fullmatch(url)
    if not found or _BAD_PERCENT.search(url):
        raise ConfigError(
            "this PostgreSQL URL cannot be read",
            where="--store",
            hint="postgresql://user:password@host:port/database, where the characters @ / ? % inside a part "
            "are written as %40 %2F %3F %25",
        )
    return unquote(found["password"] or "")


def shown_url(url: str) -> str:
    """The URL as messages may print it: with *** for every password in it."""
    scheme, found, rest = url.partition("://")
    if not found or scheme == "sqlite":
        return url
    account, at, place = rest.rpartition("@")
    if at and ":" in account:
        account = f"{account.partition(':')[0]}:***"
    return _OPTION.sub(
        lambda option: f"{option[1]}{option[2]}=***" if "password" in unquote(option[2]).lower() else option[0],
        f"{scheme}://{account}{at}{place}",
    )


def sqlite_path(url: str) -> Path:
    """The file that a store URL names: sqlite:///relative.db, sqlite:////absolute.db, or a bare path to a database."""
    # Only the scheme is ever shown: the rest may hold a password.
    scheme, found, path = url.partition("://")
    if not found:
        if not re.search(r"\.(db|sqlite3?)$", url):
            raise ConfigError("this names no store", where="--store", hint=_HINT)
        path = f"/{url}"
    elif scheme != "sqlite":
        shown = scheme if re.fullmatch(r"[a-z][a-z0-9+.-]{0,30}", scheme) else "this kind of"
        raise ConfigError(f"there is no store for {shown} URLs", where="--store", hint=_HINT)
    elif not path.startswith("/"):
        raise ConfigError(
            "a sqlite URL takes three slashes before the path, four if it is absolute", where="--store", hint=_HINT
        )
    file = path[1:]
    if not file or file == ":memory:" or "\x00" in file:
        raise ConfigError("this URL names no file", where="--store", hint=_HINT)
    return Path(file)
