"""Labels of stores that were made before labels could be taken back."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from adjudge.core.errors import SchemaTooNew
from adjudge.store import sqlite
from adjudge.store.database import migrations
from adjudge.store.store import open_store
from tests.fakes.verdicts import a_run

#: The schema in which a label could only be added.
BEFORE = 3


def test_an_old_store_keeps_its_labels_and_learns_to_take_them_back(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/old.db"
    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "migrations", lambda: [step for step in migrations() if step[0] <= BEFORE])
        run = a_run(url, "summary", [None])
        with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
            for number, value in ((1, "3"), (2, "4.0"), (3, "null")):
                row = (
                    run.id,
                    number,
                    "i0",
                    "",
                    "coverage" if number < 3 else "accuracy",
                    "anna",
                    value,
                    "",
                    f"t{number}",
                )
                connection.execute("INSERT INTO labels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            connection.commit()
    with open_store(url) as store:
        assert [(label.criterion, label.value) for label in store.labels(run.id)] == [
            ("coverage", 4),
            ("accuracy", None),
        ]
        assert [label.withdrawn for label in store.label_edits(run.id)] == ["", "", ""]
        assert store.withdraw_label(run.id, "anna", 2)
        assert [(label.criterion, label.value) for label in store.labels(run.id)] == [
            ("coverage", 3),
            ("accuracy", None),
        ]
    with monkeypatch.context() as patched, pytest.raises(SchemaTooNew, match="knows up to 3"):
        patched.setattr(sqlite, "migrations", lambda: [step for step in migrations() if step[0] <= BEFORE])
        open_store(url)


def test_an_entry_that_takes_back_can_stand_once(tmp_path):
    """What the program checks, the database holds too."""
    url = f"sqlite:///{tmp_path}/a.db"
    run = a_run(url, "summary", [None])
    with open_store(url) as store:
        store.add_label(run.id, "i0", "", "coverage", "anna", 4)
        assert store.withdraw_label(run.id, "anna", 1)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        columns = "run, 3, item, candidate, criterion, annotator, value, comment, added, 1"
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            connection.execute(f"INSERT INTO labels SELECT {columns} FROM labels WHERE number = 2")
