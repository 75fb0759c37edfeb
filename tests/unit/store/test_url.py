from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.core.errors import ConfigError
from adjudge.store.url import check_postgres, is_postgres, shown_url, sqlite_path


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
        ("postgresql+psycopg://me:s3cret@host/db", r"no store for postgresql\+psycopg URLs"),
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


@pytest.mark.parametrize(
    ("url", "password"),
    [
        ("postgresql://", ""),
        ("postgres://host", ""),
        ("postgresql:///db", ""),
        ("postgresql://me@host/db", ""),
        ("postgresql://me:p%40%2Fw:#@host:5433/db?sslmode=require", "p@/w:#"),
        ("postgresql://me:pw@[::1]:5432,other:5433/db", "pw"),
        ("postgresql://me:pw@%2Ftmp%2Fsocket/db", "pw"),
    ],
)
def test_a_postgres_url_is_read_as_libpq_reads_it(url: str, password: str) -> None:
    assert is_postgres(url)
    assert check_postgres(url) == password


@pytest.mark.parametrize("inside", ["@", "/", "?", "%", "%zz", "%00"])
def test_a_password_that_libpq_would_take_apart_is_refused_unseen(inside: str) -> None:
    url = f"postgresql://me:s3{inside}cret@host/db"
    with pytest.raises(ConfigError, match="cannot be read") as raised:
        check_postgres(url)
    assert "cret" not in str(raised.value) and "%40" in str(raised.value)
    assert shown_url(url) == "postgresql://me:***@host/db"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///a:b@c.db", "sqlite:///a:b@c.db"),
        ("x.db", "x.db"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("postgresql://host:5433/db", "postgresql://host:5433/db"),
        ("postgres://:s3cret@/db", "postgres://:***@/db"),
        ("mysql://me:s3cret@host", "mysql://me:***@host"),
        (
            "postgresql://h/db?a=b&pass%77ord=s3@cret&sslpassword=s3cret&c=d",
            "postgresql://h/db?a=b&pass%77ord=***&sslpassword=***&c=d",
        ),
    ],
)
def test_no_password_is_shown(url: str, shown: str) -> None:
    assert shown_url(url) == shown
