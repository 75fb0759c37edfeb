"""Questions that are asked at once: all are waited for, and an error names the calls of all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adjudge.core.errors import BudgetSpent, Missing, StoreError, TimedOut
from adjudge.run.together import together


async def part(name: str, error: Exception | None = None, *, done: list[str]) -> tuple[str, list[str]]:
    await asyncio.sleep(0)
    done.append(name)
    if error is not None:
        error.calls = (f"key-{name}",)  # type: ignore[attr-defined]
        raise error
    return name, [f"key-{name}"]


def asked(**errors: Exception | None) -> tuple[Any, list[str]]:
    done: list[str] = []

    async def work() -> Any:
        return await together(part(name, error, done=done) for name, error in errors.items())

    try:
        return asyncio.run(work()), done
    except Exception as error:
        return error, done


def test_results_come_in_the_order_of_the_parts():
    assert asked(a=None, b=None) == ((["a", "b"], ["key-a", "key-b"]), ["a", "b"])


@pytest.mark.parametrize("error", [TimedOut("no"), Missing("no")])
def test_one_error_does_not_stop_the_others_and_names_all_calls(error):
    found, done = asked(a=None, b=error, c=None)
    assert (type(found), found.calls, done) == (type(error), ("key-a", "key-b", "key-c"), ["a", "b", "c"])
    assert found is not error, "whoever shares the error has calls of its own"


def test_a_budget_that_is_spent_comes_first():
    found, _ = asked(a=Missing("no"), b=BudgetSpent("spent"))
    assert isinstance(found, BudgetSpent)


def test_a_fault_of_the_store_ends_them_all():
    found, _ = asked(a=StoreError("gone"), b=None)
    assert isinstance(found, ExceptionGroup)
