"""What one person said, as two servers on one store see it: whoever wrote it, and however close together."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from adjudge.api.label_log import PersonLog
from adjudge.api.stored import StoredRun
from adjudge.store.store import open_store
from tests.fakes.verdicts import a_run
from tests.unit.api.test_changes import even

CELLS = [(f"i{item}", name) for item in range(3) for name in ("coverage", "accuracy")]


@pytest.fixture(params=["sqlite", "postgres"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> StoredRun:
    url = f"sqlite:///{tmp_path}/a.db" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
    return a_run(url, "summary", [even(3)] * 3)


def seen(log: PersonLog) -> dict[tuple[str, str], object]:
    return {(item, cell[1]): label.value for item in log.items() for cell, label in log.of(item).items()}


def test_two_servers_that_write_at_once_see_all_that_either_wrote(run: StoredRun) -> None:
    logs = [PersonLog(run.id, "anna") for _ in range(2)]
    errors: list[BaseException] = []

    def serve(own: int) -> None:
        try:
            for turn in range(20):
                with open_store(run.store) as store:
                    item, name = CELLS[(turn + own) % len(CELLS)]
                    store.add_label(run.id, item, "", name, "anna", 1 + (turn + own) % 5)
                    logs[own].read(store)
                    if turn % 7 == 3 and (found := logs[own].newest({item})):
                        store.withdraw_label(run.id, "anna", found[0])
                        logs[own].read(store)
        except BaseException as error:  # the assertion is made in the main thread
            errors.append(error)

    threads = [threading.Thread(target=serve, args=(own,)) for own in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    fresh = PersonLog(run.id, "anna")
    with open_store(run.store) as store:
        for log in (*logs, fresh):
            log.read(store)
        edits = store.label_edits(run.id)
        standing = {(label.item, label.criterion): label.value for label in store.labels(run.id)}
    assert len(edits) == 40
    assert seen(logs[0]) == seen(logs[1]) == seen(fresh) == standing
