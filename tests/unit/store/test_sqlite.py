from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.core import limits
from adjudge.core.errors import Busy, ConfigError, Corrupt, SchemaTooNew, StoreError
from adjudge.core.records import Call, Reply
from adjudge.store.database import migrations
from adjudge.store.sqlite import Sqlite
from adjudge.store.store import open_store
from adjudge.store.writes import ReplyDone


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def made(path: Path) -> Path:
    with open_store(str(path)) as store:
        store.add_dataset("data", ((str(number), "x" * 2000) for number in range(50)))
    return path


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_migrations_are_numbered_without_a_gap() -> None:
    numbers = [number for number, _ in migrations()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert all(statements for _, statements in migrations())


def test_the_database_is_set_up_to_be_durable(made: Path) -> None:
    database = Sqlite(made, create=True)
    with closing(database), database.write() as transaction:
        found = {
            name: transaction.read(f"PRAGMA {name}")[0][0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "user_version")
        }
    newest = max(number for number, _ in migrations())
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 30_000,
        "user_version": newest,
    }


def test_reading_never_makes_a_store(path: Path) -> None:
    with pytest.raises(ConfigError, match="no store here yet") as raised:
        open_store(str(path), create=False)
    assert not path.exists() and "--store" in str(raised.value)
    path.touch()
    with pytest.raises(ConfigError, match="no store here yet"):
        open_store(str(path), create=False)
    assert path.read_bytes() == b""


def test_a_store_that_is_there_opens_without_create(made: Path) -> None:
    with open_store(str(made), create=False) as store:
        assert list(store.items("data", 7, 7)) == [(7, "7", "x" * 2000)]


@pytest.mark.parametrize("version", [number for number, _ in migrations()][:-1])
def test_a_store_of_an_older_schema_is_brought_up_to_date(path: Path, version: int) -> None:
    """What was paid before is there, and no curve pretends to know when."""
    change(path, *(part for number, parts in migrations() if number <= version for part in parts))
    change(
        path,
        f"PRAGMA application_id = {0x61646A67}",
        f"PRAGMA user_version = {version}",
        "INSERT INTO datasets VALUES ('data')",
        "INSERT INTO runs VALUES ('r', 1, '', 'data', '{}', '{}', 'interrupted', 1, NULL, '{}', NULL)",
        "INSERT INTO calls (run, key, first_position, last_position, stage, repeat, call, cached, spent_in, spent_out, "
        "spent_pico, finish, attempts) VALUES ('r', 'k', 0, 0, 'judge', 0, '{}', 0, 7, 8, 9, 'stop', 1)",
    )
    call = Call(key="new", stage="judge", items=("a",))
    for create in (False, True):
        with open_store(str(path), create=create) as store:
            assert store.spent_usd("r") == 9e-12
            assert list(store.outcomes_with_rows("r")) == [] and list(store.labels("r")) == []
            store.commit([ReplyDone(run="r", call=call, span=(0, 0), reply=Reply(text="{}", cost_usd=0.0))])
            assert store.spending("r") == []


def test_a_newer_schema_is_refused_and_left_untouched(made: Path) -> None:
    change(made, "PRAGMA user_version = 99")
    before = made.read_bytes()
    for create in (True, False):
        with pytest.raises(SchemaTooNew, match=r"(?s)schema 99.*update adjudge") as raised:
            open_store(str(made), create=create)
        assert str(made) in str(raised.value)
    assert made.read_bytes() == before
    assert [file.name for file in made.parent.iterdir()] == ["store.db"]


def test_a_newer_schema_that_is_still_in_the_log_is_refused(made: Path) -> None:
    with closing(sqlite3.connect(made)) as other:
        other.execute("PRAGMA user_version = 99")
        before = made.read_bytes()
        assert int.from_bytes(before[60:64]) != 99
        with pytest.raises(SchemaTooNew):
            open_store(str(made))
        assert made.read_bytes() == before


@pytest.mark.parametrize("version", [0, 1, 99])
def test_another_programs_database_is_left_untouched(path: Path, version: int) -> None:
    change(path, "CREATE TABLE theirs (x)", f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="another program"):
        open_store(str(path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"hello", b"id,text\n" * 100, b"SQLite format 3\x00"])
def test_what_is_no_database_is_refused_with_what_to_do(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(Corrupt, match="not an SQLite database") as raised:
        open_store(str(path))
    assert str(path) in str(raised.value) and ".recover" in str(raised.value)
    assert path.read_bytes() == content


def test_a_damaged_store_says_so_when_it_is_read(made: Path) -> None:
    content = bytearray(made.read_bytes())
    content[4096 * 3 :] = b"\xff" * (len(content) - 4096 * 3)
    made.write_bytes(content)

    def read_all() -> None:
        with open_store(str(made)) as store:
            list(store.items("data"))

    with pytest.raises(Corrupt, match="damaged") as raised:
        read_all()
    assert ".recover" in str(raised.value)


def test_a_text_that_is_not_utf8_is_damage(made: Path) -> None:
    change(made, "UPDATE items SET body = CAST(x'ff' AS TEXT) WHERE id = '7'")
    with open_store(str(made)) as store, pytest.raises(Corrupt, match="not UTF-8"):
        list(store.items("data"))


def test_places_that_cannot_hold_a_store(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="folder, not a file"):
        open_store(f"sqlite:///{tmp_path}")
    with pytest.raises(ConfigError, match="does not exist") as raised:
        open_store(f"sqlite:///{tmp_path}/absent/store.db")
    assert str(tmp_path / "absent") in str(raised.value)
    with pytest.raises(StoreError, match="cannot be read"):
        open_store(f"sqlite:///{tmp_path}/{'x' * 300}.db")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder where even root cannot make files")
def test_a_folder_that_cannot_be_written_is_named() -> None:
    with pytest.raises(StoreError, match="cannot be opened or written") as raised:
        open_store("sqlite:////proc/self/store.db")
    assert "/proc/self/store.db" in str(raised.value) and "permissions" in str(raised.value)


def test_a_long_writer_elsewhere_means_busy(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STORE_BUSY_S", 0.05)
    with open_store(str(made)) as store, closing(sqlite3.connect(made, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy, match="another process"):
            store.save_judge("digest", {})
        other.execute("ROLLBACK")
        store.save_judge("digest", {})
        assert store.judge_files("digest") == {}


def test_who_does_not_wait_is_busy_at_once_and_others_wait_as_before(made: Path) -> None:
    with closing(Sqlite(made, create=False)) as store, closing(sqlite3.connect(made, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy), store.write(alone=False, wait=False):
            pytest.fail("another process is writing")
        ((waits_ms,),) = store._writer.execute("PRAGMA busy_timeout")
        assert waits_ms == limits.STORE_BUSY_S * 1000
        other.execute("ROLLBACK")
        with store.write(alone=False, wait=False) as transaction:
            transaction.run("INSERT INTO datasets (digest) VALUES ('d')")
        assert other.execute("SELECT COUNT(*) FROM datasets WHERE digest = 'd'").fetchone() == (1,)


def test_a_writer_has_the_lock_before_it_reads(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STORE_BUSY_S", 0.05)
    database = Sqlite(made, create=True)
    with closing(database), closing(sqlite3.connect(made, timeout=0.05)) as other:
        with database.write() as transaction:
            transaction.read("SELECT COUNT(*) FROM judges")
            # Were this let in, the transaction above could no longer write what it decided on.
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("INSERT INTO judges (digest, files) VALUES ('theirs', '{}')")
            transaction.run("INSERT INTO judges (digest, files) VALUES ('ours', '{}')")
        assert database.read("SELECT digest FROM judges") == [("ours",)]


def test_opening_waits_for_another_that_is_just_making_the_store(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr("adjudge.store.sqlite.time.sleep", lambda _: other.execute("ROLLBACK"))
        connect = sqlite3.connect
        monkeypatch.setattr(
            "adjudge.store.sqlite.sqlite3.connect", lambda *args, **options: connect(*args, **options | {"timeout": 0})
        )
        with open_store(str(path)) as store:
            assert store.runs() == []


def test_a_full_disk_loses_nothing_that_was_stored(made: Path) -> None:
    def endless() -> Iterator[tuple[str, str]]:
        for number in range(10_000):
            yield str(number), "x" * 10_000

    database = Sqlite(made, create=True)
    with closing(database):
        with database.write() as transaction:
            transaction.read("PRAGMA max_page_count = 100")
        with pytest.raises(StoreError, match="disk is full"), database.write() as transaction:
            transaction.run("INSERT INTO datasets (digest) VALUES ('big')")
            sql = "INSERT INTO items (dataset, position, id, body) VALUES ('big', ?, ?, ?)"
            transaction.many(sql, ((int(item), item, body) for item, body in endless()))
        with database.write() as transaction:
            transaction.run("INSERT INTO judges (digest, files) VALUES ('d', '{}')")
        assert database.read("SELECT digest FROM datasets") == [("data",)]


def test_a_closed_store_says_so(made: Path) -> None:
    store = open_store(str(made))
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.runs()


def test_a_store_that_is_opened_again_keeps_its_locks(made: Path) -> None:
    """As threads of a web page do: else another process takes itself for the last one, and removes the journal."""
    script = "import sys; from adjudge.store.store import open_store; open_store(sys.argv[1]).close()"
    with open_store(str(made)) as first:
        second = open_store(str(made))
        second.close()
        second.close()  # twice, and still the first one is open
        with open_store(str(made)):
            subprocess.run([sys.executable, "-c", script, str(made)], check=True)
            assert made.with_name(f"{made.name}-wal").exists()
        assert first.runs() == []
    made.write_bytes(b"no store")
    with pytest.raises(Corrupt, match="not an SQLite database"):
        open_store(str(made))
