from __future__ import annotations

import builtins
import importlib
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from adjudge.core.errors import AdjudgeError, Busy, ConfigError, Conflict, Corrupt, SchemaTooNew, StoreError
from adjudge.core.records import Call, Reply, Settings
from adjudge.core.runs import Run
from adjudge.store.database import Database, Transaction, migrations
from adjudge.store.store import open_store
from adjudge.store.writes import ReplyDone
from tests.fakes.postgres import PASSWORD, USER, PostgresServer, sql

pytest.importorskip("psycopg", reason='there is no psycopg: pip install "adjudge[postgres]"')
postgres = importlib.import_module("adjudge.store.postgres")


@pytest.fixture
def made(postgres_url: str) -> str:
    with open_store(postgres_url) as store:
        store.add_dataset("data", ((str(number), "x" * 2000) for number in range(50)))
    return postgres_url


@pytest.fixture
def database(made: str) -> Iterator[Database]:
    with closing(postgres.Postgres(made, create=False)) as database:
        yield database


def tables(url: str) -> list[tuple[Any, ...]]:
    return sql(url, "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('adjudge') ORDER BY 1")


def told(error: BaseException) -> str:
    """Everything a person or a log may see of an error."""
    return "".join(traceback.format_exception(error)) + repr(error)


def test_every_transaction_is_durable_and_found_in_its_own_schema(made: str) -> None:
    sql(made, f"ALTER ROLE {USER} SET synchronous_commit = off")
    try:
        with closing(postgres.Postgres(made, create=False)) as database, database.write() as transaction:
            found = transaction.read(
                "SELECT current_setting('synchronous_commit'), current_setting('lock_timeout'), current_schema()"
            )
    finally:
        sql(made, f"ALTER ROLE {USER} RESET synchronous_commit")
    assert found == [("on", "30s", "adjudge")]
    newest = max(number for number, _ in migrations())
    assert sql(made, "SELECT version FROM adjudge.schema_version") == [(newest,)]


@pytest.mark.parametrize("version", [number for number, _ in migrations()][:-1])
def test_a_store_of_an_older_schema_is_brought_up_to_date(
    postgres_url: str, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(postgres, "migrations", lambda: [step for step in migrations() if step[0] <= version])
        postgres.Postgres(postgres_url, create=True).close()
    assert sql(postgres_url, "SELECT version FROM adjudge.schema_version") == [(version,)]
    with open_store(postgres_url, create=False) as store:
        assert list(store.outcomes_with_rows("none")) == [] and list(store.labels("none")) == []
        assert store.spending("none") == []


def test_reading_never_makes_a_store(postgres_url: str) -> None:
    with pytest.raises(ConfigError, match="no store here yet") as raised:
        open_store(postgres_url, create=False)
    assert tables(postgres_url) == [] and PASSWORD not in told(raised.value)


def test_a_newer_schema_is_refused_and_left_untouched(made: str) -> None:
    sql(made, "UPDATE adjudge.schema_version SET version = 99")
    before = tables(made)
    for create in (True, False):
        with pytest.raises(SchemaTooNew, match=r"(?s)schema 99.*update adjudge") as raised:
            open_store(made, create=create)
        assert PASSWORD not in told(raised.value) and ":***@" in str(raised.value)
    assert tables(made) == before


def test_another_programs_tables_are_left_alone(postgres_url: str) -> None:
    sql(postgres_url, "CREATE TABLE runs (mine BIGINT)")
    open_store(postgres_url).close()
    assert sql(postgres_url, "SELECT * FROM public.runs") == []
    sql(postgres_url, "DROP SCHEMA adjudge CASCADE")
    sql(postgres_url, "CREATE SCHEMA adjudge")
    sql(postgres_url, "CREATE TABLE adjudge.runs (mine BIGINT)")
    with pytest.raises(ConfigError, match="another program"):
        open_store(postgres_url)
    assert tables(postgres_url) == [("runs",)]


def test_a_schema_that_an_administrator_made_is_used(postgres_url: str) -> None:
    sql(postgres_url, "CREATE SCHEMA adjudge")
    with open_store(postgres_url) as store:
        assert store.runs() == []


def test_many_may_open_a_new_store_at_once(postgres_url: str) -> None:
    errors: list[BaseException] = []

    def one() -> None:
        try:
            open_store(postgres_url).close()
        except BaseException as error:  # the assertion is made in the main thread
            errors.append(error)

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(sql(postgres_url, "SELECT version FROM adjudge.schema_version")) == 1


def test_a_database_that_is_not_utf8_is_refused(postgres_server: PostgresServer) -> None:
    options = "TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    with postgres_server.database(options) as url, pytest.raises(ConfigError, match="encoding=UTF8"):
        open_store(url)


def test_parallel_runs_get_different_numbers(made: str) -> None:
    def create(thread: int) -> None:
        with open_store(made) as store:
            for number in range(5):
                store.create_run(a_run(f"{thread}-{number}"), spec="")

    threads = [threading.Thread(target=create, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sql(made, "SELECT number FROM adjudge.runs ORDER BY 1") == [(number,) for number in range(1, 21)]


def a_run(run_id: str) -> Run:
    settings = Settings(model="m")
    return Run(
        id=run_id, judge="j", judge_digest="j", lang="en", data="d", data_digest="data", items=50, settings=settings
    )


def test_writers_that_need_not_be_alone_write_at_once(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_SESSION", postgres._SESSION.replace("'30s'", "'100ms'"))
    first, second = (postgres.Postgres(made, create=False) for _ in range(2))
    with closing(first), closing(second):
        with first.write(alone=False), second.write(alone=False) as transaction:
            assert transaction.read("SELECT 1") == [(1,)]
        for one, other in ((True, True), (True, False), (False, True)):
            with first.write(alone=one), pytest.raises(Busy, match="wait for it to end"), second.write(alone=other):
                raise AssertionError("two that must be alone were let in")
            assert second.read("SELECT COUNT(*) FROM items") == [(50,)]
        with second.write():
            pass


def test_writers_that_wait_for_one_another_both_succeed(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadlock is real: each has written one key and wants the other's."""
    with open_store(made) as store:
        store.create_run(a_run("r"), spec="")
    barrier, tries, insert = threading.Barrier(2), list[int](), Transaction.insert

    def slowly(self: Transaction, head: str, tail: str, rows: Sequence[Any], *, key: int) -> int:
        if "INTO replies" not in head:
            return insert(self, head, tail, rows, key=key)
        first, second = rows
        touched = insert(self, head, tail, [first], key=key)
        if threading.get_ident() not in tries:
            barrier.wait(60)
        tries.append(threading.get_ident())
        return touched + insert(self, head, tail, [second], key=key)

    def commit(*keys: str) -> None:
        with open_store(made) as store:
            store.commit([ReplyDone(span=(0, 0), run="r", call=a_call(key), reply=Reply(text=key)) for key in keys])

    monkeypatch.setattr(Transaction, "insert", slowly)
    threads = [threading.Thread(target=commit, args=keys) for keys in ("ab", "ba")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(made) as store:
        assert set(store.replies(["a", "b"])) == {"a", "b"}
    assert len(tries) == 3, "one of the two was undone and tried again"


def a_call(key: str) -> Call:
    return Call(key=key, stage="judge", items=("1",))


def test_what_keeps_colliding_ends_as_busy(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    def collide(*_: object) -> None:
        tries.append(1)
        raise postgres.errors.DeadlockDetected("deadlock detected")

    with open_store(made) as store:
        store.create_run(a_run("r"), spec="")
        monkeypatch.setattr("adjudge.store.store.apply", collide)
        with pytest.raises(Busy, match="try again"):
            store.commit([ReplyDone(span=(0, 0), run="r", call=a_call("k"), reply=Reply(text=""))])
    assert len(tries) == 2


def test_big_rows_are_read_no_further_than_needed(database: Database) -> None:
    sql_text = "SELECT position, body FROM items WHERE dataset = ? ORDER BY position"
    assert [row[0] for row in database.read(sql_text, ("data",), chars=5000)] == [0, 1, 2]
    assert len(database.read(sql_text, ("data",), chars=10**9)) == 50


def test_pages_are_read_by_index_before_there_are_statistics(database: Database) -> None:
    with database.write() as transaction:
        rows = (("data", number, f"more {number}", "{}") for number in range(100, 5000))
        transaction.many("INSERT INTO items (dataset, position, id, body) VALUES (?, ?, ?, ?)", rows)
    page = "SELECT position, id, body FROM items WHERE dataset = ? AND position > ? ORDER BY position LIMIT 500"
    plan = "\n".join(row[0] for row in database.read(f"EXPLAIN {page}", ("data", 50)))
    assert "Index Scan using items_pkey" in plan and "Sort" not in plan


def test_keys_are_looked_up_once_each(database: Database) -> None:
    found = database.read_each(
        "SELECT id FROM items WHERE dataset = ? AND id IN (...)", ("data",), ["7", "x", "7", "8"]
    )
    assert sorted(found) == [("7",), ("8",)]


def test_a_lost_connection_says_so_and_the_next_use_connects_again(made: str) -> None:
    with open_store(made) as store:
        assert store.runs() == []
        sql(made, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'adjudge'")
        with pytest.raises(StoreError, match=r"(?s)connection to the server was lost.*then resume") as raised:
            store.runs()
        assert PASSWORD not in told(raised.value)
        assert store.runs() == []


def test_a_connection_lost_while_writing_leaves_nothing(database: Database, made: str) -> None:
    with pytest.raises(StoreError, match="lost"), database.write() as transaction:
        transaction.run("INSERT INTO datasets (digest) VALUES (?)", ("half",))
        sql(made, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'adjudge'")
        transaction.run("INSERT INTO datasets (digest) VALUES (?)", ("other",))
    with database.write() as transaction:
        assert transaction.read("SELECT digest FROM datasets") == [("data",)]


def test_a_closed_store_is_not_opened_by_using_it(made: str) -> None:
    store = open_store(made)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.runs()


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ("INSERT INTO datasets (digest) VALUES ('data')", Conflict, "contradicts"),
        ("SELECT * FROM dropped", Corrupt, "damaged"),
        ("SET TRANSACTION READ ONLY; UPDATE runs SET name = ''", StoreError, "cannot be opened or written"),
        ("SELECT 1 / 0", StoreError, "division by zero"),
    ],
)
def test_errors_say_what_happened_and_where(
    database: Database, statement: str, kind: type[StoreError], message: str
) -> None:
    with pytest.raises(kind, match=message) as raised, database.write() as transaction:
        for part in statement.split(";"):
            transaction.run(part)
    assert type(raised.value) is kind
    assert f"postgresql://{USER}:***@127.0.0.1" in str(raised.value) and PASSWORD not in told(raised.value)
    assert database.read("SELECT COUNT(*) FROM items") == [(50,)], "the store goes on after an error"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("/store", "/absent"), "cannot be reached.*does not exist"),
        ((f"{USER}:", "nobody-else:"), "cannot be reached.*authentication failed"),
        ((f"{PASSWORD}@", f"{PASSWORD}-wrong@"), "cannot be reached.*authentication failed"),
        (("127.0.0.1:", "127.0.0.1:1"), "cannot be reached|not a URL"),
        (("127.0.0.1", "no-such-host.invalid"), "cannot be reached"),
        (("/store", "/store?no_such_option=1&x="), "not a URL that PostgreSQL's client understands"),
        (("/store", f"/absent?password={PASSWORD}&application_name="), "cannot be reached.*does not exist"),
        ((f"{PASSWORD}@", f"{PASSWORD}@{PASSWORD}@"), "cannot be read"),
        ((f"{PASSWORD}@", f"{PASSWORD}%@"), "cannot be read"),
    ],
)
def test_passwords_are_never_told(postgres_url: str, change: tuple[str, str], message: str) -> None:
    with pytest.raises(AdjudgeError, match=f"(?s){message}") as raised:
        open_store(postgres_url.replace(*change))
    assert PASSWORD not in told(raised.value) and "hint" in str(raised.value)


def test_passwords_are_in_no_repr(made: str) -> None:
    with open_store(made) as store:
        store.runs()
        database = store._db
        seen = [repr(part) for part in (store, database, *vars(database).values()) if not isinstance(part, str)]
        assert PASSWORD not in "".join(seen)


def test_what_the_url_leaves_out_comes_from_the_environment(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    host, name = made.rpartition("@")[2].split("/")
    for variable, value in {
        "PGUSER": USER,
        "PGPASSWORD": PASSWORD,
        "PGHOST": "127.0.0.1",
        "PGPORT": host.partition(":")[2],
        "PGDATABASE": name,
        "PGCLIENTENCODING": "LATIN1",
    }.items():
        monkeypatch.setenv(variable, value)
    for url in ("postgresql://", f"postgres://{host}", f"postgresql:///{name}", f"postgresql://{USER}@{host}/{name}"):
        with open_store(url, create=False) as store:
            assert list(store.items("data", 7, 7)) == [(7, "7", "x" * 2000)]


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "psycopg":
            raise ImportError(name)
        return original(name, *rest, **named)

    monkeypatch.delitem(sys.modules, "adjudge.store.postgres")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r'pip install "adjudge\[postgres\]"'):
        open_store("postgresql://me:s3cret@host/db")


def test_the_package_is_imported_only_when_it_is_needed() -> None:
    script = "import sys, adjudge.cli, adjudge.store.store; sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
