"""`http://…`: a candidate that is an address. The question is posted there as JSON, and the answer comes back."""

from __future__ import annotations

import json

from adjudge.core import limits
from adjudge.core.errors import BadRequest, NotAuthorised, TooLarge
from adjudge.core.records import Item, Reply, Request
from adjudge.models.base import well_formed
from adjudge.models.http import Wire, check_base_url


class Endpoint:
    """A system that answers questions at an address of its own; it needs no key."""

    embedded = False
    rest_s = 0.0

    def __init__(self, url: str, *, timeout_s: float) -> None:
        self._wire = Wire(
            check_base_url(url, "--candidate"),
            key=None,
            key_from="",
            key_header=("", ""),
            headers={"accept": "application/json, text/plain;q=0.9, */*;q=0.1"},
            timeout_s=timeout_s,
        )

    async def answer(self, request: Request) -> Reply:
        answer = await self._wire.post(payload(request.items[0]))
        if 300 <= answer.status < 400:
            raise BadRequest(self._wire.message(f"answered {answer.status}, a redirect, which is not followed"))
        if answer.status in (401, 402, 403):
            raise NotAuthorised(self._wire.message(f"answered {answer.status}: {answer.text}"))
        if not 200 <= answer.status < 300:
            raise self._wire.fault(answer)
        if len(answer.body) > limits.CANDIDATE_BYTES:
            raise TooLarge(self._wire.message(f"sent more than {limits.CANDIDATE_BYTES:,} bytes"))
        text = well_formed(answer.body.decode("utf-8", "replace"))
        return Reply(text=text, cost_usd=0.0, latency_s=answer.seconds)

    async def close(self) -> None:
        await self._wire.close()


def payload(item: Item) -> bytes:
    """What a program or an address is told of an item: its id, the question and the sources."""
    told = {
        "id": item.id,
        "question": item.text("question"),
        "sources": [
            {name: value for name in ("id", "text", "url", "title") if (value := getattr(source, name)) is not None}
            for source in item.sources("sources")
        ],
    }
    return well_formed(json.dumps(told, ensure_ascii=False)).encode()
