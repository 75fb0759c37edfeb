"""The ledger: many writes, few transactions, and nobody goes on before its own write is durable."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, cast

import pytest

from adjudge.run.ledger import Ledger
from adjudge.store.store import Store
from adjudge.store.writes import ReadDone


class Recorder:
    """Stands where the store stands, to see what is committed together and to fail on demand."""

    def __init__(self, fail_on: int = 0) -> None:
        self.groups: list[list[Any]] = []
        self.gate = threading.Event()
        self.fail_on = fail_on

    def commit(self, writes: list[Any]) -> None:
        self.gate.wait(5)
        self.groups.append(list(writes))
        if len(self.groups) == self.fail_on:
            raise OSError("disk full")


def note(n: int) -> ReadDone:
    return ReadDone(run="r", key=str(n), step="strict")


def test_writes_that_arrive_together_share_a_transaction():
    store = Recorder()

    async def work() -> None:
        ledger = Ledger(cast(Store, store))
        puts = [asyncio.create_task(ledger.put(note(n))) for n in range(100)]
        await asyncio.sleep(0.05)
        assert not any(put.done() for put in puts), "nobody goes on before the commit"
        store.gate.set()
        await asyncio.gather(*puts)
        await ledger.close()

    asyncio.run(work())
    assert sorted(int(write.key) for group in store.groups for write in group) == list(range(100))
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
    assert [[write.key for write in group] for group in store.groups] == [["1"], ["2"]]
