"""The ledger: many writes, few transactions, and nobody goes on before its own write is durable."""

from __future__ import annotations

import asyncio
import threading
from typing import cast

import pytest

from adjudge.run.ledger import Ledger
from adjudge.store.store import Store
from adjudge.store.writes import ReadDone, Rows


class Recorder:
    """Stands where the store stands, to see what is committed together and to fail on demand."""

    def __init__(self, fail_on: int = 0) -> None:
        self.groups: list[list[str]] = []
        self.gate = threading.Event()
        self.fail_on = fail_on

    def commit_rows(self, rows: Rows) -> None:
        self.gate.wait(5)
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
        await asyncio.sleep(0.05)
        assert not any(put.done() for put in puts), "nobody goes on before the commit"
        store.gate.set()
        await asyncio.gather(*puts)
        await ledger.close()

    asyncio.run(work())
    assert [int(key) for group in store.groups for key in group] == list(range(100)), "in their order"
    assert len(store.groups) <= 3


def test_a_failed_commit_reaches_those_who_wait_for_it_and_only_those():
    store = Recorder(fail_on=1)
    store.gate.set()

    async def work() -> None:
        ledger = Ledger(cast(Store, store))
        with pytest.raises(OSError, match="disk full"):
            await ledger.put(note(1))
        await ledger.put(note(2))
        await ledger.close()

    asyncio.run(work())
    assert store.groups == [["1"], ["2"]]
