"""The ledger: many writes, few transactions, and nobody goes on before its own write is durable."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from adjudge.core import limits
from adjudge.core.errors import Busy
from adjudge.run.ledger import Ledger
from adjudge.store.store import Store
from adjudge.store.writes import ReadDone, Rows


class Recorder:
    """Stands where the store stands, to see what is committed together and to fail on demand."""

    def __init__(self, fail_on: int = 0, busy: int = 0) -> None:
        self.groups: list[list[str]] = []
        self.fail_on = fail_on
        #: How often another process is writing when one looks; who waits for it waits in vain.
        self.busy, self.waited = busy, 0

    def commit_rows(self, rows: Rows, *, wait: bool) -> None:
        if self.busy:
            self.busy -= 1
            self.waited += wait
            raise Busy("another process writes")
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


def test_while_another_process_writes_the_loop_goes_on_and_all_is_committed_in_its_order_later():
    store = Recorder(busy=3)

    async def work() -> None:
        ledger = Ledger(cast(Store, store))
        first = ledger.put(note(0))
        while store.busy > 1:
            await asyncio.sleep(0)
        later = ledger.put(note(1))
        assert not first.done()
        await asyncio.gather(first, later)

    asyncio.run(work())
    assert (store.groups, store.waited) == ([["0", "1"]], 0), "nobody waited in the loop's own thread"


def test_a_store_that_is_never_free_is_waited_for_at_last_and_then_it_has_failed(monkeypatch):
    monkeypatch.setattr(limits, "COMMIT_PATIENCE_S", 0.0)
    store = Recorder(busy=1000)

    async def work() -> None:
        ledger = Ledger(cast(Store, store))
        for n in (0, 1):
            with pytest.raises(Busy):
                await ledger.put(note(n))

    asyncio.run(work())
    assert (store.groups, store.waited) == ([], 1)
