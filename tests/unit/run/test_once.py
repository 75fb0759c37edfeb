"""A question that several have in common is asked once, and what the store kept of it is what counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from adjudge.core.errors import BudgetSpent, Malformed, ServerFailed
from adjudge.core.records import Call, Prompt, Reply
from adjudge.run.once import once

CALL = Call(key="k", content="c", stage="claims", items=())
PROMPT = Prompt(system="", user="", schema={})


class FakeAsker:
    """Reads what the store has, or else asks; where another process was quicker, its reply is the stored one."""

    run = "r"

    def __init__(self, own: str | Exception, quicker: str | None = None) -> None:
        self.shared: dict[str, Any] = {}
        self.asked = 0
        self.kept: dict[str, str] = {}
        self._own, self._quicker = own, quicker
        self.ledger = SimpleNamespace(put=self._durable)
        self.store = SimpleNamespace(replies_of=lambda run, keys: {k: Reply(text=v) for k, v in self.kept.items()})

    async def _durable(self) -> None:
        await asyncio.sleep(0)

    async def consult(self, call: Call, span: Any, prompt: Any, items: Any, reader: Any, *, joins: bool) -> Any:
        assert joins
        try:
            if call.key not in self.kept:
                await asyncio.sleep(0)
                self.asked += 1
                if self._quicker is not None:
                    self.kept[call.key] = self._quicker
                if isinstance(self._own, Exception):
                    raise self._own
                self.kept.setdefault(call.key, self._own)
                return reader(Reply(text=self._own))[0], [call.key]
            return reader(Reply(text=self.kept[call.key]))[0], [call.key]
        except (Malformed, ServerFailed) as error:
            error.calls = (call.key,)
            raise


def number(reply: Reply) -> tuple[int, str]:
    if not reply.text.isdigit():
        raise Malformed("no number")
    return int(reply.text), "strict"


async def three(asker: FakeAsker, reader: Callable[[Reply], Any] = number) -> list[Any]:
    asking = [once(asker, CALL, (n, n), PROMPT, reader) for n in range(3)]  # type: ignore[arg-type]
    return list(await asyncio.gather(*asking, return_exceptions=True))


def test_whoever_comes_first_asks_for_all():
    asker = FakeAsker("7")
    assert asyncio.run(three(asker)) == [(7, ["k"])] * 3
    assert (asker.asked, asker.shared) == (1, {})


@pytest.mark.parametrize("own", ["7", "no number", ServerFailed("down")])
def test_where_another_process_was_quicker_its_reply_is_read(own):
    """Also where our own can't be used, or never came: the stored reply is there to be read."""
    asker = FakeAsker(own, quicker="8")
    assert asyncio.run(three(asker)) == [(8, ["k"])] * 3
    assert asker.asked == 1


@pytest.mark.parametrize("error", [ServerFailed("down"), BudgetSpent("spent")])
def test_all_who_wait_are_told_of_a_failure_and_who_comes_later_asks_again(error):
    asker = FakeAsker(error)
    assert asyncio.run(three(asker)) == [error] * 3
    assert (asker.asked, asker.shared) == (1, {})
    assert asyncio.run(three(asker)) == [error] * 3
    assert asker.asked == 2


def test_who_is_cancelled_while_waiting_takes_nothing_from_the_others():
    async def one_leaves() -> list[Any]:
        asking = [asyncio.create_task(once(asker, CALL, (n, n), PROMPT, number)) for n in range(3)]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        asking[1].cancel()
        return list(await asyncio.gather(*asking, return_exceptions=True))

    asker = FakeAsker("7")
    first, left, last = asyncio.run(one_leaves())
    assert (first, last) == ((7, ["k"]), (7, ["k"]))
    assert isinstance(left, asyncio.CancelledError)
