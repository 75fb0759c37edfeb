"""The ledger: many writes, few transactions, and nobody goes on before its own write is durable."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from adjudge.run.ledger import Ledger
from adjudge.store.store import Store
from adjudge.store.writes import ReadDone, Rows


class Recorder:
    """Stands where the store stands, to see what is committed together and to fail on demand."""

    def __init__(self, fail_on: int = 0) -> None:
        self.groups: list[list[str]] = []
        self.fail_on = fail_on

    def commit_rows(self, rows: Rows) -> None:
        self.groups.append([key for _, _, key in rows.reads])
        if len(self.groups) == self.fail_on:
            raise OSError("disk full")


def note(n: int) -> ReadDone:
    return ReadDone(run="r", key=str(n), step="strict")


def test_writes_that_arrive_together_share_a_transaction():
    store = Recorder()

    async def work() -> None:
        ledger = Ledger(cast(Store, store))
        puts = [ledger.put(note(n)) for n in range(100)]
        assert not any(put.done() for put in puts), "nobody goes on before the commit"
        await asyncio.gather(*puts)
        await ledger.put(note(100))

    asyncio.run(work())
    assert [[int(key) for key in group] for group in store.groups] == [list(range(100)), [100]], "in their order"


def test_after_a_failed_commit_nothing_more_is_written():
    store = Recorder(fail_on=1)

    async def work() -> None:
        ledger = Ledger(cast(Store, store))
        nobody_waits = ledger.put(note(0))
        for n in (1, 2):
            with pytest.raises(OSError, match="disk full"):
                await ledger.put(note(n))
        assert isinstance(nobody_waits.exception(), OSError)

    asyncio.run(work())
    assert store.groups == [["0", "1"]], "what follows from a lost reply is not kept"


def test_what_waits_at_the_end_is_committed_and_an_empty_ledger_commits_nothing():
    store = Recorder()

    async def work() -> None:
        ledger = Ledger(cast(Store, store))
        ledger.commit()
        put = ledger.put(note(1))
        put.cancel()
        ledger.commit()

    asyncio.run(work())
    assert store.groups == [["1"]], "also where whoever waited was cancelled"
