"""Which database a store's URL names."""

from __future__ import annotations

import re
from pathlib import Path

from adjudge.core.errors import ConfigError

_HINT = "use --store sqlite:///adjudge.db, sqlite:////folder/adjudge.db or a path that ends in .db"


def sqlite_path(url: str) -> Path:
    """The file that a store URL names: sqlite:///relative.db, sqlite:////absolute.db, or a bare path to a database."""
    # Only the scheme is ever shown: the rest may hold a password.
    scheme, found, path = url.partition("://")
    if not found:
        if not re.search(r"\.(db|sqlite3?)$", url):
            raise ConfigError("this names no store", where="--store", hint=_HINT)
        path = f"/{url}"
    elif re.fullmatch(r"postgres(ql)?(\+\w+)?", scheme):
        raise ConfigError("PostgreSQL stores come in a later version of adjudge", where="--store", hint=_HINT)
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
