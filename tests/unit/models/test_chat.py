"""What a chat model remembers of its server: the wait it was told, and the settings it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core import limits
from adjudge.core.errors import ModelError, NoOdds, RateLimited
from adjudge.core.records import Reply
from adjudge.models.anthropic import Anthropic
from adjudge.models.chat import Chat
from adjudge.models.openai import OpenAI
from tests.fakes.clock import PATIENCE_S
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
def test_a_crowd_that_was_refused_a_setting_is_answered_without_it(make: Make, monkeypatch: Any) -> None:
    monkeypatch.setattr(limits, "PROBE_WAIT_S", 0.0)

    def script(request: Any, n: int) -> Answer | None:
        refused = refusal(400, "Unsupported parameter: 'temperature'")
        return replace(refused, after=lambda: server.calls >= 8) if "temperature" in request else None

    async def run(url: str) -> list[Reply]:
        model = make("crowd", base_url=url)
        replies = await asyncio.gather(*(model.answer(a_request(str(n), schema={})) for n in range(8)))
        await model.close()
        return replies

    with FakeModelServer(script) as server:
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


def odds_of(url: str, *users: str, model: Chat | None = None) -> list[Reply | ModelError]:
    """What all of these come to, asked at once of one model."""

    async def run() -> list[Reply | ModelError]:
        asked = model or OpenAI("m", base_url=url)
        try:
            found = await asyncio.gather(
                *(asked.answer(a_request(u, odds=True)) for u in users), return_exceptions=True
            )
        finally:
            await asked.close()
        return [one for one in found if isinstance(one, Reply | ModelError)]

    return asyncio.run(run())


def test_the_likely_words_are_asked_for_and_come_with_the_reply() -> None:
    with FakeModelServer() as server:
        (reply,) = odds_of(server.url, "Is it good?")
    assert isinstance(reply, Reply)
    assert set(reply.odds) == {"Yes", "No", "Maybe"}
    sent = server.requests[0].data
    assert (sent["logprobs"], sent["top_logprobs"], sent["max_tokens"]) == (True, 20, 4)
    assert "response_format" not in sent


def test_a_word_that_is_there_is_a_whole_reply() -> None:
    cut = Answer(text="Yes, it", finish="length", odds=[{"Yes": -0.1, "No": -3.0}])
    with FakeModelServer(lambda request, n: cut) as server:
        (reply,) = odds_of(server.url, "Is it good?")
    assert isinstance(reply, Reply) and reply.finish == "stop"


def test_questions_and_ratings_of_one_model_are_asked_each_in_its_own_way() -> None:
    with FakeModelServer() as server:

        async def run() -> None:
            model = OpenAI("m", base_url=server.url)
            for odds in (False, True, False, True):
                await model.answer(a_request(odds=odds, max_tokens=50))
            await model.close()

        asyncio.run(run())
    sent = [("response_format" in r.data, "logprobs" in r.data, r.data["max_tokens"]) for r in server.requests]
    assert sent == [(True, False, 50), (False, True, 50)] * 2


REFUSALS = {
    "by name": refusal(400, "logprobs are not supported with this model"),
    "as a fault": refusal(500, "This endpoint does not support logprobs"),
    "in silence": Answer(text="Yes"),
}


@pytest.mark.parametrize("how", REFUSALS)
def test_a_server_without_probabilities_is_asked_once(how: str) -> None:
    with FakeModelServer(lambda request, n: REFUSALS[how]) as server:
        found = odds_of(server.url, *(f"Question {n}?" for n in range(50)))
    assert server.calls == 1
    assert len(found) == 50
    assert all(isinstance(error, NoOdds) and "--ask rating" in str(error) for error in found)
    assert [error.final for error in found if isinstance(error, NoOdds)].count(False) == 1, "one was asked"


def test_a_server_that_gives_fewer_words_is_asked_for_fewer() -> None:
    def script(request: Any, n: int) -> Answer | None:
        return refusal(400, "top_logprobs must be at most 5") if request["top_logprobs"] > 5 else None

    with FakeModelServer(script) as server:
        replies = odds_of(server.url, "A?", "B?", "C?")
    assert all(isinstance(reply, Reply) and reply.odds for reply in replies)
    assert [received.data["top_logprobs"] for received in server.requests] == [20, 5, 5, 5]


def test_a_fault_that_passes_says_nothing_of_probabilities() -> None:
    with FakeModelServer(lambda request, n: refusal(429, "too many logprobs requests") if n == 1 else None) as server:
        model = OpenAI("m", base_url=server.url)
        found = odds_of(server.url, "A?", "B?", model=model)
    assert [type(one) for one in found] == [RateLimited, Reply]


def test_one_answer_without_them_is_no_verdict_on_the_server() -> None:
    with FakeModelServer(lambda request, n: Answer(text="") if n == 2 else None) as server:
        found = odds_of(server.url, "A?", "B?", "C?")
    assert sorted(type(one).__name__ for one in found) == ["NoOdds", "Reply", "Reply"]


@both
@pytest.mark.parametrize("steps", range(4))
def test_who_is_cancelled_when_its_turn_comes_asks_no_more(make: Make, steps: int) -> None:
    """Ctrl-C at the moment at which the first answer lets the next one go."""

    async def run(url: str) -> None:
        model = make("turn", base_url=url)
        await model._turn.acquire()
        waiting = asyncio.create_task(model.answer(a_request()))
        while not model._turn._waiters:
            await asyncio.sleep(0)
        model._turn.release()
        for _ in range(steps):
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting}, timeout=PATIENCE_S)
        assert waiting.cancelled()
        await model.close()

    with FakeModelServer(lambda request, n: Answer(stuck="silent")) as server:
        asyncio.run(run(server.url))
