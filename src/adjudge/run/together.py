"""Several questions at once, of which each is paid for: none is given up because another failed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from copy import copy
from typing import Any, TypeVar

from adjudge.core.errors import AdjudgeError, BudgetSpent, ModelError, ReplyError

T = TypeVar("T")


async def together(parts: Iterable[Coroutine[Any, Any, tuple[T, list[str]]]]) -> tuple[list[T], list[str]]:
    """What all parts say, in order, and the keys of their calls; the first error, with all keys, where one failed."""
    async with asyncio.TaskGroup() as group:  # a fault of the store ends them all
        asking = [group.create_task(_kept(part)) for part in parts]
    results = [task.result() for task in asking]
    keys = [key for result in results for key in (result.calls if isinstance(result, AdjudgeError) else result[1])]
    errors = [result for result in results if isinstance(result, AdjudgeError)]
    if errors:
        # a copy: whoever asked the same question has the same error, with calls of its own
        error = copy(next((one for one in errors if isinstance(one, BudgetSpent)), errors[0]))
        error.calls = tuple(keys)
        raise error
    return [result[0] for result in results if not isinstance(result, AdjudgeError)], keys


async def _kept(part: Coroutine[Any, Any, tuple[T, list[str]]]) -> tuple[T, list[str]] | AdjudgeError:
    try:
        return await part
    except (ModelError, ReplyError, BudgetSpent) as error:
        # with its traceback it would keep the prompt and the request alive, in a circle
        return error.with_traceback(None)
