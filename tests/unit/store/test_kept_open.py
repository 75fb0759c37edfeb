"""Stores that stay open while an answer is made: one opening for all that it asks, and nothing is left open."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.core.errors import ConfigError, StoreError
from adjudge.store import store as stores
from adjudge.store.sqlite import Sqlite
from adjudge.store.store import kept_open, open_store


@pytest.fixture
def url(tmp_path: Path) -> str:
    name = f"sqlite:///{tmp_path}/a.db"
    open_store(name).close()
    return name


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sqlite]]:
    """The databases that were opened."""
    made: list[Sqlite] = []

    class Noted(Sqlite):
        def __init__(self, path: Path, *, create: bool) -> None:
            super().__init__(path, create=create)
            made.append(self)

    monkeypatch.setattr(stores, "Sqlite", Noted)
    yield made
    assert all(one._closed for one in made), "none is left open"


def test_a_store_is_opened_once_within_and_every_time_without(url: str, opened: list[Sqlite]) -> None:
    with kept_open():
        for _ in range(3):
            with open_store(url, create=False) as store:
                store.save_judge("digest", {})
    assert len(opened) == 1
    for _ in range(2):
        with open_store(url, create=False) as store:
            assert store.judge_files("digest") == {}
    assert len(opened) == 3


def test_one_that_is_in_use_is_not_given_to_another(url: str, opened: list[Sqlite]) -> None:
    with kept_open(), open_store(url) as first, open_store(url) as second:
        assert first is not second
    assert len(opened) == 2


def test_one_that_failed_is_not_used_again(url: str, opened: list[Sqlite]) -> None:
    with kept_open():
        with pytest.raises(StoreError), open_store(url):
            raise StoreError("the disk fails")
        assert opened[0]._closed
        with open_store(url) as store:
            assert store.judge_files("digest") is None


def test_what_outlives_the_answer_is_closed_by_who_has_it(url: str, opened: list[Sqlite]) -> None:
    def streamed() -> Iterator[object]:
        with open_store(url) as store:
            yield store.judge_files("digest")
            yield store.judge_files("digest")

    with kept_open():
        rest = streamed()
        next(rest)
    assert not opened[0]._closed, "it is still read from"
    assert list(rest) == [None]


def test_other_stores_and_other_threads_have_their_own(url: str, tmp_path: Path, opened: list[Sqlite]) -> None:
    def elsewhere() -> None:
        with open_store(url):
            pass

    with kept_open():
        with open_store(url), pytest.raises(ConfigError, match="no store here yet"):
            open_store(f"sqlite:///{tmp_path}/b.db", create=False)
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert len(opened) == 2
