from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.core.errors import ConfigError
from adjudge.store.url import sqlite_path


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///adjudge.db", "adjudge.db"),
        ("sqlite:///a folder/x%20?.any", "a folder/x%20?.any"),
        ("sqlite:////tmp/x.db", "/tmp/x.db"),
        ("x.db", "x.db"),
        ("/tmp/x.sqlite", "/tmp/x.sqlite"),
        ("../x.sqlite3", "../x.sqlite3"),
    ],
)
def test_a_url_names_a_file(url: str, path: str) -> None:
    assert sqlite_path(url) == Path(path)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://me:s3cret@host/db", "later version"),
        ("postgres://me:s3cret@host/db", "later version"),
        ("postgresql+psycopg://me:s3cret@host/db", "later version"),
        ("mysql://me:s3cret@host/db", "no store for mysql URLs"),
        ("s3cret\n://x", "no store for this kind of URLs"),
        ("sqlite://x.db", "third slash|three slashes"),
        ("sqlite:///", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///a\x00.db", "names no file"),
        ("s3cret.txt", "names no store"),
        ("", "names no store"),
    ],
)
def test_what_names_no_store_is_refused_without_showing_secrets(url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as raised:
        sqlite_path(url)
    assert "s3cret" not in str(raised.value)
    assert raised.value.hint and "sqlite:///adjudge.db" in raised.value.hint
