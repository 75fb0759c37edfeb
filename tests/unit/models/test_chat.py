"""What a chat model remembers of its server: the wait it was told, and the settings it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core import limits
from adjudge.core.errors import ModelError
from adjudge.core.records import Reply
from adjudge.models.anthropic import Anthropic
from adjudge.models.chat import Chat
from adjudge.models.openai import OpenAI
from tests.fakes.requests import a_request
from tests.fakes.server import Answer, FakeModelServer, Script, refusal

both = pytest.mark.parametrize("make", [OpenAI, Anthropic])
Make = Callable[..., Chat]
SPENT = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}
LEFT = {"x-ratelimit-remaining-requests": "9", "x-ratelimit-reset-requests": "1m30s"}


def after_each(make: Make, script: Script, calls: int, look: Callable[[Chat], Any], **asked: Any) -> list[Any]:
    """What `look` sees of a new model, and of the same model after each call."""

    async def run(url: str) -> list[Any]:
        model = make("m", base_url=url)
        seen = [look(model)]
        for _ in range(calls):
            with suppress(ModelError):
                await model.answer(a_request(**asked))
            seen.append(look(model))
        await model.close()
        return seen

    with FakeModelServer(script) as server:
        return asyncio.run(run(server.url))


def answers(make: Make, script: Script, **asked: Any) -> list[tuple[str, ...]]:
    """What two replies in a row say that was refused."""

    async def run(url: str) -> list[tuple[str, ...]]:
        model = make("m", base_url=url)
        replies = [await model.answer(a_request(**asked)) for _ in range(2)]
        await model.close()
        return [reply.refused for reply in replies]

    with FakeModelServer(script) as server:
        return asyncio.run(run(server.url))


@both
def test_every_answer_says_how_long_to_leave_the_server_alone(make: Make) -> None:
    told = [
        Answer(text="{}", headers=SPENT),
        Answer(text="{}", headers=LEFT),
        replace(refusal(429, "slow down"), headers=SPENT),
        replace(refusal(500, "oops"), headers={**SPENT, "x-ratelimit-reset-requests": "9h"}),
        Answer(text="{}"),
    ]
    seen = after_each(make, lambda request, n: told[n - 1], len(told), lambda model: model.rest_s)
    assert seen == [0.0, 90.0, 0.0, 90.0, limits.RETRY_AFTER_CAP_S, 0.0]


@both
def test_a_reply_says_that_the_temperature_was_refused(make: Make) -> None:
    def script(request: Any, n: int) -> Answer | None:
        return refusal(400, "Unsupported parameter: 'temperature'") if "temperature" in request else None

    assert answers(make, script) == [("temperature",), ("temperature",)]
    assert answers(make, lambda request, n: None) == [(), ()]


@both
def test_a_crowd_that_was_refused_a_setting_is_answered_without_it(make: Make) -> None:
    def script(request: Any, n: int) -> Answer | None:
        return refusal(400, "Unsupported parameter: 'temperature'") if "temperature" in request else None

    async def run(url: str) -> list[Reply]:
        model = make("crowd", base_url=url)
        replies = await asyncio.gather(*(model.answer(a_request(str(n), schema={})) for n in range(8)))
        await model.close()
        return replies

    with FakeModelServer(script, latency_s=0.2) as server:
        assert len(asyncio.run(run(server.url))) == 8
    assert server.calls == 16, "all had asked before the first was refused"


@both
def test_a_limit_under_another_name_is_not_dropped(make: Make) -> None:
    def script(request: Any, n: int) -> Answer | None:
        return refusal(400, "Use 'max_completion_tokens' instead.") if "max_completion_tokens" not in request else None

    assert answers(make, script, max_tokens=5) == [(), ()]


@both
def test_a_reply_says_how_it_was_asked_for_and_how_long_it_took(make: Make) -> None:
    reply = make("m", base_url="http://127.0.0.1:1/v1").read(
        {"choices": [{"message": {"content": "a \ud800"}}], "content": [{"type": "text", "text": "a \ud800"}]},
        mode="json",
        seconds=1.5,
    )
    assert (reply.text, reply.mode, reply.latency_s) == ("a \ufffd", "json", 1.5)
