"""A store of each kind, with a dataset and a run in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.store.store import Store, open_store
from tests.contract.records import IDS, Opener, a_run


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def opener(url: str) -> Iterator[Opener]:
    opened: list[Store] = []

    def one() -> Store:
        opened.append(open_store(url))
        return opened[-1]

    yield one
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener) -> Store:
    store = opener()
    store.add_dataset("data", [(item, f'{{"text":"{number}"}}') for number, item in enumerate(IDS)])
    store.create_run(a_run("r1"), spec='{"model":"m"}')
    return store
