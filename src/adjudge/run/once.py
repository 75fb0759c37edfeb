"""One question that several items or repeats have in common: asked by whoever comes first, for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from adjudge.core.errors import ModelError, ReplyError
from adjudge.core.records import Call, Item, Prompt, Reply
from adjudge.run.ask import Asker, Reader
from adjudge.store.writes import Span

T = TypeVar("T")


async def once(
    asker: Asker, call: Call, span: Span, prompt: Prompt, reader: Reader[T], items: Sequence[Item] = ()
) -> tuple[T, list[str]]:
    """`Asker.consult` for such a call. It is durable before anybody goes on: who comes later finds it in the store."""
    if (asking := asker.shared.get(call.key)) is not None:
        found: tuple[T, list[str]] = await asyncio.shield(asking)
        return found
    asker.shared[call.key] = asking = asyncio.get_running_loop().create_future()
    try:
        found = await _as_stored(asker, call, span, prompt, reader, items)
    except BaseException as error:
        asking.set_exception(error)
        asking.exception()  # nobody else may be waiting for it
        raise
    else:
        asking.set_result(found)
        return found
    finally:
        del asker.shared[call.key]


async def _as_stored(
    asker: Asker, call: Call, span: Span, prompt: Prompt, reader: Reader[T], items: Sequence[Item]
) -> tuple[T, list[str]]:
    """What the stored replies say: where another process was quicker, its replies are the ones that are kept and read,
    here as there, also where our own could not be used."""
    told: list[str] = []

    def noting(reply: Reply) -> tuple[T, str]:
        told.append(reply.text)
        return reader(reply)

    while True:
        failed: ModelError | ReplyError | None = None
        told.clear()
        try:
            found, keys = await asker.consult(call, span, prompt, items, noting, joins=True)
        except (ModelError, ReplyError) as error:
            failed, keys = error, list(error.calls)
        await asker.ledger.put()  # when this is durable, so is all that was put into it before
        stored = asker.store.replies_of(asker.run, keys)
        if [stored[key].text for key in keys if key in stored] == told:
            if failed is not None:
                raise failed
            return found, keys
